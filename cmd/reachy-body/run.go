package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/servo"
)

// run is the program: it serves until ctx ends, parks the robot, and returns the exit code.
func run(ctx context.Context, args, _ []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "servo" {
		return runServos(ctx, args[1:], stdout, stderr)
	}
	o, err := parseOptions(args, stderr)
	if code, done := program.Refused("reachy-body", err, stderr); done {
		return code
	}
	log := zerolog.New(program.Log(stderr)).Level(o.logLevel).With().Timestamp().Logger()
	if o.bench > 0 {
		err = bench(ctx, &o, stdout)
	} else {
		err = serve(ctx, &o, log)
	}
	if err != nil {
		log.Error().Err(err).Msg("reachy-body ends")
		return program.ExitError
	}
	return program.ExitOK
}

// busTimes is how long the bus may take. Tests, whose simulated servos share a busy processor with them, are more patient.
var busTimes servo.Options

// open secures the process and opens the robot and its loop.
func open(o *options, patient bool) (*servo.Robot, *motion.Loop, error) {
	realtime := motion.Secure(o.priority)
	options := busTimes
	options.Port, options.Watchdog, options.PowerWait, options.Patient = o.port, o.watchdog, o.powerWait, patient
	robot, err := servo.Open(options)
	if err != nil {
		return nil, nil, err
	}
	loop := motion.New(robot, motion.Config{Rate: o.rate, Speed: o.maxSpeed, Lease: o.lease, Realtime: realtime})
	return robot, loop, nil
}

func serve(ctx context.Context, o *options, log zerolog.Logger) error {
	// The socket comes first: a second body must find out before it touches the bus.
	l, err := local.Listen(o.socket)
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // Serve has closed it, unless it never began
	if err := local.OpenToGroup(o.socket); err != nil {
		log.Warn().Err(err).Msg("only this user and root can stop the robot without reachyd")
	}
	robot, loop, err := open(o, true)
	if err != nil {
		return err
	}
	defer robot.Close() //nolint:errcheck // the process ends
	s := &server.Server{
		Loop: loop, Log: log, OwnerTimeout: o.ownerTimeout, Linger: o.linger, StopFile: o.socket + ".estop",
	}
	log.Info().Str("port", o.port).Str("socket", o.socket).Str("realtime", loop.Telemetry().Realtime).
		Interface("found", robot.Report()).Msg("serving")

	loopCtx, stopLoop := context.WithCancel(context.Background())
	serveCtx, stopServing := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stopLoop()
	defer stopServing()
	wg.Go(func() { loop.Run(loopCtx) }) //nolint:errcheck // it ends when it is told to

	wg.Go(func() { watchPowerKey(serveCtx, o, s.Park, log) })
	served := make(chan error, 1)
	wg.Go(func() { served <- s.Serve(serveCtx, l) })
	select {
	case err := <-served:
		if errors.Is(err, server.ErrAbandoned) {
			log.Warn().Msg("no owner has come back; leaving")
			return nil
		}
		return err
	case <-ctx.Done():
	}
	log.Info().Bool("park", o.parkOnExit).Msg("told to end")
	if o.parkOnExit {
		if err := s.Retire(serveCtx); err != nil {
			log.Warn().Err(err).Msg("park")
		}
	}
	return nil
}

var _ motion.Servos = (*servo.Robot)(nil)
