package motion

import (
	"math"

	"github.com/reachyd/reachyd/hal"
)

// quat is a unit quaternion w, x, y, z.
type quat struct{ w, x, y, z float64 }

var noTurn = quat{w: 1}

func (a quat) mul(b quat) quat {
	return quat{
		a.w*b.w - a.x*b.x - a.y*b.y - a.z*b.z,
		a.w*b.x + a.x*b.w + a.y*b.z - a.z*b.y,
		a.w*b.y - a.x*b.z + a.y*b.w + a.z*b.x,
		a.w*b.z + a.x*b.y - a.y*b.x + a.z*b.w,
	}
}

func (a quat) inv() quat { return quat{a.w, -a.x, -a.y, -a.z} }

func (a quat) norm() quat {
	n := math.Sqrt(a.w*a.w + a.x*a.x + a.y*a.y + a.z*a.z)
	return quat{a.w / n, a.x / n, a.y / n, a.z / n}
}

// turn returns the rotation by the rotation vector v.
func turn(v hal.Vec3) quat {
	angle := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if angle < 1e-12 {
		return quat{1, v[0] / 2, v[1] / 2, v[2] / 2}
	}
	s, c := math.Sincos(angle / 2)
	s /= angle
	return quat{c, s * v[0], s * v[1], s * v[2]}
}

// vec returns the rotation vector of the shorter way round.
func (a quat) vec() hal.Vec3 {
	if a.w < 0 {
		a = quat{-a.w, -a.x, -a.y, -a.z}
	}
	n := math.Sqrt(a.x*a.x + a.y*a.y + a.z*a.z)
	if n < 1e-12 {
		return hal.Vec3{2 * a.x, 2 * a.y, 2 * a.z}
	}
	k := 2 * math.Atan2(n, a.w) / n
	return hal.Vec3{k * a.x, k * a.y, k * a.z}
}

// slerp goes from a to b on the shorter way; s outside [0,1] goes on beyond (the cartoon law does).
func slerp(a, b quat, s float64) quat {
	v := b.mul(a.inv()).vec()
	return turn(hal.Vec3{s * v[0], s * v[1], s * v[2]}).mul(a).norm()
}

func (a quat) mat() hal.Mat3 {
	w, x, y, z := a.w, a.x, a.y, a.z
	return hal.Mat3{
		1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y),
		2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x),
		2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y),
	}
}

// quatOf converts a rotation matrix; one that is slightly off (a recorded file) comes out normalised.
func quatOf(m hal.Mat3) quat {
	var q quat
	switch t := m[0] + m[4] + m[8]; {
	case t > 0:
		s := 2 * math.Sqrt(t+1)
		q = quat{s / 4, (m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s}
	case m[0] >= m[4] && m[0] >= m[8]:
		s := 2 * math.Sqrt(1+m[0]-m[4]-m[8])
		q = quat{(m[7] - m[5]) / s, s / 4, (m[1] + m[3]) / s, (m[2] + m[6]) / s}
	case m[4] >= m[8]:
		s := 2 * math.Sqrt(1+m[4]-m[0]-m[8])
		q = quat{(m[2] - m[6]) / s, (m[1] + m[3]) / s, s / 4, (m[5] + m[7]) / s}
	default:
		s := 2 * math.Sqrt(1+m[8]-m[0]-m[4])
		q = quat{(m[3] - m[1]) / s, (m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4}
	}
	return q.norm()
}

// wrap brings an angle into [−π, π].
func wrap(a float64) float64 { return math.Remainder(a, 2*math.Pi) }

func lerp(a, b, s float64) float64 { return a + s*(b-a) }

// posture is what a move says the robot should do: the head as position, signed yaw and remaining rotation
// (R = Rz(yaw)·res), the body as it is asked for, and the antennas. Yaw is a number without a seam, so that ±120°
// passes through the front and not behind the robot's back.
type posture struct {
	t           hal.Vec3
	yaw         float64
	res         quat
	body        float64
	right, left float64
}

// pose returns the head's transform in the world.
func (p *posture) pose() hal.Pose {
	return hal.Pose{R: hal.RotZ(p.yaw).Mul(p.res.mat()), T: p.t}
}

// setHead takes six numbers over; their yaw stays the number it is.
func (p *posture) setHead(h *hal.Head) {
	p.t = hal.Vec3{h.X, h.Y, h.Z}
	p.yaw = h.Yaw
	p.res = quatOf(hal.RotY(h.Pitch).Mul(hal.RotX(h.Roll)))
}

// setPose takes a transform over; of the equal yaws it chooses the one nearest to near.
func (p *posture) setPose(pose *hal.Pose, near float64) {
	p.t = pose.T
	yaw := math.Atan2(pose.R[3], pose.R[0])
	p.yaw = near + wrap(yaw-near)
	p.res = quatOf(hal.RotZ(-yaw).Mul(pose.R))
}

// head converts to six numbers.
func (p *posture) head() hal.Head {
	h := p.pose().Head()
	h.Yaw = p.yaw + wrap(h.Yaw-p.yaw)
	return h
}

// blend returns the posture at progress s from a to b.
func blend(a, b *posture, s float64) posture {
	var p posture
	for i := range p.t {
		p.t[i] = lerp(a.t[i], b.t[i], s)
	}
	p.yaw = lerp(a.yaw, b.yaw, s)
	p.res = slerp(a.res, b.res, s)
	p.body = lerp(a.body, b.body, s)
	p.right = lerp(a.right, b.right, s)
	p.left = lerp(a.left, b.left, s)
	return p
}

// rates are the speeds of a posture; w is the rotation vector per second of res, applied from the left.
type rates struct {
	t, w        hal.Vec3
	yaw         float64
	body        float64
	right, left float64
}

// stands reports whether nothing but breathing moves.
func (r *rates) stands() bool {
	most := max(math.Abs(r.yaw), math.Abs(r.body), math.Abs(r.right), math.Abs(r.left))
	for i := range r.t {
		most = max(most, math.Abs(r.w[i]), math.Abs(r.t[i])/slowShift*slow)
	}
	return most <= slow
}

// ratesOf returns the speeds that lead from a to b in dt.
func ratesOf(a, b *posture, dt float64) rates {
	var r rates
	w := b.res.mul(a.res.inv()).vec()
	for i := range r.t {
		r.t[i] = (b.t[i] - a.t[i]) / dt
		r.w[i] = w[i] / dt
	}
	r.yaw = (b.yaw - a.yaw) / dt
	r.body = (b.body - a.body) / dt
	r.right = (b.right - a.right) / dt
	r.left = (b.left - a.left) / dt
	return r
}

// drift adds the way that r leads in k seconds.
func (p *posture) drift(r *rates, k float64) {
	for i := range p.t {
		p.t[i] += k * r.t[i]
	}
	p.yaw += k * r.yaw
	p.res = turn(hal.Vec3{k * r.w[0], k * r.w[1], k * r.w[2]}).mul(p.res).norm()
	p.body += k * r.body
	p.right += k * r.right
	p.left += k * r.left
}
