package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
)

// ErrExists is wrapped by the error of Add when there is a tool of that name.
var ErrExists = errors.New("a tool of this name exists")

// Registry holds the tools by name and is the only way to call one. All its methods may be called by many goroutines
// at once.
//
// Tools that move the robot run one at a time, as its Arbiter decides: who comes second waits in line until the first is
// done. The tools that such a tool calls in turn (repeat calls its steps) belong to it and do not wait behind it. Tools
// that do not move the robot, stop among them, never wait.
type Registry struct {
	now       func() time.Time
	mu        sync.RWMutex
	tools     map[string]entry
	listed    []Spec // what List returns; nil until it is asked for
	observers []Observer
	moves     *arbiter.Arbiter
	calls     atomic.Uint64
}

type entry struct {
	tool Tool
	spec Spec
}

// Observer is told about every call of every tool, by whoever makes it. Its methods run in the caller's goroutine
// and must not take long.
type Observer interface {
	// Before is told that a call was asked for; it may still wait for its turn, or be refused.
	Before(Call)
	// After is told how it went.
	After(Call, Result)
}

// Call is one call of a tool, for an Observer.
type Call struct {
	ID       uint64 // counts the calls of this Registry from 1
	Trace    string // of the turn or command that this call belongs to; see WithTrace
	Tool     string
	Args     json.RawMessage // Before: as asked; After: with defaults, if they were valid
	Values   map[string]any  // Before: as asked, where they are values and not JSON; not to be changed
	Depth    int             // 0, or how many tools stand between the caller and this one
	Start    time.Time
	Duration time.Duration // After: waiting and working
}

// NewRegistry returns an empty registry that reads the time of calls from now, or the system's clock when now is nil.
func NewRegistry(now func() time.Time) *Registry {
	if now == nil {
		now = time.Now
	}
	return &Registry{now: now, tools: map[string]entry{}, moves: arbiter.New(now)}
}

// Arbiter returns who decides which tool may move the robot.
func (r *Registry) Arbiter() *arbiter.Arbiter { return r.moves }

var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Add adds a tool. The error wraps ErrExists when the name is taken, else says what is wrong with the tool's Spec.
func (r *Registry) Add(t Tool) error { return r.put(t, false) }

// Replace adds a tool or puts it in the place of the one with its name. Calls under way end with the old one.
func (r *Registry) Replace(t Tool) error { return r.put(t, true) }

func (r *Registry) put(t Tool, replace bool) error {
	spec := t.Spec()
	if !toolName.MatchString(spec.Name) {
		return fmt.Errorf("tool name %q must match %s", spec.Name, toolName)
	}
	if err := spec.Parameters.Verify(); err != nil {
		return fmt.Errorf("tool %s: %w", spec.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.tools[spec.Name]; taken && !replace {
		return fmt.Errorf("add tool %s: %w", spec.Name, ErrExists)
	}
	r.tools[spec.Name], r.listed = entry{t, spec}, nil
	return nil
}

// Remove takes a tool out and reports whether it was there. Calls under way go on.
func (r *Registry) Remove(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.tools[name]
	delete(r.tools, name)
	r.listed = nil
	return known
}

// Get returns a tool's description and whether there is one of that name.
func (r *Registry) Get(name string) (Spec, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, known := r.tools[name]
	return e.spec, known
}

// List returns the descriptions of all tools, sorted by name. It is the same slice, which is not to be changed, until a tool is added,
// replaced or removed.
func (r *Registry) List() []Spec {
	r.mu.RLock()
	specs := r.listed
	r.mu.RUnlock()
	if specs != nil {
		return specs
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	specs = make([]Spec, 0, len(r.tools))
	for _, e := range r.tools {
		specs = append(specs, e.spec)
	}
	slices.SortFunc(specs, func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	r.listed = slices.Clip(specs)
	return r.listed
}

// Observe lets o be told about every call from now on.
func (r *Registry) Observe(o Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observers = append(slices.Clip(r.observers), o)
}

// Call checks the arguments, waits until the robot is free if the tool moves it, and runs the tool. Whatever goes
// wrong, a panic of the tool included, is told in the Result.
func (r *Registry) Call(ctx context.Context, name string, args json.RawMessage) Result {
	return r.call(ctx, Call{Tool: name, Args: args}, func() (map[string]any, error) { return Decode(args) })
}

// CallValues is Call with arguments that are values already: they never become JSON on their way to the tool. They must
// not be changed afterwards.
func (r *Registry) CallValues(ctx context.Context, name string, args map[string]any) Result {
	values, err := Plain(args)
	c := Call{Tool: name}
	if err == nil && len(args) > 0 {
		c.Values = args
	}
	return r.call(ctx, c, func() (map[string]any, error) { return values, err })
}

func (r *Registry) call(ctx context.Context, c Call, decoded func() (map[string]any, error)) Result {
	r.mu.RLock()
	e, known := r.tools[c.Tool]
	observers := r.observers
	r.mu.RUnlock()

	within := scopeOf(ctx)
	c.ID, c.Trace, c.Depth, c.Start = r.calls.Add(1), within.trace, within.depth, r.now()
	for _, o := range observers {
		o.Before(c)
	}
	ctx, span := trace.Start(ctx, trace.Tool, c.Tool, "")
	var res Result
	var args map[string]any
	if known {
		args, res = r.run(ctx, within, e, decoded)
	} else {
		res = r.unknown(c.Tool)
	}
	c.Duration = r.now().Sub(c.Start)
	if raw, err := json.Marshal(args); args != nil && err == nil {
		c.Args = raw
	}
	span.Detail(res.Message)
	if len(c.Args) > 0 && string(c.Args) != "{}" {
		span.Set("args", string(c.Args))
	}
	if res.OK() {
		span.End(nil)
	} else {
		span.End(errors.New(res.Code))
	}
	for _, o := range observers {
		o.After(c, res)
	}
	return res
}

// run returns the arguments with their defaults, if they were valid, and the result.
func (r *Registry) run(ctx context.Context, within scope, e entry, decoded func() (map[string]any, error)) (map[string]any, Result) {
	if e.spec.Unavailable != "" {
		return nil, Errorf(CodeUnavailable, "%s is not available: %s.", e.spec.Name, e.spec.Unavailable)
	}
	args, err := decoded()
	if err == nil {
		args, err = e.spec.Parameters.CheckValues(args)
	}
	if err != nil {
		res := Errorf(CodeInvalid, "%s: %v", e.spec.Name, err)
		res.Wrong = err
		return nil, res
	}
	if ctx.Err() != nil {
		return args, Interrupted(ctx)
	}
	within.depth++
	if e.spec.Moves {
		inner, leave, ok := r.moves.Enter(ctx)
		if !ok {
			return args, Interrupted(ctx)
		}
		defer leave()
		ctx = inner
	}
	return args, guarded(context.WithValue(ctx, scopeKey{}, within), e, args)
}

// guarded runs the tool and turns its panic into a result: a broken tool must not take the robot's mind down.
func guarded(ctx context.Context, e entry, args map[string]any) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res = Errorf(CodePanic, "%s is broken: %v", e.spec.Name, p)
			res.Data = map[string]any{"stack": string(debug.Stack())}
		}
	}()
	if v, ok := e.tool.(ValueTool); ok {
		res = v.CallValues(ctx, args)
	} else {
		raw, err := json.Marshal(args)
		if err != nil { // cannot happen: they came from JSON, and defaults were verified
			return Errorf(CodeInvalid, "%s: %v", e.spec.Name, err)
		}
		res = e.tool.Call(ctx, raw)
	}
	if res.Status == "" {
		return Errorf(CodePanic, "%s is broken: it returned no result", e.spec.Name)
	}
	return res
}

func (r *Registry) unknown(name string) Result {
	near := r.nearest(name)
	if len(near) == 0 {
		return Errorf(CodeUnknownTool, "There is no tool %s.", show(name))
	}
	return Errorf(CodeUnknownTool, "There is no tool %s; did you mean %s?", show(name), strings.Join(near, " or "))
}

// nearest returns up to three names that name may be a slip of.
func (r *Registry) nearest(name string) []string {
	type candidate struct {
		name string
		far  int
	}
	if len(name) > 64 {
		return nil
	}
	name = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(name))
	var all []candidate
	for _, s := range r.List() {
		near := 1 + len(s.Name)/4
		far := levenshtein.Distance(name, s.Name, near)
		if len(name) >= 3 && (strings.Contains(s.Name, name) || strings.Contains(name, s.Name)) {
			far = min(far, 1)
		}
		if far <= near {
			all = append(all, candidate{s.Name, far})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, c := range all[:min(3, len(all))] {
		names = append(names, c.name)
	}
	return names
}

// scope is what a call inherits from the calls around it.
type scope struct {
	trace string
	depth int
}

type scopeKey struct{}

func scopeOf(ctx context.Context) scope {
	s, _ := ctx.Value(scopeKey{}).(scope)
	return s
}

// WithTrace returns a context whose tool calls belong to the trace.
func WithTrace(ctx context.Context, trace string) context.Context {
	s := scopeOf(ctx)
	s.trace = trace
	return context.WithValue(ctx, scopeKey{}, s)
}

// Trace returns the trace that ctx belongs to; empty when there is none.
func Trace(ctx context.Context) string { return scopeOf(ctx).trace }
