package tester

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/host/standin"
)

// Conditions are what a case wishes of the robot.
type Conditions struct {
	CameraAway bool              `json:"camera_away,omitempty"`
	Objects    []Object          `json:"objects,omitempty"` // in sight; nil: those of the stand-in
	Fail       map[string]string `json:"fail,omitempty"`    // call name to the message with which it fails
	Files      map[string]string `json:"files,omitempty"`   // that come with the call: name to content
}

// Object is something the stand-in's camera sees.
type Object struct {
	Name       string     `json:"name"`
	Box        [4]float64 `json:"box"` // x, y, width, height in pixels of 640 by 480
	Confidence float64    `json:"confidence"`
}

// Host is a robot that is not there, on the tool's clock. As on the robot, a tool that moves it ends with the move.
func (c Conditions) Host() guest.HostFunc {
	robot := standin.New(c.situation())
	set := host.New(host.Config{Robot: robot, Camera: robot})
	return func(ctx context.Context, call guest.HostCall) (json.RawMessage, error) {
		value, err := set.Call(ctx, call)
		if err == nil && !slices.Contains(host.Capabilities, call.Name) {
			var took struct{ Duration float64 }
			if json.Unmarshal(value, &took) == nil {
				call.Pass(time.Duration(took.Duration * float64(time.Second)))
			}
		}
		return value, err
	}
}

// situation is the same in the words of the stand-in.
func (c Conditions) situation() standin.Config {
	s := standin.Config{Faults: map[string]standin.Fault{}}
	if c.CameraAway {
		for _, name := range []string{host.CapCamera, "take_photo", "analyze_scene", "detect_objects", "describe_image"} {
			s.Faults[name] = standin.CameraAway
		}
	}
	for name, message := range c.Fail {
		s.Faults[name] = standin.Fault{Message: message}
	}
	const width, height, degrees = 640, 480, 80.0 / 640
	if c.Objects != nil {
		s.Objects = []standin.Object{}
	}
	for _, o := range c.Objects {
		s.Objects = append(s.Objects, standin.Object{
			Name: o.Name, Confidence: o.Confidence,
			Yaw: (width/2 - o.Box[0] - o.Box[2]/2) * degrees, Pitch: (o.Box[1] + o.Box[3]/2 - height/2) * degrees,
		})
	}
	return s
}

// RobotCalls are the tools of the robot, which every tool that is tested may call.
func RobotCalls() []string { return standin.Tools() }

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
