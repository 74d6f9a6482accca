// Package toolbox makes tools of the robot out of Python that people write: it checks, tests and keeps them, and puts
// the active ones beside the robot's own.
//
// Nothing is started and no file is opened before the first use, and the workers that run Python are given back when
// nobody needs them, so that a robot without self-made tools pays nothing for them.
package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pylib"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/registry/badgerstore"
	"github.com/reachyd/reachyd/toolsandbox/tester"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// Options are what a Toolbox is made of. Dir, RunDir and Tools must be there.
type Options struct {
	Dir    string // where the tools are kept
	RunDir string // for the sockets of the workers
	// Tools are the robot's tools when Open is called. Self-made ones are added to them, call them, and cannot have
	// their names.
	Tools *tool.Registry
	// Body moves what a tool moves without the robot's own tools, as reachy_mini does, and State is how the robot is; both
	// may be nil.
	Body  Body
	State func() hal.State
	// Publish tells of every version that was registered; may be nil.
	Publish func(typ, trace string, data map[string]any)
	// Changed is told the names of the active tools without required arguments, whenever they may have changed; may
	// be nil.
	Changed func(names []string)
	// Failed is told what went wrong where nobody waits for an answer; may be nil.
	Failed func(error)
	// Python is where the interpreter is; the zero value is where `make python` puts it.
	Python guest.ImageConfig
	// Command starts a worker; empty is this program with guest.WorkerArg.
	Command []string
	// Idle is how long after the last call the workers are given back. 0: a minute.
	Idle time.Duration
}

// Toolbox is the set of self-made tools. Its methods may be called by many goroutines.
type Toolbox struct {
	o        Options
	sandbox  *sandbox
	reserved []string // names of the robot's own tools

	mu     sync.Mutex // held while the set of tools changes
	store  *badgerstore.Store
	tools  *registry.Registry // nil until there is a first tool
	closed bool
}

// typeRegistered is the type of the event of Options.Publish.
const typeRegistered = "tool_registered"

// Open puts the tools that were kept into Options.Tools.
func Open(o Options) (*Toolbox, error) {
	if o.Idle <= 0 {
		o.Idle = time.Minute
	}
	if o.Publish == nil {
		o.Publish = func(string, string, map[string]any) {}
	}
	if o.Changed == nil {
		o.Changed = func([]string) {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	t := &Toolbox{o: o}
	for _, s := range o.Tools.List() {
		t.reserved = append(t.reserved, s.Name)
	}
	t.sandbox = newSandbox(o.Idle, t.openSandbox)
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return t, nil // no tool was ever registered
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.registry(); err != nil {
		return nil, err
	}
	for _, h := range t.tools.List() {
		if err := t.offer(h.Name); err != nil {
			o.Failed(fmt.Errorf("self-made tool %s: %w", h.Name, err)) // the others work
		}
	}
	t.changed()
	return t, nil
}

// Close ends all calls and workers and closes the files.
func (t *Toolbox) Close() error {
	err := t.sandbox.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.tools == nil {
		return err
	}
	err = errors.Join(err, t.tools.Close(), t.store.Close())
	t.tools, t.store = nil, nil
	return err
}

func (t *Toolbox) openSandbox(ctx context.Context) (*guest.Sandbox, error) {
	modules, err := pylib.Modules()
	if err != nil {
		return nil, err
	}
	modules[validate.ModuleName], modules[tester.ModuleName] = validate.Module, tester.Module
	image := t.o.Python
	image.Modules = modules
	return guest.Open(ctx, guest.Config{Image: image, Command: t.o.Command, RunDir: t.o.RunDir, Idle: t.o.Idle})
}

// registry opens the registry if need be. The caller holds mu.
func (t *Toolbox) registry() (*registry.Registry, error) {
	if t.tools != nil || t.closed {
		if t.closed {
			return nil, registry.ErrClosed
		}
		return t.tools, nil
	}
	store, err := badgerstore.Open(t.o.Dir)
	if err != nil {
		return nil, fmt.Errorf("self-made tools: %w", err)
	}
	r, err := registry.Open(registry.Settings{Store: store, Validator: checker{t}, Tester: checker{t}, Reserved: t.reserved})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("self-made tools: %w", err), store.Close())
	}
	t.store, t.tools = store, r
	return r, nil
}

// kept is the registry, or nil when no tool was ever registered.
func (t *Toolbox) kept() *registry.Registry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tools
}

// offer puts the active version of a tool beside the robot's own tools, or takes it away when none is active. The
// caller holds mu.
func (t *Toolbox) offer(name string) error {
	if slices.Contains(t.reserved, name) { // of a later reachyd, which has a tool of that name itself
		return errors.New("the robot has a tool of that name")
	}
	v, err := t.tools.Active(name)
	if errors.Is(err, registry.ErrNotFound) {
		t.o.Tools.Remove(name)
		return nil
	}
	if err != nil {
		return err
	}
	made, err := t.make(v)
	if err != nil {
		return err
	}
	return t.o.Tools.Replace(made)
}

// changed tells which tools can be called by their names alone. The caller holds mu.
func (t *Toolbox) changed() {
	var names []string
	for _, h := range t.tools.List() {
		if s, ok := t.o.Tools.Get(h.Name); ok && h.Active > 0 && len(s.Parameters.Required) == 0 {
			names = append(names, h.Name)
		}
	}
	t.o.Changed(names)
}

// change runs a change of the registry and then offers what it names.
func (t *Toolbox) change(fn func(r *registry.Registry) (names []string, err error)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, err := t.registry()
	if err != nil {
		return err
	}
	names, err := fn(r)
	for _, name := range names {
		err = errors.Join(err, t.offer(name))
	}
	t.changed()
	return err
}

// announce tells of a version that was registered.
func (t *Toolbox) announce(ctx context.Context, v *registry.Version, active bool) {
	t.o.Publish(typeRegistered, tool.Trace(ctx), map[string]any{
		"name": v.Name, "version": v.Number, "digest": v.Digest, "active": active, "score": v.Score.Total, "author": v.Provenance.Author,
	})
}

// robotCalls are the names of the host calls that a source may make: the robot's own tools and those self-made ones
// that are active.
func (t *Toolbox) robotCalls() []string {
	names := append(tester.RobotCalls(), "frame", "detections", "state") // shorthands of the library
	for _, s := range t.o.Tools.List() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// version returns a version of a tool; number 0 is the active or else the latest one.
func (t *Toolbox) version(name string, number int) (*registry.Version, error) {
	r := t.kept()
	if r == nil {
		return nil, fmt.Errorf("tool %s: %w", name, registry.ErrNotFound)
	}
	return r.Version(name, number)
}

// python is a request for a function of a source.
func python(source, function string, args json.RawMessage, grants []string, host guest.HostFunc) *guest.Request {
	return &guest.Request{Source: source, Function: function, Args: args, Grants: grants, Host: host, Limits: limits}
}

// limits are those of a call of a self-made tool. It may wait for the robot for long, but not work for long.
var limits = guest.Limits{Wall: 5 * time.Minute, Calls: 5000, CallsPerSecond: 1000}
