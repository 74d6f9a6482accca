package eval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
)

var shared = guesttest.With(func() map[string]string { return python.Modules(hostrobot.Functions()...) })

func TestMain(m *testing.M) { guesttest.Main(m, shared) }

// The suite is as large as it says, and every expectation names tools and arguments that exist.
func TestSuiteIsSound(t *testing.T) {
	nothing := 0
	specs, err := Specs()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]tool.Schema{}
	for _, s := range append(specs, selfMade...) {
		known[s.Name] = s.Parameters
	}
	sound := func(text, wanted string) {
		t.Helper()
		w, err := parseWant(wanted)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if len(w) == 0 {
			nothing++
		}
		for _, way := range w {
			for _, c := range way {
				schema, ok := known[c.tool]
				if !ok {
					t.Errorf("%s: there is no tool %s", text, c.tool)
				}
				for _, r := range c.rules {
					p, ok := schema.Properties[r.name]
					if !ok {
						t.Errorf("%s: %s has no argument %s", text, c.tool, r.name)
					}
					if p.Enum != nil && r.op == "=" {
						alone := tool.Object(map[string]tool.Schema{r.name: p}, r.name)
						if _, err := alone.Check(json.RawMessage(`{"` + r.name + `":"` + r.value + `"}`)); err != nil {
							t.Errorf("%s: %s: %v", text, c.tool, err)
						}
					}
				}
			}
		}
	}
	for _, r := range slices.Concat(Requests, HeldOut(), Unseen()) {
		sound(r.Text, r.Want)
	}
	if len(Requests) < 60 || nothing < 15 {
		t.Errorf("%d requests, %d without a tool", len(Requests), nothing)
	}
	for _, s := range Scenarios {
		for _, turn := range s.Turns {
			sound(s.Name, turn.Want)
		}
		if (s.Later == "") != (len(s.Turns) > 0) {
			t.Errorf("%s: %d turns, later %q", s.Name, len(s.Turns), s.Later)
		}
	}
	if tasks := allTasks(t); len(Scenarios) != 15 || len(tasks) < 50 {
		t.Errorf("%d scenarios, %d tasks", len(Scenarios), len(tasks))
	}
}

func allTasks(t *testing.T) []Task {
	t.Helper()
	tasks, err := Tasks()
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// author writes the tasks' own solutions, of which some are spoilt.
func author(t *testing.T, spoilt ...string) *llmtest.Script {
	s := llmtest.New()
	for _, task := range allTasks(t) {
		say := "Here it is:\n```python\n" + task.solution() + "```\nHave fun."
		for _, name := range spoilt {
			if name == task.Name {
				say = "```python\ndef " + task.Name + task.Signature + ":\n    return None\n```"
			}
		}
		s.In(llm.RoleCode, llmtest.Say(say))
	}
	return s
}

// Every task can be done, and its tests notice when it was not.
func TestTasksCanBePassedAndFailed(t *testing.T) {
	suite := Suite{Model: author(t, "reverse_text", "nod_times"), Sandbox: shared.Open(t)}
	items, err := suite.Tasks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		spoilt := i.Name == "reverse_text" || i.Name == "nod_times"
		if i.Passed == spoilt || (spoilt && !strings.Contains(i.Got, "of 3 tests") && !strings.Contains(i.Got, "of 3")) {
			t.Errorf("%s: passed %v: %s", i.Name, i.Passed, i.Got)
		}
	}
}

// obedient calls what a request wants, from its expectation.
func obedient(t *testing.T) llm.Model {
	wanted := map[string]string{}
	for _, r := range Requests {
		wanted[r.Text] = r.Want
	}
	for _, s := range Scenarios {
		for _, turn := range s.Turns {
			wanted[turn.Text] = turn.Want
		}
	}
	said := strings.Builder{}
	for _, s := range Scenarios {
		for _, turn := range s.Turns {
			said.WriteString(strings.Join(turn.Says, " ") + " ")
		}
	}
	s := llmtest.New()
	for range 1000 {
		s.In(llm.RoleCall, llmtest.Step{Do: func(r llm.Request) llmtest.Step {
			last, done := "", 0
			for _, m := range r.Messages {
				switch m.Who {
				case llm.User:
					last, done = m.Text, 0
				case llm.Tool:
					done++
				}
			}
			w, err := parseWant(wanted[last])
			if err != nil {
				t.Error(err)
			}
			if len(w) == 0 || done >= len(w[0]) {
				return llmtest.Say(said.String())
			}
			c := w[0][done]
			args := map[string]any{"yaw": 0, "x": 0, "y": 0, "z": 0, "target": "x", "photo": "p", "prompt": "x", "query": "x", "what": "x", "name": "x", "text": "x"}
			schema := tool.Schema{}
			for _, spec := range r.Tools {
				if spec.Name == c.tool {
					schema = spec.Parameters
				}
			}
			for name := range args {
				if _, has := schema.Properties[name]; !has || c.tool == "look_at" {
					delete(args, name)
				}
			}
			for _, rule := range c.rules {
				var v any = rule.value
				if json.Unmarshal([]byte(rule.value), &v) == nil {
					if n, number := v.(float64); number && rule.op != "=" {
						v = map[string]float64{"<": n - 1, ">": n + 1}[rule.op]
					}
				}
				args[rule.name] = v
			}
			raw, _ := json.Marshal(args)
			return llmtest.Use(c.tool, string(raw))
		}})
	}
	return s
}

func TestObedientAndSilentModels(t *testing.T) {
	for name, x := range map[string]struct {
		model           llm.Model
		tools, nothings bool
	}{
		"obedient": {obedient(t), true, true},
		"silent":   {silent{}, false, true},
	} {
		suite := Suite{Model: x.model}
		items, err := suite.Requests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			want := x.tools
			if i.Kind == KindNothing {
				want = x.nothings
			}
			if i.Passed != want {
				t.Errorf("%s: %s %q: passed %v: %s", name, i.Kind, i.Name, i.Passed, i.Got)
			}
		}
		scenarios, err := suite.Scenarios(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range scenarios {
			if i.Skipped == "" && i.Passed != x.tools {
				t.Errorf("%s: scenario %q: passed %v: %s", name, i.Name, i.Passed, i.Got)
			}
		}
		var b strings.Builder
		if err := Print(&b, name, append(items, scenarios...)); err != nil {
			t.Fatal(err)
		}
		want := "0 (0 %)"
		if x.tools {
			want = "(100 %)"
		}
		if lines := strings.Split(b.String(), "\n"); !strings.Contains(lines[2], "requests for a tool") || !strings.Contains(lines[2], want) {
			t.Errorf("%s", b.String())
		}
	}
}

// silent says nothing of use and calls nothing.
type silent struct{ llm.Model }

func (silent) Chat(context.Context, llm.Request, func(llm.Delta)) (llm.Reply, error) {
	return llm.Reply{Text: "Hm?"}, nil
}

// Of a hidden request nobody is told what was said, only how it failed.
func TestHiddenRequestsStayHidden(t *testing.T) {
	parrot := llmtest.New()
	for range Unseen() {
		parrot.In(llm.RoleCall, llmtest.Use("stop", "{}"))
	}
	suite := Suite{Model: parrot}
	items, err := suite.Sentences(t.Context(), Unseen())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Print(&b, "parrot", items); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"request: stop in place of gesture", "nothing: called stop for nothing"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not told:\n%s", want, b.String())
		}
	}
	for _, i := range items {
		if strings.Contains(b.String(), i.Name) {
			t.Errorf("%q is told", i.Name)
		}
	}
}

func TestWhatEndsTheEvaluation(t *testing.T) {
	for _, err := range []error{llm.ErrAway, llm.ErrNoModel} {
		suite := Suite{Model: llmtest.New(llmtest.Fail(err))}
		if items, got := suite.Requests(t.Context()); !errors.Is(got, err) || len(items) > 0 {
			t.Errorf("%v: %v", err, got)
		}
	}
	suite := Suite{Model: Only(llmtest.New(llmtest.Say("hi")), "qwen3")}
	if _, err := suite.Requests(t.Context()); !errors.Is(err, llm.ErrNoModel) {
		t.Errorf("another model replied: %v", err)
	}
}

func TestCode(t *testing.T) {
	for reply, want := range map[string]string{
		"x = 1": "x = 1", "```python\nx = 1\n```": "x = 1\n", "Sure!\n```\nx = 1\n```\nBye": "x = 1\n", "```py\nx\n```\n```\ny\n```": "x\n",
		"```x = 1```": "x = 1",
	} {
		if got := code(reply); got != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
}

// A sentence that interrupts is said as soon as the robot has begun to answer: what it had not said yet it does not say.
func TestConversationIsInterrupted(t *testing.T) {
	model := llmtest.New(llmtest.Step{Text: "Once upon a time there was a lighthouse. It", Stall: true, Prompt: 9})
	var out strings.Builder
	items, err := (&Suite{Model: model}).Conversation(t.Context(), "Why do lighthouses blink?\n! Stop!", &out)
	if err != nil || len(items) > 1 {
		t.Fatal(items, err)
	}
	for _, want := range []string{"> Why do lighthouses blink?\nI was interrupted", "> Stop!\nI stopped.", "  stop {}"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in it:\n%s", want, out.String())
		}
	}
}

func FuzzParseWant(f *testing.F) {
	for _, r := range Requests {
		f.Add(r.Want)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		w, err := parseWant(text)
		if err == nil {
			w.judge([]llm.Call{{Name: "move_head", Args: json.RawMessage(`{"yaw":1}`)}})
		}
	})
}

// Without a model that is of use the whole robot does what its planner and its programs can, and nothing that must not be done.
func TestWholeRobot(t *testing.T) {
	suite := Suite{Model: llmtest.New()}
	items, err := suite.Robot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, i := range items {
		passed[i.Name] = i.Passed
		t.Logf("%v %s: %s", i.Passed, i.Name, i.Got)
	}
	for _, name := range []string{
		"describe an object", "find a named object", "look left, take a photo, describe it", "interruption and correction",
		"roll back and upgrade a version", "refuse a dangerous request",
	} {
		if !passed[name] {
			t.Errorf("%s failed", name)
		}
	}
	if passed["combine tools"] || len(items) != len(Scenarios) {
		t.Errorf("%d items: %v", len(items), passed)
	}
}

// The conversation is held to its end and written down.
func TestConversation(t *testing.T) {
	script := llmtest.New()
	for range 100 {
		script.In(llm.RoleTalk, llmtest.Step{Text: "I have sent it for you. Whales sing.", Prompt: 7})
		script.In(llm.RoleCall, llmtest.Step{Text: "[]", Prompt: 7})
	}
	var out strings.Builder
	items, err := (&Suite{Model: script}).Conversation(t.Context(), "", &out)
	if err != nil || len(items) == 0 {
		t.Fatal(items, err)
	}
	for _, i := range items {
		if i.Kind != KindTurn || i.Took <= 0 || i.Prompt != 7 {
			t.Errorf("%+v", i)
		}
	}
	for _, want := range []string{"> Why do cats purr?", "Whales sing.", "gesture {"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in it:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "I have sent it") {
		t.Errorf("it claims:\n%s", out.String())
	}
}
