//go:build whisper

package vad

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/speechtest"
)

func silero(t testing.TB) *Silero {
	t.Helper()
	d, err := Open(fixtures.Model(t, "silero-v6.2.0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d.(*Silero)
}

func TestSileroFindsSpeech(t *testing.T) {
	x, truth := sentences(t, 600*time.Millisecond)
	d := silero(t)
	match(t, segments(t, d, x), truth, 0.3)
	for _, c := range []struct {
		kind speechtest.Kind
		snr  float64
	}{{speechtest.White, 10}, {speechtest.Pink, 10}, {speechtest.Hum, 10}, {speechtest.Servo, 5}} {
		t.Run(c.kind.String(), func(t *testing.T) {
			d.Reset()
			match(t, segments(t, d, speechtest.Mix(t, x, c.kind, c.snr, 1)), truth, 0.35)
		})
	}
}

func TestSileroIgnoresEverythingElse(t *testing.T) {
	d := silero(t)
	for _, k := range []speechtest.Kind{speechtest.White, speechtest.Pink, speechtest.Hum, speechtest.Servo, speechtest.Cough, speechtest.Music} {
		d.Reset()
		x := speechtest.Gain(speechtest.Noise(t, k, 6*SampleRate, 1), -20)
		if found := segments(t, d, x); len(found) != 0 {
			t.Errorf("%v is speech at %.2f s", k, found)
		}
	}
	d.Reset()
	if found := segments(t, d, make([]float32, 4*SampleRate)); len(found) != 0 {
		t.Errorf("silence is speech at %.2f", found)
	}
}

func TestSileroCutsARealVoiceAtItsPauses(t *testing.T) {
	found := segments(t, silero(t), fixtures.JFK(t))
	want := []segment{{0.35, 2.24}, {3.30, 4.38}, {5.41, 7.65}, {8.19, 10.59}}
	if len(found) != len(want) {
		t.Fatalf("found %.2f, he speaks at %.2f", found, want)
	}
	for i, w := range want {
		if f := found[i]; math.Abs(f.from-w.from) > 0.15 || math.Abs(f.to-w.to) > 0.15 {
			t.Errorf("found %.2f, he speaks at %.2f", f, w)
		}
	}
}

func TestSileroForgetsWithReset(t *testing.T) {
	d := silero(t)
	x := fixtures.JFK(t)[:2*SampleRate]
	run := func() []float32 {
		var all []float32
		for i := 0; (i+1)*FrameSize <= len(x); i++ {
			p, err := d.Speech(x[i*FrameSize : (i+1)*FrameSize])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		return all
	}
	first := run()
	second := run() // goes on where the first ended
	d.Reset()
	third := run()
	differs := false
	for i := range first {
		if first[i] != third[i] {
			t.Fatalf("frame %d: %v after Reset, %v at first", i, third[i], first[i])
		}
		differs = differs || first[i] != second[i]
	}
	if !differs {
		t.Error("it remembers nothing, so Reset was not tested")
	}
}

func TestSileroRefusesBadFrames(t *testing.T) {
	d := silero(t)
	refuses(t, d)
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	d.Reset()
	if _, err := d.Speech(make([]float32, FrameSize)); err == nil {
		t.Error("a closed detector answers")
	}
}

func TestDamagedModelsAreRefused(t *testing.T) {
	good, err := os.ReadFile(fixtures.Model(t, "silero-v6.2.0"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.bin")
	for _, b := range [][]byte{nil, []byte("hello"), good[:len(good)-1], good[:300], append([]byte{1}, good...)} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := OpenSilero(path); d != nil || !errors.Is(err, ggml.ErrFormat) {
			t.Errorf("%d bytes: %v, %v", len(b), d, err)
		}
	}
	if d, err := Open(t.TempDir()); err == nil {
		t.Errorf("a directory: %T", d)
	}
}

func TestDetectorsWorkSideBySide(t *testing.T) {
	x := fixtures.JFK(t)[:3*SampleRate]
	want := len(segments(t, silero(t), x))
	var wg sync.WaitGroup
	for range 3 {
		d := silero(t)
		wg.Go(func() {
			if got := len(segments(t, d, x)); got != want {
				t.Errorf("%d segments, alone it finds %d", got, want)
			}
		})
	}
	wg.Wait()
}

// The library logs four lines a frame unless it is told not to.
func TestNothingIsWrittenToStderr(t *testing.T) {
	if os.Getenv("VAD_TEST_QUIET") != "" {
		d := silero(t)
		segments(t, d, make([]float32, SampleRate))
		return
	}
	fixtures.Model(t, "silero-v6.2.0")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestNothingIsWrittenToStderr$")
	cmd.Env = append(os.Environ(), "VAD_TEST_QUIET=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stdout %q, stderr %q", err, out, stderr.String())
	}
}

func BenchmarkSilero(b *testing.B) {
	x, _ := sentences(b, 600*time.Millisecond)
	bench(b, silero(b), x)
}
