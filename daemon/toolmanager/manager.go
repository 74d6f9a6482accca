// Package toolmanager makes tools of the robot out of what people write: it checks, tests and keeps them by way of
// toolsandbox/pipeline, and puts the active ones beside the robot's own.
//
// Nothing is started and no file is opened before the first use, and the workers that run Python are given back when
// nobody needs them, so that a robot without self-made tools pays nothing for them.
package toolmanager

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/fake"
	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang/all"
	"github.com/reachyd/reachyd/toolsandbox/modules"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Body is what moves. *body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// Camera is the robot's eye.
type Camera interface {
	// Frame returns the newest picture.
	Frame(ctx context.Context) (image.Image, error)
}

// Options are what a Manager is made of. Store, Dir, RunDir and Tools must be there.
type Options struct {
	Store  registry.Store // where the tools are kept
	Dir    string         // for their modules
	RunDir string         // for the sockets of the workers
	// Tools are the robot's tools when Open is called. Self-made ones are added to them, call them, and cannot have
	// their names.
	Tools *tool.Registry
	// Call calls a tool in its turn, as every gateway does, and Act runs something that acts on the robot in its turn:
	// those of the coordinator. nil: at once.
	Call func(ctx context.Context, name string, args json.RawMessage) tool.Result
	Act  func(ctx context.Context, fn func(ctx context.Context) tool.Result) tool.Result
	// Body moves what a tool moves without the robot's own tools, as reachy_mini does, and State is how the robot is; both
	// may be nil. Camera gives pictures; nil: there is none.
	Body   Body
	State  func() hal.State
	Camera Camera
	// AllowedHosts are where tools may go on the web, as host.WebConfig.Allow says; none: nowhere.
	AllowedHosts []string
	// Review makes every new version wait until somebody approves it. FirstSlow lets a version move at a third of the
	// speed until it has run well once; for that Body, and that of the robot's own tools, must be a SpeedLimited one.
	Review    bool
	FirstSlow bool
	// Publish tells of every version that was registered, refused or reviewed; may be nil.
	Publish func(trace string, data api.Payload)
	// Changed is told the names of the active tools without required arguments, whenever they may have changed; may
	// be nil.
	Changed func(names []string)
	// Failed is told what went wrong where nobody waits for an answer; may be nil.
	Failed func(error)
	// Python is where the interpreter is; the zero value is where `make python` puts it.
	Python guest.ImageConfig
	// Command starts a worker; empty is this program with guest.WorkerArg. Reader starts a reader of files; empty is this
	// program with ReaderArg.
	Command []string
	Reader  []string
	// Idle is how long after the last call the workers are given back. 0: a minute.
	Idle time.Duration

	sandbox sandbox // of tests that share one; nil: one of its own
}

// Manager is the set of self-made tools. Its methods may be called by many goroutines.
type Manager struct {
	o        Options
	sandbox  sandbox
	pipeline *pipeline.Pipeline
	web      *host.Web // nil when no host is allowed
	reserved []string  // names of the robot's own tools
	running  running
	modules  *modules.Store
	putting  chan struct{} // of one place: held while modules are kept for tools that are not yet

	library *registry.Library

	mu sync.Mutex // held while the set of tools that are offered changes

	tidying sync.WaitGroup // removes from the cache what nobody uses
}

// Open puts the tools that were kept into Options.Tools.
func Open(o Options) (*Manager, error) {
	o.Idle = max(o.Idle, 0)
	o.Idle = cmp.Or(o.Idle, time.Minute)
	if o.Publish == nil {
		o.Publish = func(string, api.Payload) {}
	}
	if o.Changed == nil {
		o.Changed = func([]string) {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	if o.Call == nil {
		o.Call = o.Tools.Call
	}
	if o.Act == nil {
		o.Act = func(ctx context.Context, fn func(context.Context) tool.Result) tool.Result { return fn(ctx) }
	}
	t := &Manager{o: o, reserved: catalog.ToolNames()}
	for _, s := range o.Tools.List() {
		if !slices.Contains(t.reserved, s.Name) {
			t.reserved = append(t.reserved, s.Name)
		}
	}
	if len(o.AllowedHosts) > 0 {
		web, err := host.NewWeb(host.WebConfig{Allow: o.AllowedHosts})
		if err != nil {
			return nil, fmt.Errorf("tools.allowed_hosts: %w", err)
		}
		t.web = web
	}
	if t.sandbox = o.sandbox; t.sandbox == nil {
		t.sandbox = newSandbox(o)
		t.tidying.Go(o.Python.Tidy)
	}
	t.library = registry.NewLibrary(registry.Settings{Store: o.Store, Reserved: t.reserved, Review: o.Review})
	t.modules, t.putting = modules.New(filepath.Join(o.Dir, "modules")), make(chan struct{}, 1)
	t.pipeline = pipeline.New(pipeline.Options{
		Languages: all.Languages(t.sandbox, t.modules),
		Library:   t.library, Schemas: schemas{}, Own: t.reserved, Robot: fake.NewRobot, Reader: t.reader(), Limits: limits,
	})
	o.Tools.Observe(stops{t})
	registered := false
	if err := o.Store.Scan("", func(string, []byte) bool { registered = true; return false }); err != nil || !registered {
		return t, err
	}
	r, err := t.library.Open()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range r.List() {
		if err := t.offer(r, h.Name); err != nil {
			o.Failed(fmt.Errorf("self-made tool %s: %w", h.Name, err)) // the others work
		}
	}
	t.changed(r)
	return t, nil
}

// Close ends all calls and workers and closes the files.
func (t *Manager) Close() error {
	t.Interrupt(errClosing)
	t.tidying.Wait()
	err := t.sandbox.Close()
	if t.web != nil {
		t.web.Close()
	}
	return errors.Join(err, t.library.Close())
}

// sandbox is what runs tools. *guest.Sandbox is one.
type sandbox interface {
	Call(ctx context.Context, req *guest.Request) (guest.Result, error)
	Close() error
}

// newSandbox returns one that starts nothing before its first call, so that a robot without self-made tools pays nothing.
func newSandbox(o Options) *guest.Sandbox {
	return guest.New(guest.Config{
		Image: o.Python, Modules: hostrobot.Modules, Command: o.Command, RunDir: o.RunDir, Idle: o.Idle,
		Extra: extraWorkers, Patience: time.Second, Refuse: refuseAfter,
	})
}

// Tools that wait, for the robot or for nothing, keep the others from running for a second; extraWorkers more may run then (20 to
// 40 MB each), and who finds them all taken for refuseAfter is told by whom.
const (
	extraWorkers = 6
	refuseAfter  = 10 * time.Second
)

// unattendedTime is what a call may take that nobody waits for.
const unattendedTime = 2 * time.Minute

// limits are those of a call of a self-made tool. It may wait for the robot for long, but not work for long.
var limits = guest.Limits{Wall: 5 * time.Minute, Calls: 5000, CallsPerSecond: 1000}
