package kinematics

import (
	"errors"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// ErrNoRay is returned for a pixel that the lens model cannot undo, or for a direction that it cannot picture.
var ErrNoRay = errors.New("kinematics: outside what the lens model describes")

// Camera is a pinhole with lens distortion for pictures of one size, in pixels. Distortion is in OpenCV's order:
// k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4; those that a lens does not need are zero.
type Camera struct {
	FocalX, FocalY   float64
	CenterX, CenterY float64
	Distortion       [12]float64
}

// EyeCamera is the calibration of the robot's own camera (Lite and wireless) for pictures of 3840×2592.
var EyeCamera = Camera{
	FocalX: 2001.8076, FocalY: 2003.0779, CenterX: 1905.8761, CenterY: 1328.3240,
	Distortion: [12]float64{
		-1.46523203, 0.65427141, 0.01214781, -0.00267729, 0.30359399, -1.43008090,
		0.57002408, 0.35672992, 0.00305736, 0.00033576, -0.00989713, -0.00205092,
	},
}

// simEyeHeight is the angle that the simulated eye, a pinhole, sees from top to bottom, rad.
const simEyeHeight = 80 * math.Pi / 180

// SimEyeFocal is the focal length of the simulated eye for pictures of a height, both in pixels.
func SimEyeFocal(height int) float64 { return float64(height) / 2 / math.Tan(simEyeHeight/2) }

// Scaled returns the camera for pictures that are x and y times as wide and high, from a sensor area that is smaller
// by the factor crop (1 when the whole sensor is read).
func (c Camera) Scaled(x, y, crop float64) Camera {
	c.FocalX, c.FocalY = c.FocalX*x*crop, c.FocalY*y*crop
	c.CenterX, c.CenterY = c.CenterX*x, c.CenterY*y
	return c
}

// PixelRay returns the unit vector, in the head frame, toward what is seen at a pixel; u counts to the right, v down.
// The ray starts at the eye. The error is ErrNotFinite or ErrNoRay.
func PixelRay(u, v float64, c *Camera) (hal.Vec3, error) {
	x0, y0 := (u-c.CenterX)/c.FocalX, (v-c.CenterY)/c.FocalY
	if !finite(x0) || !finite(y0) {
		return hal.Vec3{}, ErrNotFinite
	}
	const (
		maxIterations = 20
		step          = 1e-6
		precise       = 1e-10
	)
	x, y := x0, y0
	for range maxIterations {
		fx, fy := c.distort(x, y)
		dx, dy := x0-fx, y0-fy
		if math.Abs(dx) < precise && math.Abs(dy) < precise {
			n := 1 / math.Sqrt(1+x*x+y*y)
			return hal.Vec3{n, -x * n, -y * n}, nil
		}
		ax, ay := c.distort(x+step, y)
		bx, by := c.distort(x, y+step)
		a, b, d, e := (ax-fx)/step, (bx-fx)/step, (ay-fy)/step, (by-fy)/step
		det := a*e - b*d
		if !(det > 0) { // beyond the fold of the model, where it turns back
			break
		}
		x += (e*dx - b*dy) / det
		y += (a*dy - d*dx) / det
	}
	return hal.Vec3{}, ErrNoRay
}

// Pixel is the inverse of PixelRay: where a direction in the head frame appears in the picture.
func (c *Camera) Pixel(ray hal.Vec3) (u, v float64, err error) {
	if !finite(ray[0]) || !finite(ray[1]) || !finite(ray[2]) {
		return 0, 0, ErrNotFinite
	}
	if ray[0] <= 0 {
		return 0, 0, ErrNoRay
	}
	x, y := c.distort(-ray[1]/ray[0], -ray[2]/ray[0])
	return c.CenterX + c.FocalX*x, c.CenterY + c.FocalY*y, nil
}

// distort applies the lens to a point of the plane at distance 1: radial, tangential and thin-prism terms.
func (c *Camera) distort(x, y float64) (float64, float64) {
	k := &c.Distortion
	r2 := x*x + y*y
	radial := (1 + r2*(k[0]+r2*(k[1]+r2*k[4]))) / (1 + r2*(k[5]+r2*(k[6]+r2*k[7])))
	return x*radial + 2*k[2]*x*y + k[3]*(r2+2*x*x) + r2*(k[8]+r2*k[9]),
		y*radial + k[2]*(r2+2*y*y) + 2*k[3]*x*y + r2*(k[10]+r2*k[11])
}
