package tester

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// Robot pretends to be the robot in the test of a tool: its tools, its body and its camera. As on the robot, a call ends
// with the move that it makes; host.Pass lets the time pass that it takes.
type Robot interface {
	host.Robot
	host.Camera
}

// Conditions are what a case wishes of the robot.
type Conditions struct {
	CameraAway bool              `json:"camera_away,omitempty"`
	Objects    []Object          `json:"objects,omitempty"` // in sight; nil: those that the robot makes up
	Fail       map[string]string `json:"fail,omitempty"`    // call name to the message with which it fails
	Files      map[string]string `json:"files,omitempty"`   // that come with the call: name to content
}

// Object is something that the camera sees.
type Object struct {
	Name       string     `json:"name"`
	Box        [4]float64 `json:"box"` // x, y, width, height in pixels of 640 by 480
	Confidence float64    `json:"confidence"`
}

// Host returns what answers the host calls of one case.
func Host(r Robot) guest.HostFunc {
	if r == nil {
		return host.New(host.Config{}).Call
	}
	return host.New(host.Config{Robot: r, Camera: r}).Call
}

// calls notes the names of host calls.
type calls struct {
	mu    sync.Mutex
	names []string
}

func (c *calls) watch(answers guest.HostFunc) guest.HostFunc {
	return func(ctx context.Context, h guest.HostCall) (json.RawMessage, error) {
		c.mu.Lock()
		c.names = append(c.names, h.Name)
		c.mu.Unlock()
		return answers(ctx, h)
	}
}
