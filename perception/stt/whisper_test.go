//go:build whisper

package stt

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/internal/randommodel"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// tiny is a model that does all that a large one does, in milliseconds.
var tiny = ggml.Header{
	Vocab: ggml.VocabEnglish, AudioCtx: 256, AudioState: 32, AudioHead: 1, AudioLayer: 1,
	TextCtx: 448, TextState: 32, TextHead: 1, TextLayer: 1, Mels: 80, FileType: ggml.FileTypeOf(ggml.F16),
}

var (
	modelsMu sync.Mutex
	modelsOf = map[ggml.Header][]byte{}
)

func modelFile(t testing.TB, h ggml.Header) []byte {
	t.Helper()
	modelsMu.Lock()
	defer modelsMu.Unlock()
	if b, ok := modelsOf[h]; ok {
		return b
	}
	var b bytes.Buffer
	if err := randommodel.Write(&b, h, 1); err != nil {
		t.Fatal(err)
	}
	modelsOf[h] = b.Bytes()
	return b.Bytes()
}

func open1(t testing.TB, h ggml.Header, s Settings) *Recogniser {
	t.Helper()
	r, err := OpenBytes("random", modelFile(t, h), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func noise(t testing.TB, d time.Duration) []float32 {
	t.Helper()
	return speechtest.Gain(speechtest.Noise(t, speechtest.Pink, speechtest.Samples(d), 1), -20)
}

func TestTranscribe(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*ggml.Header)
		window time.Duration
	}{
		{"f16", func(*ggml.Header) {}, 5120 * time.Millisecond},
		{"q8_0", func(h *ggml.Header) { h.FileType = ggml.FileTypeOf(ggml.Q80) }, 5120 * time.Millisecond},
		{"a command model", func(h *ggml.Header) {
			h.AudioCtx, h.TextCtx, h.TextLayer, h.AudioLayer, h.AudioState, h.TextState, h.AudioHead, h.TextHead = 128, 32, 2, 3, 96, 96, 3, 3
		}, 2560 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := tiny
			c.change(&h)
			r := open1(t, h, Settings{Threads: 1, Defaults: Options{Unguarded: true, MaxTokens: 6}})
			if i := r.Info(); i.Window != c.window || i.Multilingual || i.Empty || i.Threads != 1 || i.Size == 0 || i.Name != "random" {
				t.Errorf("%+v", i)
			}
			x := noise(t, 2*time.Second)
			a, err := r.Transcribe(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if a.Text == "" || a.Tokens == 0 || a.Tokens > 7 || len(a.Segments) != 1 || a.Segments[0].End != 2*time.Second || a.Language != "en" {
				t.Errorf("%+v", a)
			}
			if a.Confidence <= 0 || a.Confidence > 1 || a.NoSpeech < 0 || a.NoSpeech > 1 {
				t.Errorf("confidence %v, no speech %v", a.Confidence, a.NoSpeech)
			}
			if w := a.Took; w.Mel <= 0 || w.Encode <= 0 || w.Decode <= 0 || w.Wait+w.Mel+w.Encode+w.Decode > w.Total {
				t.Errorf("%+v", w)
			}
			b, err := r.Transcribe(t.Context(), x)
			if err != nil || b.Text != a.Text || b.Confidence != a.Confidence {
				t.Errorf("the second time it says %q, at first it said %q (%v)", b.Text, a.Text, err)
			}
		})
	}
}

func TestWhatARandomModelSaysIsThrownAway(t *testing.T) {
	r := open1(t, tiny, Settings{})
	res, err := r.Transcribe(t.Context(), noise(t, 2*time.Second))
	if err != nil || res.Text != "" || res.Raw == "" || res.Discarded == "" || res.Segments != nil {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestNothingIsRunForSilence(t *testing.T) {
	r := open1(t, tiny, Settings{})
	for _, c := range []struct {
		samples []float32
		want    Discard
	}{
		{nil, TooShort},
		{noise(t, 149*time.Millisecond), TooShort},
		{make([]float32, SampleRate), Silence},
		{speechtest.Gain(noise(t, time.Second), -70), Silence},
	} {
		res, err := r.Transcribe(t.Context(), c.samples)
		if err != nil || res.Discarded != c.want || res.Took != (Timings{}) {
			t.Errorf("%d samples: %+v, %v", len(c.samples), res, err)
		}
	}
	// Of the shortest audio there is, the library would drop what is left after it has cut its margins.
	res, err := r.TranscribeWith(t.Context(), noise(t, MinLength), Options{Unguarded: true, MaxTokens: 3})
	if err != nil || res.Tokens == 0 {
		t.Errorf("the shortest audio: %+v, %v", res, err)
	}
}

func TestLongAudioIsUnderstoodPieceByPiece(t *testing.T) {
	r := open1(t, tiny, Settings{Defaults: Options{Unguarded: true, MaxTokens: 3}})
	const length = 17 * time.Second
	res, err := r.Transcribe(t.Context(), noise(t, length))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Duration(0)
	for _, s := range res.Segments {
		if s.Start != at || s.Text == "" || s.End-s.Start > r.Info().Window {
			t.Errorf("after %v comes %+v", at, s)
		}
		at = s.End
	}
	if at != length || len(res.Segments) < 4 || len(strings.Fields(res.Text)) < len(res.Segments) {
		t.Errorf("%d segments up to %v: %q", len(res.Segments), at, res.Text)
	}
}

func TestAModelWithoutWeightsSaysNothing(t *testing.T) {
	whole := modelFile(t, tiny)
	w, err := ggml.ReadWhisper(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	first := w.Tensors[0]
	head := int(first.Offset) - 12 - 4*len(first.Shape) - len(first.Name)
	r, err := OpenBytes("empty", whole[:head], Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res, err := r.Transcribe(t.Context(), noise(t, time.Second))
	if err != nil || !r.Info().Empty || res.Text != "" || res.Discarded != NoSpeech {
		t.Errorf("%+v: %+v, %v", r.Info(), res, err)
	}
}

func TestTheEmptyModelOfWhisperCppLoads(t *testing.T) {
	path := ""
	for _, dir := range fixtures.Dirs() {
		if p := filepath.Join(dir, "for-tests-ggml-tiny.en.bin"); path == "" {
			if _, err := os.Stat(p); err == nil {
				path = p
			}
		}
	}
	if path == "" {
		t.Skip("NOT TESTED: for-tests-ggml-tiny.en.bin of whisper.cpp is in none of the model directories; a model of our own stands in for it above")
	}
	r, err := Open(path, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if i := r.Info(); !i.Empty || i.Window != 30*time.Second || i.Multilingual || i.Name != filepath.Base(path) {
		t.Errorf("%+v", i)
	}
	if res, err := r.Transcribe(t.Context(), fixtures.JFK(t)[:2*SampleRate]); err != nil || res.Discarded != NoSpeech {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestAnEndedContextEndsTheRecognition(t *testing.T) {
	r := open1(t, tiny, Settings{Threads: 1, Defaults: Options{Unguarded: true, MaxTokens: 200}})
	long := noise(t, 2*time.Minute)
	begin := time.Now()
	if _, err := r.Transcribe(t.Context(), long[:5*SampleRate]); err != nil {
		t.Fatal(err)
	}
	piece := time.Since(begin)
	why := errors.New("speech goes on")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(piece, func() { cancel(why) })
	if _, err := r.Transcribe(ctx, long); !errors.Is(err, why) {
		t.Errorf("%v after %v; a piece of it takes %v", err, time.Since(begin), piece)
	}
	if _, err := r.Transcribe(ctx, long); !errors.Is(err, why) {
		t.Errorf("with a context that ended before: %v", err)
	}
	// The flag that stopped it must not stop the next one.
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.TranscribeWith(ctx, long[:SampleRate], Options{Unguarded: true, MaxTokens: 2})
			done <- err
		}()
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, err := r.TranscribeWith(t.Context(), long[:SampleRate], Options{Unguarded: true, MaxTokens: 2}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOneRecognitionAtATime(t *testing.T) {
	r := open1(t, tiny, Settings{Defaults: Options{Unguarded: true, MaxTokens: 5}})
	inputs := make([][]float32, 4)
	want := make([]string, len(inputs))
	for i := range inputs {
		inputs[i] = noise(t, time.Duration(i+1)*time.Second)
		res, err := r.Transcribe(t.Context(), inputs[i])
		if err != nil {
			t.Fatal(err)
		}
		want[i] = res.Text
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			k := i % len(inputs)
			if res, err := r.Transcribe(t.Context(), inputs[k]); err != nil || res.Text != want[k] {
				t.Errorf("%q instead of %q (%v)", res.Text, want[k], err)
			}
		})
	}
	wg.Wait()
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	r := open1(t, tiny, Settings{})
	<-r.busy // as if somebody else were at it
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := r.Transcribe(ctx, noise(t, time.Second))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.busy <- struct{}{}
}

func TestCloseEndsWhatGoesOn(t *testing.T) {
	r := open1(t, tiny, Settings{Threads: 1, Defaults: Options{Unguarded: true, MaxTokens: 200}})
	long := noise(t, 2*time.Minute)
	done := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := r.Transcribe(t.Context(), long)
			done <- err
		}()
	}
	for len(r.busy) == 1 { // until one of them has begun
		runtime.Gosched()
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if _, err := r.Transcribe(t.Context(), noise(t, time.Second)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestLanguages(t *testing.T) {
	h := tiny
	h.Vocab = 51865
	r := open1(t, h, Settings{Defaults: Options{Unguarded: true, MaxTokens: 2}})
	x := noise(t, time.Second)
	for _, lang := range []string{"", "en", "de", "auto"} {
		res, err := r.TranscribeWith(t.Context(), x, Options{Language: lang, Unguarded: true, MaxTokens: 2})
		want := lang
		if lang == "" {
			want = "en"
		}
		if err != nil || (lang != "auto" && res.Language != want) || (lang == "auto" && (res.Language == "" || res.Language == "auto")) {
			t.Errorf("language %q: %q, %v", lang, res.Language, err)
		}
	}
	if !r.Info().Multilingual {
		t.Errorf("%+v", r.Info())
	}
	if _, err := r.TranscribeWith(t.Context(), x, Options{Language: "klingon"}); err == nil || !strings.Contains(err.Error(), `language = "klingon" is unknown`) {
		t.Error(err)
	}
	english := open1(t, tiny, Settings{})
	if _, err := english.TranscribeWith(t.Context(), x, Options{Language: "de"}); err == nil || !strings.Contains(err.Error(), "knows English only") {
		t.Error(err)
	}
	if res, err := english.TranscribeWith(t.Context(), x, Options{Language: "auto", Unguarded: true, MaxTokens: 2}); err != nil || res.Language != "en" {
		t.Errorf("%q, %v", res.Language, err)
	}
}

func TestOptionsChangeWhatIsDone(t *testing.T) {
	r := open1(t, tiny, Settings{})
	x := noise(t, 2*time.Second)
	plain, err := r.TranscribeWith(t.Context(), x, Options{Unguarded: true, MaxTokens: 6})
	if err != nil {
		t.Fatal(err)
	}
	prompted, err := r.TranscribeWith(t.Context(), x, Options{Unguarded: true, MaxTokens: 6, Prompt: "w5 w6 w7 w8"})
	if err != nil || prompted.Text == plain.Text {
		t.Errorf("a prompt changes nothing: %q (%v)", prompted.Text, err)
	}
	if _, err := r.TranscribeWith(t.Context(), x, Options{Unguarded: true, MaxTokens: 6, FullWindow: true}); err != nil {
		t.Error(err)
	}
}

func TestLimitsAreKept(t *testing.T) {
	r := open1(t, tiny, Settings{})
	x := noise(t, time.Second)
	for says, o := range map[string]Options{
		"prompt of 1001 bytes": {Prompt: strings.Repeat("x", 1001)},
		"max tokens":           {MaxTokens: -1},
	} {
		if _, err := r.TranscribeWith(t.Context(), x, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
		if _, err := OpenBytes("random", modelFile(t, tiny), Settings{Defaults: o}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s by default: %v", says, err)
		}
	}
	if _, err := r.Transcribe(t.Context(), make([]float32, SampleRate*600+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("more than ten minutes: %v", err)
	}
	bad := noise(t, time.Second)
	bad[100] = 1e30
	if _, err := r.Transcribe(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "sample 100") {
		t.Error(err)
	}
	for _, n := range []int{-1, 65} {
		if _, err := OpenBytes("random", modelFile(t, tiny), Settings{Threads: n}); err == nil || !strings.Contains(err.Error(), "threads = ") {
			t.Errorf("%d threads: %v", n, err)
		}
	}
}

func TestDamagedModelsAreRefused(t *testing.T) {
	good := modelFile(t, tiny)
	wide := tiny
	wide.FileType = ggml.FileTypeOf(ggml.F32) // with which the library aborts the process
	for _, b := range [][]byte{nil, []byte("hello"), good[:len(good)-1], good[:100], append([]byte{0}, good...), modelFile(t, wide)} {
		if r, err := OpenBytes("bad.bin", b, Settings{}); r != nil || !errors.Is(err, ggml.ErrFormat) || !strings.Contains(err.Error(), "bad.bin") {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.bin"), Settings{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if r, err := Open(t.TempDir(), Settings{}); r != nil || err == nil {
		t.Error("a directory is a model")
	}
	path := filepath.Join(t.TempDir(), "model.bin")
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Info().Name != "model.bin" {
		t.Errorf("%+v", r.Info())
	}
	r.Close()
}

func TestMemoryStaysFlat(t *testing.T) {
	r := open1(t, tiny, Settings{Threads: 1, Defaults: Options{Unguarded: true, MaxTokens: 4, Prompt: "w1 w2 w3"}})
	x := noise(t, time.Second)
	run := func(n int) {
		for range n {
			if _, err := r.Transcribe(t.Context(), x); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(20)
	before := resident(t)
	run(50)
	if grown := resident(t) - before; grown > 8<<20 {
		t.Errorf("50 recognitions took %d kB for good", grown>>10)
	}
}

// resident is the memory of this process in bytes.
func resident(t testing.TB) int {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func TestNothingIsWrittenToStderr(t *testing.T) {
	if os.Getenv("STT_TEST_QUIET") != "" {
		r := open1(t, tiny, Settings{})
		if _, err := r.Transcribe(t.Context(), noise(t, time.Second)); err != nil {
			t.Fatal(err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestNothingIsWrittenToStderr$")
	cmd.Env = append(os.Environ(), "STT_TEST_QUIET=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stdout %q, stderr %q", err, out, stderr.String())
	}
}
