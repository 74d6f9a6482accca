package catalog

import (
	"math"

	"github.com/reachyd/reachyd/hal"
)

// Pose is a named pose. Parts that are nil stay as they are. Its numbers are those of package hal: metres and radians.
type Pose struct {
	Name     string
	Head     *hal.Head
	BodyYaw  *float64
	Antennas *hal.Antennas
	Done     string // what the robot says when it has taken the pose
}

const (
	turn = UsualTurn * math.Pi / 180
	tilt = UsualTilt * math.Pi / 180
)

var front = 0.0

// Poses are the named poses.
var Poses = []Pose{
	{"neutral", &hal.AwakeHead, &front, &hal.AwakeAntennas, "I went to my neutral pose"},
	{"init", &hal.AwakeHead, &front, &hal.AwakeAntennas, "I went to my neutral pose"},
	{"home", &hal.AwakeHead, &front, &hal.AwakeAntennas, "I went to my neutral pose"},
	{"awake", &hal.AwakeHead, &front, &hal.AwakeAntennas, "I went to my neutral pose"},
	{"default", &hal.AwakeHead, &front, &hal.AwakeAntennas, "I went to my neutral pose"},
	{"rest", &hal.SleepHead, &front, &hal.SleepAntennas, "I lowered my head into the sleep pose"},
	{"sleep", &hal.SleepHead, &front, &hal.SleepAntennas, "I lowered my head into the sleep pose"},
	{"look_left", &hal.Head{Yaw: turn}, nil, nil, "I looked left"},
	{"look_right", &hal.Head{Yaw: -turn}, nil, nil, "I looked right"},
	{"look_up", &hal.Head{Pitch: -tilt}, nil, nil, "I looked up"},
	{"look_down", &hal.Head{Pitch: tilt}, nil, nil, "I looked down"},
	{"look_straight", &hal.Head{}, nil, nil, "I looked straight ahead"},
	{"tilt_left", &hal.Head{Roll: -tilt}, nil, nil, "I tilted my head to the left"},
	{"tilt_right", &hal.Head{Roll: tilt}, nil, nil, "I tilted my head to the right"},
}
