package daemon

import (
	"context"
	"errors"
	"fmt"
)

// stack holds the parts that have been started. They are ended in the reverse order, one after the other.
type stack struct{ parts []part }

type part struct {
	name string
	end  func() error
}

// push notes how a part that has been opened is closed.
func (s *stack) push(name string, end func() error) { s.parts = append(s.parts, part{name, end}) }

// run starts a part that works until its context ends, and notes to end it and to wait for it.
func (s *stack) run(name string, work func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	s.push(name, func() error {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
}

// close ends all parts and returns what went wrong. It may be called again.
func (s *stack) close() error {
	var errs []error
	for len(s.parts) > 0 {
		last := s.parts[len(s.parts)-1]
		s.parts = s.parts[:len(s.parts)-1]
		if err := last.end(); err != nil {
			errs = append(errs, fmt.Errorf("end %s: %w", last.name, err))
		}
	}
	return errors.Join(errs...)
}
