package toolmanager

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Maker makes tools: it is the pipeline, and what it puts into the library is published.
type Maker struct {
	*pipeline.Pipeline
	m *Manager
}

// Maker is how tools are made, for people by way of commands and for agents that write code.
func (t *Manager) Maker() Maker { return Maker{t.pipeline, t} }

// Register checks, tests and keeps a draft, and publishes it.
func (k Maker) Register(ctx context.Context, d registry.Draft) (*pipeline.Report, error) {
	r, err := k.Pipeline.Register(ctx, d)
	return r, k.m.publish(ctx, r, err)
}

// Put keeps what was tested, and publishes it.
func (k Maker) Put(ctx context.Context, tested *pipeline.Tested) (*pipeline.Report, error) {
	r, err := k.Pipeline.Put(ctx, tested)
	return r, k.m.publish(ctx, r, err)
}

// publish puts a version that was kept beside the robot's own tools and tells of it; of one that was refused it only tells.
// The error is the one of the attempt, or why the tool cannot be offered.
func (t *Manager) publish(ctx context.Context, r *pipeline.Report, tried error) error {
	var refusal *registry.Refusal
	switch {
	case errors.As(tried, &refusal):
		t.o.Publish(tool.Trace(ctx), api.ToolRefused{Name: r.Name, Author: r.Author, Stage: string(r.Stage), Reason: refusal.Error()})
		return tried
	case tried != nil: // says nothing of the tool
		return tried
	}
	if err := t.change(r.Name, nil); err != nil {
		return err
	}
	t.o.Publish(tool.Trace(ctx), api.ToolRegistered{
		Name: r.Name, Author: r.Author, Version: r.Version, Digest: r.Digest, Active: r.Active, State: string(r.State), Score: r.Score.Total,
	})
	return nil
}

// change runs a change of a tool, if any, and then offers the tool as it is.
func (t *Manager) change(name string, fn func(r *registry.Registry) error) error {
	r, err := t.library.Open()
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if fn != nil {
		if err := fn(r); err != nil {
			return err
		}
	}
	err = t.offer(r, name)
	t.changed(r)
	return err
}

// offer puts the active version of a tool beside the robot's own tools, or takes it away when none is active. One that
// waits for review is shown, but cannot be called. The caller holds mu.
func (t *Manager) offer(r *registry.Registry, name string) error {
	if slices.Contains(t.reserved, name) { // of a later reachyd, which has a tool of that name itself
		return errors.New("the robot has a tool of that name")
	}
	h, err := r.Head(name)
	if err != nil {
		return err
	}
	if h.Active == 0 {
		t.o.Tools.Remove(name)
		if h.ReviewOf(h.Latest) != registry.ReviewPending {
			return nil
		}
	}
	v, err := r.Version(name, 0)
	if err != nil {
		return err
	}
	made, err := t.make(v)
	if err != nil {
		return err
	}
	if h.Active == 0 {
		made.spec.Unavailable = fmt.Sprintf("v%d waits for review", v.Number)
	}
	return t.o.Tools.Replace(made)
}

// changed tells which tools can be called by their names alone. The caller holds mu.
func (t *Manager) changed(r *registry.Registry) {
	var names []string
	for _, h := range r.List() {
		if s, ok := t.o.Tools.Get(h.Name); ok && h.Active > 0 && len(s.Parameters.Required) == 0 {
			names = append(names, h.Name)
		}
	}
	t.o.Changed(names)
}
