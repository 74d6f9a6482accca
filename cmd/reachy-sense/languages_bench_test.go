//go:build whisper

package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/stt"
)

// BenchmarkKnownLanguages prints for each language how many sentences it was known of, surely or at all, how many were surely taken for
// another, and whether a person would be told that only English is understood. make eval-languages has the recordings made.
func BenchmarkKnownLanguages(b *testing.B) {
	dir, model := os.Getenv("REACHYD_LANGUAGES"), os.Getenv("REACHYD_SPEECH_BASE")
	if dir == "" {
		b.Skip("make eval-languages names the recordings")
	}
	r, err := stt.Open(model, stt.Settings{Threads: 2, Defaults: stt.Options{Language: "en", Detect: true}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	index, err := os.ReadFile(filepath.Join(dir, "index.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	e := &ear{all: r, planner: planner.New()}
	type tally struct{ n, right, sure, wrong, told int }
	var names []string
	counted := map[string]*tally{}
	for b.Loop() {
		for i, line := range strings.Split(strings.TrimSpace(string(index)), "\n") {
			field := strings.Split(line, "\t")
			t := counted[field[0]]
			if t == nil {
				t = &tally{}
				names, counted[field[0]] = append(names, field[0]), t
			}
			raw, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%04d.pcm", i)))
			if err != nil {
				b.Fatal(err)
			}
			res, err := r.Transcribe(b.Context(), speechtest.Join(speechtest.Pause(300*time.Millisecond), floats(raw), speechtest.Pause(300*time.Millisecond)))
			if err != nil {
				b.Fatal(err)
			}
			told := e.foreign(&res)
			b.Logf("%s: %s %.2f, no speech %.2f, told in %q, written %q", line, res.Detected, res.DetectedSure, res.NoSpeech, told, cmp.Or(res.Text, res.Raw))
			is, sure := res.Detected == field[0], res.DetectedSure >= foreignSure
			t.n++
			t.right += count(is)
			t.sure += count(is && sure)
			t.wrong += count(!is && sure)
			t.told += count(told != "")
		}
	}
	fmt.Println("\nlanguage   sentences   known   surely   surely taken for another   told")
	for _, name := range names {
		t := counted[name]
		fmt.Printf("%-8s %11d %7d %8d %26d %6d\n", name, t.n, t.right, t.sure, t.wrong, t.told)
	}
	b.ReportMetric(0, "ns/op")
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// floats are 16 bit samples as numbers from -1 to 1.
func floats(raw []byte) []float32 {
	x := make([]float32, len(raw)/2)
	for i := range x {
		x[i] = float32(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32768 //nolint:gosec // samples are signed
	}
	return x
}
