package motion

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/hal"
)

// key is one moment of a score: seconds, millimetres and degrees, so that a score reads like a dance sheet.
// Head and body are relative to where the robot looks; yaw and body are added to the present direction.
type key struct {
	t                float64
	x, y, z          float64
	roll, pitch, yaw float64
	body             float64
	left, right      float64
}

// score is a short keyframe animation.
type score struct {
	// relative scores add their head and antennas to the pose they start from and end there; the others fade that pose out
	// and end in a pose of their own.
	relative bool
	keys     []key
}

func namesOf(scores map[string]score) []string {
	names := make([]string, 0, len(scores))
	for n := range scores {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Gestures lists the names of the gestures, sorted.
func Gestures() []string { return namesOf(gestures) }

// Emotions lists the names of the emotions, sorted.
func Emotions() []string { return namesOf(emotions) }

// channels of a score, in the units of a posture.
const (
	cX = iota
	cY
	cZ
	cRoll
	cPitch
	cYaw
	cBody
	cLeft
	cRight
	channels
)

func (k *key) values() [channels]float64 {
	const mm, deg = 1e-3, math.Pi / 180
	return [channels]float64{
		k.x * mm, k.y * mm, k.z * mm, k.roll * deg, k.pitch * deg, k.yaw * deg, k.body * deg, k.left * deg, k.right * deg,
	}
}

// scoreFade is how long a score that ends in its own pose takes to leave the pose it found.
const scoreFade = 0.6

// scoreMove plays a score.
type scoreMove struct {
	relative bool
	time     []float64
	value    [][channels]float64
	slope    [][channels]float64

	seg   int // where the last at was
	start posture
	speed rates
}

// newScoreMove prepares a score that is played in dur seconds, or in its own time when dur is 0.
func newScoreMove(s score, dur float64) *scoreMove {
	n := len(s.keys)
	stretch := 1.0
	if dur > 0 {
		stretch = dur / s.keys[n-1].t
	}
	m := &scoreMove{
		relative: s.relative, time: make([]float64, n),
		value: make([][channels]float64, n), slope: make([][channels]float64, n),
	}
	for i := range s.keys {
		m.time[i] = s.keys[i].t * stretch
		m.value[i] = s.keys[i].values()
	}
	for i := 1; i < n-1; i++ {
		before, after := m.time[i]-m.time[i-1], m.time[i+1]-m.time[i]
		for c := range channels {
			a := (m.value[i][c] - m.value[i-1][c]) / before
			b := (m.value[i+1][c] - m.value[i][c]) / after
			m.slope[i][c] = tangent(a, b)
		}
	}
	return m
}

// tangent is the slope at a key between slopes a and b: none at a turning point, so that a curve never overshoots its
// keys, and otherwise their harmonic mean.
func tangent(a, b float64) float64 {
	if a*b <= 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

func (m *scoreMove) begin(from *posture, speed *rates, _ float64) {
	m.start, m.speed, m.seg = *from, *speed, 0
}

func (m *scoreMove) duration() float64 { return m.time[len(m.time)-1] }

func (m *scoreMove) at(t float64, p *posture) {
	if t < m.time[m.seg] {
		m.seg = 0
	}
	for m.seg < len(m.time)-2 && t >= m.time[m.seg+1] {
		m.seg++
	}
	var v [channels]float64
	i := m.seg
	h := m.time[i+1] - m.time[i]
	u := min(1, max(0, (t-m.time[i])/h))
	h00, h10 := (1+2*u)*(1-u)*(1-u), u*(1-u)*(1-u)*h
	h01, h11 := u*u*(3-2*u), u*u*(u-1)*h
	for c := range channels {
		v[c] = h00*m.value[i][c] + h10*m.slope[i][c] + h01*m.value[i+1][c] + h11*m.slope[i+1][c]
	}

	*p = m.start
	if m.relative {
		p.left += v[cLeft]
		p.right += v[cRight]
	} else {
		s := progress(hal.LawMinJerk, t/min(scoreFade, m.duration()/2))
		rest := posture{yaw: m.start.yaw, res: noTurn, body: m.start.body, left: v[cLeft], right: v[cRight]}
		*p = blend(&m.start, &rest, s)
	}
	p.yaw += v[cYaw]
	p.body += v[cBody]
	sin, cos := math.Sincos(p.yaw)
	p.t[0] += cos*v[cX] - sin*v[cY]
	p.t[1] += sin*v[cX] + cos*v[cY]
	p.t[2] += v[cZ]
	p.res = p.res.mul(turn(hal.Vec3{0, v[cPitch], 0})).mul(turn(hal.Vec3{v[cRoll], 0, 0})).norm()
	fade := min(m.duration(), carryTime)
	p.drift(&m.speed, fade*carry(t/fade))
}

var _ mover = (*scoreMove)(nil)
