package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/mujoco"
	"github.com/reachyd/reachyd/hal/virtual"
	"github.com/reachyd/reachyd/learner/train"
	"github.com/reachyd/reachyd/learner/worker"
)

type options struct {
	socket, dir, robot string
	linger             time.Duration
	level              zerolog.Level
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := program.Flags("reachy-learn", stderr)
	f.StringVar(&o.socket, "socket", program.DefaultSocket("learn"), "serve HTTP on a unix socket at `PATH`")
	f.StringVar(&o.dir, "dir", "", "`directory` of the runs")
	f.StringVar(&o.robot, "robot", "", "where reachyd lets the robot itself be moved, a unix socket at `PATH`; without it all is simulated")
	f.DurationVar(&o.linger, "linger", 0, "exit when nobody has asked anything for so `long`; 0 is never")
	program.LogLevel(f, &o.level)
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	switch {
	case o.dir == "":
		return o, errors.New("-dir is missing: where the runs are kept")
	case o.linger < 0:
		return o, fmt.Errorf("-linger is %v; it must not be negative", o.linger)
	}
	return o, nil
}

// run is the program: it serves until ctx ends and returns the exit code.
func run(ctx context.Context, args, _ []string, _, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "classic":
			return evaluation(ctx, args[1:], stderr)
		case "imitate":
			return imitation(ctx, args[1:], stderr)
		}
	}
	o, err := parse(args, stderr)
	if code, done := program.Refused("reachy-learn", err, stderr); done {
		return code
	}
	log := zerolog.New(program.Log(stderr)).Level(o.level).With().Timestamp().Logger()
	runtime.GOMAXPROCS(1) // one core at most
	if err := background(); err != nil {
		log.Warn().Err(err).Msg("training runs at the usual priority")
	}
	if err := serve(ctx, o, log); err != nil {
		if errors.Is(err, worker.ErrAbandoned) {
			log.Info().Msg("nobody asks any more: exit")
			return program.ExitOK
		}
		log.Error().Err(err).Msg("reachy-learn ends")
		return program.ExitError
	}
	return program.ExitOK
}

func serve(ctx context.Context, o options, log zerolog.Logger) error {
	runs := filepath.Join(o.dir, "runs")
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return err
	}
	l, err := local.Listen(o.socket)
	if err != nil {
		return err
	}
	t := &worker.Trainer{Dir: runs, Plants: plants, Robot: o.robot, Log: log}
	s := &worker.Server{Trainer: t, Linger: o.linger}
	t.Changed = s.Tell
	defer t.Close()
	if err := t.Resume(); err != nil {
		log.Warn().Err(err).Msg("the run that was under way cannot be gone on with")
	}
	log.Info().Str("http", o.socket).Bool("mujoco", mujoco.Built).Msg("serving")
	return s.Serve(ctx, l)
}

// plants makes the models of the robot that this program contains.
func plants(model string) (func() virtual.Plant, error) {
	if model == "mujoco" {
		if !mujoco.Built {
			return nil, fmt.Errorf("model: mujoco is not part of this program; simple is")
		}
		return func() virtual.Plant {
			sim, err := mujoco.Open(mujoco.Options{Scene: mujoco.Empty, Start: virtual.SleepJoints})
			if err != nil {
				panic(err) // the model is part of the program
			}
			return sim
		}, nil
	}
	return train.SimplePlants(model)
}
