//go:build whisper

package stt

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// both are tiny.en as it was published, and tuned.
func both(t testing.TB) map[string]*Recogniser {
	t.Helper()
	path := fixtures.Model(t, "tiny.en-q8_0")
	all := map[string]*Recogniser{}
	for name, untuned := range map[string]bool{"published": true, "tuned": false} {
		r, err := Open(path, Settings{Threads: 1, Untuned: untuned})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		all[name] = r
	}
	return all
}

// words are a text's, as one who speaks them says them.
func words(text string) string { return strings.Join(strings.Fields(normal(text)), " ") }

func TestTinyEnIsTunedUnlessItIsToldNotToBe(t *testing.T) {
	for name, r := range both(t) {
		least := map[string]int{"published": 512, "tuned": 256}[name]
		if i := r.Info(); i.Tuned != (name == "tuned") || r.least != least || i.Size < 40e6 {
			t.Errorf("%s: %+v, window of %d", name, i, r.least)
		}
	}
	path := fixtures.Model(t, "tiny.en-q8_0")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := b[len(b)/2]
	r, err := OpenBytes("bytes", b, Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Info().Tuned || b[len(b)/2] != sum {
		t.Errorf("from memory: %+v", r.Info())
	}
}

// A person in an old recording is understood; it is not what the tuning was trained on, so that one word of 22 may be lost to it.
func TestTinyEnUnderstandsAPerson(t *testing.T) {
	sound := fixtures.JFK(t)
	want := strings.Fields("and so my fellow americans ask not what your country can do for you ask what you can do for your country")
	for name, r := range both(t) {
		res, err := r.Transcribe(t.Context(), sound)
		got, wrong := strings.Fields(words(res.Text)), 0
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				wrong++
			}
		}
		if most := map[string]int{"published": 0, "tuned": 1}[name]; err != nil || len(got) != len(want) || wrong > most {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

func TestOtherModelsAreNotTuned(t *testing.T) {
	for name, h := range map[string]ggml.Header{"of its shape": quantized(), "smaller": tiny} {
		r := open1(t, h, Settings{Threads: 1})
		if i := r.Info(); i.Tuned || r.least != 512 {
			t.Errorf("%s: %+v, window of %d", name, i, r.least)
		}
	}
	// The published weights, but for one number.
	b, err := os.ReadFile(fixtures.Model(t, "tiny.en-q8_0"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(b), "decoder.ln.weight")
	b[at+len("decoder.ln.weight")]++
	r, err := OpenBytes("another", b, Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Info().Tuned {
		t.Error("other weights are tuned")
	}
}

// quantized is the header of tiny.en-q8_0.
func quantized() ggml.Header {
	h := ggml.TinyEn
	h.FileType = ggml.FileTypeOf(ggml.Q80)
	return h
}

// What stays is measured in programs of their own, because one that has opened others before keeps some of their memory.
func TestWhatWasTunedIsGivenBack(t *testing.T) {
	path := fixtures.Model(t, "tiny.en-q8_0")
	if how := os.Getenv("STT_TEST_MEMORY"); how != "" {
		r, err := Open(path, Settings{Threads: 1, Untuned: how == "published"})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		debug.FreeOSMemory()
		fmt.Printf("resident=%d\n", resident(t))
		return
	}
	took := func(how string) int {
		c := exec.Command(os.Args[0], "-test.run", "^TestWhatWasTunedIsGivenBack$")
		c.Env = append(os.Environ(), "STT_TEST_MEMORY="+how)
		out, err := c.CombinedOutput()
		_, after, _ := strings.Cut(string(out), "resident=")
		n, _ := strconv.Atoi(strings.SplitN(after, "\n", 2)[0])
		if err != nil || n == 0 {
			t.Fatalf("%s: %v\n%s", how, err, out)
		}
		return n
	}
	if published, tuned := took("published"), took("tuned"); tuned > published+20e6 {
		t.Errorf("tuned it takes %d MB, as published %d MB", tuned/1e6, published/1e6)
	}
}

// inNoise are commands with noise that is 8 dB quieter.
func inNoise(t *testing.T) map[string][]float32 {
	t.Helper()
	pause := speechtest.Pause(300 * time.Millisecond)
	all := map[string][]float32{}
	for i, text := range []string{
		"look left", "turn right", "nod twice", "look at the apple", "go to sleep", "shake your head", "follow me", "raise your left antenna",
		"what do you see", "tilt your head to the right", "stop following me", "look up and nod", "turn around slowly", "wiggle your antennas",
		"come back to the middle",
	} {
		voice := []string{"flite:awb", "espeak:en-us"}[i%2]
		kind := []speechtest.Kind{speechtest.Pink, speechtest.White, speechtest.Servo}[i%3]
		all[text] = speechtest.Mix(t, speechtest.Join(pause, speechtest.Say(t, voice, text), pause), kind, 8, uint64(i))
	}
	return all
}

func TestTunedItUnderstandsMoreInNoise(t *testing.T) {
	right := map[string]int{}
	said := inNoise(t)
	for name, r := range both(t) {
		for text, x := range said {
			res, err := r.Transcribe(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if words(res.Text) == text {
				right[name]++
			} else {
				t.Logf("%s: %q was heard as %q (%.2f, %s, %q)", name, text, res.Text, res.Confidence, res.Discarded, res.Raw)
			}
		}
	}
	t.Logf("right of %d: %d as published, %d tuned", len(said), right["published"], right["tuned"])
	if right["tuned"] <= right["published"] {
		t.Errorf("of %d commands in noise %d are understood as published, %d tuned", len(said), right["published"], right["tuned"])
	}
}

// BenchmarkTuned is the time from the end of a command to its text, published and tuned by turns.
//
//	go test -tags whisper -run '^$' -bench Tuned -benchtime 15x ./perception/stt
func BenchmarkTuned(b *testing.B) {
	pause := speechtest.Pause(300 * time.Millisecond)
	x := speechtest.Join(pause, speechtest.Say(b, "flite:awb", "look at the apple"), pause)
	all := both(b)
	took := map[string][]time.Duration{}
	cpu := map[string]time.Duration{}
	for b.Loop() {
		for name, r := range all {
			before := used(b)
			res, err := r.Transcribe(b.Context(), x)
			if err != nil {
				b.Fatal(err)
			}
			took[name] = append(took[name], res.Took.Total)
			cpu[name] += used(b) - before
		}
	}
	b.ReportMetric(0, "ns/op") // of both together: says nothing
	for name, t := range took {
		b.ReportMetric(float64(percentile(t, 50).Microseconds())/1e3, name+"-p50-ms")
		b.ReportMetric(float64((cpu[name]/time.Duration(len(t))).Microseconds())/1e3, name+"-cpu-ms")
	}
}
