package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Run is one call of a version.
type Run struct {
	Args json.RawMessage
	// Files come with the call; see Attachment.
	Files []Attachment
	// Wasm is the tool itself when the language of a source is WebAssembly and there is no manifest; for Source.
	Wasm []byte
	// Host answers what the tool asks of the robot; nil refuses it.
	Host guest.HostFunc
}

// Run runs a version: with the host calls that it was granted, the pinned versions of the tools that it uses, and the
// files of the call. What it returned is checked against what it promises. The call is counted, unless ctx ended.
func (p *Pipeline) Run(ctx context.Context, v *registry.Version, r Run) (guest.Result, error) {
	began := time.Now()
	attached, err := p.attach(ctx, r.Files)
	if err != nil {
		return guest.Result{}, err
	}
	res, err := p.run(ctx, v, r.Args, attached, r.Host)
	p.record(ctx, v, err == nil && res.Reason == guest.ReasonOK, time.Since(began))
	return res, err
}

// record counts a call, unless ctx ended.
func (p *Pipeline) record(ctx context.Context, v *registry.Version, ok bool, took time.Duration) {
	if r := p.o.Library.Opened(); r != nil && ctx.Err() == nil {
		r.Record(v.Name, v.Number, ok, took)
	}
}

func (p *Pipeline) run(ctx context.Context, v *registry.Version, args json.RawMessage, attached *attachments, robot guest.HostFunc) (guest.Result, error) {
	l, err := p.language(v.Language)
	if err != nil {
		return guest.Result{}, err
	}
	grants := slices.Clone(v.Grants)
	for _, u := range v.Uses {
		grants = append(grants, u.Name)
	}
	req := p.request(v.Source, v.Name, args, grants, p.host(v.Uses, attached, robot))
	attached.mount(req)
	res, err := l.Call(ctx, req)
	if err == nil && res.Reason == guest.ReasonOK && len(v.Returns) > 0 {
		if wrong := p.o.Schemas.Result(v.Returns, res.Value); wrong != nil {
			res.Reason = guest.ReasonResult
			res.Error = &guest.Error{Message: fmt.Sprintf("%s does not return what it says: %v", v.Name, wrong)}
		}
	}
	return res, err
}

// Source runs a source once, whatever it is. Only the sandbox holds it.
func (p *Pipeline) Source(ctx context.Context, d registry.Draft, r Run) (guest.Result, error) {
	attached, err := p.attach(ctx, r.Files)
	if err != nil {
		return guest.Result{}, err
	}
	req := p.request(d.Source, d.Name, r.Args, slices.Clone(d.Grants), p.host(nil, attached, r.Host))
	req.Wasm = r.Wasm
	l, err := p.language(d.Language)
	if err != nil {
		return guest.Result{}, err
	}
	attached.mount(req)
	res, err := l.Call(ctx, req)
	if errors.Is(err, lang.ErrSource) {
		err = inputError{err}
	}
	return res, err
}

// host makes what answers the host calls of one call: its files, pinned versions of the tools that it uses, else the
// robot. That they were granted is checked already, by the sandbox.
func (p *Pipeline) host(uses []registry.Use, attached *attachments, robot guest.HostFunc) guest.HostFunc {
	return func(ctx context.Context, c guest.HostCall) (json.RawMessage, error) {
		if slices.Contains(fileCalls, c.Name) {
			return attached.answer(ctx, c)
		}
		v, err := used(p.o.Library, uses, c.Name)
		switch {
		case err != nil:
			return nil, err
		case v == nil && robot == nil:
			return nil, &guest.HostError{Code: "unavailable", Message: "there is no robot"}
		case v == nil:
			return robot(ctx, c)
		}
		args, err := p.o.Schemas.Arguments(v.Schema, c.Args)
		if err != nil {
			return nil, &guest.HostError{Code: "invalid", Message: c.Name + ": " + err.Error()}
		}
		began := time.Now()
		res, err := p.run(ctx, v, args, attached, robot)
		p.record(ctx, v, err == nil && res.Reason == guest.ReasonOK, time.Since(began))
		return valueOf(v, res, err)
	}
}

// used is the pinned version of a tool that another one uses; nil when it uses none of that name.
func used(in versions, uses []registry.Use, name string) (*registry.Version, error) {
	for _, u := range uses {
		if u.Name == name {
			return in.Version(u.Name, u.Version)
		}
	}
	return nil, nil
}

// valueOf is what the caller of a tool in a tool gets: its value, or an exception.
func valueOf(v *registry.Version, res guest.Result, err error) (json.RawMessage, error) {
	switch {
	case err != nil:
		return nil, &guest.HostError{Code: "failed", Message: fmt.Sprintf("%s: %v", v.Name, err)}
	case res.Reason != guest.ReasonOK:
		return nil, &guest.HostError{Code: string(res.Reason), Message: lang.Failure(v.Name, res)}
	}
	return res.Value, nil
}
