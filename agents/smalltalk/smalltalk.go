// Package smalltalk answers what people say to a robot beside commands, without a language model: who it is, how it feels,
// the time, sums, jokes, games, what was said and done.
//
// What it knows is data: the files of en/, and those of an owner (see [Load]). A file has kinds of requests, each with ways to
// say it, in the notation of package template, and with replies:
//
//	joke:
//	  ? joke | make me laugh
//	  ! (practical|bad) joke
//	  > do you know a good joke?
//	  - Why do robots never panic? They have nerves of steel.
//	  -none I know no more jokes.
//	  @ again
//
// A line with ? is templates that are found anywhere in a sentence; the words that they leave must be fillers (the table of that
// name). One with ! makes it something else, one with > is an example that the tests read, one with ~ has further words that
// speak for it where no template fits, one with - is a reply, one with
// -case a reply of a case that the program tells apart, one with @ an option: "over speak error" (it goes before plans of that
// tool or outcome), "with wake_up" (it goes before plans of that tool, and carries them out), "again" ("another one" asks for
// it), "leans" (its words may also be about what was done before), "last" (any other kind goes before it), "model" (a language model is
// asked first where there is one), "good" and "bad" (it is feedback), "do gesture name=nod" (a tool call that belongs to it). Lines that
// are indented deeper go on with
// the line above. In replies {name} is the robot's name, {you} is ", Anna" where the person's name is known, and a
// maker (makers.go) fills further slots. <list> = a|b may be used by all.
//
// In an owner's file the replies of a case take the place of ours, ways are added, and new kinds go before ours.
package smalltalk

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

// Feelings are what the robot knows of itself. What is not known is zero.
type Feelings struct {
	Known     bool // false: nobody could ask the body
	Mode      string
	Moving    string        // what it is doing
	Stopped   bool          // the emergency stop is latched
	StoppedBy string        // as the body has it
	Faults    []string      // in words: "overload at the left antenna"
	Hottest   string        // a joint
	Celsius   float64       // of the hottest servo
	Volts     float64       // of the supply
	Up        time.Duration // since the robot's programs were started
	Tools     int           // that were made by people and models
	Address   string        // of its host
	Network   string        // the wireless one that it is in
}

// Memory is what people have asked the robot to remember.
type Memory interface {
	Of(session string) (memory.Memory, error)
	Recall(session, what string) ([]memory.Fact, error)
}

// Keep keeps a few texts over a restart.
type Keep interface {
	LoadText(key string) (string, error) // empty when there is none
	SaveText(key, text string) error
}

// Options are the parts of a Talk. All may be zero.
type Options struct {
	Persona  *Persona         // the built-in one when nil
	Name     string           // of the robot until it is called something else; Reachy Mini when empty
	Now      func() time.Time // in the zone of the host; time.Now when nil
	Feelings func() Feelings
	Memory   Memory
	Keep     Keep
	Plan     func(text string) planner.Plan // for games that use the body
	Publish  func(trace string, data api.Payload)
	Failed   func(error)
	Seed     uint64 // of what is chosen by chance; 0 takes another one each time
	// Length is how long the replies are that a person likes: below 0 short, above 0 long. It may be nil.
	Length func(session string) float64
	// Sum works out a sum in words; nil where only another part can.
	Sum func(r *language.Request) (float64, bool)
	// WorkOut answers what can be worked out from its words alone; nil where nobody can.
	WorkOut func(r *language.Request, now time.Time) (string, bool)
	// Measure is an amount in the base unit of its quantity, and its name; nil where units are not known.
	Measure func(x float64, unit string) (base float64, quantity, name string, ok bool)
}

// Talk answers. Its methods may be called by many goroutines at once.
type Talk struct {
	o      Options
	worked atomic.Pointer[worked] // the latest

	mu       sync.Mutex
	random   *rand.Rand
	sessions map[string]*session
	order    []string // of use, the latest last
	name     string
	named    bool // name has been read
}

// maxSessions is how many conversations have a state.
const maxSessions = 64

// session is the state of one conversation.
type session struct {
	last   map[string]int // kind and case: the reply that was given last
	kind   string         // that was answered last
	game   game
	secret string // of the riddle that was asked last
}

// New returns what answers.
func New(o Options) *Talk {
	if o.Persona == nil {
		o.Persona = builtInPersona()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Feelings == nil {
		o.Feelings = func() Feelings { return Feelings{} }
	}
	if o.Publish == nil {
		o.Publish = func(string, api.Payload) {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Name == "" {
		o.Name = "Reachy Mini"
	}
	return &Talk{
		o: o, random: rand.New(rand.NewPCG(o.Seed, 0)), sessions: map[string]*session{},
	}
}

// builtInPersona is the one of the program's own files: a mistake in them is one of its authors.
var builtInPersona = sync.OnceValue(func() *Persona {
	p, err := newPersona(builtIn)
	if err != nil {
		panic("smalltalk: " + err.Error())
	}
	return p
})

// Answer answers a match.
func (t *Talk) Answer(ctx context.Context, r coordinator.Request, m *Match) coordinator.Answer {
	trace.Note(ctx, trace.Route, "smalltalk", strings.Join(m.Kinds(), ", "))
	q := &turn{Talk: t, ctx: ctx, r: r, m: m, now: t.o.Now()}
	t.mu.Lock()
	q.s = t.session(r.Session)
	t.mu.Unlock()
	if m.game {
		return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: q.play()}
	}
	var texts []string
	for _, f := range m.found {
		q.f = f
		texts = append(texts, q.answer(f.kind))
	}
	if m.rest != nil {
		texts = append(texts, q.beyond(m.rest))
	}
	if ctx.Err() != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
	}
	return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: strings.Join(texts, " ")}
}

// session returns the state of a conversation; that which nobody has used for the longest time is forgotten. t.mu is held.
func (t *Talk) session(id string) *session {
	t.order = append(slices.DeleteFunc(t.order, func(s string) bool { return s == id }), id)
	s := t.sessions[id]
	if s == nil {
		s = &session{last: map[string]int{}}
		t.sessions[id] = s
		if len(t.order) > maxSessions {
			delete(t.sessions, t.order[0])
			t.order = t.order[1:]
		}
	}
	return s
}

// Name is what the robot is called.
func (t *Talk) Name() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.named && t.o.Keep != nil {
		name, err := t.o.Keep.LoadText(keyName)
		if err != nil {
			t.o.Failed(err)
		}
		t.name, t.named = name, err == nil
	}
	if t.name != "" {
		return t.name
	}
	return t.o.Name
}

// keyName is where the robot's name is kept.
const keyName = "name"

// rename gives the robot a name.
func (t *Talk) rename(name string) error {
	if t.o.Keep != nil {
		if err := t.o.Keep.SaveText(keyName, name); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.name, t.named = name, true
	return nil
}

// beside is the turn of a sentence in which nothing was recognised.
func (t *Talk) beside(r coordinator.Request) *turn {
	q := &turn{Talk: t, ctx: context.Background(), r: r, m: &Match{}, now: t.o.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	q.s = t.session(r.Session)
	return q
}

var tellsNames = language.Words("tells-names")

// Told is what the robot says to who tells how somebody or something of theirs is called: "my daughter is called Mia". A small model takes
// that for a question.
func (t *Talk) Told(r coordinator.Request) (reply string, told bool) {
	q := t.beside(r)
	if !slices.ContainsFunc(r.Said().Tokens, func(t language.Token) bool { return tellsNames[t.Word] }) {
		return "", false
	}
	which, v := notKnown(q)
	if which != "told" {
		return "", false
	}
	return strings.TrimSpace(q.say(t.o.Persona.byName[unknown], which, v)), true
}

// Unknown is what the robot says to what nobody understands: one short sentence with one suggestion.
func (t *Talk) Unknown(r coordinator.Request) string {
	q := t.beside(r)
	if said := strings.TrimSpace(r.Plan.Message); said != "" && said != planner.NotUnderstood { // somebody knows more than that
		return said
	}
	which, v := notKnown(q)
	return strings.TrimSpace(q.say(t.o.Persona.byName[unknown], which, v))
}

// Suggestions are the sentences that the robot suggests where it does not know what was meant.
func (p *Persona) Suggestions() []string { return slices.Clone(p.tables["suggestions"]) }
