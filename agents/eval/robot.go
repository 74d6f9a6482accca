package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/rehearsal"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// The whole robot is its planner, its runtime, its small talk and what writes tools, with the model behind them, on a body that is made
// up: what people meet, and what counts.

// robotPatience is how long the whole robot waits for the model: the speed of this machine is no matter here.
const robotPatience = 15 * time.Minute

// Robot measures the benchmark tasks with the whole robot.
func (s *Suite) Robot(ctx context.Context) ([]Item, error) {
	items := make([]Item, 0, len(Scenarios))
	for i := range Scenarios {
		sc := &Scenarios[i]
		item := Item{Kind: KindRobot, Name: sc.Name, Skipped: sc.Later, Passed: sc.Later == ""}
		if sc.Later == "" {
			if err := s.robot(ctx, &item, sc); err != nil {
				return items, err
			}
		}
		items = s.add(items, item)
	}
	return items, nil
}

// robot holds the conversation of one task.
func (s *Suite) robot(ctx context.Context, item *Item, sc *Scenario) (err error) {
	w := &workshop{versions: 3}
	stage := rehearsal.NewStage()
	defer func() { err = errors.Join(err, stage.Close()) }()
	stage.Model, stage.Patience = s.Model, robotPatience
	for _, name := range sc.Sees {
		stage.Conditions.Objects = append(stage.Conditions.Objects, tester.Object{Name: name, Box: [4]float64{280, 200, 80, 80}, Confidence: 0.9})
	}
	specs, err := Specs()
	if err != nil {
		return err
	}
	for _, spec := range append(specs, selfMade...) {
		text, ok := sc.World[spec.Name]
		if spec.Name == countBooks && !ok {
			text, ok = "12 books on 3 shelves", true
		}
		if ok && (len(sc.Sees) == 0 || spec.Name != "detect_objects") {
			stage.Tools = append(stage.Tools, answering{spec, text})
		}
	}
	stage.Coder = func(tools *tool.Registry) runtime.Coder {
		w.tools = tools
		return coder.New(coder.Options{Model: s.Model, Maker: w, Tools: tools, Do: w.do, Policy: coder.Auto, Call: tools.Call, MakeTime: 8 * robotPatience})
	}
	talk := stage.Begin()
	start := time.Now()
	for _, turn := range sc.Turns {
		wanted, err := parseWant(turn.Want)
		if err != nil {
			return fmt.Errorf("task %q: %w", sc.Name, err)
		}
		got, err := talk.Say(ctx, turn.Text)
		if err != nil {
			return err
		}
		var calls []llm.Call
		for _, step := range got.Steps {
			calls = append(calls, llm.Call{Name: step.Tool, Args: step.Args})
			item.Got = oneLine(fmt.Sprintf("%s %s%s", item.Got, step.Tool, step.Args))
		}
		for _, c := range w.take() {
			calls = append(calls, c)
			item.Got = oneLine(fmt.Sprintf("%s %s%s", item.Got, c.Name, c.Args))
		}
		item.Got = oneLine(item.Got + " " + got.Reply)
		v := wanted.judge(calls)
		item.Partly = item.Partly || v.tools
		item.Passed = item.Passed && v.args && says(got.Reply, turn.Says)
	}
	item.Took = time.Since(start)
	return talk.Close(ctx)
}

// answering is a tool with one answer.
type answering struct {
	spec tool.Spec
	text string
}

// Spec implements tool.Tool.
func (a answering) Spec() tool.Spec { return a.spec }

// Call implements tool.Tool.
func (a answering) Call(context.Context, json.RawMessage) tool.Result {
	if why, failed := strings.CutPrefix(a.text, "error: "); failed {
		return tool.Errorf(tool.CodeFailed, "%s", why)
	}
	return tool.Success(a.text, map[string]any{"text": a.text, "photo": a.text})
}

// workshop keeps versions of count_books and notes what is done with tools, in place of the sandbox: how well tools are written is
// measured by themselves.
type workshop struct {
	tools    *tool.Registry
	versions int

	mu    sync.Mutex
	calls []llm.Call
}

func (w *workshop) note(name string, args map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	raw, err := json.Marshal(args)
	w.calls = append(w.calls, llm.Call{Name: name, Args: raw, Err: err})
}

// take returns what was done since it was last asked.
func (w *workshop) take() []llm.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.calls
	w.calls = nil
	return out
}

func (w *workshop) do(_ context.Context, action string, args json.RawMessage) (any, error) {
	a := struct {
		Name    string
		Version int
	}{Version: w.versions - 1}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if action == "rollback" || a.Version < w.versions {
		w.note("rollback_tool", map[string]any{"name": a.Name, "version": a.Version})
		w.versions = a.Version
	}
	return nil, nil
}

const countBooks = "count_books"

// Search implements coder.Maker.
func (w *workshop) Search(_ context.Context, query string, _ int) ([]registry.Found, error) {
	v, err := w.Version(countBooks, 0)
	if err != nil || !strings.Contains(strings.ToLower(query), "book") {
		return nil, err
	}
	return []registry.Found{{Hit: registry.Hit{Name: countBooks, Score: 1}, Version: v}}, nil
}

// Version implements coder.Maker.
func (w *workshop) Version(name string, number int) (*registry.Version, error) {
	if name != countBooks || number > w.versions {
		return nil, fmt.Errorf("tool %s: %w", name, registry.ErrNotFound)
	}
	if number == 0 {
		number = w.versions
	}
	return &registry.Version{
		Name: name, Number: number,
		Source: "def count_books() -> str:\n    \"\"\"Counts the books that are in view.\"\"\"\n    return \"12 books on 3 shelves\"\n",
		Doc:    registry.Doc{Summary: "Counts the books that are in view."}, Schema: json.RawMessage(`{"type":"object","properties":{}}`),
	}, nil
}

// Check implements coder.Maker.
func (w *workshop) Check(_ context.Context, d registry.Draft) (*pipeline.Checked, error) {
	return &pipeline.Checked{Draft: d}, nil
}

// Test implements coder.Maker.
func (w *workshop) Test(_ context.Context, c *pipeline.Checked) (*pipeline.Tested, error) {
	return &pipeline.Tested{Checked: c, Report: &tester.Report{OK: true, Passed: 1, Outcomes: []tester.Outcome{{Name: "one", Passed: true}}}}, nil
}

// Put implements coder.Maker.
func (w *workshop) Put(ctx context.Context, t *pipeline.Tested) (*pipeline.Report, error) {
	return w.Register(ctx, t.Draft)
}

// Register implements coder.Maker.
func (w *workshop) Register(_ context.Context, d registry.Draft) (*pipeline.Report, error) {
	if slices.ContainsFunc(d.Parents, func(u registry.Use) bool { return u.Name == countBooks }) {
		w.note("mend_tool", map[string]any{"name": countBooks})
		return &pipeline.Report{Name: d.Name, Version: w.versions + 1, Active: true, State: pipeline.StateActive}, nil
	}
	w.note("write_tool", map[string]any{"what": d.Prompt})
	return &pipeline.Report{Name: d.Name, Version: 1, Active: true, State: pipeline.StateActive}, nil
}

var _ coder.Maker = (*workshop)(nil)
