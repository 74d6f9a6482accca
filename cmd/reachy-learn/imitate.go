package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
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

// imitateAll tells what two kinds of demonstrations are worth: the actions of somebody who steers, and the joints as a hand has moved them.
func imitateAll(ctx context.Context, e *env.Reach, moves int) error {
	const first, seed = 5000, 1
	hand := &env.Hand{Unsteady: 0.08}
	if err := tell(ctx, e, "the hand itself", hand); err != nil {
		return err
	}
	err := imitateBy(ctx, e, "steered", hand, moves, imitate.Record(e, hand, first, moves), imitate.Record(e, hand, first, moves/2))
	if err != nil {
		return err
	}
	shown, err := imitate.GuidedMoves(rand.New(rand.NewPCG(seed, first)), moves) //nolint:gosec // a simulation
	if err != nil {
		return err
	}
	return imitateBy(ctx, e, "guided", hand, moves, imitate.FromShown(e, shown, seed), imitate.FromShown(e, shown[:moves/2], seed))
}

// imitateBy tells what each way of learning makes of all demonstrations and of half of them.
func imitateBy(ctx context.Context, e *env.Reach, kind string, hand *env.Hand, moves int, all, half *imitate.Set) error {
	const seed, epochs, updates = 1, 150, 30
	gail, err := imitate.GAIL(e, all, seed, updates, epochs)
	if err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		*policy.Policy
	}{
		{fmt.Sprintf("cloning of %d %s moves", moves, kind), imitate.Clone(e.Spec(), all, seed, epochs)},
		{fmt.Sprintf("cloning of %d %s moves", moves/2, kind), imitate.Clone(e.Spec(), half, seed, epochs)},
		{
			fmt.Sprintf("DAgger: %d %s, then %d corrected", moves/2, kind, moves-moves/2),
			imitate.DAgger(e, hand, half, seed, 2, (moves-moves/2)/2, epochs),
		},
		{fmt.Sprintf("GAIL: %d %s, and %d episodes", moves, kind, 10*updates), gail},
	} {
		if err := tell(ctx, e, p.name, train.Learned(p.Policy)); err != nil {
			return err
		}
	}
	return nil
}

func tell(ctx context.Context, e env.Env, name string, who train.Actor) error {
	const tries = 200
	r, err := train.Evaluate(e, who, tries, ctx.Err)
	//nolint:errcheck // nowhere else to say it
	fmt.Fprintf(os.Stdout, "%-44s success %5.1f %% (%.1f…%.1f), return %6.2f ± %.2f, %.2f s\n", name,
		100*r.Success, 100*r.SuccessLow, 100*r.SuccessHigh, r.Return, r.ReturnError, r.Merit)
	return err
}
