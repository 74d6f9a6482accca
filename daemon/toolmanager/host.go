package toolmanager

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// robot is the robot as a self-made tool meets it.
type robot struct{ box *Manager }

// Call implements host.Robot: the robot's own tools, checked and traced like every call of them. The call belongs to the
// tool that makes it, which has its turn already and ends when that is over.
func (r robot) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if !slices.Contains(r.box.reserved, name) {
		return nil, &guest.HostError{Code: host.CodeNotFound, Message: "the robot has no tool " + name}
	}
	return dataOf(r.box.o.Tools.Call(ctx, name, args))
}

// dataOf is what a tool in Python gets of a result: the data, or an exception.
func dataOf(r tool.Result) (json.RawMessage, error) {
	if !r.OK() {
		return nil, &guest.HostError{Code: r.Code, Message: r.Message}
	}
	return json.Marshal(r.Data)
}

// Move implements host.Robot.
func (r robot) Move(ctx context.Context, m host.Motion) (time.Duration, error) {
	if r.box.o.Body == nil {
		return 0, &guest.HostError{Code: host.CodeUnavailable, Message: "there is no body to move"}
	}
	req := hal.Request{Verb: hal.VerbGoto, BodyYaw: m.BodyYaw, Duration: m.Duration.Seconds(), Law: hal.Law(m.Law)}
	if m.Stream {
		req.Verb, req.Duration, req.Law, req.Source = hal.VerbTarget, 0, "", "tool"
	}
	if m.Head != nil {
		req.Head = hal.Head(*m.Head).Goal()
	}
	if m.Antennas != nil {
		req.Antennas = hal.Antennas{Left: m.Antennas.Left, Right: m.Antennas.Right}.Goal()
	}
	a, err := r.box.o.Body.Do(ctx, req)
	switch {
	case err != nil:
		return 0, err
	case a.Outcome == hal.Rejected:
		return 0, &guest.HostError{Code: a.Code, Message: a.Reason}
	}
	return time.Duration(a.Duration * float64(time.Second)), nil
}

// State implements host.Robot.
func (r robot) State(context.Context) (host.State, error) {
	if r.box.o.State == nil {
		return host.State{}, &guest.HostError{Code: host.CodeUnavailable, Message: "nothing is known of the robot"}
	}
	s := r.box.o.State()
	return host.State{
		Mode: string(s.Mode), Moving: s.Moving, EStop: s.EStop, Head: host.Pose(s.Head), BodyYaw: s.BodyYaw,
		Antennas: host.Antennas{Left: s.Antennas.Left, Right: s.Antennas.Right}, Joints: s.Joints,
	}, nil
}

// answers makes what answers the host calls of one call of a tool on the robot.
func (t *Manager) answers() guest.HostFunc {
	c := host.Config{Robot: robot{t}, Camera: t.o.Camera}
	if t.web != nil {
		c.HTTP = t.web
	}
	return host.New(c).Call
}

var _ host.Robot = robot{}
