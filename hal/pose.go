package hal

import "math"

// Vec3 is a vector (x, y, z).
type Vec3 [3]float64

// Mat3 is a 3×3 matrix in row-major order.
type Mat3 [9]float64

// Identity3 is the identity matrix.
var Identity3 = Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}

// Mul returns the product m·o.
func (m Mat3) Mul(o Mat3) Mat3 {
	var r Mat3
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			r[3*i+j] = m[3*i]*o[j] + m[3*i+1]*o[3+j] + m[3*i+2]*o[6+j]
		}
	}
	return r
}

// Apply returns m·v.
func (m Mat3) Apply(v Vec3) Vec3 {
	return Vec3{
		m[0]*v[0] + m[1]*v[1] + m[2]*v[2],
		m[3]*v[0] + m[4]*v[1] + m[5]*v[2],
		m[6]*v[0] + m[7]*v[1] + m[8]*v[2],
	}
}

// T returns the transpose, which for a rotation is its inverse.
func (m Mat3) T() Mat3 {
	return Mat3{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}
}

// RotX is a right-handed rotation by a radians about x.
func RotX(a float64) Mat3 {
	s, c := math.Sincos(a)
	return Mat3{1, 0, 0, 0, c, -s, 0, s, c}
}

// RotY is a right-handed rotation by a radians about y.
func RotY(a float64) Mat3 {
	s, c := math.Sincos(a)
	return Mat3{c, 0, s, 0, 1, 0, -s, 0, c}
}

// RotZ is a right-handed rotation by a radians about z.
func RotZ(a float64) Mat3 {
	s, c := math.Sincos(a)
	return Mat3{c, -s, 0, s, c, 0, 0, 0, 1}
}

// Pose is a rigid transform of the head in the world. T is relative to the neutral position of the head frame,
// which lies 0.177 m above the origin, so the zero translation with Identity3 is "looking straight ahead".
type Pose struct {
	R Mat3
	T Vec3
}

// IdentityPose is the neutral head pose.
var IdentityPose = Pose{R: Identity3}

// Head is a head pose as six numbers: x, y, z in metres relative to neutral, and extrinsic x-y-z Euler angles in
// radians, R = Rz(yaw)·Ry(pitch)·Rx(roll): +pitch looks down, +yaw looks left, +roll tilts to the robot's right.
type Head struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Z     float64 `json:"z"`
	Roll  float64 `json:"roll"`
	Pitch float64 `json:"pitch"`
	Yaw   float64 `json:"yaw"`
}

// Pose converts the six numbers to a rigid transform.
func (h Head) Pose() Pose {
	return Pose{R: RotZ(h.Yaw).Mul(RotY(h.Pitch)).Mul(RotX(h.Roll)), T: Vec3{h.X, h.Y, h.Z}}
}

// Head converts the transform to six numbers. At pitch ±90° roll is reported as 0.
func (p Pose) Head() Head {
	h := Head{X: p.T[0], Y: p.T[1], Z: p.T[2]}
	h.Pitch = math.Asin(max(-1, min(1, -p.R[6])))
	if math.Abs(p.R[6]) < 1-1e-12 {
		h.Roll = math.Atan2(p.R[7], p.R[8])
		h.Yaw = math.Atan2(p.R[3], p.R[0])
	} else {
		h.Yaw = math.Atan2(-p.R[1], p.R[4])
	}
	return h
}

// Finite reports whether every number of the head pose is finite.
func (h Head) Finite() bool {
	for _, v := range [...]float64{h.X, h.Y, h.Z, h.Roll, h.Pitch, h.Yaw} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Antennas are the two antenna angles in radians: 0 is up; outward and back is negative on the right, positive on the left.
type Antennas struct {
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
}

// Named poses of the whole robot.
var (
	// AwakeHead and AwakeAntennas are the pose after wake-up.
	AwakeHead     = Head{}
	AwakeAntennas = Antennas{Left: 0.1745, Right: -0.1745}
	// SleepHead and SleepAntennas are the pose in which the head rests on the body and torque may be switched off.
	SleepHead     = Head{X: -0.021, Y: 0.001, Z: -0.044, Pitch: 0.4257}
	SleepAntennas = Antennas{Left: 3.05, Right: -3.05}
)
