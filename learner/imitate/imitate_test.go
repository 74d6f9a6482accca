package imitate

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/policy"
)

// score is the mean return of a policy in episodes that no demonstration showed.
func score(e env.Env, p *policy.Policy) float64 {
	obs, act := make([]float32, e.Spec().Observation.Dim()), make([]float32, e.Spec().Action.Dim())
	sum := 0.0
	const episodes = 20
	for i := range episodes {
		e.Reset(uint64(2*i+1), obs)
		for {
			p.Act(obs, act)
			o := e.Step(act, obs)
			sum += o.Reward / episodes
			if o.Done() {
				break
			}
		}
	}
	return sum
}

func reach() env.Env { return env.NewReach(env.Options{Random: 0.3}) }

func TestCloneDoesWhatWasShown(t *testing.T) {
	e := reach()
	shown := Record(e, &env.Hand{Unsteady: 0.05}, 1000, 10)
	if shown.Episodes != 10 || len(shown.Obs) < 50 {
		t.Fatalf("%d steps of %d episodes", len(shown.Obs), shown.Episodes)
	}
	untrained := score(e, Clone(e.Spec(), shown, 1, 0))
	clone := Clone(e.Spec(), shown, 1, 40)
	if got := score(e, clone); got < untrained+2 {
		t.Errorf("the clone's return is %.2f, that of an untrained policy %.2f", got, untrained)
	}
	again := Clone(e.Spec(), shown, 1, 40)
	for i, v := range again.Net.Params() {
		if v != clone.Net.Params()[i] {
			t.Fatal("the same seed gave another clone")
		}
	}
}

func TestDAggerAsksWhereTheCloneGoes(t *testing.T) {
	e := reach()
	few := Record(e, &env.Hand{}, 2000, 2)
	clone, better := Clone(e.Spec(), few, 1, 40), DAgger(e, &env.Hand{}, few, 1, 2, 4, 40)
	if a, b := score(e, clone), score(e, better); b <= a {
		t.Errorf("two demonstrations: %.2f, and asked twice: %.2f", a, b)
	}
	if few.Episodes != 2 {
		t.Error("the set of demonstrations was changed")
	}
}

func TestTheJudgeLearnsToTellThemApart(t *testing.T) {
	e := reach()
	shown := Record(e, &env.Hand{}, 3000, 12)
	clone := Clone(e.Spec(), shown, 1, 5)
	j := newJudge(e.Spec(), shown, clone.Norm, 1)
	wrong := make([]float32, e.Spec().Action.Dim())
	for range 20 {
		for _, o := range shown.Obs {
			for i := range wrong {
				wrong[i] = float32(math.Sin(float64(len(j.seen.Obs) + i)))
			}
			j.seen.add(o, wrong)
		}
		j.learn()
	}
	right, not := 0.0, 0.0
	for i, o := range shown.Obs {
		right += j.reward(o, shown.Act[i])
		not += j.reward(o, wrong)
	}
	if right < not+0.5*float64(len(shown.Obs)) {
		t.Errorf("what was shown is worth %.1f, nonsense %.1f", right, not)
	}
	if _, err := GAIL(e, shown, 1, 2, 5); err != nil {
		t.Error(err)
	}
}
