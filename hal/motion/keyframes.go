package motion

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// animation is what the keyframes of a gesture or an emotion make.
type animation struct {
	// relative animations add their head and antennas to the pose they start from and end there; the others fade that pose
	// out and end in a pose of their own.
	relative bool
	keys     []catalog.Keyframe
}

// animationOf returns the gesture or the emotion that a request names; no keys when there is none.
func animationOf(req *hal.Request) animation {
	if req.Verb == hal.VerbEmotion {
		if e := catalog.EmotionNamed(req.Name); e != nil {
			return animation{keys: sized(e.Keys, req.Size, awakeAntenna)}
		}
		return animation{}
	}
	if g := catalog.GestureNamed(req.Name); g != nil {
		return animation{relative: true, keys: sized(g.Keys, req.Size, 0)}
	}
	return animation{}
}

// awakeAntenna is where the left antenna stands between two emotions, degrees; the right one is its mirror image.
const awakeAntenna = 10.0

// sized returns keyframes that are a factor as wide; rest is where the left antenna of the keys rests, degrees.
func sized(keys []catalog.Keyframe, size, rest float64) []catalog.Keyframe {
	if size == 0 || size == 1 {
		return keys
	}
	out := make([]catalog.Keyframe, len(keys))
	for i, k := range keys {
		out[i] = catalog.Keyframe{
			T: k.T, X: size * k.X, Y: size * k.Y, Z: size * k.Z, Roll: size * k.Roll, Pitch: size * k.Pitch, Yaw: size * k.Yaw,
			Body: size * k.Body, Left: rest + size*(k.Left-rest), Right: -rest + size*(k.Right+rest),
		}
	}
	return out
}

// channels of an animation, in the units of a posture.
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

func channelsOf(k *catalog.Keyframe) [channels]float64 {
	const mm, deg = 1e-3, math.Pi / 180
	return [channels]float64{
		k.X * mm, k.Y * mm, k.Z * mm, k.Roll * deg, k.Pitch * deg, k.Yaw * deg, k.Body * deg, k.Left * deg, k.Right * deg,
	}
}

// fadeTime is how long an animation that ends in its own pose takes to leave the pose it found.
const fadeTime = 0.6

// keyframeMove plays an animation.
type keyframeMove struct {
	relative bool
	time     []float64
	value    [][channels]float64
	slope    [][channels]float64

	seg   int // where the last at was
	start posture
	speed rates
}

// newKeyframeMove prepares an animation that is played in dur seconds, or in its own time when dur is 0.
func newKeyframeMove(a animation, dur float64) *keyframeMove {
	n := len(a.keys)
	stretch := 1.0
	if dur > 0 {
		stretch = dur / a.keys[n-1].T
	}
	m := &keyframeMove{
		relative: a.relative, time: make([]float64, n),
		value: make([][channels]float64, n), slope: make([][channels]float64, n),
	}
	for i := range a.keys {
		m.time[i] = a.keys[i].T * stretch
		m.value[i] = channelsOf(&a.keys[i])
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

func (m *keyframeMove) begin(from *posture, speed *rates, _ float64) {
	m.start, m.speed, m.seg = *from, *speed, 0
}

func (m *keyframeMove) duration() float64 { return m.time[len(m.time)-1] }

func (m *keyframeMove) at(t float64, p *posture) {
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
		s := progress(hal.EasingMinJerk, t/min(fadeTime, m.duration()/2))
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

var _ mover = (*keyframeMove)(nil)
