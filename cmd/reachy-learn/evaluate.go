package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/ppo"
	"github.com/reachyd/reachyd/learner/sac"
	"github.com/reachyd/reachyd/learner/train"
)

// evaluation runs `reachy-learn classic [-seeds N] [-only ID] [-curve FILE]`: the published results, anew.
func evaluation(ctx context.Context, args []string, stderr io.Writer) int {
	f := program.Flags("reachy-learn classic", stderr)
	seeds := f.Int("seeds", 5, "how many seeds")
	only := f.String("only", "", "one environment")
	curve := f.String("curve", "", "write who, environment, seed, steps, processor seconds and return to `FILE`, and do not end early")
	if err := program.Parse(f, args); err != nil {
		code, _ := program.Refused("reachy-learn", err, stderr)
		return code
	}
	var lines io.Writer
	if *curve != "" {
		w, err := os.Create(*curve)
		if err != nil {
			fmt.Fprintln(stderr, err) //nolint:errcheck // nowhere else to say it
			return program.ExitError
		}
		defer w.Close() //nolint:errcheck // a line that is missing is seen
		lines = w
	}
	ok := true
	for _, c := range classics {
		if *only != "" && *only != c.id {
			continue
		}
		sum := 0.0
		for seed := 1; seed <= *seeds && ctx.Err() == nil; seed++ {
			mean, at, steps, took, err := c.run(ctx, uint64(seed), lines)
			if err != nil {
				fmt.Fprintln(stderr, err) //nolint:errcheck // nowhere else to say it
				return program.ExitError
			}
			//nolint:errcheck // nowhere else to say it
			fmt.Fprintf(os.Stdout, "%-12s %s seed %d: mean of 100 episodes %7.1f, best policy found after %6d steps; "+
				"%6.0f steps a second of one core with updates, %.1f s of it\n",
				c.id, c.algorithm, seed, mean, at, float64(steps)/took.Seconds(), took.Seconds())
			sum += mean / float64(*seeds)
		}
		fmt.Fprintf(os.Stdout, "%-12s %s mean of %d seeds: %.1f, wanted %.0f\n", c.id, c.algorithm, *seeds, sum, c.want) //nolint:errcheck // nowhere else
		ok = ok && sum >= c.want
	}
	if !ok {
		return program.ExitError
	}
	return program.ExitOK
}

type classic struct {
	id, algorithm string
	steps         int
	want          float64
	every         int     // steps between two looks at the policy
	enough        float64 // mean of 20 episodes at which no more is to be learned
}

var classics = []classic{
	{env.CartPoleID, train.PPO, 50_000, 490, 2_500, 500},
	{env.AcrobotID, train.PPO, 100_000, -100, 10_000, -80},
	{env.PendulumID, train.SAC, 20_000, -200, 2_000, -120},
}

// run trains for all steps and evaluates the policy that was the best on 20 episodes on 100 others. Each look is a line of curve, if that is
// there.
func (c classic) run(ctx context.Context, seed uint64, curve io.Writer) (mean float64, at, steps int, took time.Duration, err error) {
	fresh := func() env.Env {
		e, _ := env.Classic(c.id) // it is in the table
		return e
	}
	best := math.Inf(-1)
	look := func(a train.Actor, episodes int, shift uint64) (float64, error) {
		r, err := train.Evaluate(&shifted{fresh(), shift}, a, episodes, ctx.Err)
		return r.Return, err
	}
	var spent time.Duration
	var advance func() (int, train.Actor, error)
	if c.algorithm == train.SAC {
		cfg := sac.Defaults()
		cfg.Seed = seed
		t, err := sac.New(cfg, fresh())
		if err != nil {
			return 0, 0, 0, 0, err
		}
		advance = func() (int, train.Actor, error) {
			for range c.every {
				t.Step()
			}
			return t.Steps(), train.Learned(t.Policy()), nil
		}
	} else {
		cfg := ppo.CartPole(seed)
		if c.id == env.AcrobotID {
			cfg = ppo.Acrobot(seed)
		}
		cfg.Total = c.steps
		t := ppo.New(cfg, fresh)
		advance = func() (int, train.Actor, error) {
			for until := t.Steps() + c.every; t.Steps() < until; {
				if _, err := t.Iterate(ctx.Err); err != nil {
					return 0, nil, err
				}
			}
			return t.Steps(), train.Learned(t.Policy()), nil
		}
	}
	for steps < c.steps && (curve != nil || best < c.enough) {
		var a train.Actor
		began := local.ProcessorTime()
		if steps, a, err = advance(); err != nil {
			return 0, 0, 0, 0, err
		}
		spent += local.ProcessorTime() - began
		const few, many = 20, 100
		score, err := look(a, few, 1<<20)
		if err != nil {
			return 0, 0, 0, 0, err
		}
		if curve != nil {
			if _, err := fmt.Fprintf(curve, "reachy-learn,%s,%d,%d,%.2f,%.1f\n", c.id, seed, steps, spent.Seconds(), score); err != nil {
				return 0, 0, 0, 0, err
			}
		}
		if score > best {
			best, at = score, steps
			if mean, err = look(a, many, 0); err != nil { // now, since the policy goes on learning
				return 0, 0, 0, 0, err
			}
		}
	}
	return mean, at, steps, spent, nil
}

// shifted has other episodes than the environment for the same seeds.
type shifted struct {
	env.Env
	by uint64
}

// Reset implements env.Env.
func (s *shifted) Reset(seed uint64, obs []float32) { s.Env.Reset(seed+2*s.by, obs) }
