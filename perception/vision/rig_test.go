//go:build mujoco

package vision

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/virtual"
)

const (
	rigTick    = 10 * time.Millisecond
	rigLatency = 40 * time.Millisecond // of a picture: exposure, compression, the way here
	rigGap     = 66 * time.Millisecond // between two pictures
)

// rig is a robot on the stage, in the time of a test bubble: physics by MuJoCo, goals as the motion layer gives them
// (minimum jerk, feasible poses, limited speed), states a little noisy in time, pictures that come late.
type rig struct {
	*stage
	t testing.TB

	mu      sync.Mutex
	drives  virtual.Drives
	motions virtual.Motions
	goal    hal.Head // present
	from    hal.Head
	to      hal.Head
	began   time.Time
	lasts   time.Duration
	done    chan struct{}
	targets int
	refuse  string // why targets are refused
}

// openRig puts a robot on a stage whose head is neutral and starts its clock.
func openRig(ctx context.Context, t testing.TB, st *stage) *rig {
	r := &rig{stage: st, t: t}
	go r.run(ctx)
	return r
}

func (r *rig) run(ctx context.Context) {
	tick := time.NewTicker(rigTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.mu.Lock()
		if r.done != nil {
			x := min(1, float64(time.Since(r.began))/float64(r.lasts))
			r.goal = mix(r.from, r.to, x*x*x*(10+x*(-15+6*x)))
			if x == 1 {
				close(r.done)
				r.done = nil
			}
		}
		f, err := kinematics.NearestHead(r.goal, kinematics.AutoBodyYawFor(r.goal.Yaw, 0), hal.Antennas{})
		if err != nil {
			r.t.Error(err)
		}
		for j := range f.Joints {
			r.drives[j] = virtual.Drive{On: true, Position: f.Joints[j], Limit: 1}
		}
		r.Step(rigTick.Seconds(), &r.drives, &r.motions)
		r.mu.Unlock()
	}
}

// Do implements Body for goals and targets.
func (r *rig) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if req.Verb == hal.VerbTarget {
		if r.refuse != "" {
			return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeLease, Reason: r.refuse}, nil
		}
		r.targets++
		r.goal = req.Head.Over(r.goal)
		return hal.Answer{Outcome: hal.Accepted}, nil
	}
	head := req.Head.Over(r.goal)
	f, err := kinematics.NearestHead(head, kinematics.AutoBodyYawFor(head.Yaw, 0), hal.Antennas{})
	if err != nil {
		return hal.Answer{}, err
	}
	a := hal.Answer{Outcome: hal.Accepted, Move: "m", Duration: req.Duration}
	if c := f.HalChanges(); len(c) > 0 {
		a.Outcome, a.Changes = hal.Clamped, c
	}
	r.from, r.to, r.began, r.lasts = r.goal, f.Head, time.Now(), time.Duration(req.Duration*float64(time.Second))
	r.done = make(chan struct{})
	return a, nil
}

// Wait implements Body.
func (r *rig) Wait(ctx context.Context, _ string) (hal.Event, error) {
	r.mu.Lock()
	done := r.done
	r.mu.Unlock()
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			return hal.Event{}, ctx.Err()
		}
	}
	return hal.Event{End: hal.EndDone}, nil
}

// State implements Body.
func (r *rig) State(context.Context) (hal.State, error) {
	return hal.State{TS: time.Now(), Mode: hal.ModeEnabled, Head: r.Truth().Head}, nil
}

// Watch implements Body.
func (r *rig) Watch(ctx context.Context, hz float64, fn func(body.Message)) error {
	tick := time.NewTicker(time.Duration(float64(time.Second) / hz))
	defer tick.Stop()
	for {
		s, err := r.State(ctx)
		if err != nil {
			return err
		}
		fn(body.Message{State: &s})
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// eye is the stage's eye as a camera; paint, if not nil, draws on its pictures.
type rigEye struct {
	r     *rig
	paint func(c canvas, head *hal.Pose)
}

func (e rigEye) Open(context.Context) (camera.Stream, error) {
	return &rigStream{rigEye: e, closed: make(chan struct{})}, nil
}
func (rigEye) Intrinsics(w, h int) camera.Intrinsics { return camera.SimIntrinsics(w, h) }
func (rigEye) String() string                        { return "the rig's eye" }

type rigStream struct {
	rigEye
	closed chan struct{}
}

var errRigClosed = errors.New("closed")

func (s *rigStream) pause(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.closed:
		return errRigClosed
	}
}

func (s *rigStream) Next() (camera.Frame, error) {
	if err := s.pause(rigGap - rigLatency); err != nil {
		return camera.Frame{}, err
	}
	f := camera.Frame{Time: time.Now(), Width: eyeWidth, Height: eyeHeight}
	if s.paint == nil {
		f.JPEG = s.r.shot(s.r.t, eyeWidth, eyeHeight)
	} else {
		head := s.r.Truth().Head.Pose()
		c := newCanvas(paintedWidth, paintedHeight, wall)
		s.paint(c, &head)
		f.JPEG, f.Width, f.Height = c.jpeg(s.r.t), paintedWidth, paintedHeight
	}
	return f, s.pause(rigLatency)
}

func (s *rigStream) Close() error {
	close(s.closed)
	return nil
}

// The size of pictures that are rendered: of a quarter of the usual pixels, because the race detector makes each ten
// times as dear. TestHundredArrangements judges the usual size.
const (
	eyeWidth  = 320
	eyeHeight = 240
)

// The size of pictures that are painted.
const (
	paintedWidth  = 320
	paintedHeight = 240
)

// trueOff is how far a place really is from the middle of the eye's picture, degrees.
func (r *rig) trueOff(at hal.Vec3) float64 {
	head := r.Truth().Head.Pose()
	l := camera.SimIntrinsics(640, 480)
	eye := l.EyeAt(&head)
	v := hal.Vec3{at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]}
	n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	return angleBetween(head.R.Apply(axis), hal.Vec3{v[0] / n, v[1] / n, v[2] / n})
}
