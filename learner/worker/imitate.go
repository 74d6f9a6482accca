package worker

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/imitate"
	"github.com/reachyd/reachyd/learner/policy"
	"github.com/reachyd/reachyd/learner/train"
)

// Ways to learn from what was shown.
const (
	cloning     = "clone"
	adversarial = "gail"
)

const (
	cloneEpochs = 60
	gailUpdates = 30
)

// imitate lets a run begin with what was shown, if something was.
func (s *Start) imitate() error {
	how := cmp.Or(s.Imitate, cloning)
	switch {
	case how != cloning && how != adversarial:
		return fmt.Errorf("imitate: %q is not one of %s, %s", how, cloning, adversarial)
	case len(s.Shown) == 0 && s.Imitate != "":
		return errors.New("imitate: nothing was shown")
	case len(s.Shown) == 0:
		return nil
	case s.Task != env.ReachPose:
		return fmt.Errorf("task: only %s can begin with what was shown, not %q", env.ReachPose, s.Task)
	case s.Algorithm != train.PPO:
		return fmt.Errorf("algorithm: only %s can begin with what was shown, not %q", train.PPO, s.Algorithm)
	}
	e := env.NewReach(env.Options{Random: s.Random, Weights: s.Weights})
	set := imitate.FromShown(e, s.Shown, s.Seed)
	if set.Episodes == 0 {
		return errors.New("shown: nothing in it moves the head")
	}
	p := imitate.Clone(e.Spec(), set, s.Seed, cloneEpochs)
	if how == adversarial {
		var err error
		if p, err = imitate.GAIL(e, set, s.Seed, gailUpdates, cloneEpochs); err != nil {
			return err
		}
	}
	return s.begin(p)
}

func (s *Start) begin(p *policy.Policy) (err error) {
	s.Begin, err = train.EncodePolicy(p.Save(s.Task))
	return err
}
