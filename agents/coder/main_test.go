package coder

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/reachyd/reachyd/agents/fake"
	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/all"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// shared is the one sandbox of all tests.
var shared = &guesttest.Sandbox{Config: func() (guest.Config, error) {
	modules, _, err := hostrobot.Modules()
	return guest.Config{Workers: 2, Image: guest.ImageConfig{Modules: modules}}, err
}}

func TestMain(m *testing.M) { guesttest.Main(m, shared) }

// workshop is a real pipeline over a real registry, with a robot that is not there; its tools are called as tools.
type workshop struct {
	t     testing.TB
	kept  *registry.Registry
	robot *fake.Robot
	*pipeline.Pipeline
}

func newWorkshop(t testing.TB, review bool) *workshop {
	t.Helper()
	w := &workshop{t: t, robot: fake.New(tester.Conditions{Objects: []tester.Object{{Name: "apple", Confidence: 0.9}}})}
	w.open(registry.Settings{Reserved: catalog.ToolNames(), Review: review}, shared.Open(t))
	return w
}

func (w *workshop) open(set registry.Settings, box lang.Sandbox) {
	w.t.Helper()
	set.Store = registry.NewMemory()
	library := registry.NewLibrary(set)
	w.Pipeline = pipeline.New(pipeline.Options{
		Languages: all.Languages(box, nil), Library: library, Schemas: anySchema{}, Own: set.Reserved,
		Robot: fake.NewRobot,
	})
	kept, err := library.Open()
	if err != nil {
		w.t.Fatal(err)
	}
	w.kept = kept
	w.t.Cleanup(func() { _ = library.Close() })
}

// Get implements Tools.
func (w *workshop) Get(name string) (tool.Spec, bool) {
	for _, own := range catalog.ToolNames() {
		if own == name {
			return tool.Spec{Name: name, Moves: name == "move_head" || name == "gesture" || name == "look_at"}, true
		}
	}
	h, err := w.kept.Head(name)
	if err != nil {
		return tool.Spec{}, false
	}
	s := tool.Spec{Name: name, Parameters: tool.Schema{Type: tool.TypeObject, Open: true}}
	if h.Active == 0 {
		s.Unavailable = "waits for review"
	}
	return s, true
}

// List implements Tools.
func (w *workshop) List() []tool.Spec {
	var all []tool.Spec
	for _, h := range w.kept.List() {
		all = append(all, tool.Spec{Name: h.Name})
	}
	return all
}

// call calls a tool as the daemon would.
func (w *workshop) call(ctx context.Context, name string, args json.RawMessage) tool.Result {
	v, err := w.kept.Active(name)
	if err != nil {
		return tool.Errorf(tool.CodeUnknownTool, "%v", err)
	}
	set := host.New(host.Config{Robot: w.robot, Camera: w.robot})
	res, err := w.Run(ctx, v, pipeline.Run{Args: args, Host: set.Call})
	switch {
	case err != nil:
		return tool.Errorf(tool.CodeFailed, "%v", err)
	case res.Reason != guest.ReasonOK:
		return tool.Errorf(tool.CodeFailed, "%s", lang.Failure(name, res))
	}
	return tool.Success(name+" returned "+string(res.Value), res.Value)
}

// anySchema takes every schema: that of the daemon is tested there.
type anySchema struct{}

func (anySchema) Verify(json.RawMessage) error                               { return nil }
func (anySchema) Arguments(_, args json.RawMessage) (json.RawMessage, error) { return args, nil }
func (anySchema) Result(json.RawMessage, json.RawMessage) error              { return nil }

var _ runtime.Coder = (*Coder)(nil)
