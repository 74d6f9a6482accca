package motion

import (
	"math"
	"sort"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/request"
)

// recordedMove plays a recording, after a short way to its first frame.
type recordedMove struct {
	time   []float64 // seconds since the first frame, already slowed down
	frames []posture
	body   []bool // frames that say where the body is

	keepBody float64
	approach gotoMove
}

func newRecordedMove(rec *hal.Recording) *recordedMove {
	n := len(rec.Frames)
	m := &recordedMove{time: make([]float64, n), frames: make([]posture, n), body: make([]bool, n)}
	yaw := 0.0
	for i := range rec.Frames {
		f := &rec.Frames[i]
		m.time[i] = rec.Time[i] - rec.Time[0]
		p := &m.frames[i]
		pose := hal.Pose{R: request.Rotation(f), T: hal.Vec3{f.Head[0][3], f.Head[1][3], f.Head[2][3]}}
		p.setPose(&pose, yaw)
		yaw = p.yaw
		p.right, p.left = f.Antennas[0], f.Antennas[1]
		if f.BodyYaw != nil {
			p.body, m.body[i] = *f.BodyYaw, true
		}
	}
	m.approach.law = hal.EasingMinJerk
	return m
}

func (m *recordedMove) begin(from *posture, speed *rates, body float64) {
	m.keepBody = body
	first := m.frame(0)
	m.approach.wish = wish{head: true, body: true, antennas: true, p: first}
	m.approach.dur = approachTime(from, &first)
	m.approach.begin(from, speed, body)
}

// approachTime is how long the way to a posture should take: unhurried, and next to nothing when the robot is there.
func approachTime(from, to *posture) float64 {
	turnBy := max(math.Abs(from.body-to.body), math.Abs(from.left-to.left)/3, math.Abs(from.right-to.right)/3)
	return min(2, max(0.1, distance(from, to)*0.02, turnBy))
}

func (m *recordedMove) frame(i int) posture {
	p := m.frames[i]
	if !m.body[i] {
		p.body = m.keepBody
	}
	return p
}

func (m *recordedMove) duration() float64 { return m.approach.dur + m.time[len(m.time)-1] }

func (m *recordedMove) at(t float64, p *posture) {
	if t < m.approach.dur {
		m.approach.at(t, p)
		return
	}
	t -= m.approach.dur
	i := sort.SearchFloat64s(m.time, t)
	switch {
	case i == 0:
		*p = m.frame(0)
	case i >= len(m.time):
		*p = m.frame(len(m.time) - 1)
	default:
		a, b := m.frame(i-1), m.frame(i)
		*p = blend(&a, &b, (t-m.time[i-1])/(m.time[i]-m.time[i-1]))
	}
}

// slow stretches the recording; the way to its first frame stays as it is.
func (m *recordedMove) slow(by float64) {
	for i := range m.time {
		m.time[i] *= by
	}
}

var _ mover = (*recordedMove)(nil)
