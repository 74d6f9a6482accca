//go:build mujoco

package mujoco

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/virtual"
)

func apart6(a, b hal.Head) float64 {
	return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y), math.Abs(a.Z-b.Z), math.Abs(a.Roll-b.Roll), math.Abs(a.Pitch-b.Pitch), math.Abs(a.Yaw-b.Yaw))
}

// With the motors off the head stays where it sleeps.
func TestSleepIsStable(t *testing.T) {
	r := open(t, Options{Scene: Table, Start: virtual.SleepJoints})
	first := r.Truth().Head
	r.run(40)
	if now := r.Truth(); now.Flips != 0 || apart6(now.Head, first) > 0.01 {
		t.Errorf("after 40 s at %+v, began at %+v, %d flips", now.Head, first, now.Flips)
	}
	for j := range r.motions {
		if r.motions[j].Torque != 0 {
			t.Errorf("%v: a motor that is off makes %g N·m", hal.Joint(j), r.motions[j].Torque)
		}
	}
}

// From wherever the motors let go of it, the head comes down, lies, and can be lifted again.
func TestLimpHeadComesToRest(t *testing.T) {
	for _, from := range []hal.Head{{}, {Roll: 0.25}, {Pitch: -0.3, Z: 0.01}, {X: 0.01, Yaw: 0.5}} {
		j := inverse(t, from, 0)
		told := 0
		r := open(t, Options{Scene: Empty, Start: j, Reseated: func(string) { told++ }})
		r.run(60)
		lies := r.Truth().Head
		r.run(10)
		if now := r.Truth(); now.Flips != 0 || told != 0 || apart6(now.Head, lies) > 0.005 || !r.rest.lies {
			t.Errorf("%+v: lies at %+v, then %+v, %d flips, rim at %.4f", from, lies, now.Head, now.Flips, r.rim())
		}
		r.goals(r.joints())
		r.run(0.5)
		r.moveTo(t, r.localHead(), hal.Head{}, 0, 0, 2)
		r.run(0.5)
		if now := r.Truth(); now.Flips != 0 || apart6(now.Head, hal.Head{}) > 0.02 {
			t.Errorf("%+v: lifted to %+v, %d flips", from, now.Head, now.Flips)
		}
	}
}

// Whatever is flooded at the arms, what puts the platform together anew says so every time, and moves no arm far.
func TestEveryReseatIsTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	told := 0
	neutral := inverse(t, hal.Head{}, 0)
	r := open(t, Options{Scene: Empty, Start: neutral, Reseated: func(string) { told++ }})
	for range 60 {
		goal := neutral
		for k := hal.Stewart1; k <= hal.Stewart6; k++ {
			l := hal.JointLimits[k]
			goal[k] = l.Min + (l.Max-l.Min)*rng.Float64()
		}
		r.goals(goal)
		r.run(1)
	}
	now := r.Truth()
	if now.Flips == 0 || uint64(told) != now.Flips {
		t.Errorf("%d flips, told of %d", now.Flips, told)
	}
	r.goals(neutral)
	r.run(3)
	if now := r.Truth(); apart6(now.Head, hal.Head{}) > 0.05 {
		t.Errorf("after the flood the head stands at %+v", now.Head)
	}
}
