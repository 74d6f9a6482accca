package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// nothing publishes nothing, and makes no tools.
type nothing struct{}

var errNoSandbox = errors.New("there is no sandbox")

func (nothing) Publish(string, api.Payload) {}

func (nothing) Search(context.Context, string, int) ([]registry.Found, error) { return nil, nil }

func (nothing) Version(string, int) (*registry.Version, error) { return nil, registry.ErrNotFound }

func (nothing) Check(context.Context, registry.Draft) (*pipeline.Checked, error) {
	return nil, errNoSandbox
}

func (nothing) Test(context.Context, *pipeline.Checked) (*pipeline.Tested, error) {
	return nil, errNoSandbox
}

func (nothing) Put(context.Context, *pipeline.Tested) (*pipeline.Report, error) {
	return nil, errNoSandbox
}

func (nothing) Register(context.Context, registry.Draft) (*pipeline.Report, error) {
	return nil, errNoSandbox
}

// A turn's text is analysed once, whoever of coordinator, planner, guard, router, memory and coder has to do with it.
func TestATextIsAnalysedOnce(t *testing.T) {
	tools := tool.NewRegistry(nil)
	for _, name := range []string{"move_head", "stop", "speak", "detect_objects"} {
		f := func(context.Context, map[string]any) tool.Result { return tool.Success("done", nil) }
		spec := tool.Spec{Name: name, Description: "does " + name, Parameters: tool.Object(nil)}
		spec.Parameters.Open = true
		if err := tools.Add(tool.Func(spec, f)); err != nil {
			t.Fatal(err)
		}
	}
	for _, model := range []*llmtest.Script{nil, llmtest.New().In(llm.RoleTalk, llmtest.Say("Well."))} {
		p := planner.New()
		co := coder.Options{Maker: nothing{}, Tools: tools, Call: tools.Call, Plan: p.Plan}
		ro := runtime.Options{Tools: tools, Memory: memory.New(nil, nil)}
		if model != nil {
			co.Model, ro.Model = model, model
		}
		ro.Coder = coder.New(co)
		mind := runtime.New(ro)
		defer mind.Close()
		c := coordinator.New(coordinator.Options{Planner: p, Runtime: mind, Tools: tools, Publisher: nothing{}})
		for text, outcome := range map[string]coordinator.Outcome{
			"look left":                      coordinator.OutcomePlan,
			"stop":                           coordinator.OutcomePlan,
			"stop looking around every hour": coordinator.OutcomeAnswered,
			"hit the cat":                    coordinator.OutcomeRefuse,
			"remember that I like ducks":     coordinator.OutcomeAnswered,
			"what do I like":                 "",
			"what is 15 percent of 300":      coordinator.OutcomeFailed,
			"how are you today":              "",
			"write a tool that counts words": "",
			"hi what is the capital of Peru": "",
		} {
			before := language.Analyses()
			r, err := c.Turn(t.Context(), "s", text)
			if err != nil || outcome != "" && r.Trace.Outcome != outcome {
				t.Errorf("%q: %s %q, %v", text, r.Trace.Outcome, r.Text, err)
			}
			if n := language.Analyses() - before; n != 1 {
				t.Errorf("%q (%s: %s) was analysed %d times", text, r.Trace.Outcome, r.Text, n)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
