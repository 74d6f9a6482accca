package tts

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
)

// report adds the median and the 99th percentile in ms.
func report(b *testing.B, name string, d []time.Duration) {
	slices.Sort(d)
	at := func(p int) float64 { return float64(d[(len(d)-1)*p/100].Microseconds()) / 1000 }
	b.ReportMetric(at(50), name+"-p50-ms")
	b.ReportMetric(at(99), name+"-p99-ms")
}

// BenchmarkFirstSound is the time from the text to the first sound that espeak-ng hands out (with its process started
// ahead, as the Speaker meets it, and started for the sentence), and to the first sample that is no silence.
func BenchmarkFirstSound(b *testing.B) {
	for _, spare := range []bool{true, false} {
		name := map[bool]string{true: "ready", false: "cold"}[spare]
		b.Run(name, func(b *testing.B) {
			e := espeak(b, EspeakOptions{})
			var took []time.Duration
			silence := 0.0
			for b.Loop() {
				if !spare {
					if c, err := e.take(e.o.Speed); err == nil {
						c.kill()
					}
				} else {
					time.Sleep(50 * time.Millisecond) // it has read its data long before the next sentence in life too
				}
				start, first := time.Now(), time.Duration(0)
				ctx, cancel := context.WithCancel(b.Context())
				_ = e.Synthesize(ctx, "I can see an apple on the left side of the table.", func(rate int, pcm []float32) error {
					first = time.Since(start)
					at := max(0, slices.IndexFunc(pcm, func(v float32) bool { return v > 0.01 || v < -0.01 }))
					silence = float64(at) / float64(rate) * 1000
					cancel()
					return ctx.Err()
				})
				took = append(took, first)
			}
			report(b, "first", took)
			b.ReportMetric(silence, "leading-silence-ms")
		})
	}
}

// listener notes when the first sound comes.
type listener struct {
	*audio.Player
	first chan time.Time
}

func (l *listener) Write(ctx context.Context, rate int, pcm []float32) error {
	select {
	case l.first <- time.Now():
	default:
	}
	return l.Player.Write(ctx, rate, pcm)
}

// nobody is a loudspeaker that nobody hears.
func nobody(b *testing.B) *audio.Player {
	b.Helper()
	player, err := audio.NewNull(audio.PumpOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = player.Close() })
	return player
}

// running runs a speaker until end is called.
func running(b *testing.B, s *Speaker) (end func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = s.Run(ctx) }()
	return func() { cancel(); <-ended }
}

// BenchmarkSayToSink is the time from Say to the first sound in the queue of the loudspeaker, with all that lies
// between: cleaning, splitting, the queue, espeak-ng.
func BenchmarkSayToSink(b *testing.B) {
	player := nobody(b)
	l := &listener{Player: player, first: make(chan time.Time)}
	s := &Speaker{Voice: espeak(b, EspeakOptions{}), Sink: l}
	defer running(b, s)()
	var took []time.Duration
	for b.Loop() {
		time.Sleep(50 * time.Millisecond)
		start := time.Now()
		if _, err := s.Start("I can see an apple on the left side of the table. There is a duck as well."); err != nil {
			b.Fatal(err)
		}
		took = append(took, (<-l.first).Sub(start))
		s.Hush()
	}
	report(b, "first", took)
}

// BenchmarkHush is the time from Hush to silence, measured in sound that is still heard, while espeak-ng speaks.
func BenchmarkHush(b *testing.B) {
	player := nobody(b)
	s := &Speaker{Voice: espeak(b, EspeakOptions{}), Sink: player}
	defer running(b, s)()
	var took []time.Duration
	for b.Loop() {
		if _, err := s.Start(strings.Repeat("This goes on and on. ", 20)); err != nil {
			b.Fatal(err)
		}
		for s.Loudness() == 0 {
			time.Sleep(time.Millisecond)
		}
		start := time.Now()
		s.Hush()
		for {
			if _, pending := player.Progress(); pending == 0 {
				break
			}
			time.Sleep(100 * time.Microsecond)
		}
		took = append(took, time.Since(start))
	}
	report(b, "silence", took)
}

// BenchmarkSpeaking is the processor time of the Speaker and its children for each second of speech, with the head
// moving along.
func BenchmarkSpeaking(b *testing.B) {
	player := nobody(b)
	s := &Speaker{Voice: espeak(b, EspeakOptions{}), Sink: player, Mover: &rig{}}
	end := running(b, s)
	own, children := cpu(syscall.RUSAGE_SELF), cpu(syscall.RUSAGE_CHILDREN)
	var heard time.Duration
	for b.Loop() {
		got, err := s.Say(b.Context(), "I can see an apple on the left side of the table. There is a duck as well.")
		if err != nil {
			b.Fatal(err)
		}
		heard += got.Heard
	}
	own = cpu(syscall.RUSAGE_SELF) - own
	end()
	s.Voice.Close()
	children = cpu(syscall.RUSAGE_CHILDREN) - children
	b.ReportMetric(100*own.Seconds()/heard.Seconds(), "%core-own")
	b.ReportMetric(100*children.Seconds()/heard.Seconds(), "%core-espeak")
}

func cpu(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkCleanAndSplit(b *testing.B) {
	text := "I can see **an apple** on the left side of the [table](https://example.com). There is a duck as well, e.g. 3.5 cm from it! 😀"
	b.ReportAllocs()
	for b.Loop() {
		Split(Clean(text))
	}
}
