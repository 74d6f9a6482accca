// Package demo has what a person showed the robot: the joints over time, made into a move of the robot or into examples that
// a policy learns from.
package demo

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// Limits of a demonstration.
const (
	Rate      = 25.0 // frames a second
	MaxFrames = 25 * 120
	MinFrames = 5
)

// How a demonstration was given.
const (
	ByHand     = "hand"     // the robot was guided, its motors off
	ByCommands = "commands" // it was told what to do
)

// Demo is a demonstration.
type Demo struct {
	Name   string       `json:"name"`
	Task   string       `json:"task,omitempty"` // in words
	How    string       `json:"how"`
	At     time.Time    `json:"at"`
	Rate   float64      `json:"rate"`   // frames a second
	Joints []hal.Joints `json:"joints"` // rad, by frame
	Move   string       `json:"move,omitempty"`
}

// Seconds is how long it is.
func (d *Demo) Seconds() float64 { return float64(max(0, len(d.Joints)-1)) / d.Rate }

// CheckName says what is wrong with the name of a demonstration or a move.
func CheckName(field, name string) error {
	if !api.IsName(name, "_-") {
		return fmt.Errorf("%s: %.80q is not a name of letters, digits, spaces, - and _, at most 64", field, name)
	}
	return nil
}

// Check says what is wrong with a demonstration that comes from elsewhere.
func (d *Demo) Check() error {
	if err := CheckName("name", d.Name); err != nil {
		return err
	}
	if !(d.Rate >= 1 && d.Rate <= 200) {
		return fmt.Errorf("rate: %g is not within 1…200 frames a second", d.Rate)
	}
	if n := len(d.Joints); n < MinFrames || n > MaxFrames {
		return fmt.Errorf("joints: %d frames are not within %d…%d", n, MinFrames, MaxFrames)
	}
	for i, q := range d.Joints {
		for j, v := range q {
			lim := hal.JointLimits[j]
			const slack = 0.2 // hands push a joint somewhat beyond where its motor goes
			if !(v >= lim.Min-slack && v <= lim.Max+slack) {
				return fmt.Errorf("joints: %s = %g rad in frame %d is not within %.3g…%.3g", hal.Joint(j), v, i, lim.Min, lim.Max)
			}
		}
	}
	return nil
}

// How a demonstration becomes a move: what a hand shakes is smoothed, and nothing is faster than learned motion may be.
const (
	smoothing  = 0.08 // s, standard deviation
	stillSpeed = 0.04 // rad/s below which a joint rests
	lead       = 0.2  // s that are kept of the rest before and after
	turnSpeed  = 110 * math.Pi / 180
	slideSpeed = 0.12 // m/s
	antennaMax = 8.0  // rad/s
)

// ErrStill is the reason why a demonstration is no move.
var ErrStill = errors.New("nothing moved in it")

// path are its joints without the rest before and after, smoothed, one set a frame.
func (d *Demo) path() ([]hal.Joints, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	joints, err := d.trimmed()
	if err != nil {
		return nil, err
	}
	return smooth(joints, smoothing*d.Rate), nil
}

// Recording makes a move of the demonstration: trimmed, smoothed, within the envelope and not too fast.
func (d *Demo) Recording() (*hal.Recording, error) {
	joints, err := d.path()
	if err != nil {
		return nil, err
	}
	r := &hal.Recording{Description: d.Task}
	var solver kinematics.Solver
	var last kinematics.Feasible
	t := 0.0
	for i := range joints {
		pose, err := solver.Forward(&joints[i])
		if err != nil {
			return nil, fmt.Errorf("joints: frame %d is no posture of this robot: %w", i, err)
		}
		a := hal.Antennas{Left: joints[i][hal.LeftAntenna], Right: joints[i][hal.RightAntenna]}
		f, err := kinematics.Nearest(pose, joints[i][hal.BodyYaw], a)
		if err != nil {
			return nil, fmt.Errorf("joints: frame %d: %w", i, err)
		}
		if i > 0 {
			t += max(1/d.Rate, shortest(&last, &f))
		}
		yaw := f.BodyYaw
		r.Time = append(r.Time, t)
		r.Frames = append(r.Frames, hal.Frame{Head: matrix(&f.Pose), Antennas: [2]float64{f.Antennas.Right, f.Antennas.Left}, BodyYaw: &yaw})
		last = f
	}
	return r, nil
}

// trimmed leaves out the rest before and after the motion.
func (d *Demo) trimmed() ([]hal.Joints, error) {
	first, last := -1, -1
	for i := 1; i < len(d.Joints); i++ {
		for j := range d.Joints[i] {
			if math.Abs(d.Joints[i][j]-d.Joints[i-1][j])*d.Rate > stillSpeed {
				if first < 0 {
					first = i - 1
				}
				last = i
			}
		}
	}
	if first < 0 {
		return nil, ErrStill
	}
	keep := int(lead * d.Rate)
	return d.Joints[max(0, first-keep):min(len(d.Joints), last+keep+1)], nil
}

// smooth filters each joint with a bell of a standard deviation in frames; the ends stay where they are.
func smooth(in []hal.Joints, sigma float64) []hal.Joints {
	out := make([]hal.Joints, len(in))
	reach := int(math.Ceil(3 * sigma))
	for i := range in {
		// Near an end the bell is as narrow as the end is near.
		r := min(reach, i, len(in)-1-i)
		sum := 0.0
		for k := -r; k <= r; k++ {
			w := math.Exp(-float64(k*k) / (2 * sigma * sigma))
			sum += w
			for j := range out[i] {
				out[i][j] += w * in[i+k][j]
			}
		}
		for j := range out[i] {
			out[i][j] /= sum
		}
	}
	return out
}

// shortest is the least time from one posture to the next, s.
func shortest(a, b *kinematics.Feasible) float64 {
	p, q := a.Head, b.Head
	return max(
		math.Abs(p.Yaw-q.Yaw)/turnSpeed, math.Abs(p.Pitch-q.Pitch)/turnSpeed, math.Abs(p.Roll-q.Roll)/turnSpeed,
		math.Abs(a.BodyYaw-b.BodyYaw)/turnSpeed,
		math.Abs(p.X-q.X)/slideSpeed, math.Abs(p.Y-q.Y)/slideSpeed, math.Abs(p.Z-q.Z)/slideSpeed,
		math.Abs(a.Antennas.Left-b.Antennas.Left)/antennaMax, math.Abs(a.Antennas.Right-b.Antennas.Right)/antennaMax,
	)
}

func matrix(p *hal.Pose) [4][4]float64 {
	m := [4][4]float64{3: {3: 1}}
	for r := range 3 {
		copy(m[r][:3], p.R[3*r:3*r+3])
		m[r][3] = p.T[r]
	}
	return m
}
