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
}

func wishOf(r *hal.Request) wish {
	var w wish
	w.p.res = noTurn
	if r.Head != nil {
		w.head = true
		w.p.setHead(r.Head)
	}
	if r.BodyYaw != nil {
		w.body = true
		w.p.body = *r.BodyYaw
	}
	if r.Antennas != nil {
		w.antennas = true
		w.p.left, w.p.right = r.Antennas.Left, r.Antennas.Right
	}
	w.carryHead = r.CarryHead && w.body && !w.head
	return w
}

// from fills in the parts of the wish that were not named.
func (w *wish) from(p *posture, body float64) posture {
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
	law  hal.Law
	dur  float64

	start, goal posture
	speed       rates
}

func (m *gotoMove) begin(from *posture, speed *rates, body float64) {
	m.start, m.speed = *from, *speed
	m.goal = m.wish.from(from, body)
}

func (m *gotoMove) duration() float64 { return m.dur }

func (m *gotoMove) at(t float64, p *posture) {
	*p = blend(&m.start, &m.goal, progress(m.law, t/m.dur))
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
