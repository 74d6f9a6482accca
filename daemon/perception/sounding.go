package perception

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/perception/client"
)

// inStep is by how much a move may be longer or shorter than its sound was made for, as a part.
const inStep = 0.005

// Player plays sound files. *client.Client is one.
type Player interface {
	Play(ctx context.Context, wav []byte, begin time.Time) (client.Spoken, error)
}

// Sounding is a body whose recorded moves are heard. Open it before its first move, and Close it.
type Sounding struct {
	*body.Client
	Player Player // nil when there is no loudspeaker: moves are silent
	Log    zerolog.Logger

	ctx  context.Context //nolint:containedctx // of the sounds; it ends with Close
	end  context.CancelFunc
	mu   sync.Mutex
	work sync.WaitGroup
}

// Open makes it ready.
func (s *Sounding) Open(ctx context.Context) { s.ctx, s.end = context.WithCancel(ctx) }

// Close ends what is heard, and waits for it.
func (s *Sounding) Close() error {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.work.Wait()
	return nil
}

// Do asks the body; when it begins a move that has a sound, this is heard from the move's first frame until the move is over.
func (s *Sounding) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	a, err := s.Client.Do(ctx, req)
	if err != nil || a.Outcome == hal.Rejected || req.Recording == nil || req.Recording.Sound == nil || s.Player == nil || req.Queue {
		return a, err
	}
	if begin, ok := soundBegins(time.Now(), &req, &a); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ctx.Err() == nil {
			s.work.Go(func() { s.sound(a.Move, req.Recording.Sound, begin) })
		}
	} else {
		s.Log.Info().Str("move", req.Name).Msg("a move is silent: it goes at another speed than its sound")
	}
	return a, nil
}

// soundBegins tells when the sound of a move begins that begins now: after the way to its first frame. ok is false when the move is
// not as long as the sound was made for.
func soundBegins(now time.Time, req *hal.Request, a *hal.Answer) (begin time.Time, ok bool) {
	rec := req.Recording
	length := rec.Time[len(rec.Time)-1] - rec.Time[0]
	for _, c := range a.Changes {
		if c.Field == "duration" {
			length = c.Given
		}
	}
	if off := length - rec.Sound.Length; off > inStep*rec.Sound.Length || off < -inStep*rec.Sound.Length {
		return now, false
	}
	approach := time.Duration(max(0, a.Duration-length) * float64(time.Second))
	return now.Add(approach - rec.Sound.Lead), true
}

// sound plays the sound of a move, and ends it when the move has not come to its end.
func (s *Sounding) sound(move string, sound *hal.Sound, begin time.Time) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	var wait sync.WaitGroup
	wait.Go(func() {
		if e, err := s.Wait(ctx, move); err != nil || e.End == hal.EndDone {
			return
		}
		cancel()
	})
	if _, err := s.Player.Play(ctx, sound.WAV, begin); err != nil && ctx.Err() == nil {
		s.Log.Info().Err(err).Str("move", move).Msg("a move is silent")
	}
	cancel()
	wait.Wait()
}
