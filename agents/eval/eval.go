// Package eval measures a language model on a fixed suite: requests with the tool calls that they should lead to,
// conversations with a robot whose answers are fixed, and tools to be written that must pass hidden tests.
package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/fake"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Suite measures one model. Model and Sandbox must be there.
type Suite struct {
	Model   llm.Model
	Sandbox lang.Sandbox // for the tools that are written; its image must have the tester's module
	// Told, if not nil, is told of every item as it is measured.
	Told func(Item)
}

// Kinds of items.
const (
	KindRequest  = "request"  // a tool fits
	KindNothing  = "nothing"  // no tool fits
	KindScenario = "scenario" // a benchmark task
	KindRobot    = "robot"    // a benchmark task, by the whole robot
	KindTask     = "task"     // a tool to be written
	KindOnce     = "once"     // the same by one reply
	KindTurn     = "turn"     // of a conversation, in which the model was asked; Took is until the first word
)

// Item is one thing that was measured.
type Item struct {
	Kind    string        `json:"kind"`
	Name    string        `json:"name"`
	Passed  bool          `json:"passed"`
	Partly  bool          `json:"partly"`  // the right tools with wrong arguments; some of the hidden tests
	Got     string        `json:"got"`     // what the model did, shortened
	Failure string        `json:"failure"` // in which way it failed; empty when it passed
	Hidden  bool          `json:"hidden"`  // only the failure is told
	Skipped string        `json:"skipped"` // why it was not measured
	Took    time.Duration `json:"took"`    // of the model, all its replies
	Fixes   int           `json:"fixes"`   // arguments that had to be put right

	Prompt int           `json:"prompt_tokens"` // of the first request
	Cached int           `json:"cached_tokens"` // of these
	First  time.Duration `json:"first_token"`   // of the first request
}

// Specs returns the tools that requests may call: the robot's own, all of them working.
func Specs() ([]tool.Spec, error) {
	r := tool.NewRegistry(nil)
	if err := tools.Register(r, tools.Options{}); err != nil {
		return nil, err
	}
	specs := r.List()
	for i := range specs {
		specs[i].Unavailable = ""
	}
	return specs, nil
}

// instructions are what every model is told.
const instructions = `You are the mind of Reachy Mini, a small robot on a table. It has a head that turns, two antennas, a camera, a loudspeaker and
no wheels, arms or hands.
When the user asks for something that a tool does, call the tool; call several one after another when several things are asked for, and use what they
answer. When no tool fits, do not call any: answer in one or two sentences.
Yaw is positive to the left, pitch is positive downwards, roll is positive to the robot's right. Never do what could hurt somebody.`

// system is what the model is told: nothing where its own layer knows better.
func (s *Suite) system() string {
	if _, own := s.Model.(interface{ Small(role llm.Role) bool }); own {
		return ""
	}
	return instructions
}

// Requests measures the fixed sentences.
func (s *Suite) Requests(ctx context.Context) ([]Item, error) { return s.Sentences(ctx, Requests) }

// Sentences measures what the model makes of sentences.
func (s *Suite) Sentences(ctx context.Context, sentences []Request) ([]Item, error) {
	specs, err := Specs()
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(sentences))
	for _, r := range sentences {
		w, err := parseWant(r.Want)
		if err != nil {
			return nil, fmt.Errorf("request %q: %w", r.Text, err)
		}
		item := Item{Kind: KindRequest, Name: r.Text, Hidden: r.Hidden}
		if len(w) == 0 {
			item.Kind = KindNothing
		}
		// A model may call one tool after another: it is shown their success until it has called as many as are wanted.
		most := 1
		for _, way := range w {
			most = max(most, len(way))
		}
		calls, _, err := s.converse(ctx, &item, []llm.Message{{Who: llm.User, Text: r.Text}}, specs, nil, most)
		if err != nil {
			return items, err
		}
		v := w.judge(calls)
		if item.Passed, item.Partly = v.args, v.tools; !v.args {
			item.Failure = w.failure(calls, v)
		}
		items = s.add(items, item)
	}
	return items, nil
}

// Scenarios measures the benchmark tasks.
func (s *Suite) Scenarios(ctx context.Context) ([]Item, error) {
	specs, err := Specs()
	if err != nil {
		return nil, err
	}
	specs = append(specs, selfMade...)
	items := make([]Item, 0, len(Scenarios))
	for _, sc := range Scenarios {
		item := Item{Kind: KindScenario, Name: sc.Name, Skipped: sc.Later, Passed: sc.Later == ""}
		if sc.Later == "" {
			if err := s.scenario(ctx, &item, &sc, specs); err != nil {
				return items, err
			}
		}
		items = s.add(items, item)
	}
	return items, nil
}

// steps is how often a model may call tools before it must answer.
const steps = 8

func (s *Suite) scenario(ctx context.Context, item *Item, sc *Scenario, specs []tool.Spec) error {
	var talk []llm.Message
	for _, turn := range sc.Turns {
		w, err := parseWant(turn.Want)
		if err != nil {
			return fmt.Errorf("scenario %q: %w", sc.Name, err)
		}
		talk = append(talk, llm.Message{Who: llm.User, Text: turn.Text})
		calls, after, err := s.converse(ctx, item, talk, specs, sc.World, steps)
		if err != nil {
			return err
		}
		talk = after
		said := talk[len(talk)-1].Text
		v := w.judge(calls)
		item.Partly = item.Partly || v.tools
		item.Passed = item.Passed && v.args && says(said, turn.Says)
	}
	return nil
}

func says(text string, pieces []string) bool {
	return len(pieces) == 0 || slices.ContainsFunc(pieces, func(p string) bool {
		return strings.Contains(strings.ToLower(text), p)
	})
}

// converse lets the model call tools, at most so many, until it answers. It returns the calls and the conversation. The
// error says that the model cannot be measured; a reply that is no good is a failure of the item.
func (s *Suite) converse(
	ctx context.Context, item *Item, talk []llm.Message, specs []tool.Spec, world map[string]string, most int,
) ([]llm.Call, []llm.Message, error) {
	var calls []llm.Call
	cold := 0.0
	for {
		start := time.Now()
		r, err := s.Model.Chat(ctx, llm.Request{Role: llm.RoleCall, System: s.system(), Messages: talk, Tools: specs, Temperature: &cold}, nil)
		item.Took += time.Since(start)
		if item.Prompt == 0 {
			item.Prompt, item.Cached, item.First = r.Usage.PromptTokens, r.Usage.CachedTokens, r.Usage.FirstToken
		}
		if err != nil {
			if fatal(ctx, err) {
				return nil, nil, err
			}
			item.Got = oneLine(item.Got + " " + err.Error())
			return append(calls, llm.Call{Err: err}), append(talk, llm.Message{Who: llm.Assistant}), nil
		}
		talk = append(talk, r.Message())
		for _, c := range r.Calls {
			calls = append(calls, c)
			item.Fixes += len(c.Fixes)
			item.Got = oneLine(fmt.Sprintf("%s %s%s", item.Got, c.Name, c.Args))
			answer, known := world[c.Name]
			if !known {
				answer = "done"
			}
			if c.Err != nil {
				answer = c.Err.Error()
			}
			talk = append(talk, c.Result(answer))
		}
		if len(r.Calls) == 0 {
			item.Got = oneLine(item.Got + " " + r.Text)
			return calls, talk, nil
		}
		if len(calls) >= most {
			return calls, talk, nil
		}
	}
}

// fatal reports whether err would be the same for every other item.
func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, llm.ErrAway) || errors.Is(err, llm.ErrNoModel)
}

// Tasks lets the model write tools and runs the hidden tests.
func (s *Suite) Tasks(ctx context.Context) ([]Item, error) {
	tasks, err := Tasks()
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(tasks))
	for _, t := range tasks {
		item := Item{Kind: KindTask, Name: t.Name}
		cold := 0.0
		start := time.Now()
		r, err := s.Model.Chat(ctx, llm.Request{
			Role: llm.RoleCode, System: codeInstructions, Temperature: &cold,
			Messages: []llm.Message{{Who: llm.User, Text: t.prompt()}},
		}, nil)
		item.Took = time.Since(start)
		switch {
		case err != nil && fatal(ctx, err):
			return items, err
		case err != nil:
			item.Got = oneLine(err.Error())
		default:
			if err := s.judge(ctx, &item, &t, code(r.Text)); err != nil {
				return items, err
			}
		}
		items = s.add(items, item)
	}
	return items, nil
}

func (s *Suite) add(items []Item, item Item) []Item {
	item.Got = strings.TrimSpace(item.Got)
	if s.Told != nil {
		s.Told(item)
	}
	return append(items, item)
}

const codeInstructions = `You write tools for a small robot in Python 3, standard library only. Answer with one Python code block and nothing else.
The code defines exactly one public function with the given name and signature, with a docstring. Raise an error only where the task names one.
If the task needs the robot: "import reachy" and call reachy.move_head(yaw=, pitch=, roll=, duration=), reachy.take_photo(), reachy.speak(text=),
reachy.detect_objects(name=), reachy.express_emotion(emotion=), with keyword arguments only. What the robot refuses raises reachy.HostError;
take_photo returns {"photo": name}, detect_objects {"objects": [...]}. To wait: "import time" and time.sleep(seconds).`

// prompt is what the writer is told.
func (t *Task) prompt() string {
	return fmt.Sprintf("def %s%s:\n\n%s", t.Name, t.Signature, t.Does)
}

// solution is the task's own.
func (t *Task) solution() string {
	var b strings.Builder
	fmt.Fprintf(&b, "import time\nimport reachy\n\n\ndef %s%s:\n    %q\n", t.Name, t.Signature, t.Does)
	for line := range strings.Lines(t.Body) {
		b.WriteString("    " + line)
	}
	b.WriteByte('\n')
	return b.String()
}

// onFake tests a tool with a robot that is not there.
var onFake = tester.Options{
	NewHost: func(c tester.Conditions) guest.HostFunc { return tester.Host(fake.New(c)) },
	Grants:  catalog.ToolNames(),
}

// cases reads the task's tests.
func (t *Task) cases() ([]tester.Case, error) {
	cases := make([]tester.Case, 0, len(t.Cases))
	for i, pair := range t.Cases {
		c := tester.Case{Name: fmt.Sprintf("test %d", i+1), Input: json.RawMessage(pair[0]), Tolerance: 1e-9}
		want := pair[1]
		if failure, ok := strings.CutPrefix(want, "!"); ok {
			c.Error = failure
		} else if predicate, ok := strings.CutPrefix(want, "?"); ok {
			c.Predicate = predicate
		} else {
			c.Expected = json.RawMessage(want)
		}
		if !json.Valid(c.Input) || (c.Expected != nil && !json.Valid(c.Expected)) {
			return nil, fmt.Errorf("task %s, test %d is not JSON", t.Name, i+1)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// code returns the program in a reply: what stands in the first block, or all of it.
func code(reply string) string {
	_, block, found := strings.Cut(reply, "```")
	if !found {
		return reply
	}
	block, _, _ = strings.Cut(block, "```")
	if first, rest, ok := strings.Cut(block, "\n"); ok && !strings.Contains(first, " ") {
		return rest // the line with the language
	}
	return block
}

// oneLine keeps what fits in a line of a report.
func oneLine(s string) string {
	const most = 160
	return truncate.Runes(strings.Join(strings.Fields(s), " "), most)
}
