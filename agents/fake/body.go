package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// How long the moves take that are no keyframe animations; those of the robot depend on where it is.
const (
	wakeTime     = 1.1
	sleepTime    = 2.5
	defaultGoto  = 1.0
	approachTime = 0.1 // to the first frame of a recording
)

// pose is where the robot is: metres and radians.
type pose struct {
	head     hal.Head
	body     float64
	antennas hal.Antennas
}

var (
	awake  = pose{hal.AwakeHead, 0, hal.AwakeAntennas}
	asleep = pose{hal.SleepHead, 0, hal.SleepAntennas}
)

// Body is a body without servos: it moves exactly as it is told, within the same envelope as the real one, on a clock that
// only Wait and Advance let run.
type Body struct {
	mu      sync.Mutex
	now     time.Duration
	from    pose
	to      pose
	began   time.Duration
	length  time.Duration
	name    string // of the move
	start   pose   // where the move began
	moves   int
	torque  bool
	stopped string // why the emergency stop is latched; empty when it is not
	by      string // who latched it
}

var _ Moving = (*Body)(nil)

// NewBody returns a body that sits awake, looking ahead.
func NewBody() *Body { return &Body{from: awake, to: awake, torque: true} }

// Now is the time on the body's clock.
func (b *Body) Now() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// Advance lets the clock run until t, unless that is over.
func (b *Body) Advance(t time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = max(b.now, t)
}

// After is the clock of wait and repeat: it runs at once.
func (b *Body) After(d time.Duration) <-chan time.Time {
	b.Advance(b.Now() + d)
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// Do implements tools.Body.
func (b *Body) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch req.Verb {
	case hal.VerbStop:
		b.brake()
		if b.stopped == "" || b.by == hal.BySpeech && req.Source != hal.BySpeech {
			b.stopped, b.by = cmp.Or(req.Reason, "stop"), req.Source
		}
		b.torque = b.torque && (req.Category == nil || *req.Category != 0)
	case hal.VerbReset:
		if b.stopped != "" && req.Source == hal.BySpeech && b.by != hal.BySpeech {
			return hal.Answer{
				Outcome: hal.Rejected, Code: hal.CodeEStop,
				Reason: fmt.Sprintf("the emergency stop was not spoken (%s): speech does not release it", b.stopped),
			}, nil
		}
		b.stopped, b.by = "", ""
	case hal.VerbHold:
		b.brake()
	case hal.VerbMotors:
		if *req.On && b.stopped != "" {
			return b.refusal(req.Verb), nil
		}
		b.torque = *req.On
		b.brake()
	case hal.VerbOffset, hal.VerbIdle: // nothing that one could see
	default:
		return b.move(&req), nil
	}
	return hal.Answer{Outcome: hal.Accepted}, nil
}

// brake ends the move where the robot is.
func (b *Body) brake() {
	b.to = b.at()
	b.from, b.length = b.to, 0
}

// refusal says why the body does not move now; Accepted when it does.
func (b *Body) refusal(v hal.Verb) hal.Answer {
	switch {
	case b.stopped != "":
		return hal.Answer{
			Outcome: hal.Rejected, Code: hal.CodeEStop,
			Reason: fmt.Sprintf("the emergency stop is latched (%s); reset it first", b.stopped),
		}
	case !b.torque && v != hal.VerbWake && v != hal.VerbSleep:
		return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeTorqueOff, Reason: "the motors are off; wake the robot or switch them on first"}
	}
	return hal.Answer{Outcome: hal.Accepted}
}

// move begins a move.
func (b *Body) move(req *hal.Request) hal.Answer {
	a := b.refusal(req.Verb)
	if a.Outcome == hal.Rejected {
		return a
	}
	to, seconds := b.goal(req, &a)
	if a.Outcome == hal.Rejected {
		return a
	}
	if len(a.Changes) > 0 {
		a.Outcome = hal.Clamped
	}
	b.from, b.to, b.began = b.at(), to, b.now
	b.start = b.from
	b.length = time.Duration(seconds * float64(time.Second))
	b.name = strings.TrimSpace(string(req.Verb) + " " + req.Name)
	b.torque = req.Verb != hal.VerbSleep
	if req.Verb == hal.VerbTarget {
		return a
	}
	b.moves++
	a.Move, a.Duration = fmt.Sprintf("fake-%d", b.moves), seconds
	return a
}

// goal returns where a move ends and how many seconds it takes.
func (b *Body) goal(req *hal.Request, a *hal.Answer) (pose, float64) {
	switch req.Verb {
	case hal.VerbWake:
		return awake, wakeTime
	case hal.VerbSleep:
		if !b.torque { // lying already: nothing to do
			return b.to, 0
		}
		return asleep, sleepTime
	case hal.VerbGesture:
		if g := catalog.GestureNamed(req.Name); g != nil {
			return b.to, played(g.Keys, req.Duration)
		}
	case hal.VerbEmotion:
		if e := catalog.EmotionNamed(req.Name); e != nil {
			return pose{hal.Head{Yaw: b.to.head.Yaw}, b.to.body, hal.AwakeAntennas}, played(e.Keys, req.Duration)
		}
	case hal.VerbPlay:
		return recorded(req.Recording, b.to)
	case hal.VerbGoto:
		if req.Duration == 0 {
			req.Duration = defaultGoto
		}
		return b.reach(req, a), req.Duration
	case hal.VerbTarget:
		return b.reach(req, a), 0
	}
	*a = hal.Answer{Outcome: hal.Rejected, Code: hal.CodeUnknownName, Reason: fmt.Sprintf("%s %q is unknown", req.Verb, req.Name)}
	return pose{}, 0
}

func played(keys []catalog.Keyframe, seconds float64) float64 {
	if seconds > 0 {
		return seconds
	}
	return keys[len(keys)-1].T
}

// recorded is where a recording ends and how long it takes.
func recorded(rec *hal.Recording, p pose) (pose, float64) {
	n := len(rec.Frames)
	f := &rec.Frames[n-1]
	var t hal.Pose
	for r := range 3 {
		copy(t.R[3*r:], f.Head[r][:3])
		t.T[r] = f.Head[r][3]
	}
	p.head, p.antennas = t.Head(), hal.Antennas{Right: f.Antennas[0], Left: f.Antennas[1]}
	if f.BodyYaw != nil {
		p.body = *f.BodyYaw
	}
	return p, approachTime + rec.Time[n-1] - rec.Time[0]
}

// reach is the feasible pose that is nearest to what a request asks for; a takes the changes or the refusal.
func (b *Body) reach(req *hal.Request, a *hal.Answer) pose {
	to := b.to
	if req.Head != nil {
		to.head = req.Head.Over(to.head)
	}
	if req.BodyYaw != nil {
		if req.CarryHead && req.Head == nil {
			to.head.Yaw += *req.BodyYaw - to.body
		}
		to.body = *req.BodyYaw
	}
	if req.Antennas != nil {
		to.antennas = req.Antennas.Over(to.antennas)
	}
	f, err := feasible(to)
	if err != nil {
		*a = hal.Answer{Outcome: hal.Rejected, Code: hal.CodeInvalid, Reason: "the goal is not finite"}
		return to
	}
	for _, c := range f.HalChanges() {
		asked := req.Head != nil || req.CarryHead
		switch {
		case c.Field == "body_yaw": // seen below, with the angle that was asked for
			asked = false
		case strings.HasPrefix(c.Field, "antennas."):
			asked = req.Antennas != nil
		}
		if asked {
			a.Changes = append(a.Changes, c)
		}
	}
	if req.BodyYaw != nil && math.Abs(*req.BodyYaw-f.BodyYaw) > 1e-9 {
		a.Changes = append(a.Changes, hal.Change{Field: "body_yaw", Asked: *req.BodyYaw, Given: f.BodyYaw, Limit: "head at most 65° from the body"})
	}
	if why := kinematics.Unreachable(a.Changes); why != "" && req.Verb == hal.VerbGoto {
		*a = hal.Answer{Outcome: hal.Rejected, Code: hal.CodeUnreachable, Reason: why}
	}
	return pose{f.Head, f.BodyYaw, f.Antennas}
}

func feasible(p pose) (kinematics.Feasible, error) {
	return kinematics.NearestHead(p.head, kinematics.AutoBodyYawFor(p.head.Yaw, p.body), p.antennas)
}

// Wait implements tools.Body: the clock runs until the move has ended.
func (b *Body) Wait(ctx context.Context, move string) (hal.Event, error) {
	if err := ctx.Err(); err != nil {
		return hal.Event{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if move != fmt.Sprintf("fake-%d", b.moves) {
		return hal.Event{}, errors.New("there is no move " + move)
	}
	b.now = max(b.now, b.began+b.length)
	return hal.Event{Type: hal.EventMoveDone, Move: move, Name: b.name, End: hal.EndDone, From: &hal.Stance{
		Head: b.start.head, BodyYaw: b.start.body, Antennas: b.start.antennas,
	}}, nil
}

// State implements tools.Body.
func (b *Body) State(context.Context) (hal.State, error) { return b.Snapshot(), nil }

// Snapshot is the present state.
func (b *Body) Snapshot() hal.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.at()
	s := hal.State{
		TS: time.Unix(0, 0).Add(b.now).UTC(), Mode: hal.ModeDisabled, Head: p.head, BodyYaw: p.body, Antennas: p.antennas,
		GoalHead: b.to.head, EStop: b.stopped != "", EStopReason: b.stopped, EStopBy: b.by,
	}
	if b.torque {
		s.Mode, s.Torque = hal.ModeEnabled, hal.AllJoints
	}
	if b.now < b.began+b.length {
		s.Moving, s.Move, s.MoveName = true, fmt.Sprintf("fake-%d", b.moves), b.name
	}
	if f, err := feasible(p); err == nil {
		s.Joints = f.Joints
	}
	if f, err := feasible(b.to); err == nil {
		s.Goal = f.Joints
	}
	return s
}

// at is where the robot is now: minimum jerk from where it was to where it goes.
func (b *Body) at() pose {
	if b.length <= 0 || b.now >= b.began+b.length {
		return b.to
	}
	t := max(0, float64(b.now-b.began)/float64(b.length))
	s := t * t * t * (10 - 15*t + 6*t*t)
	p, to := b.from, b.to
	for _, v := range []struct {
		v  *float64
		to float64
	}{
		{&p.head.X, to.head.X},
		{&p.head.Y, to.head.Y},
		{&p.head.Z, to.head.Z},
		{&p.head.Roll, to.head.Roll},
		{&p.head.Pitch, to.head.Pitch},
		{&p.head.Yaw, to.head.Yaw},
		{&p.body, to.body},
		{&p.antennas.Left, to.antennas.Left},
		{&p.antennas.Right, to.antennas.Right},
	} {
		*v.v += s * (v.to - *v.v)
	}
	return p
}
