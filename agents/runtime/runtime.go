// Package runtime answers what is beyond the built-in planner: it routes a request to an agent, lets it work with a language
// model and the robot's tools, and says in words what came of it.
//
// Without a language model it still keeps what people ask it to remember, refuses what must not be done, and writes the
// tools that need no model.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

// Tools describes the robot's tools.
type Tools interface {
	Get(name string) (tool.Spec, bool)
	List() []tool.Spec
}

// Coder makes tools that the robot lacks.
type Coder interface {
	// Match reads a sentence of a session. It must not take long.
	Match(session string, u *language.Utterance, p planner.Plan) coordinator.Match
	// Stop is told a sentence that is a stop.
	Stop(u *language.Utterance)
	// End ends what a sentence names of what is done later or regularly, and says what; ok is false when it names nothing.
	End(u *language.Utterance) (text string, ok bool)
	// Kept is what is kept for later, the oldest first.
	Kept() []language.Kept
	// Serves says whether it can now serve what it has read without a language model: by a tool that it has made or can make
	// from a template, or because it has asked something that this answers.
	Serves(m coordinator.Match) bool
	// Make finds or makes the tool that a request needs, runs it for the request, and answers. The request's Match is what
	// Match has read, or nil.
	Make(ctx context.Context, r coordinator.Request) coordinator.Answer
	// Find returns the names of self-made tools that have to do with a text, the best first.
	Find(ctx context.Context, text string, most int) []string
}

// Pages searches the web and reads pages; *websearch.Web is one.
type Pages interface {
	Find(ctx context.Context, query string) (websearch.Found, error)
	Read(ctx context.Context, address string) (websearch.Page, error)
}

// Feedback takes what people think of the robot's doing.
type Feedback interface {
	// Answered takes a sentence that says how earlier feedback was meant. It comes before everything else.
	Answered(session, text string) (reply string, ok bool)
	// Heard takes a sentence that nothing else has understood, when it is praise or blame.
	Heard(session, text string) (reply string, ok bool)
}

// Choices know what people thought of who answered a sentence of which no rule was sure.
type Choices interface {
	// Choose returns who answers, of ways, and whether that was learned; else it is what the rules guess.
	Choose(session, text, guess string, ways []string) (way string, learned bool)
	// Chose notes who answers a turn.
	Chose(session, trace, text, way, guess string)
}

// Options are the parts of a Runtime. Tools and Memory must be there; each of the others may be nil.
type Options struct {
	Name     string // of the robot; Reachy when empty
	Model    llm.Model
	Tools    Tools
	Coder    Coder
	Pages    Pages
	Memory   *memory.Memories
	Talk     *smalltalk.Talk // nil: what no model answers is the planner's
	Feedback Feedback        // nil: praise and blame are conversation like any other
	Choices  Choices         // nil: nothing of that is learned
	// Manner says how a person likes to be answered, for the model; empty when it is not known. It may be nil.
	Manner       func(session string) string
	Publish      func(trace string, data api.Payload)
	Failed       func(error)
	Instructions Instructions // the built-in ones when it is zero
	// History is what was said in a session, for questions that go on with the one before; nil where none do.
	History func(session string) []coordinator.Exchange
	// Own are the names of the robot's own tools; all others are self-made.
	Own map[string]bool

	MaxHandoffs int           // in one turn; 4
	MaxReplans  int           // of one plan; 2
	MaxPlan     int           // steps of one plan; 12
	MaxHistory  int           // characters of the history that a model is shown; 6000
	RouteTime   time.Duration // for a model to choose who answers; 10 s
	Patience    time.Duration // at most, for a model to begin with its reply; less where it is usually quick; 30 s
}

// Runtime implements coordinator.Runtime. Its methods may be called by many goroutines at once.
type Runtime struct {
	o       Options
	secrets []string
	pace    pace
	meant   meant

	life    context.Context
	end     context.CancelFunc
	tidying sync.WaitGroup
	tidy    chan struct{} // one summary is written at a time
}

// New returns a mind. Close it.
func New(o Options) *Runtime {
	for _, d := range []struct {
		v     *int
		usual int
	}{{&o.MaxHandoffs, 4}, {&o.MaxReplans, 2}, {&o.MaxPlan, 12}, {&o.MaxHistory, 6000}} {
		if *d.v == 0 {
			*d.v = d.usual
		}
	}
	if o.RouteTime == 0 {
		o.RouteTime = 10 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	if o.Name == "" {
		o.Name = "Reachy"
	}
	if o.Instructions.Plan == "" {
		o.Instructions = DefaultInstructions()
	}
	if o.Publish == nil {
		o.Publish = func(string, api.Payload) {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	m := &Runtime{o: o, tidy: make(chan struct{}, 1), pace: pace{most: o.Patience, now: time.Now}}
	for _, s := range o.Instructions.secrets() {
		m.secrets = append(m.secrets, m.fill(s))
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// Close ends what the mind does between turns, and waits for it.
func (m *Runtime) Close() {
	m.end()
	m.tidying.Wait()
}

// Called implements coordinator.Runtime.
func (m *Runtime) Called() string {
	if m.o.Talk != nil {
		return m.o.Talk.Name()
	}
	return m.o.Name
}

// fill puts the robot's name into instructions.
func (m *Runtime) fill(text string) string { return strings.ReplaceAll(text, "{name}", m.o.Name) }

// Stop implements coordinator.Runtime.
func (m *Runtime) Stop(u *language.Utterance) {
	if m.o.Coder != nil {
		m.o.Coder.Stop(u)
	}
	if m.o.Talk != nil {
		m.o.Talk.Stop()
	}
}

// End implements coordinator.Runtime.
func (m *Runtime) End(u *language.Utterance) (text string, ok bool) {
	if m.o.Talk != nil {
		if text, ok = m.o.Talk.End(u); ok {
			return text, true
		}
	}
	if m.o.Coder == nil {
		return "", false
	}
	return m.o.Coder.End(u)
}

// Plays implements coordinator.Runtime.
func (m *Runtime) Plays(session string, u *language.Utterance) bool {
	return m.o.Talk != nil && m.o.Talk.Surely(session, u).Plays()
}

// Kept implements coordinator.Runtime.
func (m *Runtime) Kept() []language.Kept {
	if m.o.Coder == nil {
		return nil
	}
	return m.o.Coder.Kept()
}

// talks says why no language model can talk now; nil when one can.
func (m *Runtime) talks() error {
	if m.o.Model == nil {
		return errNoModel
	}
	if err := m.o.Model.Ready(llm.RoleTalk); err != nil {
		return err
	}
	return m.pace.ready()
}

// errNoModel is that the settings name no language model.
var errNoModel = errors.New("no language model is configured")

// Handle implements coordinator.Runtime.
func (m *Runtime) Handle(ctx context.Context, r coordinator.Request) coordinator.Answer {
	read, ok := r.Match.(*match)
	if !ok {
		read = m.read(r.Session, r.Said(), r.Plan, true)
	}
	if read.u != nil {
		m.meant.put(r.Session, r.Text, read.u.Text)
		r.Text, r.Utterance, r.Plan = read.u.Text, read.u, nothing(read.u.Text)
	}
	if v := read.verdict; !v.OK() {
		_, span := trace.Start(ctx, trace.Guard, "input", string(v.Reason)+": "+v.Match)
		span.End(nil)
		return coordinator.Answer{Outcome: coordinator.OutcomeRefuse, Text: v.Text}
	}
	if read.talk.Plays() || read.talk.Works() {
		return m.o.Talk.Answer(ctx, r, read.talk)
	}
	if answer, ok := m.remember(ctx, r.Session, read); ok {
		return answer
	}
	if m.serves(read) { // asked anew: what it is about may have come or gone while the turn waited
		r.Match = read.coder
		return m.o.Coder.Make(ctx, r)
	}
	r.Match = nil // what agents hand on is in words of their own
	unplanned := r.Plan.Outcome == planner.OutcomeNone && read.tools == nil && m.o.Feedback != nil
	if unplanned {
		if text, ok := m.o.Feedback.Answered(r.Session, r.Text); ok {
			return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: text}
		}
	}
	if m.chats(read, r.Plan) {
		return m.o.Talk.Answer(ctx, r, read.talk)
	}
	if unplanned {
		if text, ok := m.o.Feedback.Heard(r.Session, r.Text); ok {
			return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: text}
		}
	}
	if r.Plan.Outcome != planner.OutcomeNone && read.tools == nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeNone}
	}
	if text, ok := m.unasked(r, read); ok {
		return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: text}
	}
	if err := m.talks(); err != nil {
		return m.alone(ctx, r, err)
	}
	var route Route
	if read.tools != nil {
		route = *read.tools
	} else {
		route = m.learnedRoute(ctx, &r, read.said)
	}
	trace.Note(ctx, trace.Route, string(route.Mode)+" "+route.Agent, route.Why)
	if route.Mode == Ask {
		return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: reasons["ask"]}
	}
	t := m.begin(r, route.signs)
	text, err := t.work(ctx, route)
	if errors.Is(err, errSlow) && ctx.Err() == nil && len(t.steps) == 0 && read.tools == nil {
		return m.withoutModel(ctx, r, read)
	}
	if errors.Is(err, errClaims) {
		return m.alone(ctx, r, err)
	}
	if err != nil {
		return t.failed(ctx, err)
	}
	text, v := guard.Output(text, m.secrets...)
	if !v.OK() {
		trace.Note(ctx, trace.Guard, "output", string(v.Reason))
		return coordinator.Answer{Outcome: coordinator.OutcomeRefuse, Text: v.Text}
	}
	if text == "" {
		text = t.did()
	}
	m.summarise(r)
	return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: text}
}

// unasked is what is said to what no model is asked about: what was hardly heard, and how somebody is called, where the model is small.
func (m *Runtime) unasked(r coordinator.Request, read *match) (text string, ok bool) {
	switch {
	case read.tools != nil:
		return "", false
	case r.Unsure:
		return reasons["unheard"], true
	case m.small() && m.o.Talk != nil:
		return m.o.Talk.Told(r)
	}
	return "", false
}

// alone answers what only a model could answer; why says that there is none now.
func (m *Runtime) alone(ctx context.Context, r coordinator.Request, why error) coordinator.Answer {
	trace.Note(ctx, trace.Model, "away", why.Error())
	if m.o.Talk != nil && r.Plan.Outcome == planner.OutcomeNone {
		return coordinator.Answer{Outcome: coordinator.OutcomeNone, Text: m.o.Talk.Unknown(r)}
	}
	return coordinator.Answer{Outcome: coordinator.OutcomeNone}
}

// withoutModel answers a turn for which the model was too slow with what the robot knows itself. That it was is said once.
func (m *Runtime) withoutModel(ctx context.Context, r coordinator.Request, read *match) coordinator.Answer {
	first := m.pace.failed()
	var a coordinator.Answer
	if m.chats(read, r.Plan) {
		a = m.o.Talk.Answer(ctx, r, read.talk)
	} else {
		a = m.alone(ctx, r, errSlow)
	}
	if first {
		a.Text = strings.TrimSpace(thinking["slow"] + " " + a.Text)
	}
	return a
}

// failed says in words why a model could not finish the turn, and what was done until then.
func (t *turn) failed(ctx context.Context, err error) coordinator.Answer {
	if ctx.Err() != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
	}
	done := ""
	if did := t.did(); len(t.steps) > 0 && did != "" {
		done = did + " But then: "
	}
	why := "my language model failed"
	var missing *llm.NoModelError
	switch {
	case errors.As(err, &missing):
		why = "I have no language model that can do this"
		if missing.Pull != "" {
			why += " (ollama pull " + missing.Pull + " gets one)"
		}
	case errors.Is(err, llm.ErrAway):
		why = "my language model does not answer"
	case errors.Is(err, llm.ErrTimeout), errors.Is(err, errSlow):
		why = "my language model is too slow just now"
	case errors.Is(err, llm.ErrIncomplete):
		why = "my language model stopped in the middle of its answer"
	case errors.Is(err, llm.ErrTooLong), errors.Is(err, llm.ErrBadOutput):
		why = "my language model's answer made no sense"
	case errors.Is(err, errLoop):
		why = "my agents went round in circles"
	}
	if done == "" {
		why = strings.ToUpper(why[:1]) + why[1:]
	}
	return coordinator.Answer{Outcome: coordinator.OutcomeFailed, Text: done + why + ". Simple commands work all the same."}
}

// remember answers what is for the memory.
func (m *Runtime) remember(ctx context.Context, session string, r *match) (coordinator.Answer, bool) {
	act, what := r.act, r.what
	if r.list != nil {
		return m.lists(ctx, session, r.list), true
	}
	if act == memory.None {
		return coordinator.Answer{}, false
	}
	answered := func(format string, args ...any) (coordinator.Answer, bool) {
		return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: fmt.Sprintf(format, args...)}, true
	}
	if act == memory.Remember && memory.AsksWhat(what) {
		return answered("%s", coordinator.RememberWhat)
	}
	_, span := trace.Start(ctx, trace.Memory, string(act), what)
	var facts []memory.Fact
	var err error
	switch act {
	case memory.Remember:
		var f memory.Fact
		f, err = m.o.Memory.Remember(session, what)
		facts = []memory.Fact{f}
	case memory.Forget:
		facts, err = m.o.Memory.Forget(session, what)
	default:
		facts, err = m.o.Memory.Recall(session, what)
	}
	span.Set("facts", len(facts))
	span.End(err)
	switch {
	case errors.Is(err, memory.ErrFull), errors.Is(err, memory.ErrLong), errors.Is(err, memory.ErrEmpty):
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "I did not keep that: " + err.Error() + "."}, true
	case err != nil:
		m.o.Failed(err)
		return coordinator.Answer{Outcome: coordinator.OutcomeFailed, Text: "I cannot reach my memory just now."}, true
	case act == memory.Remember:
		return answered("I will remember: %s.", memory.ToYou(facts[0].Text))
	case act == memory.Forget && len(facts) == 0:
		return answered("I remember nothing about that.")
	case act == memory.Forget:
		return answered("I have forgotten that%s.", howMany(len(facts)))
	case len(facts) == 0 && what == "":
		return answered("You have not asked me to remember anything yet.")
	case len(facts) == 0:
		return coordinator.Answer{}, false // perhaps somebody else knows
	}
	return answered("%s", sayFacts(facts))
}

func howMany(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(": %d things", n)
}

// maxSaid is how many facts are told at once.
const maxSaid = 8

func sayFacts(facts []memory.Fact) string {
	var b strings.Builder
	for i, f := range facts[:min(len(facts), maxSaid)] {
		if i > 0 {
			b.WriteByte(' ')
		}
		text := memory.ToYou(strings.TrimRight(f.Text, ".!"))
		b.WriteString(strings.ToUpper(text[:1]) + text[1:] + ".")
	}
	if more := len(facts) - maxSaid; more > 0 {
		fmt.Fprintf(&b, " And %d more.", more)
	}
	return b.String()
}

var _ coordinator.Runtime = (*Runtime)(nil)
