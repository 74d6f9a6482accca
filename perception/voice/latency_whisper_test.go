//go:build whisper

package voice

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/internal/randommodel"
	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
)

// opened is a recogniser of package stt whose text is always taken for a whole sentence.
type opened struct {
	transcribe func(context.Context, []float32) (stt.Result, error)
}

func (o opened) Transcribe(ctx context.Context, samples []float32) (Transcript, error) {
	_, err := o.transcribe(ctx, samples)
	return Transcript{Text: "look left", Confidence: 1}, err
}

// BenchmarkEndOfSpeechToText plays sentences in real time and reports how long after the end of the speech the text is
// there, with speculation and without: go test -tags whisper -run xxx -bench EndOfSpeech -benchtime 1x ./perception/voice
func BenchmarkEndOfSpeechToText(b *testing.B) {
	tiny := filepath.Join(b.TempDir(), "tiny.en-sized.bin")
	f, err := os.Create(tiny)
	if err != nil {
		b.Fatal(err)
	}
	h := ggml.TinyEn
	h.FileType = ggml.FileTypeOf(ggml.Q80)
	if err := randommodel.Write(f, h, 1); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	whisper, err := stt.Open(tiny, stt.Settings{Threads: 1, Defaults: stt.Options{MaxTokens: 8, Unguarded: true}})
	if err != nil {
		b.Fatal(err)
	}
	defer whisper.Close()
	commands, err := commandmodel.Open(stt.Settings{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer commands.Close()
	for _, m := range []struct {
		name       string
		transcribe func(context.Context, []float32) (stt.Result, error)
	}{{"tiny.en-sized q8_0 1 thread", whisper.Transcribe}, {"command model 1 thread", commands.Transcribe}} {
		for _, speculate := range []time.Duration{96 * time.Millisecond, 320 * time.Millisecond} {
			name := m.name + "/speculation"
			if speculate > 96*time.Millisecond {
				name = m.name + "/none"
			}
			b.Run(name, func(b *testing.B) { endOfSpeech(b, opened{m.transcribe}, speculate) })
		}
	}
}

func endOfSpeech(b *testing.B, r Recognizer, speculate time.Duration) {
	var latency, text, work []float64
	heard := make(chan struct{}, 64)
	e, err := New(Config{
		Detector: newDetector(b), Recognizer: r, Speculate: speculate, Interim: -1,
		Complete: func(string) client.Endpoint { return client.Complete },
		Event: func(ev client.Event) {
			if ev.Type == client.Heard {
				u := ev.Utterance
				latency, work = append(latency, 1000*u.Latency), append(work, 1000*u.Recognition)
				text = append(text, 1000*u.Ready.Sub(u.End).Seconds())
				heard <- struct{}{}
			}
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	var sound []float32
	for _, text := range []string{"look left", "nod twice please", "turn your head to the right by thirty degrees"} {
		sound = append(sound, speechtest.Join(speechtest.Pause(600*time.Millisecond),
			speechtest.Say(b, "espeak:en-us", text), speechtest.Pause(1200*time.Millisecond))...)
	}
	sound = speechtest.Mix(b, sound, speechtest.Pink, 30, 1)
	for b.Loop() {
		began := time.Now()
		for i := 0; i+FrameSize <= len(sound); i += FrameSize {
			at := began.Add(time.Duration(i) * time.Second / Rate)
			time.Sleep(time.Until(at.Add(FrameTime))) // a microphone's frame is there when it is over
			if err := e.Hear(sound[i:i+FrameSize], at); err != nil {
				b.Fatal(err)
			}
		}
		for range 3 {
			<-heard
		}
	}
	slices.Sort(latency)
	slices.Sort(work)
	slices.Sort(text)
	b.ReportMetric(latency[len(latency)/2], "ms-turn-p50")
	b.ReportMetric(latency[len(latency)-1], "ms-turn-max")
	b.ReportMetric(text[len(text)/2], "ms-text-p50")
	b.ReportMetric(text[len(text)-1], "ms-text-max")
	b.ReportMetric(work[len(work)/2], "ms-recognition-p50")
	b.ReportMetric(0, "ns/op")
}
