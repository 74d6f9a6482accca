package env

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestClassicsStepLikeGymnasium compares every step with those that gymnasium took; testdata/generate.py wrote them down.
func TestClassicsStepLikeGymnasium(t *testing.T) {
	text, err := os.ReadFile("testdata/gymnasium.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Episodes []struct {
			ID    string
			Start []float64
			Steps []struct {
				A float32
				O []float64
				R float64
				T bool
			}
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, ep := range golden.Episodes {
		e, err := Classic(ep.ID)
		if err != nil {
			t.Fatal(err)
		}
		obs := make([]float32, e.Spec().Observation.Dim())
		e.Reset(1, obs)
		switch e := e.(type) {
		case *CartPole:
			copy(e.State[:], ep.Start)
		case *Pendulum:
			copy(e.State[:], ep.Start)
		case *Acrobot:
			copy(e.State[:], ep.Start)
		}
		for i, want := range ep.Steps {
			o := e.Step([]float32{want.A}, obs)
			seen[ep.ID]++
			for k := range want.O {
				// Acrobot is chaotic: differences of rounding grow.
				if math.Abs(float64(obs[k])-want.O[k]) > 2e-5*math.Max(1, math.Abs(want.O[k])) {
					t.Fatalf("%s, step %d: observation %v, gymnasium has %v", ep.ID, i, obs, want.O)
				}
			}
			if math.Abs(o.Reward-want.R) > 1e-4 || o.Terminated != want.T {
				t.Fatalf("%s, step %d: reward %g, terminated %v; gymnasium has %g, %v", ep.ID, i, o.Reward, o.Terminated, want.R, want.T)
			}
		}
	}
	for _, id := range []string{CartPoleID, PendulumID, AcrobotID} {
		if seen[id] < 20 {
			t.Errorf("only %d steps of %s were compared", seen[id], id)
		}
	}
}

func TestClassicsAreTruncated(t *testing.T) {
	for _, id := range []string{PendulumID, AcrobotID} {
		e, _ := Classic(id)
		obs := make([]float32, e.Spec().Observation.Dim())
		e.Reset(3, obs)
		for i := 1; ; i++ {
			o := e.Step([]float32{1}, obs) // a torque of 1, and none
			if o.Done() {
				if !o.Truncated || i != e.Spec().MaxSteps {
					t.Errorf("%s ended after %d steps: %+v", id, i, o)
				}
				break
			}
		}
	}
	if _, err := Classic("Taxi-v3"); err == nil {
		t.Error("an unknown environment was made")
	}
}

func TestSameSeedSameEpisode(t *testing.T) {
	for _, id := range []string{CartPoleID, PendulumID, AcrobotID} {
		a, _ := Classic(id)
		b, _ := Classic(id)
		oa, ob, other := make([]float32, a.Spec().Observation.Dim()), make([]float32, a.Spec().Observation.Dim()), make([]float32, a.Spec().Observation.Dim())
		a.Reset(5, oa)
		b.Reset(5, ob)
		if oa[0] != ob[0] {
			t.Errorf("%s: the same seed gave %v and %v", id, oa, ob)
		}
		if a.Reset(6, other); other[0] == ob[0] {
			t.Errorf("%s: seeds 5 and 6 begin alike", id)
		}
	}
}

func TestEpisodeIsRelived(t *testing.T) {
	e := &Episode{Env: &Pendulum{}}
	obs, again := make([]float32, 3), make([]float32, 3)
	e.Reset(9, obs)
	for i := range 50 {
		e.Step([]float32{float32(math.Sin(float64(i)))}, obs)
	}
	f := &Episode{Env: &Pendulum{}}
	if err := f.Relive(e.Past(), again); err != nil {
		t.Fatal(err)
	}
	if e.Step([]float32{1}, obs); f.Step([]float32{1}, again).Done() || obs[0] != again[0] || obs[2] != again[2] || e.Return != f.Return {
		t.Errorf("relived: %v, lived: %v", again, obs)
	}
	if err := f.Relive(Past{Seed: 1, Actions: make([]float32, 500)}, again); err == nil {
		t.Error("500 actions in an episode of 200 were no error")
	}
}
