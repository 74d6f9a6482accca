package main

import (
	"errors"
	"fmt"
	"image"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/mujoco"
	"github.com/reachyd/reachyd/hal/virtual"
)

// A stage is what the robot stands on: everything but the servos.
type stage interface {
	Truth() mujoco.Truth
	MoveObject(name string, position hal.Vec3, quaternion *[4]float64) error
	// Render returns an error that wraps mujoco.ErrNoPictures where none can be had.
	Render(camera string, width, height int) (*image.RGBA, error)
	Close() error
}

// openStage returns the joints' plant and what is around it.
func openStage(o *options, log zerolog.Logger) (virtual.Plant, stage, error) {
	if o.model == modelSimple {
		s := &simpleStage{Simple: virtual.NewSimple(virtual.SleepJoints)}
		return s, s, nil
	}
	s, err := mujoco.Open(mujoco.Options{Scene: o.scene, Start: virtual.SleepJoints, Reseated: func(why string) {
		log.Warn().Str("event", "reseated").Msg(why + " and was put back together: no robot could move so")
	}})
	if err != nil {
		return nil, nil, err
	}
	return s, s, nil
}

// simpleStage is the plant in plain Go with nothing around it.
type simpleStage struct {
	*virtual.Simple
	now atomic.Pointer[moment]
}

// moment is where the joints are after so many steps.
type moment struct {
	steps   uint64
	motions virtual.Motions
}

func (s *simpleStage) Step(dt float64, drive *virtual.Drives, out *virtual.Motions) {
	s.Simple.Step(dt, drive, out)
	s.keep(out, 1)
}

func (s *simpleStage) Reset(out *virtual.Motions) {
	s.Simple.Reset(out)
	s.keep(out, 0)
}

// keep is called by one at a time, as Step and Reset are.
func (s *simpleStage) keep(m *virtual.Motions, more uint64) {
	now := moment{more, *m}
	if before := s.now.Load(); before != nil {
		now.steps += before.steps
	}
	s.now.Store(&now)
}

func (s *simpleStage) Truth() mujoco.Truth {
	t := mujoco.Truth{Objects: []mujoco.Object{}, Contacts: [][2]string{}}
	if now := s.now.Load(); now != nil {
		t.Steps = now.steps
		for j := range now.motions {
			t.Joints[j] = now.motions[j].Position
		}
	}
	t.Time = float64(t.Steps) * virtual.Tick.Seconds()
	t.BodyYaw = t.Joints[hal.BodyYaw]
	// The joints do not hold each other, so they may stand as no head can: it is neutral then.
	if pose, _, err := kinematics.Forward(&t.Joints, hal.IdentityPose); err == nil {
		t.Head = pose.Head()
	}
	return t
}

func (s *simpleStage) MoveObject(string, hal.Vec3, *[4]float64) error {
	return errors.New("the simple model has no objects; use --model mujoco")
}

func (s *simpleStage) Render(string, int, int) (*image.RGBA, error) {
	return nil, fmt.Errorf("%w: the simple model cannot draw; use --model mujoco", mujoco.ErrNoPictures)
}

func (s *simpleStage) Close() error { return nil }
