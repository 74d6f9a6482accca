package smalltalk

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/smalltalk/compute"
	"github.com/reachyd/reachyd/agents/smalltalk/guess"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Match is what was recognised in a sentence.
type Match struct {
	// Sure says that every word of it is understood; else it is a guess, for where nobody else knows.
	Sure  bool
	found []*found
	plain string
	game  bool // it belongs to the game that is being played
	works bool // it was worked out of its words
	more  bool // behind a mark stands what is no small talk by itself: "so sweet! again, please"
	said  *language.Utterance
	rest  *language.Utterance // what stands behind a greeting, and nobody understands
}

// Plays says that the sentence belongs to a game that is being played.
func (m *Match) Plays() bool { return m != nil && m.game }

// Works says that the sentence is a question that was worked out of its words: it is for nobody else, and moves nothing.
func (m *Match) Works() bool { return m != nil && m.works }

// Varies says that what is answered depends on the words of the sentence: on another country there is another capital.
func (m *Match) Varies() bool {
	return m != nil && m.Sure && len(m.found) == 1 && (m.found[0].read != nil || slices.ContainsFunc(m.found[0].kind.ways, hasSlot.MatchString))
}

// hasSlot finds a word that a way leaves open.
var hasSlot = regexp.MustCompile(`\{(?:word|text|number)[^}]*:`)

// Again says that there may be another answer to the same.
func (m *Match) Again() bool {
	return m != nil && m.Sure && !m.game && !slices.ContainsFunc(m.found, func(f *found) bool { return !f.kind.again })
}

// WorkOut reads a question that can be worked out of its words; nil where it is none, or belongs to a game.
func (t *Talk) WorkOut(session string, u *language.Utterance) *Match {
	if u.TooLong || len(u.Raw) == 0 || t.plays(session, &Match{plain: t.o.Persona.matcher().plain(u.Raw), said: u}) {
		return nil
	}
	return t.computed(u)
}

// worked is what came of a sentence.
type worked struct {
	of     *language.Utterance
	answer string
	ok     bool
}

// computed is what can be worked out of the words of a sentence.
func (t *Talk) computed(u *language.Utterance) *Match {
	w := t.worked.Load()
	if w == nil || w.of != u { // who asks next asks of the same sentence
		w = &worked{of: u}
		w.answer, w.ok = compute.Answer(u.Text, t.o.Now())
		t.worked.Store(w)
	}
	k := t.o.Persona.byName[workedOut]
	if !w.ok || k == nil {
		return nil
	}
	return &Match{Sure: true, works: true, said: u, found: []*found{{kind: k, read: w.answer}}}
}

// Alone says that every word is understood, and that the words are not about what was done before, as "wrong one" and "again" may be.
func (m *Match) Alone() bool {
	return m != nil && m.Sure && !m.more && !slices.ContainsFunc(m.found, func(f *found) bool { return f.kind.leans })
}

// More says that something is said besides, of which nothing is understood.
func (m *Match) More() bool { return m != nil && m.more }

// Over says that every word is understood, and that all of it goes before plans of an outcome.
func (m *Match) Over(outcome string) bool {
	return m != nil && m.Sure && !m.game && !slices.ContainsFunc(m.found, func(f *found) bool { return !slices.Contains(f.kind.over, outcome) })
}

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
func (t *Talk) Match(session string, u *language.Utterance) *Match { return t.match(session, u, true) }

// Surely is Match without guesses: nil where it would not be sure.
func (t *Talk) Surely(session string, u *language.Utterance) *Match {
	return t.match(session, u, false)
}

// match reads a sentence, and where that is not understood whole what stands behind words that say nothing.
func (t *Talk) match(session string, u *language.Utterance, guesses bool) *Match {
	m := t.matchWhole(session, u, guesses)
	if m != nil && m.Sure {
		return m
	}
	if rest := behindDiscourse(u); rest != nil {
		if behind := t.matchWhole(session, rest, guesses); behind != nil && (m == nil || behind.Sure) {
			return behind
		}
	}
	return m
}

func (t *Talk) matchWhole(session string, u *language.Utterance, guesses bool) *Match {
	if u.TooLong || len(u.Raw) == 0 {
		return nil
	}
	x := t.o.Persona.matcher()
	m := &Match{plain: x.plain(u.Raw), said: u}
	if spans := split(u.Raw); len(spans) > 1 {
		m.more = slices.ContainsFunc(spans[1:], func(span language.Tokens) bool {
			text := x.plain(span)
			f := x.find(text)
			return f == nil || f.left > 0 || x.weight(text) == 0
		})
	}
	if t.plays(session, m) {
		m.game, m.Sure = true, true
		return m
	}
	if worked := t.computed(u); worked != nil {
		worked.plain = m.plain
		return worked
	}
	if bare := t.unnamed(m.plain); bare != m.plain {
		if f := t.read(x, u, bare); f != nil && f.left == 0 {
			m.found, m.Sure = []*found{f}, true
			return m
		}
	}
	mended := x.mended(m.plain)
	var f *found // in the mended text
	for _, text := range slices.Compact([]string{
		m.plain, mended, turned(mended, u.Question), youAre.Apply(mended), withoutReason(mended), untagged(mended), retold(mended), elided(mended, u.Question),
	}) {
		read := t.read(x, u, text)
		if text == mended {
			f = read
		}
		if read != nil && read.left == 0 && !x.tells(read.kind, u, text) {
			m.found, m.Sure = []*found{read}, true
			return m
		}
		if m.clauses(x, u, text == m.plain); m.Sure {
			return m
		}
	}
	if !guesses {
		return nil
	}
	if asked := x.asked(u); asked != nil {
		m.found = []*found{asked}
		m.Sure = asked.kind.again // who asks for something for fun may say why: "toss a coin, we can't decide who goes"
		return m
	}
	if t.greeted(x, session, u, m) {
		return m
	}
	if f = t.guessed(x, u, f, m.plain, mended); f == nil || ofNow[f.kind.name] && counts(u) {
		k := x.wished(u, strings.Fields(mended))
		if k == nil {
			return nil
		}
		f = &found{kind: k}
	}
	m.found = []*found{f}
	return m
}

var discourse = language.Phrases("discourse")

// behindDiscourse is what follows words that say nothing by themselves: "for the record, what is your body's angle?". nil where there are
// none, or a single one, which may be a command ("look, …").
func behindDiscourse(u *language.Utterance) *language.Utterance {
	n := discourse.Len(u.Tokens, 0)
	if n < 2 || !u.Tokens.IsMark(n) || n+1 >= len(u.Tokens) {
		return nil
	}
	return language.Analyse(u.Text[u.Tokens[n+1].Start:])
}

// tells says that a sentence asks what a kind, of which nothing asks, cannot answer: "sorry sir, how I must call you?".
func (m *matcher) tells(k *kind, u *language.Utterance, text string) bool {
	c := m.near.like[k]
	return u.Question && !c.asking && c.asks == 0 && makers[k.name].reads == nil &&
		slices.ContainsFunc(strings.Fields(text), func(w string) bool { return askers[w] })
}

// Limits of what the network guesses, measured on a writer whose sentences it did not learn (agents/eval/kinds, RATIONALE.md).
const (
	sureOfKind = 0.5 // that a sentence is of a kind
	sureOfNone = 0.9 // that it is of none, although a template finds one in it
	likely     = 0.3 // that it is of the kind that the stems of its words speak for
)

// guessed is what a sentence may be that no template understands whole: what the network is sure of, or what a template finds in it, or
// what the stems say and the network holds to be likely. f is the template that explains most of it, or nil.
func (t *Talk) guessed(x *matcher, u *language.Utterance, f *found, plain, mended string) *found {
	g := guess.Of(u)
	name, sure := g.Best()
	excluded := x.excluded(mended)
	k := t.o.Persona.byName[name]
	switch {
	case k == nil && sure >= sureOfNone:
		return nil
	case k == nil || sure < sureOfKind || acts(k) || excluded[k.name] || !x.near.like[k].addressed(plain):
	case f != nil && f.kind == k:
		return f
	case !lacks(k):
		return &found{kind: k}
	}
	if f != nil && !acts(f.kind) && (!f.kind.again || !states(u)) && near(f, plain) && x.near.like[f.kind].fits(plain) {
		return f
	}
	if k := x.near.guess(x, mended, func(k *kind) bool {
		share, _ := g.Share(k.name)
		return acts(k) || needsSlots(k) || excluded[k.name] || !k.own && share < likely
	}); k != nil {
		return &found{kind: k}
	}
	return nil
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
func needsSlots(k *kind) bool {
	return makers[k.name].reads != nil || acceptors[k.name] != nil || needing[k.name]
}

// lacks says that a kind is nothing without what stands in the slots of its templates, or cannot be told from the words alone.
func lacks(k *kind) bool {
	return makers[k.name].reads != nil || acceptors[k.name] != nil || needing[k.name] && !wordless[k.name]
}

// read is the kind of a text: what a maker reads in it, or what is found.
func (t *Talk) read(x *matcher, u *language.Utterance, text string) *found {
	if f := t.reading(x, u, text, true); f != nil {
		return f
	}
	best := x.find(text)
	if best != nil && best.left == 0 && !best.kind.last {
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

// Yields reports whether a language model, where there is one, can say more: "tell me a story about a dragon".
func (m *Match) Yields() bool {
	return m != nil && slices.ContainsFunc(m.found, func(f *found) bool { return f.kind.yields })
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

// asked is the kind of the only question of a sentence, all of whose words are understood, where the rest is said beside it: "how old are
// you? I am six". nil where there is another question, or the rest asks for something.
func (m *matcher) asked(u *language.Utterance) *found {
	var question *found
	spans := split(u.Raw)
	for i, span := range spans {
		text := m.mended(m.plain(span))
		words := strings.Fields(text)
		f := m.find(text)
		switch {
		case len(words) > 0 && asking(words) || i == 0 && f != nil && f.left == 0 && f.kind.again:
			if question != nil || f == nil || f.left > 0 {
				return nil
			}
			question = f
		case !beside(words, m) && (question == nil || question.kind.again): // what is behind the question may be anything: "keep it short"
			return nil
		}
	}
	if len(spans) < 2 {
		return nil
	}
	return question
}

// retold is what the robot is asked to tell others, as if they asked it.
func retold(text string) string {
	if m := around.Rule("retell").Find(template.Split(text)); m != nil && m.After() != "" {
		return turned(m.After(), true)
	}
	return text
}

// elided is a question of which the verb was left out: "you ever been in a car?", "you got any wheels?".
func elided(text string, question bool) string {
	if !question {
		return text
	}
	return leftOut.Apply(text)
}

// greetings are the kinds behind which people go on with something else.
var greetings = map[string]bool{"hello": true, "greet-day": true, "thanks": true, "goodbye": true}

// greeted reads a sentence that begins with a greeting, and what stands behind it by itself.
func (t *Talk) greeted(x *matcher, session string, u *language.Utterance, m *Match) bool {
	spans := split(u.Raw)
	if len(spans) < 2 {
		return false
	}
	f := x.find(x.mended(x.plain(spans[0])))
	if f == nil || f.left > 0 || !greetings[f.kind.name] {
		return false
	}
	_, behind, _ := cutMark(u.Text)
	rest := language.Analyse(behind)
	if len(rest.Raw) == 0 {
		return false
	}
	m.found = []*found{f}
	switch in := t.match(session, rest, true); {
	case in == nil:
		m.rest = rest
	case in.game || in.works:
		*m = *in
	default:
		m.found, m.rest = append(m.found, in.found[0]), in.rest
	}
	return true
}

// cutMark is a text before and behind its first mark.
func cutMark(text string) (before, behind string, found bool) {
	at := strings.IndexAny(text, ",.;:!?")
	if at < 0 {
		return text, "", false
	}
	return text[:at], strings.TrimLeft(text[at:], " ,.;:!?"), true
}

// beside says whether words tell of something, or mean nothing: they ask for nothing.
func beside(words []string, m *matcher) bool {
	return len(words) == 0 || remarks[words[0]] || tellers[words[0]] || m.weight(strings.Join(words, " ")) == 0
}

// wished is the kind of the only thing that is wished for, where a question or a wish names one: "a riddle for me, but not a too hard
// one". What is told of one wishes for nothing.
func (m *matcher) wished(u *language.Utterance, words []string) (k *kind) {
	says := func(all map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool { return all[w] })
	}
	if says(noWish) || !u.Question && !says(wishing) {
		return nil
	}
	for _, line := range m.p.tables["wishes"] {
		name, all, _ := strings.Cut(line, "=")
		if !slices.ContainsFunc(strings.Fields(all), func(w string) bool { return slices.Contains(words, w) }) {
			continue
		}
		if k != nil {
			return nil
		}
		k = m.p.byName[strings.TrimSpace(name)]
	}
	return k
}

// withoutReason is a text without the reason, or the other possibility, behind it: "flip a coin so we know who washes up", "do you have
// legs or do you just sit there".
func withoutReason(text string) string {
	if m := around.Rule("reason").Find(template.Split(text)); m != nil && strings.Contains(m.Before(), " ") {
		return m.Before()
	}
	return text
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
	if p.Outcome == planner.OutcomeNone || m.game || m.works {
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
