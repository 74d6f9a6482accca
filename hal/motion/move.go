package motion

import (
	"math"

	"github.com/reachyd/reachyd/hal"
)

// mover is a way through postures over time.
type mover interface {
	// begin binds the move to where the robot is and how fast it goes. body is the body angle that was asked for last,
	// from.body the one that the body has, which may differ while it turns to let the head look far.
	begin(from *posture, speed *rates, body float64)
	// at sets p to the posture t seconds after the beginning, 0 ≤ t ≤ duration.
	at(t float64, p *posture)
	duration() float64
}

// carryTime is how long a move that replaces another takes, at most, to let the old speed fade.
const carryTime = 0.5

// wish is a goal for some parts of the robot; what is not named stays where it is.
type wish struct {
	head, body, antennas bool
	carryHead            bool
	p                    posture

	// What leaves axes out; complete fills these in when the wish's turn comes.
	headGoal    *hal.HeadGoal
	antennaGoal *hal.AntennaGoal
}

func wishOf(r *hal.Request) wish {
	var w wish
	w.p.res = noTurn
	if r.BodyYaw != nil {
		w.body = true
		w.p.body = *r.BodyYaw
	}
	w.carryHead = r.CarryHead && w.body && r.Head == nil
	w.headGoal, w.antennaGoal = r.Head, r.Antennas
	if (r.Head == nil || r.Head.Full()) && (r.Antennas == nil || r.Antennas.Full()) {
		w.complete(&w.p)
	}
	return w
}

// complete takes the axes that were left out from the goals at present.
func (w *wish) complete(present *posture) {
	if g := w.headGoal; g != nil {
		h := g.Over(present.head())
		w.p.setHead(&h)
		w.head, w.headGoal = true, nil
	}
	if g := w.antennaGoal; g != nil {
		a := g.Over(hal.Antennas{Left: present.left, Right: present.right})
		w.p.left, w.p.right = a.Left, a.Right
		w.antennas, w.antennaGoal = true, nil
	}
}

// settle makes what can be reached the goal.
func (w *wish) settle(present, got *posture) {
	w.complete(present)
	if w.head || w.carryHead {
		w.p.t, w.p.yaw, w.p.res = got.t, got.yaw, got.res
		w.head, w.carryHead = true, false
	}
	if w.body {
		w.p.body = got.body
	}
	w.p.left, w.p.right = got.left, got.right
}

// partial reports whether the wish leaves axes out that are not known yet.
func (w *wish) partial() bool { return w.headGoal != nil || w.antennaGoal != nil }

// from fills in the parts of the wish that were not named.
func (w wish) from(p *posture, body float64) posture {
	w.complete(p)
	to := w.p
	if !w.body {
		to.body = body
	}
	if !w.head {
		to.t, to.yaw, to.res = p.t, p.yaw, p.res
		if w.carryHead {
			to.yaw += to.body - p.body
		}
	}
	if !w.antennas {
		to.left, to.right = p.left, p.right
	}
	return to
}

// gotoMove goes to one posture by a time law.
type gotoMove struct {
	wish wish
	law  hal.Easing
	dur  float64

	start, goal posture
	speed       rates
	unseen      float64 // the part of the law at its beginning that no servo could be told of
}

func (m *gotoMove) begin(from *posture, speed *rates, body float64) {
	m.start, m.speed = *from, *speed
	m.goal = m.wish.from(from, body)
	m.unseen = 0
	if speed.stands() {
		m.unseen = m.unwritten()
	}
}

const (
	// halfCount is what a goal register cannot tell from where it is, rad.
	halfCount = math.Pi / 4096
	// mostUnseen bounds the part of a law that is left out, for moves of a few counts.
	mostUnseen = 0.2
)

// unwritten returns how long, as a part of its time, the law leaves every joint within half a count of where it stands. A move
// from rest begins behind that and takes as much longer over the rest: for someone who waits it is when the robot begins.
func (m *gotoMove) unwritten() float64 {
	a, okA := solve(&m.start)
	b, okB := solve(&m.goal)
	if !okA || !okB || m.law == hal.EasingLinear {
		return 0
	}
	way := 0.0
	for j := range a.Joints {
		way = max(way, math.Abs(b.Joints[j]-a.Joints[j]))
	}
	least, most := 0.0, mostUnseen
	for range 20 {
		middle := (least + most) / 2
		if math.Abs(progress(m.law, middle))*way < halfCount {
			least = middle
		} else {
			most = middle
		}
	}
	return least
}

func (m *gotoMove) duration() float64 { return m.dur }

func (m *gotoMove) at(t float64, p *posture) {
	*p = blend(&m.start, &m.goal, progress(m.law, m.unseen+(1-m.unseen)*t/m.dur))
	fade := min(m.dur, carryTime)
	p.drift(&m.speed, fade*carry(t/fade))
}

// chain is one move after another.
type chain struct{ parts []mover }

func (m *chain) begin(from *posture, speed *rates, body float64) {
	p, v := *from, *speed
	for _, part := range m.parts {
		part.begin(&p, &v, body)
		part.at(part.duration(), &p)
		v = rates{}
	}
}

func (m *chain) duration() float64 {
	d := 0.0
	for _, part := range m.parts {
		d += part.duration()
	}
	return d
}

func (m *chain) at(t float64, p *posture) {
	last := len(m.parts) - 1
	for i, part := range m.parts {
		d := part.duration()
		if t < d || i == last {
			part.at(min(t, d), p)
			return
		}
		t -= d
	}
}

// pause keeps the posture.
type pause struct {
	dur float64
	p   posture
}

func (m *pause) begin(from *posture, _ *rates, _ float64) { m.p = *from }
func (m *pause) duration() float64                        { return m.dur }
func (m *pause) at(_ float64, p *posture)                 { *p = m.p }

// distance is the way of the head from a to b: millimetres plus degrees.
func distance(a, b *posture) float64 {
	d := math.Sqrt(sq(a.t[0]-b.t[0])+sq(a.t[1]-b.t[1])+sq(a.t[2]-b.t[2])) * 1000
	ra := turn(hal.Vec3{0, 0, a.yaw}).mul(a.res)
	rb := turn(hal.Vec3{0, 0, b.yaw}).mul(b.res)
	v := rb.mul(ra.inv()).vec()
	return d + math.Sqrt(sq(v[0])+sq(v[1])+sq(v[2]))*180/math.Pi
}

func sq(x float64) float64 { return x * x }

var (
	_ mover = (*gotoMove)(nil)
	_ mover = (*chain)(nil)
	_ mover = (*pause)(nil)
)
