// Package imu reads the motion sensor of the wireless unit and notices that the robot is lifted, tips over or falls.
//
// The sensor is read through Linux's IIO interface. What it says is judged relative to how the robot last stood still, so that
// neither the sensor's mounting nor a table that is not level matters.
package imu

import (
	"errors"
	"math"
)

// ErrNone says that this host has no motion sensor that is the robot's.
var ErrNone = errors.New("there is no motion sensor")

// Gravity is standard gravity, m/s².
const Gravity = 9.80665

// Vector is x forward, y left, z up in the frame of the robot's foot.
type Vector [3]float64

func (a Vector) plus(b Vector) Vector              { return Vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a Vector) times(k float64) Vector            { return Vector{k * a[0], k * a[1], k * a[2]} }
func (a Vector) minus(b Vector) Vector             { return a.plus(b.times(-1)) }
func (a Vector) dot(b Vector) float64              { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a Vector) norm() float64                     { return math.Sqrt(a.dot(a)) }
func (a Vector) toward(b Vector, k float64) Vector { return a.plus(b.minus(a).times(k)) }

func (a Vector) cross(b Vector) Vector {
	return Vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// unit is the zero vector for the zero vector.
func (a Vector) unit() Vector {
	n := a.norm()
	if n == 0 {
		return a
	}
	return a.times(1 / n)
}

// angle between two unit vectors, rad.
func (a Vector) angle(b Vector) float64 { return math.Atan2(a.cross(b).norm(), a.dot(b)) }

// Sample is one reading.
type Sample struct {
	Accel Vector // specific force, m/s²: +g along up when the robot stands still
	Turn  Vector // rad/s
}
