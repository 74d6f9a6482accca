package tts

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// heard collects what a voice says.
type heard struct {
	rate int
	pcm  []float32
	each func() error
}

func (h *heard) emit(rate int, pcm []float32) error {
	h.rate = rate
	h.pcm = append(h.pcm, pcm...)
	if h.each != nil {
		return h.each()
	}
	return nil
}

func (h *heard) seconds() float64 { return float64(len(h.pcm)) / float64(h.rate) }

func (h *heard) loud() float64 {
	sum := 0.0
	for _, v := range h.pcm {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(1, len(h.pcm))))
}

func espeak(t testing.TB, o EspeakOptions) *Espeak {
	t.Helper()
	e, err := NewEspeak(t.Context(), o)
	if err != nil {
		t.Fatal(err) // espeak-ng is among the packages that make setup-test installs
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestEspeakSpeaks(t *testing.T) {
	e := espeak(t, EspeakOptions{})
	for _, s := range []string{"Hello, I am a robot.", "-x --version", "[[h@l'oU]] then", "Grüße: 21 < 22"} { // no option, no phonemes, no markup
		var h heard
		if err := e.Synthesize(t.Context(), s, h.emit); err != nil {
			t.Fatal(err)
		}
		if h.rate != 22050 || h.seconds() < 0.5 || h.seconds() > 5 || h.loud() < 0.02 {
			t.Errorf("%q: %.2f s of %d Hz, loudness %.3f", s, h.seconds(), h.rate, h.loud())
		}
	}
	slow, fast := heard{}, heard{}
	if err := espeak(t, EspeakOptions{Speed: 80, Voice: "en-gb-scotland"}).Synthesize(t.Context(), "One two three four five.", slow.emit); err != nil {
		t.Fatal(err)
	}
	if err := espeak(t, EspeakOptions{Speed: 300}).Synthesize(t.Context(), "One two three four five.", fast.emit); err != nil {
		t.Fatal(err)
	}
	if slow.seconds() < 1.5*fast.seconds() {
		t.Errorf("slowly %.2f s, quickly %.2f s", slow.seconds(), fast.seconds())
	}
}

func TestEspeakSpeaksAtARate(t *testing.T) {
	v := espeak(t, EspeakOptions{})
	long := map[float64]float64{}
	for _, rate := range []float64{1, 0.7, 1.4, 1.4, 1} { // a process waits for the rate of the sentence before
		var h heard
		if err := v.Synthesize(WithRate(t.Context(), rate), "This is how fast I speak when nobody is in a hurry.", h.emit); err != nil {
			t.Fatal(err)
		}
		if was, again := long[rate]; again && math.Abs(h.seconds()-was) > 0.05 {
			t.Errorf("rate %g: %.2f s, then %.2f s", rate, was, h.seconds())
		}
		long[rate] = h.seconds()
	}
	if !(long[0.7] > 1.2*long[1] && long[1] > 1.15*long[1.4]) {
		t.Errorf("seconds by rate: %v", long)
	}
}

func TestEspeakRefuses(t *testing.T) {
	for _, c := range []struct {
		o    EspeakOptions
		says string
	}{
		{EspeakOptions{Program: "no-such-espeak"}, "apt install espeak-ng"},
		{EspeakOptions{Voice: "klingon-opera"}, `voice "klingon-opera"`},
		{EspeakOptions{Speed: 1000}, "speed 1000 is not within 80…450"},
		{EspeakOptions{Pitch: -1}, "pitch -1 is not within 0…99"},
	} {
		if _, err := NewEspeak(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

func TestEspeakIsInterrupted(t *testing.T) {
	e := espeak(t, EspeakOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	long := strings.Repeat("word ", 1000)
	h := heard{each: func() error { cancel(); return nil }}
	if err := e.Synthesize(ctx, long, h.emit); !errors.Is(err, context.Canceled) {
		t.Errorf("context ended: %v", err)
	}
	full := errors.New("full")
	h.each = func() error { return full }
	if err := e.Synthesize(t.Context(), long, h.emit); !errors.Is(err, full) {
		t.Errorf("emit failed: %v", err)
	}
	// A spare process that was killed is replaced.
	e.mu.Lock()
	e.spare.kill()
	e.mu.Unlock()
	h = heard{}
	if err := e.Synthesize(t.Context(), "Still here.", h.emit); err != nil || len(h.pcm) == 0 {
		t.Errorf("after its spare died: %v", err)
	}
	e.Close()
	if err := e.Synthesize(t.Context(), "Still here?", h.emit); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A program that is not espeak-ng is found out.
func TestEspeakAnswersNonsense(t *testing.T) {
	for _, c := range []struct{ script, says string }{
		{"cat > /dev/null; echo hello; echo 'bad data' >&2", "output ends after 6 bytes"},
		{"cat > /dev/null; head -c 100 /dev/zero", "not with 16-bit mono WAV"},
		{"cat > /dev/null; exit 3", "ends after 0 bytes"},
	} {
		path := filepath.Join(t.TempDir(), "espeak-ng")
		script := "#!/bin/sh\n[ \"$1\" = -q ] && exit 0\n" + c.script + "\n"
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		e := espeak(t, EspeakOptions{Program: path})
		err := e.Synthesize(t.Context(), "Hello.", new(heard).emit)
		if !errors.Is(err, ErrVoice) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.script, err, c.says)
		}
	}
}

// standIn makes a Piper whose process is this test program.
func standIn(t *testing.T, mode string) *Piper {
	t.Helper()
	t.Setenv("TTS_TEST_PIPER", mode)
	p, err := NewPiper(PiperOptions{Program: os.Args[0], Model: model(t, `{"audio":{"sample_rate":22050}}`)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func model(t *testing.T, description string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "en_US-test-low.onnx")
	for name, s := range map[string]string{path: "weights", path + ".json": description} {
		if err := os.WriteFile(name, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestPiperSpeaks(t *testing.T) {
	for _, mode := range []string{"tells", "silent"} { // with and without a word at the end of each sentence
		p := standIn(t, mode)
		if p.Name() != "piper en_US-test-low" {
			t.Error(p.Name())
		}
		for _, s := range []string{"A short one.", "A sentence\nof two lines.", "x"} {
			var h heard
			if err := p.Synthesize(t.Context(), s, h.emit); err != nil {
				t.Fatal(err)
			}
			if h.rate != 22050 || len(h.pcm) != 441*len(s) || h.loud() < 0.1 {
				t.Errorf("%s: %q became %d samples of %d Hz, want %d", mode, s, len(h.pcm), h.rate, 441*len(s))
			}
		}
		if p.Restarts() != 0 {
			t.Errorf("%d restarts", p.Restarts())
		}
	}
}

func TestPiperDiesAndComesBack(t *testing.T) {
	p := standIn(t, "tells")
	var h heard
	err := p.Synthesize(t.Context(), "now die please", h.emit)
	if !errors.Is(err, ErrVoice) || !strings.Contains(err.Error(), "exit status 3: out of memory") || len(h.pcm) == 0 {
		t.Errorf("%v after %d samples", err, len(h.pcm))
	}
	tries := 0
	for end := time.Now().Add(30 * time.Second); ; tries++ {
		h = heard{}
		err := p.Synthesize(t.Context(), "again", h.emit)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrVoice) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if tries == 0 || len(h.pcm) != 5*441 || p.Restarts() != 1 {
		t.Errorf("after %d tries %d samples, %d restarts", tries, len(h.pcm), p.Restarts())
	}
}

// The rest of a sentence that was interrupted is not heard with the next one, whether it ends soon or never.
func TestPiperIsInterrupted(t *testing.T) {
	p := standIn(t, "tells")
	stop := errors.New("stop")
	for _, s := range []string{strings.Repeat("long ", 50), "slow"} {
		if s == "slow" {
			p.slow = 500 * time.Millisecond
		}
		h := heard{each: func() error { return stop }}
		if err := p.Synthesize(t.Context(), s, h.emit); !errors.Is(err, stop) {
			t.Fatal(err)
		}
		h = heard{}
		err := p.Synthesize(t.Context(), "next", h.emit)
		if s == "slow" { // it had to be ended
			if !errors.Is(err, ErrVoice) {
				t.Errorf("after an endless sentence: %v", err)
			}
		} else if err != nil || len(h.pcm) != 4*441 {
			t.Errorf("after a long sentence: %d samples, %v", len(h.pcm), err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.Synthesize(ctx, "hang", new(heard).emit); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrVoice) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if err := p.Synthesize(t.Context(), "closed", new(heard).emit); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestPiperHangs(t *testing.T) {
	p := standIn(t, "tells")
	p.slow = 300 * time.Millisecond
	start := time.Now()
	err := p.Synthesize(t.Context(), "hang", new(heard).emit)
	if !errors.Is(err, ErrVoice) || !strings.Contains(err.Error(), "silent for") || time.Since(start) < p.slow {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

func TestPiperRefuses(t *testing.T) {
	good := model(t, `{"audio":{"sample_rate":16000}}`)
	for _, c := range []struct {
		o    PiperOptions
		says string
	}{
		{PiperOptions{Program: "no-such-piper", Model: good}, "piper is missing"},
		{PiperOptions{Program: os.Args[0], Model: "/none.onnx"}, "piper's voice"},
		{PiperOptions{Program: os.Args[0], Model: model(t, `{"audio":`)}, "unexpected end of JSON"},
		{PiperOptions{Program: os.Args[0], Model: model(t, `{"audio":{"sample_rate":7}}`)}, "audio.sample_rate 7 is not within 8000…48000"},
	} {
		if _, err := NewPiper(c.o); !errors.Is(err, ErrVoice) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.says)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Setenv("TTS_TEST_PIPER", "tells")
	good := model(t, `{"audio":{"sample_rate":22050}}`)
	var told []error
	note := func(err error) { told = append(told, err) }
	for _, c := range []struct {
		o    Options
		name string
		told int
	}{
		{Options{}, "espeak-ng en-us", 0},
		{Options{Piper: PiperOptions{Program: os.Args[0], Model: good}}, "piper en_US-test-low, else espeak-ng en-us", 0},
		{Options{Piper: PiperOptions{Program: "no-such-piper", Model: good}, OnFailure: note}, "espeak-ng en-us", 1},
		{Options{Piper: PiperOptions{Program: os.Args[0], Model: good}, Espeak: EspeakOptions{Program: "no-such-espeak"}}, "piper en_US-test-low", 0},
	} {
		told = nil
		v, err := Open(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if v.Name() != c.name || len(told) != c.told {
			t.Errorf("%q, want %q; told %v", v.Name(), c.name, told)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(t.Context(), Options{Espeak: EspeakOptions{Program: "no-such-espeak"}}); !errors.Is(err, ErrVoice) {
		t.Error(err)
	}
}
