package coder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// What the coder says when it cannot or may not.
const (
	mayI    = "I have no tool for that. Shall I write myself a tool for that?"
	writes  = "I am writing a tool for that, which takes a minute or two."
	noModel = "I can write new tools only with a language model, and there is none just now. Without one I calculate, convert units, work with texts and dates, " +
		"and do things regularly."
	mayNot = "I have no tool for that, and I am not allowed to write one."
)

// write finds a tool for a request, or writes one with the language model.
func (c *Coder) write(ctx context.Context, r coordinator.Request) coordinator.Answer {
	if v := guard.Input(r.Said()); !v.OK() {
		trace.Note(ctx, trace.Guard, "input", string(v.Reason)+": "+v.Match)
		return coordinator.Answer{Outcome: coordinator.OutcomeRefuse, Text: v.Text}
	}
	if c.o.Model == nil || c.o.Model.Ready(llm.RoleCode) != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: noModel}
	}
	found, answer, done := c.reuse(ctx, r)
	if done {
		return answer
	}
	explicit := ordersForTools.Find(r.Said().Request().Small) != nil
	trace.Note(ctx, trace.Code, "policy", fmt.Sprintf("%s; asked for a tool in so many words: %v", c.o.Policy, explicit))
	switch {
	case c.o.Policy == Never:
		return coordinator.Answer{Outcome: coordinator.OutcomeRefuse, Text: mayNot}
	case c.o.Policy == Ask && !explicit:
		c.ask(r.Session, r.Text)
		return answered(mayI)
	}
	return c.create(ctx, r, found)
}

// reply takes a yes or a no to the question whether a tool may be written.
func (c *Coder) reply(ctx context.Context, r coordinator.Request, s *language.Request) coordinator.Answer {
	request := c.take(r.Session)
	if consents(s, "no") || request == "" {
		return answered("All right, I will not.")
	}
	trace.Note(ctx, trace.Code, "policy", "the person said yes")
	r.Text = request
	if v := c.known(c.wants(r.Said().Request())); v != nil && v.do != "write" {
		return v.change(ctx, c, r)
	}
	return c.create(ctx, r, c.find(ctx, request, maxFound))
}

// structured asks the model and tells the trace.
func (c *Coder) structured(ctx context.Context, name string, req llm.Request, out any) error {
	if c.o.Model.Ready(req.Role) != nil {
		req.Role = llm.RoleCode
	}
	zero := 0.0
	req.Temperature = &zero
	ctx, span := trace.Start(ctx, trace.Model, name, "")
	reply, err := llm.Structured(ctx, c.o.Model, req, out)
	noteReply(span, &reply)
	span.End(err)
	return err
}

func noteReply(span trace.Open, r *llm.Reply) {
	span.Set("model", r.Model)
	span.Set("length", r.Usage.ReplyTokens)
	span.Detail(truncate.Runes(r.Text, 400))
}

// writing is one tool on its way.
type writing struct {
	c       *Coder
	request string
	spec    specification
	present *registry.Version // that is changed; nil: a new tool
	faster  bool              // nothing but its speed is to change
	calls   []string          // of the robot, that it may make
	near    []registry.Found  // tools that it may call
	given   []tester.Case     // the person's own tests
	shown   []tester.Case
	hidden  []tester.Case
	model   string // that wrote the code

	source  string
	tested  *pipeline.Tested // of the source; nil: not yet
	outcome Outcome
	repairs int

	attempts int    // at the code, so far
	verdict  string // on the last one
	told     api.ToolProgress
	dropped  int // tests that were wrong

	ran    map[string]*pipeline.Tested // the last run of each source
	syntax bool                        // a source was no Python
}

// create writes a new tool, runs it for the request and answers.
func (c *Coder) create(ctx context.Context, r coordinator.Request, near []registry.Found) coordinator.Answer {
	w := &writing{c: c, request: r.Text, near: near}
	return w.run(ctx, r)
}

// run takes the tool through all stages.
func (w *writing) run(ctx context.Context, r coordinator.Request) coordinator.Answer {
	if r.Partial != nil { // nobody waits for minutes without a word
		r.Partial(writes)
	}
	release, err := w.c.making.Hold(ctx, nil, "\x00writing") // one tool at a time: the model is the bottleneck
	if err != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
	}
	defer release()
	limited, cancel := context.WithTimeout(ctx, w.c.o.MakeTime)
	defer cancel()
	made, err := w.make(limited)
	if err != nil {
		if ctx.Err() != nil {
			return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
		}
		return coordinator.Answer{Outcome: coordinator.OutcomeFailed, Text: w.sorry(limited, err)}
	}
	if made.State == pipeline.StatePending {
		text := waiting(made.Name, made.Version)
		if w.outcome == OutcomeStatic {
			text = fmt.Sprintf(
				"I wrote the tool %s, but could not test it, because there is no sandbox here. Please look at it with care: reachyctl tool review approve %s %d.",
				made.Name,
				made.Name,
				made.Version,
			)
		}
		return answered(text)
	}
	return w.answer(ctx, r, made)
}

// sorry says in words why there is no tool.
func (w *writing) sorry(ctx context.Context, err error) string {
	var refusal *registry.Refusal
	var no *notReady
	switch {
	case errors.As(err, &no):
		return no.text
	case ctx.Err() != nil, errors.Is(err, llm.ErrTimeout):
		return "I gave up writing that tool: it took too long."
	case errors.Is(err, llm.ErrAway), errors.Is(err, llm.ErrIncomplete):
		return "I could not write that tool: my language model does not answer."
	case errors.Is(err, llm.ErrBadOutput), errors.Is(err, llm.ErrTooLong):
		return "I could not write that tool: my language model's answer made no sense."
	case errors.As(err, &refusal) && slices.ContainsFunc(refusal.Findings, isDuplicate):
		at := slices.IndexFunc(refusal.Findings, isDuplicate)
		return "I did not keep the tool that I wrote: " + sentenceEnd(refusal.Findings[at].Message)
	case errors.As(err, &refusal):
		return fmt.Sprintf(
			"I wrote a tool for that, but after %s it was still not good enough, so I did not keep it.",
			counted(float64(w.repairs), "repair", "repairs"),
		)
	}
	w.c.o.Failed(fmt.Errorf("write tool: %w", err))
	return "I could not write that tool just now."
}

func isDuplicate(f registry.Finding) bool { return f.Code == registry.CodeDuplicate }

// make specifies, tests, writes, repairs and registers.
func (w *writing) make(ctx context.Context) (*pipeline.Report, error) {
	w.ran = map[string]*pipeline.Tested{}
	w.calls = w.c.allowed()
	if w.present == nil || !w.faster {
		if err := w.specify(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.examine(ctx); err != nil {
		return nil, err
	}
	if err := w.author(ctx); err != nil {
		w.failed(err)
		return nil, err
	}
	report, err := w.register(ctx)
	if err != nil {
		w.failed(err)
	}
	return report, err
}

// failed records the attempt, so that the next one can learn of it.
func (w *writing) failed(err error) {
	w.c.remember(
		Failure{
			Request:   w.request,
			Name:      w.spec.Name,
			Spec:      w.spec.Summary + " " + w.spec.Behaviour,
			Source:    w.source,
			Diagnosis: err.Error(),
			Outcome:   OutcomeRefused,
			Model:     w.model,
		},
	)
}

// allowed are the robot's tools that a written tool may call: those that the owner allows.
func (c *Coder) allowed() []string {
	if c.o.Allowed != nil {
		return c.o.Allowed
	}
	var all []string
	for _, s := range c.o.Tools.List() {
		if s.Unavailable != "" || refusedInRounds[s.Name] || s.Name == "repeat" || s.Name == "wait" {
			continue
		}
		if _, err := c.o.Maker.Version(s.Name, 0); err != nil { // the robot's own
			all = append(all, s.Name)
		}
	}
	slices.Sort(all)
	return all
}

// step tells that a step of the work begins, and what came of the one before.
func (w *writing) step(ctx context.Context, step, detail string) {
	p := api.ToolProgress{Detail: truncate.Runes(detail, 400), Name: w.spec.Name, Step: step}
	if step == api.StepCode || step == api.StepCheck {
		p.Attempt = w.attempts
	}
	if w.told.Step == p.Step && w.told.Attempt == p.Attempt { // the same code may be checked several times
		return
	}
	w.told = p
	w.c.progress(ctx, p)
}

// progress publishes how far the work on a tool is.
func (c *Coder) progress(ctx context.Context, p api.ToolProgress) {
	if c.o.Publish != nil {
		c.o.Publish(tool.Trace(ctx), p)
	}
}

// specify lets the model say what the tool must be.
func (w *writing) specify(ctx context.Context) error {
	w.step(ctx, api.StepSpecification, "")
	ctx, span := trace.Start(ctx, trace.Code, "specification", w.request)
	calls := slices.Clone(w.calls)
	var b strings.Builder
	if len(w.near) > 0 {
		b.WriteString("These tools are there and may be called like the robot's:\n")
		for _, f := range w.near {
			fmt.Fprintf(&b, "- %s: %s\n", f.Name, f.Version.Doc.Summary)
			calls = append(calls, f.Name)
		}
	}
	if w.present != nil {
		fmt.Fprintf(
			&b,
			"The tool is there already and has to be changed. Keep its name %s and what is not named in the request. What it says of itself:\n%s\nIts parameters: %s\n",
			w.present.Name,
			w.present.Doc.Summary,
			w.present.Schema,
		)
	}
	told, _ := guard.Foreign("the tools that are there", b.String())
	if b.Len() == 0 {
		told = ""
	}
	if len(w.given) > 0 {
		told += "\nThe tool must pass these tests, so its parameters have the names that they use:\n"
		for i := range w.given {
			told += fmt.Sprintf("- input %s: %s\n", w.given[i].Input, demand(&w.given[i]))
		}
	}
	schema := specSchema(calls)
	err := w.c.structured(ctx, "specification", llm.Request{
		Role: llm.RoleCode, System: specInstructions, Schema: &schema,
		Messages: []llm.Message{{Who: llm.User, Text: strings.TrimSpace(told + "\nThe request: " + w.request)}},
	}, &w.spec)
	if err == nil {
		err = w.spec.tidy(calls)
	}
	if err == nil && w.present != nil {
		w.spec.Name = w.present.Name
	}
	if err == nil && w.present == nil {
		err = w.unused()
	}
	span.Set("name", w.spec.Name)
	span.Detail(w.spec.Summary)
	span.End(err)
	return err
}

// unused gives the tool a name that nobody has.
func (w *writing) unused() error {
	base := w.spec.Name
	for i := 1; i <= maxNames; i++ {
		if i > 1 {
			w.spec.Name = fmt.Sprintf("%s_%d", base, i)
		}
		_, taken := w.c.o.Tools.Get(w.spec.Name)
		if _, err := w.c.o.Maker.Version(w.spec.Name, 0); isNotFound(err) && !taken {
			return nil
		}
	}
	return &notReady{"I have too many tools of that name already.", nil}
}

// examine gets the tests: of a tool that is only to be faster those that it has, else from one who never sees the code.
func (w *writing) examine(ctx context.Context) error {
	w.step(ctx, api.StepTests, w.spec.Summary)
	ctx, span := trace.Start(ctx, trace.Code, "tests", "")
	defer func() { span.Set("shown", len(w.shown)); span.Set("hidden", len(w.hidden)) }()
	var old []tester.Case
	if w.present != nil && len(w.present.Cases) > 0 {
		if err := json.Unmarshal(w.present.Cases, &old); err != nil {
			old = nil
		}
	}
	if w.faster {
		w.spec.Name, w.spec.Summary = w.present.Name, w.present.Doc.Summary
		w.spec.Robot = w.present.Grants
		w.shown = old
		span.End(nil)
		return nil
	}
	var written struct {
		Cases []writtenCase `json:"cases"`
	}
	err := w.c.structured(ctx, "tests", llm.Request{
		Role: llm.RoleTalk, System: testInstructions, Schema: &testsSchema,
		Messages: []llm.Message{{Who: llm.User, Text: "The specification:\n" + w.spec.text()}},
	}, &written)
	cases := usable(written.Cases)
	if err == nil && len(cases) < leastCases && len(w.spec.Examples) == 0 {
		err = fmt.Errorf("%w: %d tests that can be run, at least %d are needed", llm.ErrBadOutput, len(cases), leastCases)
	}
	span.End(err)
	certain := slices.Concat(w.given, w.asked(), w.spec.exampleCases())
	distinguish(certain, cases)
	w.shown, w.hidden = split(cases)
	w.shown = slices.Concat(certain, w.shown)
	return err
}

// answer runs the tool for the request that waits.
func (w *writing) answer(ctx context.Context, r coordinator.Request, made *pipeline.Report) coordinator.Answer {
	intro := fmt.Sprintf("I wrote the tool %s for that.", made.Name)
	switch {
	case w.present != nil && w.outcome == OutcomeOptimised:
		return answered(fmt.Sprintf("I made the tool %s faster; it is version %d now.", made.Name, made.Version))
	case w.present != nil:
		return answered(fmt.Sprintf("I changed the tool %s; it is version %d now, and its tests pass.", made.Name, made.Version))
	case len(w.spec.Call) == 0 || string(w.spec.Call) == "null" || string(w.spec.Call) == "{}" && len(w.spec.Parameters) > 0:
		return answered(intro)
	}
	args := w.spec.Call
	if spec, ok := w.c.o.Tools.Get(made.Name); ok {
		if call := llm.CheckCall([]tool.Spec{spec}, made.Name, args); call.Err == nil {
			args = call.Args
		}
	}
	res := r.Call(ctx, made.Name, args)
	if !res.OK() {
		a := w.c.unable(ctx, res)
		a.Text = intro + " " + a.Text
		return a
	}
	return answered(intro + " " + verbalize.Result(decoded(res.Data)))
}
