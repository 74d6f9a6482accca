package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/host/standin"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Test checks a draft and runs its cases, with a robot that is not there and time that does not pass. A source that is
// not good enough is a *registry.Refusal; malformed cases are an ErrInput.
func (p *Pipeline) Test(ctx context.Context, d registry.Draft) (*tester.Report, error) {
	ctx = context.WithValue(ctx, memoKey{}, &memo{})
	r, err := p.named(ctx, d)
	if err != nil {
		return nil, err
	}
	s := registry.Subject{Name: r.Function, Language: d.Language, Source: d.Source, Cases: d.Cases}
	uses, _ := p.wants(r, nil)
	s.Uses = p.pinned(uses)
	cases, err := p.cases(ctx, s)
	if err != nil {
		return nil, err
	}
	report, err := p.test(ctx, s, cases)
	if err != nil && ctx.Err() == nil && !errors.Is(err, guest.ErrUnavailable) && !errors.Is(err, guest.ErrClosed) {
		return nil, inputError{err} // of a case
	}
	return report, err
}

func (p *Pipeline) test(ctx context.Context, s registry.Subject, cases []tester.Case) (*tester.Report, error) {
	box, err := p.sandbox(s.Language)
	if err != nil {
		return nil, err
	}
	known := tester.RobotCalls() // which the tester grants itself
	grants := slices.DeleteFunc(p.testGrants(s.Uses), func(g string) bool { return slices.Contains(known, g) })
	newHost := func(c tester.Conditions) guest.HostFunc { return p.pretend(c, s.Uses) }
	return tester.Run(ctx, box, s.Source, s.Name, cases, tester.Options{Grants: grants, NewHost: newHost, Limits: p.o.Limits})
}

// pretend makes what answers the host calls of a test: a robot that is not there. Self-made tools that are used run.
func (p *Pipeline) pretend(c tester.Conditions, uses []registry.Use) guest.HostFunc {
	r := standin.New(situation(c))
	set := host.New(host.Config{Robot: r, Camera: r})
	come := &attached{reader: p.o.Reader}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		come.given = append(come.given, Given{Name: name, Data: []byte(c.Files[name])})
	}
	return func(ctx context.Context, call guest.HostCall) (json.RawMessage, error) {
		if slices.Contains(fileCalls, call.Name) {
			return come.answer(ctx, call)
		}
		if v, err := p.used(uses, call.Name); v != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return p.pretendTo(ctx, c, v, call)
		}
		value, err := set.Call(ctx, call)
		if err == nil && !slices.Contains(host.Capabilities, call.Name) { // as on the robot, a tool that moves it ends with the move
			var took struct{ Duration float64 }
			if json.Unmarshal(value, &took) == nil {
				call.Pass(time.Duration(took.Duration * float64(time.Second)))
			}
		}
		return value, err
	}
}

// pretendTo runs a tool that is used by the one that is tested.
func (p *Pipeline) pretendTo(ctx context.Context, c tester.Conditions, v *registry.Version, call guest.HostCall) (json.RawMessage, error) {
	box, err := p.sandbox(v.Language)
	if err != nil {
		return nil, err
	}
	req := p.request(v.Source, v.Name, call.Args, p.testGrants(v.Uses), p.pretend(c, v.Uses))
	req.Clock = guest.Clock{Virtual: true}
	res, err := box.Call(ctx, req)
	call.Pass(res.Usage.Clock)
	return valueOf(v, res, err)
}

// situation is what a test wishes, in the words of the stand-in.
func situation(c tester.Conditions) standin.Config {
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
	for _, o := range c.Objects {
		s.Objects = append(s.Objects, standin.Object{
			Name: o.Name, Confidence: o.Confidence,
			Yaw: (width/2 - o.Box[0] - o.Box[2]/2) * degrees, Pitch: (o.Box[1] + o.Box[3]/2 - height/2) * degrees,
		})
	}
	return s
}

// testGrants are the host calls that a tool may make in a test, where nothing can come to harm.
func (p *Pipeline) testGrants(uses []registry.Use) []string {
	grants := slices.Concat(tester.RobotCalls(), standin.Tools(), p.o.Own, host.Capabilities, fileCalls)
	for _, u := range uses {
		grants = append(grants, u.Name)
	}
	slices.Sort(grants)
	return slices.Compact(grants)
}
