package env

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// episode lives through one episode with a controller and returns its last outcome.
func episode(e Env, c Controller, seed uint64) (last Outcome, unsafe, steps int) {
	obs, action := make([]float32, e.Spec().Observation.Dim()), make([]float32, e.Spec().Action.Dim())
	e.Reset(seed, obs)
	c.Begin()
	for {
		c.Act(obs, action)
		last = e.Step(action, obs)
		unsafe += last.Unsafe
		if steps++; last.Done() {
			return last, unsafe, steps
		}
	}
}

func TestClassicalSolutionsDoTheirTasks(t *testing.T) {
	for id, want := range map[string]int{LookAtThing: 19, LookAtSpeaker: 17, Follow: 17, ReachPose: 17} {
		task, err := TaskNamed(id)
		if err != nil {
			t.Fatal(err)
		}
		e, done := task.New(Options{Random: 1}), 0
		for seed := range 20 {
			o, unsafe, n := episode(e, task.Classic(), uint64(seed))
			if o.Success {
				done++
			}
			if n > e.Spec().MaxSteps {
				t.Errorf("%s: an episode of %d steps, of at most %d", id, n, e.Spec().MaxSteps)
			}
			if unsafe > n/2 {
				t.Errorf("%s: %d of %d actions were unsafe", id, unsafe, n)
			}
		}
		if done < want {
			t.Errorf("%s: %d of 20 episodes succeeded, want %d", id, done, want)
		}
	}
}

func TestDoingNothingFails(t *testing.T) {
	for _, task := range Tasks {
		if task.ID == Greet {
			continue // one step, and some like it
		}
		e, done := task.New(Options{}), 0
		for seed := range 10 {
			if o, _, _ := episode(e, ClassicGreet{}, uint64(seed)); o.Success {
				done++
			}
		}
		if done > 4 {
			t.Errorf("%s: doing nothing succeeded in %d of 10 episodes", task.ID, done)
		}
	}
}

func TestRobotEpisodesAreRelived(t *testing.T) {
	for _, task := range Tasks {
		if task.ID == Greet {
			continue
		}
		a, b := &Episode{Env: task.New(Options{Random: 1})}, &Episode{Env: task.New(Options{Random: 1})}
		n := a.Spec().Observation.Dim()
		oa, ob := make([]float32, n), make([]float32, n)
		b.Reset(77, ob) // another episode before must not shine through
		a.Reset(4, oa)
		action := make([]float32, a.Spec().Action.Dim())
		for i := range 3 {
			action[0] = float32(math.Sin(float64(i))) / 4
			a.Step(action, oa)
		}
		if err := b.Relive(a.Past(), ob); err != nil {
			t.Fatal(err)
		}
		for i := range oa {
			if oa[i] != ob[i] {
				t.Errorf("%s: relived %v, lived %v", task.ID, ob, oa)
				break
			}
		}
	}
}

func TestActionsBeyondTheEnvelopeAreCounted(t *testing.T) {
	l := NewLook(LookAtThing, Options{})
	obs := make([]float32, lookObs)
	l.Reset(2, obs)
	unsafe, limited, safety := 0, 0, 0.0
	for range 20 {
		o := l.Step([]float32{0, 1}, obs) // down, and further down
		unsafe, limited = unsafe+o.Unsafe, limited+o.Limited
		safety += o.Safety
		if o.Done() {
			break
		}
	}
	if limited < 3 || safety > -3 || unsafe > 0 {
		t.Errorf("%d limited and %d unsafe actions, safety %g", limited, unsafe, safety)
	}
}

func TestHeldOutIsNeverInTraining(t *testing.T) {
	train, held := NewLook(LookAtThing, Options{Random: 1}), NewLook(LookAtThing, Options{Random: 1, HeldOut: true})
	seen := map[string]bool{}
	for seed := range 40 {
		train.rng, held.rng = seeded(uint64(seed)), seeded(uint64(seed))
		train.randomize()
		held.randomize()
		seen[train.thing.name] = true
		if seen[held.thing.name] {
			t.Errorf("the %s is a thing of training", held.thing.name)
		}
		if math.Abs(held.left) < 20 {
			t.Errorf("a place of evaluation at %.0f°", held.left)
		}
	}
}

func TestOffsetIsWhatTheEyeSees(t *testing.T) {
	place := inDirection(20, 10, 1)
	left, down := offset(hal.Head{}, place)
	if math.Abs(left-20) > 2 || math.Abs(down-10) > 2 {
		t.Errorf("20° left and 10° down is seen at %.1f, %.1f", left, down)
	}
	if l, _ := offset(hal.Head{Yaw: 20 * deg}, place); math.Abs(l) > 1 {
		t.Errorf("after turning there it is %.1f° off", l)
	}
}

func TestGreetingRewardsTaste(t *testing.T) {
	g := NewGreet(Options{})
	obs := make([]float32, greetObs)
	for seed := range 10 {
		g.Reset(uint64(seed), obs)
		good := g.Step([]float32{float32(g.liked[0]), float32(g.liked[1]), float32(g.liked[2])}, obs)
		bad := g.Step([]float32{float32(-g.liked[0]), float32(-g.liked[1]), float32(-g.liked[2])}, obs)
		if !good.Success || good.Human < 0.99 || bad.Human >= good.Human {
			t.Errorf("what is liked is worth %+v, its opposite %+v", good, bad)
		}
	}
}

func TestUnknownTask(t *testing.T) {
	if _, err := TaskNamed("juggle"); err == nil {
		t.Error("juggling is a task")
	}
}
