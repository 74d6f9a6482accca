package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
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
	newHost := func(c tester.Conditions) guest.HostFunc { return p.pretend(c, s.Uses) }
	return tester.Run(ctx, box, s.Source, s.Name, cases, tester.Options{Grants: p.testGrants(s.Uses), NewHost: newHost, Limits: p.o.Limits})
}

// pretend makes what answers the host calls of a test: a robot that is not there. Self-made tools that are used run.
func (p *Pipeline) pretend(c tester.Conditions, uses []registry.Use) guest.HostFunc {
	robot := tester.Host(p.robot(c))
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
		return robot(ctx, call)
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

// robot is the one that tools are tested with; nil when there is none.
func (p *Pipeline) robot(c tester.Conditions) tester.Robot {
	if p.o.Robot == nil {
		return nil
	}
	return p.o.Robot(c)
}

// testGrants are the host calls that a tool may make in a test, where nothing can come to harm.
func (p *Pipeline) testGrants(uses []registry.Use) []string {
	grants := slices.Concat(p.o.Own, host.Capabilities, fileCalls)
	for _, u := range uses {
		grants = append(grants, u.Name)
	}
	slices.Sort(grants)
	return slices.Compact(grants)
}
