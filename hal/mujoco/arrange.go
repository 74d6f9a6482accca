package mujoco

import (
	"math"
	"math/rand/v2"

	"github.com/reachyd/reachyd/hal"
)

// Where Arrange puts things on the table, m: within the robot's reach of sight, not under its chin.
const (
	nearest  = 0.24
	farthest = 0.84
	aside    = 0.31
	apart    = 0.14 // the least distance between the middles of two things
)

// resting is how high the middle of a thing is that stands on the table, m.
var resting = [...]struct {
	name   string
	height float64
}{{"apple", 0.03}, {"croissant", 0.02}, {"duck", 0.03}}

// Arrange puts the three things of the table to random places on it, standing, turned at random.
func Arrange(rng *rand.Rand) []Object {
	for {
		all := make([]Object, 0, len(resting))
		for _, r := range resting {
			sin, cos := math.Sincos(rng.Float64() * math.Pi) // of half the angle
			all = append(all, Object{
				Name:       r.name,
				Position:   hal.Vec3{nearest + (farthest-nearest)*rng.Float64(), aside * (2*rng.Float64() - 1), r.height},
				Quaternion: [4]float64{cos, 0, 0, sin},
			})
		}
		if separate(all) {
			return all
		}
	}
}

func separate(all []Object) bool {
	for i, a := range all {
		for _, b := range all[:i] {
			if math.Hypot(a.Position[0]-b.Position[0], a.Position[1]-b.Position[1]) < apart {
				return false
			}
		}
	}
	return true
}
