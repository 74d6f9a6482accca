package coder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// bench is a Maker that takes everything, and runs templates by what their tests expect of them.
type bench struct {
	t testing.TB

	mu       sync.Mutex
	versions map[string][]*registry.Version
	called   []string
	// What the next calls do: each nil is as usual.
	tests    []func(d registry.Draft) (*tester.Report, error)
	register []func(d registry.Draft) (*pipeline.Report, error)
	results  map[string]func(args json.RawMessage) tool.Result
	own      map[string]tool.Spec
	pending  bool
	listed   []tool.Spec
	tested   []registry.Draft
}

func newBench(t testing.TB) *bench {
	own := map[string]tool.Spec{}
	for _, name := range []string{"move_head", "gesture", "look_at", "turn_body", "express_emotion", "set_antennas"} {
		own[name] = tool.Spec{Name: name, Moves: true}
	}
	for _, name := range []string{"take_photo", "speak", "detect_objects", "wait", "get_robot_state"} {
		own[name] = tool.Spec{Name: name}
	}
	return &bench{t: t, versions: map[string][]*registry.Version{}, results: map[string]func(json.RawMessage) tool.Result{}, own: own}
}

func (b *bench) Search(_ context.Context, query string, limit int) ([]registry.Found, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []registry.Found
	for _, vs := range b.versions {
		v := vs[len(vs)-1]
		if s := overlap(content(query), content(v.Name+" "+v.Doc.Summary)); s > 0 {
			all = append(all, registry.Found{Hit: registry.Hit{Name: v.Name, Score: s}, Version: v})
		}
	}
	return all[:min(limit, len(all))], nil
}

func (b *bench) Version(name string, number int) (*registry.Version, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	vs := b.versions[name]
	if len(vs) == 0 || number > len(vs) {
		return nil, fmt.Errorf("tool %s: %w", name, registry.ErrNotFound)
	}
	if number == 0 {
		number = len(vs)
	}
	return vs[number-1], nil
}

func (b *bench) Check(_ context.Context, d registry.Draft) (*pipeline.Checked, error) {
	return &pipeline.Checked{Draft: d}, nil
}

func (b *bench) Test(_ context.Context, c *pipeline.Checked) (*pipeline.Tested, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if strings.HasPrefix(string(c.Cases), `[{"name":"probe`) { // inputs that were made up: this sandbox has no answer to them
		return &pipeline.Tested{Checked: c, Report: &tester.Report{OK: true}}, nil
	}
	b.tested = append(b.tested, c.Draft)
	if len(b.tests) > 0 {
		next := b.tests[0]
		b.tests = b.tests[1:]
		r, err := next(c.Draft)
		return &pipeline.Tested{Checked: c, Report: r}, err
	}
	return &pipeline.Tested{Checked: c, Report: &tester.Report{OK: true, Passed: 1, Outcomes: []tester.Outcome{{Name: "one", Passed: true}}}}, nil
}

func (b *bench) Put(ctx context.Context, t *pipeline.Tested) (*pipeline.Report, error) {
	return b.Register(ctx, t.Draft)
}

func (b *bench) Register(_ context.Context, d registry.Draft) (*pipeline.Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.register) > 0 {
		next := b.register[0]
		b.register = b.register[1:]
		if r, err := next(d); r != nil || err != nil {
			return r, err
		}
	}
	if strings.TrimSpace(d.Source) == "" {
		return nil, errors.New("no source")
	}
	v := &registry.Version{
		Name: d.Name, Number: len(b.versions[d.Name]) + 1, Source: d.Source, Cases: d.Cases, Grants: d.Grants, Notes: d.Notes, Licence: d.Licence,
		Provenance: registry.Provenance{
			Author: d.Author, Model: d.Model, Prompt: d.Prompt,
			Parents: d.Parents,
		}, Doc: registry.Doc{Summary: strings.ReplaceAll(d.Name, "_", " ")},
	}
	b.versions[d.Name] = append(b.versions[d.Name], v)
	state := pipeline.StateActive
	if b.pending {
		state = pipeline.StatePending
	}
	return &pipeline.Report{Name: d.Name, Version: v.Number, Active: !b.pending, State: state}, nil
}

func (b *bench) Get(name string) (tool.Spec, bool) {
	if s, ok := b.own[name]; ok {
		return s, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.versions[name]) == 0 {
		return tool.Spec{}, false
	}
	s := tool.Spec{Name: name, Parameters: tool.Schema{Type: tool.TypeObject, Open: true}}
	if b.pending {
		s.Unavailable = "waits for review"
	}
	return s, true
}

func (b *bench) List() []tool.Spec {
	all := slices.Clone(b.listed)
	for _, s := range b.own {
		all = append(all, s)
	}
	return all
}

// call runs a tool: what was scripted, or else what the template's oracle says.
func (b *bench) call(ctx context.Context, name string, raw json.RawMessage) tool.Result {
	b.mu.Lock()
	b.called = append(b.called, name+" "+string(raw))
	scripted := b.results[name]
	b.mu.Unlock()
	if ctx.Err() != nil {
		return tool.Interrupted(ctx)
	}
	if scripted != nil {
		return scripted(raw)
	}
	for _, k := range toolTemplates {
		if k.name != name {
			continue
		}
		value, err := k.oracle(typed(k, raw))
		if err != nil {
			return tool.Errorf(tool.CodeFailed, "%s failed in line 1: ValueError: it cannot be", name)
		}
		text, err := json.Marshal(value)
		if err != nil {
			b.t.Fatal(err)
		}
		return tool.Success("", json.RawMessage(text))
	}
	if strings.HasSuffix(name, "_repeatedly") {
		return tool.Success("", json.RawMessage(`{"rounds":12}`))
	}
	return tool.Success("", json.RawMessage(`{}`))
}

// typed are arguments of JSON with the types of the template's own inputs.
func typed(k *toolTemplate, raw json.RawMessage) args {
	var got map[string]any
	if json.Unmarshal(raw, &got) != nil {
		return nil
	}
	out := args{}
	for name, v := range got {
		out[name] = v
		switch k.inputs[0][name].(type) {
		case int:
			out[name] = int(v.(float64))
		case []float64:
			var l []float64
			for _, x := range v.([]any) {
				l = append(l, x.(float64))
			}
			out[name] = l
		case []string:
			var l []string
			for _, x := range v.([]any) {
				l = append(l, x.(string))
			}
			out[name] = l
		}
	}
	return out
}
