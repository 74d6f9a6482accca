package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// parkTimeout is how long parking may take before the torque is switched off where the robot is.
const parkTimeout = 12 * time.Second

// owners counts the owner's watches. From the outside there is an owner or there is none.
type owners struct {
	mu     sync.Mutex
	n      int
	change chan struct{} // closed and replaced when n becomes 0 or 1
}

func (o *owners) init() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.change = make(chan struct{})
}

func (o *owners) came() { o.add(1) }
func (o *owners) left() { o.add(-1) }

func (o *owners) add(d int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n += d
	if o.n == 0 || (o.n == 1 && d > 0) {
		close(o.change)
		o.change = make(chan struct{})
	}
}

// there returns whether there is an owner, and a channel that closes when that changes.
func (o *owners) there() (bool, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n > 0, o.change
}

// supervise parks the robot when its owner stays away, and returns ErrAbandoned when it does not come back after that.
func (s *Server) supervise(ctx context.Context) error {
	if s.OwnerTimeout <= 0 {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for {
		owned, change := s.owners.there()
		if owned {
			if err := wait(ctx, change, 0); err != nil {
				return err
			}
			s.Log.Warn().Dur("parks_in", s.OwnerTimeout).Msg("the owner is gone; holding")
			continue
		}
		switch err := wait(ctx, change, s.OwnerTimeout); {
		case err == nil:
			s.Log.Info().Msg("the owner is there")
			continue
		case !errors.Is(err, errTooLong):
			return err
		}
		s.parkUnless(ctx, change)
		switch err := wait(ctx, change, s.Linger); {
		case err == nil:
			s.Log.Info().Msg("the owner is there")
		case errors.Is(err, errTooLong):
			return ErrAbandoned
		default:
			return err
		}
	}
}

// parkUnless parks, and stops parking when the owner comes back meanwhile.
func (s *Server) parkUnless(ctx context.Context, change <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-change:
			cancel()
		case <-done:
		}
	})
	if err := s.Park(ctx); err != nil {
		s.Log.Warn().Err(err).Msg("park")
	}
	close(done)
	wg.Wait()
}

var errTooLong = errors.New("too long")

// wait returns nil when change closes, errTooLong after limit (0 is for ever), or why ctx ended.
func wait(ctx context.Context, change <-chan struct{}, limit time.Duration) error {
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-change:
		return nil
	case <-over:
		return errTooLong
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Park lays the robot down and switches its torque off. A robot that cannot lie down, because a servo is missing, has
// its torque switched off where it is; one that is stopped by the emergency stop is left as it is. When ctx ends the
// movement is left to itself.
func (s *Server) Park(ctx context.Context) error {
	state := s.Loop.State()
	switch {
	case state.Mode == hal.ModeOffline:
		return errors.New("the robot is offline; left as it is")
	case state.EStop:
		return errors.New("the emergency stop is latched; left as it is")
	case state.Torque == 0:
		return nil
	}
	s.Log.Info().Msg("parking")
	bounded, cancel := context.WithTimeout(ctx, parkTimeout)
	defer cancel()
	a := s.Loop.Do(bounded, hal.Request{Verb: hal.VerbSleep})
	err := fmt.Errorf("sleep: %s: %s", a.Code, a.Reason)
	if a.Outcome != hal.Rejected {
		e, werr := s.Loop.Wait(bounded, a.Move)
		switch {
		case werr != nil:
			err = fmt.Errorf("sleep: %w", werr)
		case e.End == hal.EndDone:
			s.Log.Info().Msg("parked")
			return nil
		default:
			err = fmt.Errorf("sleep %s: %s", e.End, e.Reason)
		}
	}
	if ctx.Err() != nil || s.Loop.State().EStop {
		return err
	}
	off := false
	if a := s.Loop.Do(ctx, hal.Request{Verb: hal.VerbMotors, On: &off}); a.Outcome == hal.Rejected {
		return fmt.Errorf("%w; motors off: %s", err, a.Reason)
	}
	return fmt.Errorf("%w; torque switched off", err)
}

// Retire parks the robot for good: from now on only stops and what does not move the robot are answered.
func (s *Server) Retire(ctx context.Context) error {
	s.retired.Store(true)
	return s.Park(ctx)
}
