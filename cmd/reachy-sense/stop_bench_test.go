//go:build whisper

package main

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// BenchmarkStopWord is the time from the end of the word 'stop' to the answer of the body that it has stopped: the real
// program, a recording in real time that stands for the microphone, the best recogniser of this host (at least the
// built-in one), the real body's loop and socket. One iteration is six words:
//
//	go test -tags whisper -run xxx -bench StopWord -benchtime 1x ./cmd/reachy-sense
func BenchmarkStopWord(b *testing.B) {
	const words = 6
	var took []float64
	for b.Loop() {
		took = append(took, stopWords(b, words)...)
	}
	if len(took) == 0 {
		b.Fatal("none of the words was heard")
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2], "ms-p50")
	b.ReportMetric(took[len(took)-1], "ms-max")
	b.ReportMetric(float64(len(took))/float64(b.N*words), "heard")
}

func stopWords(b *testing.B, n int) (took []float64) {
	robot := newBody(b)
	dir := shortDir(b)
	sound := quiet(b, 3*time.Second)
	for range n {
		sound = speechtest.Join(sound, speechtest.Say(b, "espeak:en-us", "stop"), quiet(b, 2*time.Second))
	}
	path := filepath.Join(dir, "mic.wav")
	speechtest.WriteWAV(b, path, sound)
	args := hearing(dir)
	args = append(args, "--body-socket", robot.Socket, "--microphone", path)
	c, _ := start(b, args)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c.Watch(ctx, func(m client.Message) {
		switch e := m.Event; {
		case e == nil:
		case e.Type == client.StopWord:
			if e.Message != "" {
				b.Error(e.Message)
			}
			took = append(took, float64(e.Time.Sub(e.Utterance.End).Microseconds())/1000)
			if a, err := robot.Do(ctx, hal.Request{Verb: hal.VerbReset}); err != nil || a.Outcome == hal.Rejected {
				b.Errorf("reset: %+v, %v", a, err)
			}
		case e.Type == client.DeviceLost: // the recording is over
			cancel()
		}
	})
	return took
}
