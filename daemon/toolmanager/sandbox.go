package toolmanager

import (
	"context"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// workers are what runs tools. *guest.Sandbox is it.
type workers interface {
	Call(ctx context.Context, req *guest.Request) (guest.Result, error)
	Close() error
}

// sandbox is a guest.Sandbox that is opened with the first call and given back when nobody has called for a while, so
// that a robot without self-made tools pays nothing for them.
type sandbox struct {
	open func(ctx context.Context) (workers, error)
	idle time.Duration

	lock   chan struct{} // of one place; a channel, so that waiting for it ends with a context
	box    workers
	users  int
	timer  *time.Timer
	closed bool
}

func newSandbox(idle time.Duration, open func(context.Context) (workers, error)) *sandbox {
	return &sandbox{open: open, idle: idle, lock: make(chan struct{}, 1)}
}

// Call runs a request.
func (s *sandbox) Call(ctx context.Context, req *guest.Request) (guest.Result, error) {
	box, err := s.acquire(ctx)
	if err != nil {
		return guest.Result{}, err
	}
	defer s.release()
	return box.Call(ctx, req)
}

func (s *sandbox) acquire(ctx context.Context) (workers, error) {
	select {
	case s.lock <- struct{}{}:
		defer s.unlock()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.closed {
		return nil, guest.ErrClosed
	}
	if s.box == nil {
		box, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		s.box = box
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.users++
	return s.box, nil
}

func (s *sandbox) unlock() { <-s.lock }

func (s *sandbox) release() {
	s.lock <- struct{}{}
	defer s.unlock()
	s.users--
	if s.users == 0 && !s.closed {
		s.timer = time.AfterFunc(s.idle, func() { _ = s.giveBack() }) // what could not be ended is ended by the kernel with us
	}
}

// giveBack ends all workers unless one of them works.
func (s *sandbox) giveBack() error {
	s.lock <- struct{}{}
	defer s.unlock()
	if s.users > 0 || s.box == nil {
		return nil
	}
	box := s.box
	s.box = nil
	return box.Close()
}

// opened says whether there are workers now.
func (s *sandbox) opened() bool {
	s.lock <- struct{}{}
	defer s.unlock()
	return s.box != nil
}

// Close ends all calls and workers.
func (s *sandbox) Close() error {
	s.lock <- struct{}{}
	defer s.unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.box == nil {
		return nil
	}
	box := s.box
	s.box = nil
	return box.Close()
}
