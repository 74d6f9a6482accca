// Package rehearsal holds conversations with a robot that is not there: the coordinator, the planner and the runtime are those of
// the daemon, the robot is that of package fake, and its clock runs at once. Nothing is kept, and nobody waits.
package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/fake"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Turn is one sentence and what came of it.
type Turn struct {
	Text    string              `json:"text"`
	Outcome coordinator.Outcome `json:"outcome"`
	Steps   []Step              `json:"steps"` // those that were run, with the angles that they went to
	Reply   string              `json:"reply"`
	Before  dialogue.Pose       `json:"before"`
	Pose    dialogue.Pose       `json:"pose"`
	Stopped bool                `json:"stopped"` // the emergency stop is latched
	Spans   []trace.Span        `json:"-"`       // everything that happened in the turn
}

// Step is one tool call.
type Step struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// Stage is where conversations are rehearsed. It makes a robot for each. Close it. Exported fields may be left as they are.
type Stage struct {
	Model      llm.Model         // answers what the planner does not; nil for none
	Patience   time.Duration     // for the model to begin; the runtime's own when 0
	Conditions tester.Conditions // that the robot meets
	Begins     time.Time         // what the clock shows when a conversation begins; the present when zero
	Tools      []tool.Tool       // in place of the robot's own, or beside them; these are self-made
	// Coder makes what writes tools, for one conversation, in place of the workshop; nil for that.
	Coder func(tools *tool.Registry) runtime.Coder

	planner  *planner.Planner
	workshop *workshop

	// Tests hold conversations with another body, and look at it after each tool call.
	body  func() fake.Moving
	watch func(ctx context.Context, tool string)
}

// patientTurns is how many times the model may take all the patience that there is for it in one turn: a tool is written in several replies.
const patientTurns = 12

// talkSeed makes what is chosen by chance the same each time.
const talkSeed = 1

// NewStage returns a stage.
func NewStage() *Stage {
	return &Stage{
		planner: planner.New(planner.WithPoses(catalog.PoseNames()...)), workshop: newWorkshop(),
		body: func() fake.Moving { return fake.NewBody() }, watch: func(context.Context, string) {},
	}
}

// Close gives back what self-made tools ran in.
func (s *Stage) Close() error { return s.workshop.close() }

// Conversation is one with a robot of its own, which begins in the neutral pose. Close it.
type Conversation struct {
	robot *fake.Robot
	mind  *coordinator.Coordinator
	rest  *runtime.Runtime
	// failed is what went wrong where nobody could be told.
	failed []error
}

// Begin begins a conversation.
func (s *Stage) Begin() *Conversation {
	c := &Conversation{robot: fake.NewOn(s.Conditions, s.body())}
	began := s.Begins
	if began.IsZero() {
		began = time.Now()
	}
	now := func() time.Time { return began.Add(c.robot.Body().Now()) }
	failed := func(err error) { c.failed = append(c.failed, err) }
	tools := c.robot.Tools()
	own := map[string]bool{}
	for _, spec := range tools.List() {
		own[spec.Name] = true
	}
	for _, t := range s.Tools {
		if err := tools.Replace(t); err != nil {
			failed(err)
		}
	}
	facts := memory.New(nil, now)
	talk := smalltalk.New(smalltalk.Options{
		Now: now, Feelings: c.feelings, Memory: facts, Plan: s.planner.Plan, Failed: failed, Seed: talkSeed,
		Sum: coder.Sum, WorkOut: coder.WorkOut, Measure: coder.Measure,
	})
	bench, err := s.workshop.bench(c.robot)
	if err != nil {
		failed(err)
	}
	o := runtime.Options{
		Model: s.Model, Tools: tools, Memory: facts, Own: own, Talk: talk, Failed: failed, Patience: s.Patience,
		History: func(session string) []coordinator.Exchange { return c.mind.History(session) },
	}
	if s.Coder != nil {
		o.Coder = s.Coder(tools)
	} else {
		o.Coder = coder.New(coder.Options{
			Model: s.Model, Maker: bench, Tools: tools, Call: tools.Call, Plan: s.planner.Plan, Now: now, Failed: failed,
		})
	}
	c.rest = runtime.New(o)
	c.mind = coordinator.New(coordinator.Options{
		Planner: s.planner, Runtime: c.rest, Tools: watched{tools, s.watch}, Publisher: nobody{}, Body: c.robot.Body(), World: world{c.robot.Body()},
		Now: now, Failed: failed,
		Limits: coordinator.Limits{Arbiter: tools.Arbiter(), TurnTime: patientTurns * s.Patience},
	})
	return c
}

// Say is one turn of the conversation. The error says that the sentence cannot be used at all.
func (c *Conversation) Say(ctx context.Context, text string) (Turn, error) {
	before, _ := world{c.robot.Body()}.Now()
	reply, err := c.mind.Turn(ctx, "", text)
	if err != nil {
		return Turn{}, fmt.Errorf("%q: %w", text, err)
	}
	state := c.robot.Body().Snapshot()
	t := Turn{
		Text: text, Outcome: reply.Trace.Outcome, Steps: []Step{}, Reply: reply.Text,
		Before: before.Pose, Pose: dialogue.FromState(&state).Pose, Stopped: state.EStop, Spans: reply.Trace.Spans,
	}
	for _, s := range reply.Trace.Steps {
		t.Steps = append(t.Steps, Step{s.Tool, s.Args})
	}
	return t, nil
}

// feelings tells small talk how the robot is: the one that is not there is well.
func (c *Conversation) feelings() smalltalk.Feelings {
	s := c.robot.Body().Snapshot()
	f := smalltalk.Feelings{Known: true, Mode: string(s.Mode), Stopped: s.EStop, StoppedBy: s.EStopReason, Up: c.robot.Body().Now()}
	if s.Moving {
		f.Moving = s.MoveName
	}
	return f
}

// Failures are what went wrong where nobody could be told.
func (c *Conversation) Failures() []error { return c.failed }

// Close ends the conversation.
func (c *Conversation) Close(ctx context.Context) error {
	c.rest.Close()
	return c.mind.Close(ctx)
}

// world is the robot as the dialogue sees it.
type world struct{ body fake.Moving }

// Now implements dialogue.World.
func (w world) Now() (dialogue.Now, bool) {
	s := w.body.Snapshot()
	return dialogue.FromState(&s), true
}

// watched are tools that tell somebody when a call has ended.
type watched struct {
	coordinator.Tools
	ended func(ctx context.Context, tool string)
}

// Call implements coordinator.Tools.
func (w watched) Call(ctx context.Context, name string, args json.RawMessage) tool.Result {
	defer w.ended(ctx, name)
	return w.Tools.Call(ctx, name, args)
}

// CallValues implements coordinator.Tools.
func (w watched) CallValues(ctx context.Context, name string, args map[string]any) tool.Result {
	defer w.ended(ctx, name)
	return w.Tools.CallValues(ctx, name, args)
}

// nobody listens to events.
type nobody struct{}

// Publish implements coordinator.Publisher.
func (nobody) Publish(string, api.Payload) {}

var (
	_ dialogue.World        = world{}
	_ coordinator.Publisher = nobody{}
	_ coordinator.Tools     = (*tool.Registry)(nil)
	_ coordinator.Planner   = (*planner.Planner)(nil)
	_ dialogue.Planner      = (*planner.Planner)(nil)
)
