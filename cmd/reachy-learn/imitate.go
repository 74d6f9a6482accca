package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/imitate"
	"github.com/reachyd/reachyd/learner/policy"
	"github.com/reachyd/reachyd/learner/train"
)

// imitation runs `reachy-learn imitate`: what 20 moves that a simulated hand guides are worth, by each way of learning from them.
func imitation(ctx context.Context, args []string, stderr io.Writer) int {
	f := program.Flags("reachy-learn imitate", stderr)
	moves := f.Int("moves", 20, "demonstrations")
	model := f.String("model", "simple", "which simulated robot")
	if err := program.Parse(f, args); err != nil {
		code, _ := program.Refused("reachy-learn", err, stderr)
		return code
	}
	plant, err := plants(*model)
	if err == nil {
		err = imitateAll(ctx, env.NewReach(env.Options{Plant: plant, Random: 1}), *moves)
	}
	if err != nil {
		fmt.Fprintf(stderr, "reachy-learn: %v\n", err) //nolint:errcheck // nowhere else to say it
		return program.ExitError
	}
	return program.ExitOK
}

func imitateAll(ctx context.Context, e env.Env, moves int) error {
	const first, seed, epochs, updates = 5000, 1, 150, 30
	hand := &env.Hand{Unsteady: 0.08}
	shown := imitate.Record(e, hand, first, moves)
	half := imitate.Record(e, hand, first, moves/2)
	tell := func(name string, who train.Actor) error {
		const tries = 200
		r, err := train.Evaluate(e, who, tries, ctx.Err)
		//nolint:errcheck // nowhere else to say it
		fmt.Fprintf(os.Stdout, "%-44s success %5.1f %% (%.1f…%.1f), return %6.2f ± %.2f, %.2f s\n", name,
			100*r.Success, 100*r.SuccessLow, 100*r.SuccessHigh, r.Return, r.ReturnError, r.Merit)
		return err
	}
	gail, err := imitate.GAIL(e, shown, seed, updates, epochs)
	if err != nil {
		return err
	}
	if err := tell("the hand itself", hand); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		*policy.Policy
	}{
		{fmt.Sprintf("cloning of %d moves", moves), imitate.Clone(e.Spec(), shown, seed, epochs)},
		{fmt.Sprintf("cloning of %d moves", moves/2), imitate.Clone(e.Spec(), half, seed, epochs)},
		{
			fmt.Sprintf("DAgger: %d moves, then %d corrected", moves/2, moves-moves/2),
			imitate.DAgger(e, hand, half, seed, 2, (moves-moves/2)/2, epochs),
		},
		{fmt.Sprintf("GAIL: %d moves, and %d episodes", moves, 10*updates), gail},
	} {
		if err := tell(p.name, train.Learned(p.Policy)); err != nil {
			return err
		}
	}
	return nil
}
