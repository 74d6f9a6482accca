package motion

import (
	"cmp"
	"fmt"
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/kinematics"
)

const (
	// What a plan allows itself of the joints' limits; the rest is for offsets and for catching up.
	planned         = 0.9
	defaultDuration = 1.0
)

var (
	awake = posture{
		res: noTurn, left: hal.AwakeAntennas.Left, right: hal.AwakeAntennas.Right,
	}
	asleep = func() posture {
		p := posture{left: hal.SleepAntennas.Left, right: hal.SleepAntennas.Right}
		p.setHead(&hal.SleepHead)
		return p
	}()
)

// greeting is the small roll after waking up.
var greeting = animation{relative: true, keys: []catalog.Keyframe{
	{T: 0},
	{T: 0.25, Roll: 16, Left: -12, Right: -12},
	{T: 0.55, Roll: -3, Left: 6, Right: 6},
	{T: 0.80},
}}

// plan works out the move of a job from where the robot is, or will be when its turn comes.
func (l *Loop) plan(j *job) *hal.Answer {
	req := j.req
	j.answer.Outcome = hal.Accepted
	l.pub.mu.Lock()
	c := l.pub.control
	l.pub.mu.Unlock()
	from, body := c.at, c.body
	if req.Queue {
		from = c.tail
	}
	m := &move{id: cmp.Or(req.ID, l.newID()), name: moveName(req), uses: usesOf(req)}
	switch req.Verb {
	case hal.VerbGoto:
		g := &gotoMove{wish: wishOf(req), law: cmp.Or(req.Easing, hal.EasingMinJerk), dur: cmp.Or(req.Duration, defaultDuration)}
		if bad := l.planGoto(g, req, &from, body, &j.answer); bad != nil {
			return bad
		}
		m.mover, m.setsBody = g, g.wish.body
	case hal.VerbGesture, hal.VerbEmotion:
		m.mover = l.planAnimation(animationOf(req), req, &from, body, &j.answer)
	case hal.VerbPlay:
		m.mover, m.setsBody = l.planRecording(req, &from, body, &j.answer)
	case hal.VerbWake:
		m.mover, m.setsBody = l.planWake(&from, body), true
	case hal.VerbSleep:
		if c.Torque == 0 { // lying already: nothing to do
			m.mover, m.uses = &pause{}, 0
		} else {
			m.mover, m.setsBody, m.park = l.planSleep(&from, body), true, true
		}
	case hal.VerbOffset:
		j.answer.Changes = clampOffset(req)
	}
	if len(j.answer.Changes) > 0 {
		j.answer.Outcome = hal.Clamped
	}
	if m.mover == nil {
		return nil
	}
	m.mover.begin(&from, &rates{}, body)
	j.answer.Move, j.answer.Duration = m.id, m.mover.duration()
	m.mover.at(m.mover.duration(), &m.end)
	j.move = m
	return nil
}

// usesOf returns the joints that must be able to move for a request.
func usesOf(req *hal.Request) hal.JointMask {
	switch req.Verb {
	case hal.VerbGoto, hal.VerbTarget:
		var m hal.JointMask
		if req.Head != nil {
			m |= headMask
		}
		if req.BodyYaw != nil {
			m |= bodyMask
		}
		if req.Antennas != nil {
			m |= antennaMask
		}
		return m
	}
	return headMask // an antenna that is out does not keep the robot from nodding
}

// planGoto brings the goal into the envelope and the duration to what the joints can do.
func (l *Loop) planGoto(g *gotoMove, req *hal.Request, from *posture, body float64, a *hal.Answer) *hal.Answer {
	goal := g.wish.from(from, body)
	got, changes, ok := envelope(req, &goal)
	if !ok {
		return rejected(hal.CodeInvalid, "the goal is not finite")
	}
	if why := kinematics.Unreachable(changes); why != "" {
		return rejected(hal.CodeUnreachable, "%s", why)
	}
	a.Changes = changes
	if !g.wish.partial() || len(changes) > 0 {
		g.wish.settle(from, &got)
	}
	g.begin(from, &rates{}, body)
	if by, joint := l.tooFast(g, g.law != hal.EasingLinear); by > 1 {
		asked := g.dur
		g.dur *= by
		if req.Duration != 0 {
			a.Changes = append(a.Changes, hal.Change{Field: "duration", Asked: asked, Given: g.dur, Limit: speedLimit(joint)})
		}
	}
	return nil
}

func speedLimit(j hal.Joint) string { return fmt.Sprintf("speed and acceleration of %s", j) }

// envelope returns the feasible posture that is nearest to a goal, and what of the request that changes.
func envelope(req *hal.Request, goal *posture) (posture, []hal.Change, bool) {
	f, ok := solve(goal)
	if !ok {
		return posture{}, nil, false
	}
	var changes []hal.Change
	if len(f.Changed()) > 0 {
		for _, c := range f.HalChanges() {
			switch c.Field {
			case "body_yaw":
				continue // seen below, with the angle that was asked for
			case "antennas.left", "antennas.right":
				if req.Antennas == nil {
					continue
				}
			default:
				if req.Head == nil && !req.CarryHead {
					continue
				}
			}
			changes = append(changes, c)
		}
	}
	got := postureOf(&f)
	if req.BodyYaw != nil && math.Abs(*req.BodyYaw-got.body) > 1e-9 {
		limit := "head at most 65° from the body"
		if math.Abs(got.body) >= hal.JointLimits[hal.BodyYaw].Max {
			limit = "range of the component"
		}
		changes = append(changes, hal.Change{Field: "body_yaw", Asked: *req.BodyYaw, Given: got.body, Limit: limit})
	}
	return got, changes, true
}

func (l *Loop) planAnimation(s animation, req *hal.Request, from *posture, body float64, a *hal.Answer) mover {
	m := newKeyframeMove(s, req.Duration)
	m.begin(from, &rates{}, body)
	if by, joint := l.tooFast(m, true); by > 1 {
		dur := m.duration() * by
		m = newKeyframeMove(s, dur)
		if req.Duration != 0 {
			a.Changes = append(a.Changes, hal.Change{Field: "duration", Asked: req.Duration, Given: dur, Limit: speedLimit(joint)})
		}
	}
	return m
}

// planRecording reports the frames that the robot cannot follow and slows down what is too fast for it.
func (l *Loop) planRecording(req *hal.Request, from *posture, body float64, a *hal.Answer) (mover, bool) {
	m := newRecordedMove(req.Recording)
	m.begin(from, &rates{}, body)
	bad := 0
	var first hal.Change
	for i := range m.frames {
		p := m.frame(i)
		f, ok := solve(&p)
		if !ok || len(f.Changed()) == 0 {
			continue
		}
		if bad++; bad == 1 {
			c := f.HalChanges()[0]
			c.Field = fmt.Sprintf("recording.set_target_data[%d].%s", i, c.Field)
			first = c
		}
	}
	if bad > 0 {
		first.Limit += fmt.Sprintf("; so with %d of %d frames", bad, len(m.frames))
		a.Changes = append(a.Changes, first)
	}
	if by, joint := l.tooFastRecording(m); by > 1 {
		asked := m.time[len(m.time)-1]
		m.slow(by)
		a.Changes = append(a.Changes, hal.Change{Field: "duration", Asked: asked, Given: asked * by, Limit: speedLimit(joint)})
	}
	return m, m.body[len(m.body)-1]
}

// gotoPart is a goto that is a part of a sequence.
func (l *Loop) gotoPart(to posture, dur float64, from *posture) *gotoMove {
	g := &gotoMove{wish: wish{head: true, body: true, antennas: true, p: to}, law: hal.EasingMinJerk, dur: dur}
	g.begin(from, &rates{}, 0)
	if by, _ := l.tooFast(g, true); by > 1 {
		g.dur *= by
	}
	return g
}

func (l *Loop) planWake(from *posture, _ float64) mover {
	return &chain{parts: []mover{
		l.gotoPart(awake, max(0.3, approachTime(from, &awake)), from),
		newKeyframeMove(greeting, 0),
	}}
}

func (l *Loop) planSleep(from *posture, _ float64) mover {
	if distance(from, &asleep) <= 10 && math.Abs(from.body) < 0.1 {
		return &chain{parts: []mover{l.gotoPart(asleep, 0.4, from), &pause{dur: 0.2}}}
	}
	var parts []mover
	up := *from
	if distance(from, &awake) > 30 || math.Abs(from.body) > 0.1 {
		parts = append(parts, l.gotoPart(awake, max(0.6, approachTime(from, &awake)), from), &pause{dur: 0.2})
		up = awake
	}
	parts = append(parts, l.gotoPart(asleep, 2, &up), &pause{dur: 0.5})
	return &chain{parts: parts}
}

// tooFast returns by how much a move must be slowed down to keep the joints' speeds and, for laws that have one, their
// accelerations, and the joint that needs it most. It looks at 40 moments.
func (l *Loop) tooFast(m mover, smooth bool) (by float64, worst hal.Joint) {
	n := 40
	if d := m.duration(); d > 2 {
		n = min(400, int(d*20)) // an animation has more turns than a goto
	}
	dt := m.duration() / float64(n)
	var p posture
	var before, last hal.Joints
	by = 1
	for i := 0; i <= n; i++ {
		m.at(float64(i)*dt, &p)
		f, ok := solve(&p)
		if !ok {
			continue
		}
		for j := range last {
			lim := l.lim.lim[j]
			need := 0.0
			if i > 0 {
				need = math.Abs(f.Joints[j]-last[j]) / dt / (planned * lim.Speed)
			}
			if smooth && i > 1 {
				acc := math.Abs(f.Joints[j]-2*last[j]+before[j]) / (dt * dt)
				need = max(need, math.Sqrt(acc/(planned*lim.Accel)))
			}
			if need > by {
				by, worst = need, hal.Joint(j)
			}
		}
		before, last = last, f.Joints
	}
	return by, worst
}

// tooFastRecording looks at the speeds of a recording over 50 ms, so that one noisy frame does not slow a dance down.
func (l *Loop) tooFastRecording(m *recordedMove) (by float64, worst hal.Joint) {
	const window = 0.05
	by = 1
	first := 0
	joints := make([]hal.Joints, len(m.frames))
	for i := range m.frames {
		p := m.frame(i)
		if f, ok := solve(&p); ok {
			joints[i] = f.Joints
		} else if i > 0 {
			joints[i] = joints[i-1]
		}
		for first < i && m.time[i]-m.time[first+1] >= window {
			first++
		}
		dt := m.time[i] - m.time[first]
		if dt < window {
			continue
		}
		for j := range joints[i] {
			if need := math.Abs(joints[i][j]-joints[first][j]) / dt / (planned * l.lim.lim[j].Speed); need > by {
				by, worst = need, hal.Joint(j)
			}
		}
	}
	return by, worst
}

func clampOffset(req *hal.Request) []hal.Change {
	h := req.Head.Over(hal.Head{})
	var a hal.Antennas
	if req.Antennas != nil {
		a = req.Antennas.Over(a)
	}
	var changes []hal.Change
	for _, f := range [...]struct {
		name  string
		v     *float64
		limit float64
	}{
		{"head.x", &h.X, MaxOffsetShift},
		{"head.y", &h.Y, MaxOffsetShift},
		{"head.z", &h.Z, MaxOffsetShift},
		{"head.roll", &h.Roll, MaxOffsetTilt},
		{"head.pitch", &h.Pitch, MaxOffsetTilt},
		{"head.yaw", &h.Yaw, MaxOffsetTilt},
		{"antennas.left", &a.Left, MaxOffsetAntenna},
		{"antennas.right", &a.Right, MaxOffsetAntenna},
	} {
		if given := min(f.limit, max(-f.limit, *f.v)); given != *f.v {
			changes = append(changes, hal.Change{Field: f.name, Asked: *f.v, Given: given, Limit: "size of an offset"})
			*f.v = given
		}
	}
	req.Head = h.Goal()
	if req.Antennas != nil {
		req.Antennas = a.Goal()
	}
	return changes
}
