//go:build !mujoco

package mujoco

import (
	"image"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/virtual"
)

// Built reports whether this program contains MuJoCo.
const Built = false

// Sim cannot be had without the build tag mujoco.
type Sim struct{}

// Open returns ErrNotBuilt.
func Open(Options) (*Sim, error) { return nil, ErrNotBuilt }

// Step implements virtual.Plant.
func (*Sim) Step(float64, *virtual.Drives, *virtual.Motions) {}

// Reset implements virtual.Plant.
func (*Sim) Reset(*virtual.Motions) {}

// Truth returns nothing.
func (*Sim) Truth() Truth { return Truth{} }

// MoveObject returns ErrNotBuilt.
func (*Sim) MoveObject(string, hal.Vec3, *[4]float64) error { return ErrNotBuilt }

// Render returns ErrNotBuilt.
func (*Sim) Render(string, int, int) (*image.RGBA, error) { return nil, ErrNotBuilt }

// Close does nothing.
func (*Sim) Close() error { return nil }

var _ virtual.Plant = (*Sim)(nil)
