// Package fake is a robot that is not there: the robot's own tools on a body, a camera and a voice that are made up. It runs
// on the clock of the tool that is tested and fails on request. Because the tools are the real ones, so are their
// arguments, their answers and most of their refusals; a conformance test compares the rest with the simulated robot.
package fake

import (
	"context"
	"encoding/json"
	"image"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/agents/memory/places"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Moving is a body with a clock of its own; *Body is one.
type Moving interface {
	tools.Body
	// Now is the time on the body's clock, and Advance lets that run until t, unless that is over.
	Now() time.Duration
	Advance(t time.Duration)
	// After is time.After on that clock.
	After(d time.Duration) <-chan time.Time
	Snapshot() hal.State
}

// Robot is the fake robot. It is for use by several goroutines; their calls are served one after the other.
type Robot struct {
	conditions tester.Conditions
	body       Moving
	eyes       *eyes
	robot      hostrobot.Robot

	mu    sync.Mutex // held during a call
	calls []Call
}

var _ tester.Robot = (*Robot)(nil)

// Call is a host call that reached the robot.
type Call struct {
	Name string
	Args json.RawMessage
	At   time.Duration // on the robot's clock
}

// New makes a robot that is awake and looks ahead.
func New(c tester.Conditions) *Robot { return NewOn(c, NewBody()) }

// NewOn makes a robot that moves another body, and whose senses are made up.
func NewOn(c tester.Conditions, b Moving) *Robot {
	r := &Robot{conditions: c, body: b, eyes: &eyes{body: b, things: seen(c.Objects), room: c.Objects == nil}}
	registry := tool.NewRegistry(nil)
	o := tools.Options{
		Body: b, Speaker: voice{}, Ears: voice{}, Searcher: web{}, Moves: anyMove, After: b.After,
		Places: places.New(nil, r.clock, nil), Faces: faces.New(nil, r.clock, nil),
	}
	if !c.CameraAway {
		o.Camera, o.Vision, o.Looker, o.Portraits = r.eyes, r.eyes, r.eyes, r.eyes
	}
	if err := tools.Register(registry, o); err != nil {
		panic("fake: " + err.Error()) // the same tools are registered on every robot
	}
	r.robot = hostrobot.Robot{Tools: registry, Names: catalog.ToolNames(), Body: b, Now: b.Snapshot}
	return r
}

// NewRobot is New as package tester wants it.
func NewRobot(c tester.Conditions) tester.Robot { return New(c) }

// clock is the robot's own.
func (r *Robot) clock() time.Time { return time.Unix(0, 0).Add(r.body.Now()) }

// anyMove is a recorded move of any name: two seconds in the neutral pose.
func anyMove(name string) (*hal.Recording, string, error) {
	still := hal.Frame{
		Head:     [4][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
		Antennas: [2]float64{hal.AwakeAntennas.Right, hal.AwakeAntennas.Left},
	}
	return &hal.Recording{Time: []float64{0, 2}, Frames: []hal.Frame{still, still}}, name, nil
}

// Tools is the registry of the robot's tools, for who calls them as the coordinator does.
func (r *Robot) Tools() *tool.Registry { return r.robot.Tools }

// Body is what the tools move.
func (r *Robot) Body() Moving { return r.body }

// Specs are the robot's tools.
func (r *Robot) Specs() []tool.Spec { return r.robot.Tools.List() }

// Calls are what the robot was asked for so far.
func (r *Robot) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// enter begins a call. r.mu is held until leave. The error is the failure that was wished for.
func (r *Robot) enter(ctx context.Context, name string, args json.RawMessage) (began time.Duration, err error) {
	r.mu.Lock()
	r.body.Advance(host.At(ctx))
	began = r.body.Now()
	r.calls = append(r.calls, Call{name, args, began})
	if message, bad := r.conditions.Fail[name]; bad {
		if message == "" {
			message = name + " failed because the test wants it to"
		}
		return began, &guest.HostError{Code: host.CodeFailed, Message: message}
	}
	return began, nil
}

// leave ends a call: what it took passes on the clock of the tool, too.
func (r *Robot) leave(ctx context.Context, began time.Duration) {
	host.Pass(ctx, r.body.Now()-began)
	r.mu.Unlock()
}

// Call implements host.Robot.
func (r *Robot) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	began, err := r.enter(ctx, name, args)
	defer r.leave(ctx, began)
	if err != nil {
		return nil, err
	}
	return r.robot.Call(ctx, name, args)
}

// Move implements host.Robot.
func (r *Robot) Move(ctx context.Context, m host.Motion) (time.Duration, error) {
	args, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	began, err := r.enter(ctx, host.CapMove, args)
	defer r.leave(ctx, began)
	if err != nil {
		return 0, err
	}
	return r.robot.Move(ctx, m)
}

// State implements host.Robot.
func (r *Robot) State(ctx context.Context) (host.State, error) {
	began, err := r.enter(ctx, host.CapState, nil)
	defer r.leave(ctx, began)
	if err != nil {
		return host.State{}, err
	}
	return r.robot.State(ctx)
}

// Frame implements host.Camera.
func (r *Robot) Frame(ctx context.Context) (image.Image, error) {
	began, err := r.enter(ctx, host.CapCamera, nil)
	defer r.leave(ctx, began)
	if err != nil {
		return nil, err
	}
	if r.conditions.CameraAway {
		return nil, &guest.HostError{Code: host.CodeUnavailable, Message: "there is no camera"}
	}
	return r.eyes.frame(), nil
}
