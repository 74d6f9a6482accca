package stt

import (
	"context"
	"sync"
)

// Transcriber is what a Speculation runs; *Recogniser is one.
type Transcriber interface {
	Transcribe(ctx context.Context, samples []float32) (Result, error)
}

// Speculation hides the time that recognition takes behind the pause that ends a turn: it begins at the first short
// pause, is discarded when speech goes on, and has its result ready, or nearly, when the turn is over.
//
// One goroutine uses it: Begin, then either Discard or Finish. At most one recognition runs at a time.
type Speculation struct {
	with Transcriber

	mu  sync.Mutex
	run *attempt
}

// attempt is one recognition under way.
type attempt struct {
	cancel context.CancelFunc
	length int // of what is recognised, samples
	done   chan struct{}
	result Result
	err    error
}

// NewSpeculation returns one that recognises with t.
func NewSpeculation(t Transcriber) *Speculation { return &Speculation{with: t} }

// Begin starts to recognise samples, which must not be changed until Discard or Finish returns. What an earlier Begin
// started is discarded first. It is bound to ctx and returns at once unless an earlier recognition has to be stopped.
func (s *Speculation) Begin(ctx context.Context, samples []float32) {
	s.Discard()
	ctx, cancel := context.WithCancel(ctx)
	a := &attempt{cancel: cancel, length: len(samples), done: make(chan struct{})}
	s.mu.Lock()
	s.run = a
	s.mu.Unlock()
	go func() {
		defer close(a.done)
		a.result, a.err = s.with.Transcribe(ctx, samples)
	}()
}

// Discard throws away what Begin started because speech went on, and waits until it has let go of its samples. When it
// had been finished already, its result is returned and true: that is what has been said so far.
func (s *Speculation) Discard() (partial Result, ok bool) {
	a := s.take()
	if a == nil {
		return Result{}, false
	}
	select {
	case <-a.done:
		ok = a.err == nil
	default:
	}
	a.cancel()
	<-a.done
	if !ok {
		return Result{}, false
	}
	return a.result, true
}

// Finish returns the text of the whole turn. When what Begin was given is all of samples, or all but a tail that holds
// no speech, say so with upTo: the number of samples in which speech was heard. The recognition under way is then
// waited for; else it is discarded and samples are recognised anew. ready tells which it was.
func (s *Speculation) Finish(ctx context.Context, samples []float32, upTo int) (r Result, ready bool, err error) {
	a := s.take()
	if a != nil && a.length >= upTo {
		select {
		case <-a.done:
		case <-ctx.Done():
			a.cancel()
			<-a.done
			return Result{}, true, context.Cause(ctx)
		}
		a.cancel()
		if a.err == nil {
			return a.result, true, nil
		}
	} else if a != nil {
		a.cancel()
		<-a.done
	}
	r, err = s.with.Transcribe(ctx, samples)
	return r, false, err
}

// Running reports whether a recognition was begun and neither discarded nor finished.
func (s *Speculation) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run != nil
}

func (s *Speculation) take() *attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.run
	s.run = nil
	return a
}
