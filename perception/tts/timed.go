package tts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// primer is the silence before a timed sound, from which it is told when the loudspeaker plays what it is given.
	primer = 60 * time.Millisecond
	// primerPatience is how long the loudspeaker may take to begin, and primerPoll how often that is looked for.
	primerPatience, primerPoll = time.Second, 2 * time.Millisecond
	// maxAhead is how long before its time a sound may be given.
	maxAhead = 30 * time.Second
)

// timed is a sound that belongs to a moment, or with more one that is still being made.
type timed struct {
	rate  int
	pcm   []float32
	begin time.Time
	more  func(context.Context) ([]float32, error) // the next piece; io.EOF after the last
}

// Pour plays a sound as it comes, mono at rate samples per second, from the first piece that more returns until io.EOF, and returns when
// the last one has been heard. A context that ends must end more, too. Else it is as Play.
func (s *Speaker) Pour(ctx context.Context, rate int, more func(context.Context) ([]float32, error)) (Spoken, error) {
	s.init()
	if rate <= 0 {
		return Spoken{}, ErrNothing
	}
	t := &text{timed: &timed{rate: rate, more: more}, over: make(chan struct{})}
	if err := s.admit(t); err != nil {
		return Spoken{}, err
	}
	return t.wait(ctx)
}

// Play plays a sound, mono at rate samples per second, so that its first sample is heard at the moment begin, and returns when its
// last one has been heard. What it is too late for is left out. The head does not move with it, and no event tells of it. It does
// not wait for words: ErrBusy. Hush and the end of ctx end it as they do words.
func (s *Speaker) Play(ctx context.Context, rate int, pcm []float32, begin time.Time) (Spoken, error) {
	s.init()
	if ahead := time.Until(begin); ahead > maxAhead {
		return Spoken{}, fmt.Errorf("the sound is to begin in %v; allowed is %v", ahead.Round(time.Second), maxAhead)
	}
	if rate <= 0 || len(pcm) == 0 {
		return Spoken{}, ErrNothing
	}
	t := &text{timed: &timed{rate: rate, pcm: pcm, begin: begin}, over: make(chan struct{})}
	if err := s.admit(t); err != nil {
		return Spoken{}, err
	}
	return t.wait(ctx)
}

// pieces hands the sound on in pieces of a tenth of a second, or as they come.
func (t *timed) pieces(ctx context.Context, give func([]float32) error) error {
	for t.more != nil {
		pcm, err := t.more(ctx)
		if len(pcm) > 0 {
			if gone := give(pcm); gone != nil {
				return gone
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	for pcm, n := t.pcm, max(1, t.rate/10); len(pcm) > 0; {
		n = min(n, len(pcm))
		if err := give(pcm[:n]); err != nil {
			return err
		}
		pcm = pcm[n:]
	}
	return nil
}

// writeTimed hands a piece of a timed sound on to the sink; before the first one it waits, or leaves out what is too late.
func (s *Speaker) writeTimed(p *progress, c sound) error {
	switch {
	case p.started:
	case c.of.timed.more != nil:
		heard, pending := s.Sink.Progress()
		p.started, p.base = true, heard+pending
	default:
		if err := s.align(p, c.of); err != nil {
			return err
		}
	}
	n := min(p.skip, len(c.pcm))
	p.skip -= n
	return s.fill(p, c.of, c.pcm[n:])
}

// align brings the sink to the moment of a timed sound.
func (s *Speaker) align(p *progress, t *text) error {
	samples := func(d time.Duration) int { return int(d * time.Duration(t.timed.rate) / time.Second) }
	heard, pending := s.Sink.Progress()
	p.started, p.base = true, heard+pending
	if err := s.fill(p, t, make([]float32, samples(primer))); err != nil {
		return err
	}
	for giveUp := time.Now().Add(primerPatience); time.Now().Before(giveUp); {
		if _, pending = s.Sink.Progress(); pending < primer {
			break
		}
		select {
		case <-time.After(primerPoll):
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
	switch early := time.Until(t.timed.begin) - pending; { // what is written now is heard when all that is pending has been
	case early > 0:
		return s.fill(p, t, make([]float32, samples(early)))
	default:
		p.skip = samples(-early)
	}
	return nil
}

// fill writes sound of a timed one.
func (s *Speaker) fill(p *progress, t *text, pcm []float32) error {
	if len(pcm) == 0 {
		return nil
	}
	p.written += lengthOf(len(pcm), t.timed.rate)
	return s.Sink.Write(t.ctx, t.timed.rate, pcm)
}
