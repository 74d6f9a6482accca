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
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Tested is a source whose cases ran, whatever came of them.
type Tested struct {
	*Checked
	Report *tester.Report // nil: there was no sandbox, and AllowUntested
}

// Test runs the cases of a source, with a robot that is not there and time that does not pass. Malformed cases are an
// ErrInput.
func (p *Pipeline) Test(ctx context.Context, c *Checked) (*Tested, error) {
	if c.Facts == nil {
		return &Tested{Checked: c}, nil
	}
	cases, err := c.cases()
	if err != nil {
		return nil, err
	}
	l, err := p.language(c.Language)
	if err != nil {
		return nil, err
	}
	newHost := func(k tester.Conditions) guest.HostFunc { return p.pretend(k, c.in, c.Uses) }
	report, err := tester.Run(ctx, l, c.Source, c.Name, cases, tester.Options{Grants: p.testGrants(c.Uses), NewHost: newHost, Limits: p.o.Limits})
	switch {
	case err == nil:
	case c.AllowUntested && errors.Is(err, guest.ErrUnavailable):
	case ctx.Err() != nil, errors.Is(err, guest.ErrUnavailable), errors.Is(err, guest.ErrClosed):
		return nil, unavailable(err)
	default:
		return nil, inputError{err} // of a case
	}
	return &Tested{c, report}, nil
}

// candidate is what a library takes.
func (t *Tested) candidate() registry.Candidate {
	c := registry.Candidate{Draft: t.Draft, Found: t.found}
	if t.Report == nil {
		return c
	}
	c.Report = &registry.Report{Total: len(t.Report.Outcomes), Passed: t.Report.Passed, Coverage: t.Report.Coverage}
	var cpu []time.Duration
	for _, o := range t.Report.Outcomes {
		c.Report.Cases = append(c.Report.Cases, registry.CaseResult{Name: o.Name, Passed: o.Passed, Message: o.Message})
		cpu = append(cpu, o.CPU)
	}
	if len(cpu) > 0 {
		slices.Sort(cpu)
		c.Report.Median = cpu[len(cpu)/2]
	}
	return c
}

// pretend makes what answers the host calls of a test: a robot that is not there. Self-made tools that are used run.
func (p *Pipeline) pretend(c tester.Conditions, in versions, uses []registry.Use) guest.HostFunc {
	robot := tester.Host(p.robot(c))
	attached := &attachments{reader: p.o.Reader}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		attached.files = append(attached.files, Attachment{Name: name, Data: []byte(c.Files[name])})
	}
	return func(ctx context.Context, call guest.HostCall) (json.RawMessage, error) {
		if slices.Contains(fileCalls, call.Name) {
			return attached.answer(ctx, call)
		}
		v, err := used(in, uses, call.Name)
		switch {
		case err != nil:
			return nil, err
		case v != nil:
			return p.pretendTo(ctx, c, in, v, call)
		}
		return robot(ctx, call)
	}
}

// pretendTo runs a tool that is used by the one that is tested.
func (p *Pipeline) pretendTo(ctx context.Context, c tester.Conditions, in versions, v *registry.Version, call guest.HostCall) (json.RawMessage, error) {
	l, err := p.language(v.Language)
	if err != nil {
		return nil, err
	}
	req := p.request(v.Source, v.Name, call.Args, p.testGrants(v.Uses), p.pretend(c, in, v.Uses))
	req.Clock = guest.Clock{Virtual: true}
	res, err := l.Call(ctx, req)
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
