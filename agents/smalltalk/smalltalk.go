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
// it), "good" and "bad" (it is feedback), "do gesture name=nod" (a tool call that belongs to it). Lines that are indented deeper
// go on with the line above. In replies {name} is the robot's name, {you} is ", Anna" where the person's name is known, and a
// maker (makers.go) fills further slots. <list> = a|b may be used by all.
//
// In an owner's file the replies of a case take the place of ours, ways are added, and new kinds go before ours.
package smalltalk

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
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
	o Options

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

// Match is what was recognised in a sentence.
type Match struct {
	// Sure says that every word of it is understood; else it is a guess, for where nobody else knows.
	Sure  bool
	found []*found
	plain string
	game  bool // it belongs to the game that is being played
	said  *language.Utterance
}

// Plays says that the sentence belongs to a game that is being played.
func (m *Match) Plays() bool { return m != nil && m.game }

// Kinds names the kinds that were found.
func (m *Match) Kinds() []string {
	all := make([]string, 0, len(m.found))
	for _, f := range m.found {
		all = append(all, f.kind.name)
	}
	return all
}

// maxReplies is how many sentences of one text are answered.
const maxReplies = 2

// Match reads a sentence of a session; nil when nothing is recognised in it.
func (t *Talk) Match(session string, u *language.Utterance) *Match {
	if u.TooLong || len(u.Raw) == 0 {
		return nil
	}
	x := t.o.Persona.matcher()
	m := &Match{plain: x.plain(u.Raw), said: u}
	if t.plays(session, m) {
		m.game, m.Sure = true, true
		return m
	}
	if bare := t.unnamed(m.plain); bare != m.plain {
		if f := t.read(x, u, bare); f != nil && f.left == 0 {
			m.found, m.Sure = []*found{f}, true
			return m
		}
	}
	for _, text := range []string{m.plain, x.mended(m.plain)} {
		if f := t.read(x, u, text); f != nil && f.left == 0 {
			m.found, m.Sure = []*found{f}, true
			return m
		}
		if m.clauses(x, u, text == m.plain); m.Sure {
			return m
		}
		if text == m.plain && x.mended(text) == text {
			break
		}
	}
	if f := t.read(x, u, x.mended(m.plain)); f != nil && !acts(f.kind) && near(f, m.plain) && x.near.like[f.kind].fits(m.plain) {
		m.found = []*found{f}
	}
	if len(m.found) == 0 {
		mended := x.mended(m.plain)
		excluded := x.excluded(mended)
		k := x.near.guess(x, mended, func(k *kind) bool { return acts(k) || needsSlots(k) || excluded[k.name] })
		if k == nil {
			return nil
		}
		m.found = []*found{{kind: k}}
	}
	return m
}

// unnamed is a text without the name of the robot at its beginning or its end: "hello Biscuit".
func (t *Talk) unnamed(text string) string {
	name := strings.ToLower(t.Name())
	for _, other := range []string{strings.TrimPrefix(text, name+" "), strings.TrimSuffix(text, " "+name)} {
		if other != text {
			return other
		}
	}
	return text
}

// acts says that a kind does more than to answer: what is only guessed must not move the robot.
func acts(k *kind) bool { return len(k.does) > 0 }

// needsSlots says that a kind is nothing without what stands in the slots of its templates.
func needsSlots(k *kind) bool { return makers[k.name].reads != nil || needing[k.name] }

// read is the kind of a text: what a maker reads in it, or what is found.
func (t *Talk) read(x *matcher, u *language.Utterance, text string) *found {
	if f := t.reading(x, u, text, true); f != nil {
		return f
	}
	best := x.find(text)
	if best != nil && best.left == 0 {
		return best
	}
	if f := t.reading(x, u, text, false); f != nil {
		return f
	}
	return best
}

// reading is what a maker reads in a text itself; those that are eager go before all templates.
func (t *Talk) reading(x *matcher, u *language.Utterance, text string, eagerly bool) *found {
	for _, k := range x.p.kinds {
		m, ok := makers[k.name]
		if !ok || m.reads == nil || eager[k.name] != eagerly {
			continue
		}
		if v := m.reads(t, u, text); v != nil {
			return &found{kind: k, read: v}
		}
	}
	return nil
}

// near says whether a kind is a good guess although words are left.
func near(f *found, text string) bool {
	const enough = 2 // words that mean something for each that is left
	return f.left == 1 && f.size/100 >= 1 && len(strings.Fields(text)) <= 8 || f.left >= 1 && f.size/100 >= enough*f.left
}

// clauses looks at each sentence alone: all must be understood, so that nothing is answered that was only half heard.
func (m *Match) clauses(x *matcher, u *language.Utterance, asWritten bool) {
	if len(u.Clauses) < 2 {
		return
	}
	m.found = nil
	missed := false
	for _, span := range split(u.Raw) {
		text := x.plain(span)
		if !asWritten {
			text = x.mended(text)
		}
		f := x.find(text)
		switch {
		case f != nil && f.left == 0:
			if !slices.ContainsFunc(m.found, func(o *found) bool { return o.kind == f.kind }) {
				m.found = append(m.found, f)
			}
		case x.weight(text) > 0:
			missed = true
		}
	}
	m.Sure = len(m.found) > 0 && !missed
	if n := len(m.found) - maxReplies; n > 0 {
		m.found = m.found[n:]
	}
}

// split cuts tokens at the marks.
func split(toks language.Tokens) []language.Tokens {
	var all []language.Tokens
	from := 0
	for i := range len(toks) + 1 {
		if i == len(toks) || toks[i].Kind == language.Mark && toks[i].Word != "-" {
			if i > from {
				all = append(all, toks[from:i])
			}
			from = i + 1
		}
	}
	return all
}

// Goes says whether a match goes before a plan of the planner: nothing is planned, or the kind is listed to go before it.
func (m *Match) Goes(p planner.Plan) bool {
	if p.Outcome == planner.OutcomeNone || m.game {
		return true
	}
	if !m.Sure {
		return false
	}
	for _, f := range m.found {
		for _, s := range p.Steps {
			if !slices.Contains(f.kind.over, s.Tool) {
				return false
			}
		}
		if len(p.Steps) == 0 && !slices.Contains(f.kind.over, string(p.Outcome)) {
			return false
		}
	}
	return true
}

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
	if ctx.Err() != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
	}
	return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: strings.Join(texts, " ")}
}

// turn is one answer at work.
type turn struct {
	*Talk
	ctx context.Context
	r   coordinator.Request
	m   *Match
	f   *found
	s   *session
	now time.Time
}

// values fill the slots of a reply.
type values map[string]string

// answer makes the reply of a kind.
func (q *turn) answer(k *kind) string {
	which, v := "", values{}
	if m, ok := makers[k.name]; ok && m.make != nil {
		which, v = m.make(q)
	}
	if k.good != 0 && q.m.Sure {
		q.feedback(k.good)
	}
	text := q.say(k, which, v)
	if k.name != "another" {
		q.mu.Lock()
		q.s.kind = k.name
		q.mu.Unlock()
	}
	for _, s := range q.r.Plan.Steps {
		if !slices.Contains(k.with, s.Tool) || s.Tool == "wake_up" && q.awake() {
			continue
		}
		if why := q.do(s.Tool, s.Args); why != "" {
			return strings.TrimSpace(text + " " + why)
		}
	}
	for _, a := range k.does {
		if why := q.do(a.tool, a.args); why != "" {
			return strings.TrimSpace(text + " " + why)
		}
	}
	return text
}

// awake says that the robot is known to be.
func (q *turn) awake() bool {
	f := q.o.Feelings()
	return f.Known && f.Mode != string(hal.ModeDisabled)
}

// do calls a tool and says why it did not work; empty when it did.
func (q *turn) do(name string, args map[string]any) string {
	if q.r.Call == nil {
		return ""
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return err.Error()
	}
	res := q.r.Call(q.ctx, name, raw)
	if res.OK() {
		return ""
	}
	return "I could not " + coordinator.Infinitive(planner.Step{Tool: name, Args: args}) + ": " + res.Message
}

// say fills a reply of a kind, never the one that the session heard last.
func (q *turn) say(k *kind, which string, v values) string {
	all := k.replies[which]
	if len(all) == 0 {
		return ""
	}
	all = q.asLong(all)
	text := all[q.pick(k.name+" "+which, len(all))]
	v["name"], v["you"] = q.Name(), q.you()
	return fill(text, v)
}

// asLong leaves the shorter or the longer half of what can be said, as the person likes it.
func (q *turn) asLong(all []string) []string {
	if q.o.Length == nil {
		return all
	}
	length := q.o.Length(q.r.Session)
	if length == 0 {
		return all
	}
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b string) int { return len(a) - len(b) })
	half := (len(sorted) + 1) / 2
	if length < 0 {
		return sorted[:half]
	}
	return sorted[len(sorted)-half:]
}

// fill puts values into slots.
func fill(text string, v values) string {
	return slotName.ReplaceAllStringFunc(text, func(slot string) string { return v[slot[1:len(slot)-1]] })
}

// pick chooses one of n by chance, never the same twice in a row for a key of the session.
func (q *turn) pick(key string, n int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	last, again := q.s.last[key]
	i := q.random.IntN(n)
	if again && n > 1 && i == last {
		i = (i + 1 + q.random.IntN(n-1)) % n
	}
	q.s.last[key] = i
	return i
}

// chance is a number from 0 to n-1.
func (q *turn) chance(n int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.random.IntN(n)
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

// you is ", Anna" where the person's name is known.
func (q *turn) you() string {
	if name := q.person(); name != "" {
		return ", " + name
	}
	return ""
}

// person is the name of who speaks; empty when it is not known.
func (q *turn) person() string {
	if q.o.Memory == nil {
		return ""
	}
	facts, err := q.o.Memory.Recall(q.r.Session, "my name")
	if err != nil || len(facts) == 0 {
		return ""
	}
	for _, f := range facts {
		if m := isNamed.FindStringSubmatch(f.Text); m != nil {
			return m[1]
		}
	}
	return ""
}

// feedback publishes praise or blame for what was done last.
func (q *turn) feedback(good int) {
	of := ""
	if n := len(q.r.History); n > 0 {
		of = q.r.History[n-1].Trace
	}
	q.o.Publish(q.r.Trace, api.Feedback{Session: q.r.Session, Text: q.r.Text, Of: of, Reward: float64(good)})
}

// Unknown is what the robot says to what nobody understands: one short sentence with one suggestion.
func (t *Talk) Unknown(r coordinator.Request) string {
	q := &turn{Talk: t, ctx: context.Background(), r: r, m: &Match{}, now: t.o.Now()}
	t.mu.Lock()
	q.s = t.session(r.Session)
	t.mu.Unlock()
	p := t.o.Persona
	all := p.tables["suggestions"]
	if said := strings.TrimSpace(r.Plan.Message); said != "" && said != planner.NotUnderstood { // somebody knows more than that
		return said
	}
	return q.say(p.byName[unknown], "", values{"suggestion": all[q.pick("suggestion", len(all))]})
}

// Suggestions are the sentences that the robot suggests where it does not know what was meant.
func (p *Persona) Suggestions() []string { return slices.Clone(p.tables["suggestions"]) }
