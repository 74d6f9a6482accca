package runtime

import (
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/perception/language"
)

// nothing is planned for what is only asked.
func nothing(text string) planner.Plan {
	return planner.Plan{Text: text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}, Message: planner.NotUnderstood}
}

// understood reports whether somebody answers what was read, and is sure of it.
func (m *Runtime) understood(r *match) bool {
	return !r.verdict.OK() || r.act != memory.None || r.list != nil || r.tools != nil || r.talk != nil && (r.talk.Sure || r.talk.Plays()) || m.serves(r)
}

// inOtherWords reads a sentence that nobody understands whole as what it comes down to, or as going on with the question before it; r where
// that is not understood either. A guess of the sentence itself goes before one of its core.
func (m *Runtime) inOtherWords(session string, u *language.Utterance, r *match) *match {
	part, expressly := language.GoesOn(u)
	if expressly { // "and your body?" is about what was asked, whatever it would be alone
		if on := m.goesOn(session, part); on != nil {
			return on
		}
	}
	if m.understood(r) {
		if core := m.askedBeside(session, u, r); core != nil {
			return core
		}
		return r
	}
	var guessed *match
	for _, text := range language.Cores(u.Text) {
		core := m.question(session, text, true)
		switch {
		case core == nil:
		case m.understood(core):
			return core
		case guessed == nil && core.talk != nil:
			guessed = core
		}
	}
	for _, text := range language.Orders(u) {
		if order := m.question(session, text, false); order != nil && m.understood(order) {
			return order
		}
	}
	if !expressly {
		if on := m.goesOn(session, part); on != nil {
			return on
		}
	}
	if told := m.told(session, u); told != "" && r.verdict.OK() { // "where is key for cellar?"
		r.act, r.what = memory.Recall, told
		return r
	}
	if r.talk == nil && guessed != nil && m.talks() != nil { // a model reads the sentence itself
		return guessed
	}
	return r
}

// askedBeside is the question of a sentence of which small talk would answer only what stands beside it: "I've mislaid my newspaper, what is
// today's date?"; nil where there is none that somebody surely answers.
func (m *Runtime) askedBeside(session string, u *language.Utterance, r *match) *match {
	if !r.verdict.OK() || r.act != memory.None || r.list != nil || r.tools != nil || r.talk == nil || r.talk.Plays() || m.serves(r) || len(u.Clauses) < 2 {
		return nil
	}
	for _, text := range language.Cores(u.Text) {
		if core := m.question(session, text, false); core != nil && m.understood(core) {
			return core
		}
	}
	return nil
}

// question is what a question in other words is read as; nil where it must not be, or is about what the robot remembers.
func (m *Runtime) question(session, text string, guesses bool) *match {
	u := language.Analyse(text)
	if u.TooLong {
		return nil
	}
	if m.o.Talk != nil {
		if talk := m.o.Talk.WorkOut(session, u); talk != nil {
			return &match{said: u.Said, u: u, talk: talk}
		}
	}
	r := m.read(session, u, nothing(text), guesses)
	if !r.verdict.OK() || r.act != memory.None && r.act != memory.Recall || r.tools != nil || r.talk.Plays() {
		return nil
	}
	r.u = u
	return r
}

// meant are the latest sentences of sessions that were read in other words, and those words.
type meant struct {
	mu  sync.Mutex
	all map[string][2]string // session: what was said, what it was read as
}

// maxMeant is of how many sessions that is known.
const maxMeant = 64

func (w *meant) put(session, said, as string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil || len(w.all) >= maxMeant {
		w.all = map[string][2]string{}
	}
	w.all[session] = [2]string{said, as}
}

func (w *meant) of(session, said string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if pair, ok := w.all[session]; ok && pair[0] == said {
		return pair[1]
	}
	return said
}

// lastAsked is the question that the session heard an answer to last; empty where the last sentence was something else.
func (m *Runtime) lastAsked(session string) string {
	if m.o.History == nil {
		return ""
	}
	all := m.o.History(session)
	if len(all) == 0 || all[len(all)-1].Outcome != coordinator.OutcomeAnswered {
		return ""
	}
	return m.meant.of(session, all[len(all)-1].Read())
}

// answerer names who surely answers a question, and by what of its words; empty where nobody does, or where other words have no other answer.
func (m *Runtime) answerer(r *match) string {
	switch {
	case r == nil:
	case r.talk.Works():
		return "worked out"
	case m.serves(r):
		return "tool"
	case r.talk != nil && r.talk.Varies():
		return strings.Join(r.talk.Kinds(), " ")
	}
	return ""
}

// again is the last question once more; nil where the sentence does not ask for that.
func (m *Runtime) again(session string, u *language.Utterance) *match {
	if !language.SameAgain(u) {
		return nil
	}
	asked := m.lastAsked(session)
	if asked == "" {
		return nil
	}
	if r := m.question(session, asked, false); r != nil && (m.serves(r) || r.talk.Works() || r.talk.Again()) {
		return r
	}
	return nil
}

// goesOn reads "and of Italy?" as the question before it about Italy; nil where no question comes of it that the same part of the robot answers.
func (m *Runtime) goesOn(session, part string) *match {
	asked := ""
	if part != "" {
		asked = m.lastAsked(session)
	}
	if asked == "" || language.AsksToKeep(asked) { // no timer is set for "you say"
		return nil
	}
	who := m.answerer(m.question(session, asked, false))
	other := m.question(session, strings.TrimRight(asked, " .!?")+" "+part, false)
	if partPrepositions[strings.Fields(part)[0]] && who == "" && m.answerer(other) == "tool" {
		return other // "what time is it?" "and in Tokyo?"
	}
	if who == "" {
		return nil
	}
	const most = 12
	texts := inPlaceOf(strings.ToLower(asked), part)
	for _, text := range texts[:min(len(texts), most)] {
		if r := m.question(session, text, false); m.answerer(r) == who {
			return r
		}
	}
	return nil
}

var (
	partPrepositions = language.Words("part-prepositions")
	partOfWhat       = language.Words("part-of-what")
	partDeterminers  = language.Words("part-determiners")
	partsBarred      = language.Words("parts-barred")
)

// sort is what a word is, where it is to be told from others.
func sort(w string) string {
	switch {
	case w[0] >= '0' && w[0] <= '9' || language.InDigits(w) != w:
		return "number"
	case units.Of(w) != nil && len(w) > 1:
		return "unit"
	case partDeterminers[w]:
		return "determiner"
	case partPrepositions[w]:
		return "preposition"
	}
	return ""
}

// inPlaceOf are the questions that come of one when a part is put in the place of another, the likeliest first.
func inPlaceOf(asked, part string) (all []string) {
	words, with := strings.Fields(strings.Trim(asked, " .!?")), strings.Fields(part)
	for i, w := range words {
		words[i] = strings.TrimRight(w, ",;:!?")
	}
	type candidate struct {
		text  string
		score float64
	}
	var found []candidate
	put := func(from, to int, score float64) {
		found = append(found, candidate{strings.Join(slices.Concat(words[:from], with, words[to:]), " "), score})
	}
	leads := sort(with[0]) == "preposition"
	for from := 1; from < len(words); from++ {
		if leads && words[from] != with[0] {
			continue
		}
		const longest = 5
		for to := from + 1; to <= min(len(words), from+longest); to++ {
			put(from, to, likeness(words, from, to, with))
		}
	}
	if leads {
		put(len(words), len(words), -1)
		if at := slices.IndexFunc(words, func(w string) bool { return sort(w) == "number" }); at >= 0 && at+1 < len(words) { // "10 miles in metres"
			found = append(found, candidate{strings.Join(slices.Concat(words[at:at+2], with), " "), -2})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	for _, c := range found {
		all = append(all, c.text)
	}
	if leads && len(with) > 1 && partOfWhat[with[0]] && !slices.Contains(words, with[0]) { // "cups in two litres", "and for three litres?"
		all = append(inPlaceOf(asked, strings.Join(with[1:], " ")), all...)
	}
	return all
}

// likeness says how well words fit into the place of others: by how many they are, by what they are, rather at the end.
func likeness(words []string, from, to int, with []string) float64 {
	n := to - from
	score := 0.1*float64(from) - 1.5*float64(max(n-len(with), len(with)-n))
	for i := range min(n, len(with)) {
		switch here, there := sort(words[from+i]), sort(with[i]); {
		case here == there && here != "":
			score += 2
		case here != there:
			score--
		}
	}
	for _, w := range words[from:to] {
		if partsBarred[w] {
			score -= 3
		}
	}
	if sort(with[0]) == "unit" && from > 0 && sort(words[from-1]) == "number" { // "and seconds?" asks in seconds
		score -= 3
	}
	return score
}
