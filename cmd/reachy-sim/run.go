package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal/virtual"
)

// errOrphaned ends a simulator that nobody uses any more.
var errOrphaned = errors.New("no bus client for too long")

// run is the program: it simulates until ctx ends and returns the exit code.
func run(ctx context.Context, args, _ []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stdout)
	if code, done := program.Refused("reachy-sim", err, stderr); done {
		return code
	}
	log := zerolog.New(program.Log(stderr)).With().Timestamp().Logger()
	if !o.step {
		if err := prompt(); err != nil {
			log.Debug().Err(err).Msg("priority")
		}
	}
	if err := simulate(ctx, o, log); err != nil {
		log.Error().Err(err).Msg("reachy-sim ends")
		return program.ExitError
	}
	return program.ExitOK
}

// simulate runs all parts until ctx ends, one of them fails, or nobody is there any more.
func simulate(ctx context.Context, o *options, log zerolog.Logger) error {
	plant, stage, err := openStage(o, log)
	if err != nil {
		return err
	}
	defer stage.Close() //nolint:errcheck // the process ends
	chain := virtual.New(virtual.Options{Plant: plant, WireTime: o.wireTime})

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var parts sync.WaitGroup
	defer parts.Wait()
	part := func(name string, f func() error) {
		parts.Go(func() {
			if err := f(); err != nil {
				cancel(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	ready := func(what, where string) func() {
		return func() { log.Info().Str(what, where).Str("model", o.model).Msg("serving") }
	}
	if o.bus != "" {
		part("bus", func() error { return chain.ServeUnix(ctx, o.bus, ready("bus", o.bus)) })
	}
	if o.pty != "" {
		part("pty", func() error { return chain.ServePTY(ctx, o.pty, ready("pty", o.pty)) })
	}
	if o.http != "" {
		s := &server{chain: chain, stage: stage, options: o}
		part("http", func() error { return s.serve(ctx, ready("http", o.http)) })
	}
	if !o.step {
		part("physics", func() error { chain.Run(ctx, o.realtime); return nil })
	}
	if o.orphaned > 0 {
		part("orphan", func() error { return watchOrphan(ctx, chain, o.orphaned) })
	}
	<-ctx.Done()
	parts.Wait()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errOrphaned):
		log.Info().Dur("after", o.orphaned).Msg("nobody uses the bus any more: exit")
		return nil
	case errors.Is(cause, context.Canceled):
		return nil
	default:
		return cause
	}
}

// watchOrphan returns errOrphaned when no bus client has been connected for so long.
func watchOrphan(ctx context.Context, c *virtual.Chain, patience time.Duration) error {
	for {
		left := patience - c.Status().Idle
		if left <= 0 {
			return errOrphaned
		}
		t := time.NewTimer(left)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
	}
}
