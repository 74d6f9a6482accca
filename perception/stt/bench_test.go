//go:build whisper

package stt

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/internal/randommodel"
)

// When recognition begins after the last word: perception/voice waits for the end of the turn without speculation, and
// for the first short pause with it.
const (
	endOfTurn  = 320 * time.Millisecond
	shortPause = 128 * time.Millisecond
)

// BenchmarkEndOfSpeechToText compares what whisper.cpp does when nothing is set (30 s window, begin when the turn is
// over) with what reachyd does, by turns in the same run, on a model of random weights as large as tiny.en, which takes
// the time of the real one. default-… and p50, p95 are milliseconds from the last word to the text.
//
//	go test -tags whisper -run '^$' -bench EndOfSpeech -benchtime 7x ./perception/stt
//
// On a machine with other work, compile it (-c) and run it by chrt -f 1: threads that wait for each other do not share.
func BenchmarkEndOfSpeechToText(b *testing.B) {
	for _, matrix := range []struct {
		name string
		t    ggml.Type
	}{{"f16", ggml.F16}, {"q8_0", ggml.Q80}} {
		b.Run(matrix.name, func(b *testing.B) {
			path := tinyEn(b, matrix.t)
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
					debug.FreeOSMemory()
					before := resident(b)
					r, err := Open(path, Settings{Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					defer r.Close()
					for _, seconds := range []int{1, 3, 6} {
						b.Run(fmt.Sprintf("%ds", seconds), func(b *testing.B) {
							compare(b, r, seconds)
							debug.FreeOSMemory()
							b.ReportMetric(float64(resident(b)-before)/1e6, "MB")
						})
					}
				})
			}
		})
	}
}

func compare(b *testing.B, r *Recogniser, seconds int) {
	x := noise(b, time.Duration(seconds)*time.Second)
	ours := Options{MaxTokens: 3 * seconds, Unguarded: true} // as many as people need
	upstream := ours
	upstream.FullWindow = true
	var fast, slow []time.Duration
	var fastCPU, slowCPU time.Duration
	run := func(o Options, times *[]time.Duration, cpu *time.Duration) {
		before := used(b)
		res, err := r.TranscribeWith(b.Context(), x, o)
		if err != nil || res.Tokens != 3*seconds+1 {
			b.Fatalf("%d tokens, %v", res.Tokens, err)
		}
		*times = append(*times, res.Took.Total)
		*cpu += used(b) - before
	}
	for b.Loop() {
		run(upstream, &slow, &slowCPU)
		for range 3 {
			run(ours, &fast, &fastCPU)
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	b.ReportMetric(0, "ns/op") // of both together: says nothing
	b.ReportMetric(ms(endOfTurn+percentile(slow, 50)), "default-p50")
	b.ReportMetric(ms(endOfTurn+percentile(slow, 95)), "default-p95")
	b.ReportMetric(ms(shortPause+percentile(fast, 50)), "p50")
	b.ReportMetric(ms(shortPause+percentile(fast, 95)), "p95")
	b.ReportMetric(float64(endOfTurn+percentile(slow, 50))/float64(shortPause+percentile(fast, 50)), "times-sooner")
	b.ReportMetric(ms(max(0, shortPause+percentile(fast, 50)-endOfTurn)), "after-turn-p50")
	b.ReportMetric(ms(slowCPU/time.Duration(len(slow))), "default-cpu-ms")
	b.ReportMetric(ms(fastCPU/time.Duration(len(fast))), "cpu-ms")
}

func tinyEn(b *testing.B, t ggml.Type) string {
	b.Helper()
	h := ggml.TinyEn
	h.FileType = ggml.FileTypeOf(t)
	path := filepath.Join(b.TempDir(), "tiny.en.bin")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := randommodel.Write(w, h, 1); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return path
}

// percentile sorts all and returns the least that p of a hundred do not exceed.
func percentile(all []time.Duration, p int) time.Duration {
	slices.Sort(all)
	return all[(len(all)*p+99)/100-1]
}

// used is the processor time of this process.
func used(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPrompt is what a prompt costs: whisper.cpp computes the probabilities of all words after each of its tokens.
func BenchmarkPrompt(b *testing.B) {
	r, err := Open(tinyEn(b, ggml.Q80), Settings{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	x := noise(b, 3*time.Second)
	for _, tokens := range []int{0, 16, 64} {
		var prompt strings.Builder
		for i := range tokens {
			fmt.Fprintf(&prompt, " w%d", 1000+i)
		}
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.TranscribeWith(b.Context(), x, Options{MaxTokens: 9, Unguarded: true, Prompt: prompt.String()}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is how long a worker that was restarted is deaf, and how much of that it computes.
func BenchmarkOpen(b *testing.B) {
	for _, c := range []struct {
		name    string
		untuned bool
	}{{"published", true}, {"tuned", false}} {
		b.Run(c.name, func(b *testing.B) {
			path := fixtures.Model(b, "tiny.en-q8_0")
			before := used(b)
			for b.Loop() {
				r, err := Open(path, Settings{Untuned: c.untuned})
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((used(b)-before).Microseconds())/1e3/float64(b.N), "cpu-ms")
		})
	}
}
