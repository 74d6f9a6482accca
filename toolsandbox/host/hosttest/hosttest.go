// Package hosttest is a double of the robot for the sandbox's own tests: it is at once where it is told to be, and its tools
// are functions of the test. It knows nothing of the real robot's; the fake robot that tools are tested with is handed in.
package hosttest

import (
	"context"
	"encoding/json"
	"image"
	"image/color"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// Tool answers a call of a tool and says how long that takes.
type Tool func(r *Robot, args map[string]any) (value any, took time.Duration, err error)

// Call is one call that reached the robot.
type Call struct {
	Name string
	Args json.RawMessage
	At   time.Duration
}

// Robot is the double. The zero value is awake, looks ahead and has no tools.
type Robot struct {
	Tools  map[string]Tool
	Frames int // that the camera gives before it goes away; 0: as many as are asked for, −1: none
	Asleep bool
	Pose   host.State

	mu    sync.Mutex
	calls []Call
	taken int
}

var (
	_ host.Robot  = (*Robot)(nil)
	_ host.Camera = (*Robot)(nil)
)

// Error is what a tool sees of a failure.
func Error(code, message string) error { return &guest.HostError{Code: code, Message: message} }

// Calls are those that came so far.
func (r *Robot) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// note is to be called with r.mu held.
func (r *Robot) note(ctx context.Context, name string, args json.RawMessage) {
	r.calls = append(r.calls, Call{name, args, host.At(ctx)})
}

// Call implements host.Robot.
func (r *Robot) Call(ctx context.Context, name string, raw json.RawMessage) (json.RawMessage, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, name, raw)
	tool, known := r.Tools[name]
	if !known {
		return nil, Error(host.CodeNotFound, "the robot has no tool "+name)
	}
	args := map[string]any{}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, Error(host.CodeInvalid, err.Error())
	}
	value, took, err := tool(r, args)
	host.Pass(ctx, took)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// Move implements host.Robot. More than 40° of pitch is refused.
func (r *Robot) Move(ctx context.Context, m host.Motion) (time.Duration, error) {
	args, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, host.CapMove, args)
	switch {
	case r.Asleep:
		return 0, Error("torque_off", "the motors are off")
	case m.Head != nil && math.Abs(m.Head.Pitch) > 40.001*math.Pi/180:
		return 0, Error(host.CodeInvalid, "pitch is too much")
	}
	s := &r.Pose
	if m.Head != nil {
		s.Head = *m.Head
	}
	if m.BodyYaw != nil {
		s.BodyYaw = *m.BodyYaw
	}
	if m.Antennas != nil {
		s.Antennas = *m.Antennas
	}
	s.Joints[0], s.Joints[7], s.Joints[8] = s.BodyYaw, s.Antennas.Right, s.Antennas.Left
	return m.Duration, nil
}

// State implements host.Robot.
func (r *Robot) State(ctx context.Context) (host.State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, host.CapState, nil)
	return r.Pose, nil
}

// Frame implements host.Camera: a red disc that goes round once in ten seconds.
func (r *Robot) Frame(ctx context.Context) (image.Image, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, host.CapCamera, nil)
	if r.taken++; r.Frames > 0 && r.taken > r.Frames || r.Frames < 0 {
		return nil, Error(host.CodeUnavailable, "there is no camera")
	}
	const width, height, radius = 640, 480, 35
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	phase := 2 * math.Pi * host.At(ctx).Seconds() / 10
	x, y := width/2+int(math.Round(120*math.Cos(phase))), height/2+int(math.Round(60*math.Sin(phase)))
	for v := range height {
		for u := range width {
			c := color.NRGBA{150, 170, byte(190 - 60*v/height), 255}
			if (u-x)*(u-x)+(v-y)*(v-y) < radius*radius {
				c = color.NRGBA{215, 30, 35, 255}
			}
			img.SetNRGBA(u, v, c)
		}
	}
	return img, nil
}
