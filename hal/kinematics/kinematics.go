// Package kinematics turns head poses into arm angles and back, and finds the nearest pose that the head can take.
//
// The head stands on six arms (a rotary Stewart platform) whose motors sit on a body that turns about the vertical.
// Lengths are metres, angles radians, the frame is x forward, y left, z up; see hal.Pose for what a head pose is
// relative to. Nothing here allocates, and nothing keeps state except a Solver.
package kinematics

import (
	"errors"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// HeadHeight is the height in metres of the head frame above the world origin in the neutral pose.
const HeadHeight = 0.177

// MaxHeadToBody is how far the head turns to each side of the body, radians.
const MaxHeadToBody = 65 * math.Pi / 180

// The numbers that fix the platform, metres.
const (
	armLength      = 0.040     // motor axis to rod
	rodLength      = 0.085     // arm tip to head
	baseRadius     = 0.038     // body axis to motor
	baseSpacing    = 0.010     // half the distance between the two motors of a sector
	headRadius     = 0.030     // head origin to rod end
	headSpacing    = 0.007     // half the distance between the two rod ends of a sector
	motorHeight    = 0.0766333 // motor axes above the world origin
	numLegs        = 6
	firstLeg       = hal.Stewart1
	twicePi        = 2 * math.Pi
	degree         = math.Pi / 180
	maxHeadToBody  = MaxHeadToBody
	maxBodyYaw     = 160 * degree
	maxHeadYaw     = math.Pi
	maxHeadTilt    = 40 * degree // pitch and roll
	eyeForward     = 0.0437      // camera in the head frame
	eyeAboveOrigin = 0.0512
)

// ErrNotFinite is returned when an argument is NaN or infinite.
var ErrNotFinite = errors.New("kinematics: a number is NaN or infinite")

// leg is the fixed geometry of one arm and rod.
type leg struct {
	motor hal.Vec3 // motor origin in the body frame
	end   hal.Vec3 // rod end in the head frame
	out   hal.Vec3 // horizontal unit vector from the body axis to the sector
	side  float64  // −1 or +1: on which side of the sector the motor sits
	along hal.Vec3 // horizontal unit vector in which the arm points at angle 0
}

var legs = buildLegs()

func buildLegs() [numLegs]leg {
	var all [numLegs]leg
	base := math.Sqrt(baseRadius*baseRadius - baseSpacing*baseSpacing)
	head := math.Sqrt(headRadius*headRadius - headSpacing*headSpacing)
	for k := range all {
		sin, cos := math.Sincos(float64(60+120*(k/2)) * degree)
		side := float64(2*(k%2) - 1)
		across := hal.Vec3{-sin, cos, 0}
		all[k] = leg{
			motor: hal.Vec3{base*cos + side*baseSpacing*across[0], base*sin + side*baseSpacing*across[1], motorHeight},
			end:   hal.Vec3{head*cos + side*headSpacing*across[0], head*sin + side*headSpacing*across[1], 0},
			out:   hal.Vec3{cos, sin, 0},
			side:  side,
			along: hal.Vec3{side * across[0], side * across[1], 0},
		}
	}
	return all
}

// arm is where a motor's angle puts the arm, in the body frame.
type arm struct {
	tip hal.Vec3 // where the rod begins
	way hal.Vec3 // unit vector in which the tip moves when the angle grows
}

func (l *leg) arm(angle float64) arm {
	sin, cos := math.Sincos(angle)
	return arm{
		tip: hal.Vec3{
			l.motor[0] + armLength*cos*l.along[0],
			l.motor[1] + armLength*cos*l.along[1],
			l.motor[2] - armLength*sin*l.side,
		},
		way: hal.Vec3{-sin * l.along[0], -sin * l.along[1], -cos * l.side},
	}
}

// toBody expresses a head pose in the turned body's frame, whose origin is the world's.
func toBody(head hal.Pose, bodyYaw float64) hal.Pose {
	turn := hal.RotZ(-bodyYaw)
	head.T[2] += HeadHeight
	return hal.Pose{R: turn.Mul(head.R), T: turn.Apply(head.T)}
}

// toWorld is the inverse of toBody.
func toWorld(p hal.Pose, bodyYaw float64) hal.Pose {
	turn := hal.RotZ(bodyYaw)
	p.R, p.T = turn.Mul(p.R), turn.Apply(p.T)
	p.T[2] -= HeadHeight
	return p
}

func finite(v float64) bool { return v-v == 0 }

func finitePose(p *hal.Pose) bool {
	sum := 0.0
	for _, v := range p.R {
		sum += v - v
	}
	for _, v := range p.T {
		sum += v - v
	}
	return sum == 0
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }

// wrap maps an angle to (−π, π].
func wrap(a float64) float64 {
	switch {
	case a > math.Pi:
		return a - twicePi
	case a <= -math.Pi:
		return a + twicePi
	}
	return a
}
