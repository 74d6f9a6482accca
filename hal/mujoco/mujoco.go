// Package mujoco turns the virtual servos' joints with the physics of MuJoCo and pictures the scene.
//
// It needs libmujoco 2.2.2 (Debian: libmujoco-dev) and the build tag mujoco; without the tag Open says so. Pictures
// also need EGL (Debian: libegl1 libgl1-mesa-dri), which is looked for when the first one is asked for.
package mujoco

import (
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/hal"
)

// ErrNotBuilt is returned by Open in a program that was built without the tag mujoco.
var ErrNotBuilt = errors.New("this program was built without MuJoCo: build it with -tags mujoco and libmujoco-dev installed")

// ErrNoPictures is returned by Render when the machine cannot draw. Everything else works without.
var ErrNoPictures = errors.New("no pictures")

// Scene is what stands around the robot.
type Scene string

// The scenes.
const (
	Empty Scene = "empty" // the floor at z = 0
	Table Scene = "table" // a table with apple, croissant and duck
)

// ParseScene finds a scene by its name.
func ParseScene(name string) (Scene, error) {
	switch s := Scene(name); s {
	case Empty, Table:
		return s, nil
	}
	return "", fmt.Errorf("scene %q is unknown; known are table and empty", name)
}

// The cameras.
const (
	EyeCamera   = "eye_camera"   // in the robot's head, 80° high
	StudioClose = "studio_close" // in front of the robot, looking at its head
)

// The sizes of pictures, in pixels.
const (
	DefaultWidth  = 640
	DefaultHeight = 480
	MinSize       = 16
	MaxWidth      = 1280
	MaxHeight     = 960
)

// CheckPicture says whether Render can be asked for such a picture.
func CheckPicture(camera string, width, height int) error {
	switch {
	case camera != EyeCamera && camera != StudioClose:
		return fmt.Errorf("camera %q is unknown; known are %s and %s", camera, EyeCamera, StudioClose)
	case width < MinSize || width > MaxWidth:
		return fmt.Errorf("width = %d: allowed is %d…%d", width, MinSize, MaxWidth)
	case height < MinSize || height > MaxHeight:
		return fmt.Errorf("height = %d: allowed is %d…%d", height, MinSize, MaxHeight)
	}
	return nil
}

// Object is a thing that lies about.
type Object struct {
	Name       string     `json:"name"`
	Position   hal.Vec3   `json:"position"`   // world, m
	Quaternion [4]float64 `json:"quaternion"` // w, x, y, z
}

// Truth is what is really so, as against what the servos measure.
type Truth struct {
	Time     float64     `json:"time"`  // simulated, s
	Steps    uint64      `json:"steps"` // of the physics
	Head     hal.Head    `json:"head"`  // true pose relative to neutral, world frame
	BodyYaw  float64     `json:"body_yaw"`
	Joints   hal.Joints  `json:"joints"` // true angles in the order and with the signs of the bus, rad
	Objects  []Object    `json:"objects"`
	Contacts [][2]string `json:"contacts"` // pairs of bodies that touch, each in alphabetical order
	// Flips counts how often the platform snapped into a wrong assembly and was put back.
	Flips uint64 `json:"flips"`
	// Closure is the largest gap in the six closed loops, m.
	Closure float64 `json:"closure"`
	// Warnings of MuJoCo since Open.
	Warnings uint64 `json:"warnings"`
}

// Options of Open.
type Options struct {
	Scene Scene      // Table if empty
	Start hal.Joints // where the joints begin, rad
	Light Light
	// Reseated is called whenever the platform was put together anew, from within Step; nil: nobody is told.
	Reseated func(why string)
}

// Light is how the scene is lit. The zero value is daylight.
type Light struct {
	Level  float64 // brightness, 1 if 0; what is drawn too bright is white
	Warmth float64 // 0 is white; 0.2 has a fifth more red and less blue, as a lamp; below 0 is bluish
}

// colour is a white of that light, at a brightness.
func (l Light) colour(v float64) string {
	if l.Level != 0 {
		v *= l.Level
	}
	return numbers(hal.Vec3{v * (1 + l.Warmth), v, v * (1 - l.Warmth)})
}
