package perception

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/perception/client"
)

// tape notes when sounds are to begin, and how they end.
type tape struct {
	begins chan time.Time
	ended  chan error
}

func (p *tape) Play(ctx context.Context, _ []byte, begin time.Time) (client.Spoken, error) {
	p.begins <- begin
	<-ctx.Done()
	p.ended <- ctx.Err()
	return client.Spoken{}, ctx.Err()
}

func nod(length float64) *hal.Recording {
	rec := &hal.Recording{Sound: &hal.Sound{WAV: []byte("RIFF"), Length: length}}
	for i := range 51 {
		f := hal.Frame{Antennas: [2]float64{-0.17, 0.17}}
		pose := hal.Head{Pitch: 0.1 * math.Sin(float64(i)/50*math.Pi)}.Pose()
		for r := range 3 {
			copy(f.Head[r][:], pose.R[3*r:3*r+3])
		}
		f.Head[3][3] = 1
		rec.Time, rec.Frames = append(rec.Time, length*float64(i)/50), append(rec.Frames, f)
	}
	return rec
}

// The sound of a move begins with its first frame, and ends with a move that is stopped.
func TestMovesAreHeard(t *testing.T) {
	robot := bodytest.New(t, t.TempDir(), motion.Config{}, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l, Log: zerolog.Nop()} })
	p := &tape{make(chan time.Time, 1), make(chan error, 1)}
	s := &Sounding{Client: robot.Client, Player: p, Log: zerolog.Nop()}
	s.Open(t.Context())
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	robot.Until(t, "torque", func(s *hal.State) bool { return s.Mode == hal.ModeEnabled })
	asked := time.Now()
	a, err := s.Do(ctx, hal.Request{Verb: hal.VerbPlay, Recording: nod(5)})
	answered := time.Now()
	if err != nil || a.Outcome == hal.Rejected {
		t.Fatal(a, err)
	}
	approach := time.Duration((a.Duration - 5) * float64(time.Second))
	begin := <-p.begins
	if begin.Before(asked.Add(approach)) || begin.After(answered.Add(approach)) || approach < 50*time.Millisecond {
		t.Errorf("the sound begins %v after the request, the first frame is %v after it", begin.Sub(asked), approach)
	}
	if _, err := s.Do(ctx, hal.Request{Verb: hal.VerbHold}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-ctx.Done():
		t.Fatal("the sound goes on after the move")
	}
}

func TestSoundBegins(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		answer hal.Answer
		speed  float64
		lead   time.Duration
		begins time.Duration
		silent bool
	}{
		"after the way to the first frame": {hal.Answer{Duration: 5.5}, 1, 0, 500 * time.Millisecond, false},
		"before it":                        {hal.Answer{Duration: 5.5}, 1, 200 * time.Millisecond, 300 * time.Millisecond, false},
		"at another speed":                 {hal.Answer{Duration: 3}, 2, 0, 0, true},
		"slowed down by the body":          {hal.Answer{Duration: 6.5, Changes: []hal.Change{{Field: "duration", Given: 6}}}, 1, 0, 0, true},
	} {
		rec := nod(5 / c.speed)
		rec.Sound = &hal.Sound{Length: 5, Lead: c.lead}
		begin, ok := soundBegins(now, &hal.Request{Recording: rec}, &c.answer)
		if ok == c.silent || ok && (begin.Sub(now)-c.begins).Abs() > time.Microsecond {
			t.Errorf("%s: %v, %v", name, begin.Sub(now), ok)
		}
	}
}
