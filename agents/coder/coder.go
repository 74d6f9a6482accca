// Package coder finds or makes the tool that a request needs: from templates without a language model, or by writing,
// testing and repairing code with one; what happens regularly it keeps doing until somebody ends it.
//
// Whatever it makes goes through toolsandbox/pipeline, whoever wrote it: checked, tested, kept, and called in its turn.
// Nothing is made twice: a tool that is there is called again with the arguments of the new sentence.
package coder

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Maker makes tools, step by step: what Check returns is given to Test, and what that returns to Put. Register is all of
// them, for what needs no repair. *pipeline.Pipeline is one.
type Maker interface {
	Search(ctx context.Context, query string, limit int) ([]registry.Found, error)
	Version(name string, number int) (*registry.Version, error)
	Check(ctx context.Context, d registry.Draft) (*pipeline.Checked, error)
	Test(ctx context.Context, c *pipeline.Checked) (*pipeline.Tested, error)
	Put(ctx context.Context, t *pipeline.Tested) (*pipeline.Report, error)
	Register(ctx context.Context, d registry.Draft) (*pipeline.Report, error)
}

// Tools describes the robot's tools, self-made ones among them.
type Tools interface {
	Get(name string) (tool.Spec, bool)
	List() []tool.Spec
}

// Failures remembers attempts that did not succeed.
type Failures interface {
	SaveFailure(f Failure) error
	// LoadFailures returns the latest failures, the newest first, at most MaxFailures.
	LoadFailures() ([]Failure, error)
}

// ErrNoRoom is wrapped by the errors of Schedules when there is no room for them.
var ErrNoRoom = errors.New("the disk is nearly full")

// Schedules keeps what is done regularly over a restart. What SaveSchedules acknowledged survives a power cut.
type Schedules interface {
	SaveSchedules(all []Schedule) error
	LoadSchedules() ([]Schedule, error)
}

// Policy says when a tool may be written with a language model. Templates are written by us and need no leave.
type Policy string

// The policies.
const (
	Ask   Policy = "ask" // the person who wants something done is asked first
	Auto  Policy = "auto"
	Never Policy = "never"
)

// Options are the parts of a Coder. Maker, Tools and Call must be there; each of the others may be nil.
type Options struct {
	Model llm.Model // nil: templates only
	// Sentences says what texts mean, for finding tools, where no language model does; nil: tools are found by words.
	Sentences Sentences
	Maker     Maker
	Tools     Tools
	// Call calls a tool in its turn, as the coordinator does; for what is done regularly.
	Call func(ctx context.Context, name string, args json.RawMessage) tool.Result
	// Plan says what a sentence asks the body to do; the planner's when nil.
	Plan func(text string) planner.Plan
	// Do carries out an action of the toolbox, "rollback" or "activate" with {"name", "version"}; nil: nobody can.
	Do func(ctx context.Context, action string, args json.RawMessage) (any, error)

	Policy Policy // Ask when empty
	// Allowed are the robot's tools that a written tool may call; nil: all that move or sense, but none that wakes the
	// robot, sends it to sleep, stops it or goes to the web.
	Allowed   []string
	Failures  Failures
	Schedules Schedules
	// Publish tells of what happens when nobody waits for an answer, as an api.Notification.
	Publish func(trace string, data api.Payload)
	// Failed is told what went wrong where nobody waits for an answer.
	Failed func(error)
	// Latched says that the emergency stop is: nothing that moves is begun. Busy says that somebody else moves the robot
	// now: what is regular waits for him.
	Latched func() bool
	Busy    func() bool

	Now    func() time.Time
	Up     func() time.Duration // what has passed, also while the clock is set; by Now when nil
	Random func() uint32        // for dice and the like
	After  func(d time.Duration) <-chan time.Time

	MaxSchedules int           // done regularly at a time; 16
	MaxRepairs   int           // rounds of repair of one tool; 3
	MinInterval  time.Duration // between two rounds of what moves; 10 s
	MinPoll      time.Duration // between two looks of a watcher; 5 s
	MakeTime     time.Duration // for writing one tool with a model; 5 min
}

// Coder implements runtime.Coder. Its methods may be called by many goroutines at once.
type Coder struct {
	o     Options
	clock scheduler
	index *index

	missed atomic.Bool // the interpreter, and that was said

	making registry.Holds // one at a time makes the tools of a name

	mu    sync.Mutex
	asked map[string]question // by session
}

// question is what the coder asked in a session.
type question struct {
	text string // the request that a tool would be made for
	at   time.Time
}

// askedFor is how long a yes is an answer to a question.
const askedFor = 5 * time.Minute

// New returns a coder. Run does what is regular.
func New(o Options) *Coder {
	if o.Plan == nil {
		o.Plan = planner.New().Plan
	}
	if o.Policy == "" {
		o.Policy = Ask
	}
	if o.Publish == nil {
		o.Publish = func(string, api.Payload) {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	no := func() bool { return false }
	if o.Latched == nil {
		o.Latched = no
	}
	if o.Busy == nil {
		o.Busy = no
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Up == nil {
		begin := o.Now()
		o.Up = func() time.Duration { return o.Now().Sub(begin) } // time.Now tells both
	}
	if o.Random == nil {
		o.Random = rand.Uint32
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.MaxSchedules == 0 {
		o.MaxSchedules = 16
	}
	if o.MaxRepairs == 0 {
		o.MaxRepairs = 3
	}
	if o.MinInterval == 0 {
		o.MinInterval = 10 * time.Second
	}
	if o.MinPoll == 0 {
		o.MinPoll = 5 * time.Second
	}
	if o.MakeTime == 0 {
		o.MakeTime = 5 * time.Minute
	}
	c := &Coder{o: o, asked: map[string]question{}, index: newIndex(o.Model, o.Sentences)}
	c.clock.init(c)
	return c
}

// Run does what is to be done regularly until ctx ends. It returns when the last round has ended.
func (c *Coder) Run(ctx context.Context) error {
	c.clock.run(ctx)
	return nil
}

// Stopped pauses everything regular that moves the robot: the emergency stop was pressed, or somebody said stop. It goes
// on when somebody says so.
func (c *Coder) Stopped() { c.clock.pause() }

// Stop implements runtime.Coder: "stop looking around every hour" ends what it names, "stop doing that" what began last, and
// a mere "stop" pauses everything regular that moves.
func (c *Coder) Stop(u *language.Utterance) {
	if ids := c.clock.named(u.Request()); len(ids) > 0 {
		_ = c.clock.end(ids) // told as a failure
		return
	}
	c.clock.pause()
}

// match is a sentence as the coder has read it. Whether there is something to do for it may change while its turn waits: what
// was asked is answered, what was done regularly is ended. What its words mean does not.
type match struct {
	session  string
	s        *language.Request
	plan     planner.Plan
	regular  func() *regular
	revises  func() *revision // what it wants of which tool, in its words
	template func() *wanted
	ifSeen   func() *condition
}

// Match implements runtime.Coder.
func (c *Coder) Match(session string, u *language.Utterance, p planner.Plan) coordinator.Match {
	return c.read(session, u, p)
}

func (c *Coder) read(session string, u *language.Utterance, p planner.Plan) *match {
	s := u.Request()
	return &match{
		session, s, p,
		sync.OnceValue(func() *regular { return c.regular(s, p) }),
		sync.OnceValue(func() *revision { return c.meant(s, p) }),
		sync.OnceValue(func() *wanted { return c.template(s, p) }),
		sync.OnceValue(func() *condition { return c.ifSeen(s) }),
	}
}

// Serves implements runtime.Coder.
func (c *Coder) Serves(m coordinator.Match) bool {
	read, ok := m.(*match)
	return ok && c.serve(read) != nil
}

// serve finds what answers a sentence without a language model; nil when nothing does.
func (c *Coder) serve(m *match) func(ctx context.Context, r coordinator.Request) coordinator.Answer {
	if c.answers(m.session, m.s) {
		return func(ctx context.Context, r coordinator.Request) coordinator.Answer { return c.reply(ctx, r, m.s) }
	}
	if act := c.manages(m.s, m.plan); act != nil {
		return func(context.Context, coordinator.Request) coordinator.Answer { return answered(act()) }
	}
	if k := m.ifSeen(); k != nil {
		return func(ctx context.Context, r coordinator.Request) coordinator.Answer { return k.make(ctx, c, r) }
	}
	if g := m.regular(); g != nil {
		return func(ctx context.Context, r coordinator.Request) coordinator.Answer { return g.make(ctx, c, r) }
	}
	if v := c.known(m.revises()); v != nil {
		return func(ctx context.Context, r coordinator.Request) coordinator.Answer { return v.make(ctx, c, r) }
	}
	if u := m.template(); u != nil {
		return func(ctx context.Context, r coordinator.Request) coordinator.Answer { return c.use(ctx, r, u) }
	}
	return nil
}

// Make implements runtime.Coder.
func (c *Coder) Make(ctx context.Context, r coordinator.Request) coordinator.Answer {
	m, ok := r.Match.(*match)
	if !ok {
		m = c.read(r.Session, r.Said(), r.Plan)
	}
	if serve := c.serve(m); serve != nil {
		return serve(ctx, r)
	}
	return c.write(ctx, r)
}

// Find implements runtime.Coder.
func (c *Coder) Find(ctx context.Context, text string, most int) []string {
	found := c.find(ctx, text, most)
	names := make([]string, 0, len(found))
	for _, f := range found {
		names = append(names, f.Name)
	}
	return names
}

// answers says whether a sentence answers what was asked in its session.
func (c *Coder) answers(session string, s *language.Request) bool {
	if !consents(s, "yes") && !consents(s, "no") {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	q, there := c.asked[session]
	return there && c.o.Now().Sub(q.at) <= askedFor
}

// take takes the question of a session, which is answered once.
func (c *Coder) take(session string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.asked[session]
	delete(c.asked, session)
	return q.text
}

// ask remembers what was asked; the oldest questions are forgotten.
func (c *Coder) ask(session, text string) {
	const most = 64
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.o.Now()
	for k, q := range c.asked {
		if now.Sub(q.at) > askedFor || len(c.asked) >= most {
			delete(c.asked, k)
		}
	}
	c.asked[session] = question{text, now}
}

func answered(text string) coordinator.Answer {
	return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: text}
}

func failed(ctx context.Context, text string) coordinator.Answer {
	if ctx.Err() != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
	}
	return coordinator.Answer{Outcome: coordinator.OutcomeFailed, Text: text}
}

// upper begins a text with a capital.
func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func isNotFound(err error) bool { return errors.Is(err, registry.ErrNotFound) }

var _ Maker = (*pipeline.Pipeline)(nil)
