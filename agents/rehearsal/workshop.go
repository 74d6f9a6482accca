package rehearsal

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/fake"
	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/all"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// workshop makes the tools of all conversations of a stage, in the sandbox of the daemon; nothing of it outlives the stage, and
// nothing is started before the first tool is wanted.
type workshop struct {
	box     *guest.Sandbox
	library *registry.Library
	*pipeline.Pipeline
}

func newWorkshop() *workshop {
	w := &workshop{box: guest.New(guest.Config{Modules: hostrobot.Modules})}
	w.library = registry.NewLibrary(registry.Settings{Store: registry.NewMemory(), Reserved: catalog.ToolNames()})
	w.Pipeline = pipeline.New(pipeline.Options{
		Languages: all.Languages(w.box, nil), Library: w.library, Schemas: anySchema{}, Own: catalog.ToolNames(), Robot: fake.NewRobot,
	})
	return w
}

func (w *workshop) close() error { return errors.Join(w.box.Close(), w.library.Close()) }

// bench is the workshop as one conversation uses it: what is made there is offered to the robot of the conversation.
type bench struct {
	*workshop
	robot *fake.Robot
}

// bench offers the tools that are there already.
func (w *workshop) bench(robot *fake.Robot) (bench, error) {
	b := bench{w, robot}
	kept := w.library.Opened()
	if kept == nil {
		return b, nil
	}
	for _, h := range kept.List() {
		if err := b.offer(h.Name); err != nil {
			return b, err
		}
	}
	return b, nil
}

// Register implements coder.Maker.
func (b bench) Register(ctx context.Context, d registry.Draft) (*pipeline.Report, error) {
	return b.offered(b.Pipeline.Register(ctx, d))
}

// Put implements coder.Maker.
func (b bench) Put(ctx context.Context, t *pipeline.Tested) (*pipeline.Report, error) {
	return b.offered(b.Pipeline.Put(ctx, t))
}

func (b bench) offered(r *pipeline.Report, err error) (*pipeline.Report, error) {
	if err == nil {
		err = b.offer(r.Name)
	}
	return r, err
}

// offer puts a tool beside the robot's own.
func (b bench) offer(name string) error {
	v, err := b.Version(name, 0)
	if err != nil {
		return err
	}
	return b.robot.Tools().Replace(made{b, v})
}

// made is a self-made tool as a tool of the robot.
type made struct {
	bench   bench
	version *registry.Version
}

// Spec implements tool.Tool. What its arguments may be, the sandbox checks.
func (m made) Spec() tool.Spec {
	s := tool.Spec{Name: m.version.Name, Description: m.version.Doc.Summary, Parameters: tool.Schema{Type: tool.TypeObject, Open: true}}
	for _, g := range m.version.Grants {
		own, ok := m.bench.robot.Tools().Get(g)
		s.Moves = s.Moves || g == host.CapMove || ok && own.Moves
	}
	return s
}

// Call implements tool.Tool.
func (m made) Call(ctx context.Context, args json.RawMessage) tool.Result {
	set := host.New(host.Config{Robot: m.bench.robot, Camera: m.bench.robot})
	res, err := m.bench.Run(ctx, m.version, pipeline.Run{Args: args, Host: set.Call})
	switch {
	case ctx.Err() != nil:
		return tool.Interrupted(ctx)
	case err != nil:
		return tool.Errorf(tool.CodeFailed, "%s: %v", m.version.Name, err)
	case res.Reason != guest.ReasonOK:
		return tool.Errorf(tool.CodeFailed, "%s", lang.Failure(m.version.Name, res))
	}
	return tool.Success(verbalize.Result(res.Value), res.Value)
}

// anySchema takes every schema: that of the daemon needs more of the machine than a rehearsal does.
type anySchema struct{}

func (anySchema) Verify(json.RawMessage) error                               { return nil }
func (anySchema) Arguments(_, args json.RawMessage) (json.RawMessage, error) { return args, nil }
func (anySchema) Result(json.RawMessage, json.RawMessage) error              { return nil }

var (
	_ coder.Maker = bench{}
	_ tool.Tool   = made{}
)
