package language

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What the robot keeps for later (timers, alarms, reminders) is spoken of in any words: "the boy took the rolls out, so forget that one". An errand
// is told by what is to be done with it and by what of it is meant: its kind, a word of its own, its length or time, its place among the
// others. The words are in en/errands.txt.

// The kinds of what is kept.
const (
	KeptTimer    = "timer"
	KeptAlarm    = "alarm"
	KeptReminder = "reminder"
)

// Kept is something that the robot keeps for later, the oldest first.
type Kept struct {
	ID     int
	Kind   string
	About  map[string]bool // the stems of the words by which it is told from others
	Length time.Duration   // from its beginning to its end
	Next   time.Time
}

// What may be done with what is kept.
const (
	errandOff    = "off"
	errandLeft   = "left"
	errandList   = "list"
	errandFirst  = "first"
	errandAbout  = "about"
	errandMore   = "more"
	errandLess   = "less"
	errandChange = "change"
)

var (
	errandActs   = Phrases("errand-acts")
	errandPicks  = Phrases("errand-picks")
	errandKinds  = Map("errand-kinds")
	errandGuards = Patterns("errand-guards")
	errandSwaps  = Patterns("errand-swaps")
	errandSpoken = Words("errand-spoken")

	howMany       = regexp.MustCompile(`\bhow many (?:\w+ )?(timers|alarms|reminders)\b`)
	hourAndMinute = regexp.MustCompile(`\b\d{1,2}:\d\d(?: ?[ap]m\b)?`)
	errandSmall   = Words("errand-beside")
	errandBodily  = Words("errand-bodily")
	errandMakes   = Words("errand-makes")
	errandEvery   = Words("errand-every")
	errandSays    = Texts("errand-says")
)

// errand is what a sentence, or a clause of it, says of what is kept.
type errand struct {
	kept   []Kept
	parts  []errand // its clauses
	acts   []string
	kinds  []string
	picks  []string
	named  []int // places in kept, by a word of their own
	spans  []span
	at     string  // a time of day
	number float64 // without a unit
	hour   bool    // it is said like one
	every  bool    // all of them
	verb   bool    // it asks the robot for something else
	bodily bool    // it speaks of the body
	counts string  // the kind of which it asks how many there are
	makes  bool    // it says what something is to be
	words  int
	other  int // words that have nothing to do with errands
}

// span is a length of time that a sentence names.
type span struct {
	text   string
	length time.Duration
	picks  bool // it says which is meant: "the five minute one"
}

// mostErrand is of how many words a sentence is that is about what is kept.
const mostErrand = 24

// Said is what was said of late of what is kept, the newest first, and whether the robot has just asked which of several is to be cancelled.
type Said struct {
	Texts []string
	Which bool
}

// AsksToKeep reports whether a text asks for a timer, an alarm or a reminder: words of it are not put in the place of others.
func AsksToKeep(text string) bool {
	return slices.ContainsFunc(SplitWords(strings.ToLower(text)), func(w string) bool { return errandKinds[w] != "" || w == "wake" })
}

// OfTimer reports whether a timer was spoken of last.
func (s Said) OfTimer() bool {
	if len(s.Texts) == 0 {
		return false
	}
	return slices.ContainsFunc(SplitWords(strings.ToLower(s.Texts[0])), func(w string) bool { return errandKinds[w] == KeptTimer })
}

// Errand is what a sentence wants with what is kept, in the usual words; empty where it wants nothing.
func Errand(u *Utterance, kept []Kept, said Said) string {
	if u.TooLong || len(u.Text) > MaxRequest || guarded(u) {
		return ""
	}
	e := errandOf(u, kept)
	if e.words > mostErrand {
		return ""
	}
	talk := len(said.Texts) > 0 && speaksOf(said.Texts[0], kept)
	if id, from, to := e.swap(u); id > 0 {
		return strings.NewReplacer("IDS", strconv.Itoa(id), "OLD", from, "NEW", to).Replace(errandSays["swap"])
	}
	act, part := e.act(u, talk, said.Which)
	switch {
	case act == "":
		return ""
	case len(kept) == 0 && act != errandList:
		if slices.Contains(e.kinds, KeptTimer) || said.OfTimer() && act == errandLeft {
			return errandSays[act+" none"]
		}
		return ""
	case e.counts != "" && act == errandLeft && len(e.named) == 0:
		return e.list(errandList)
	case act == errandList, act == errandFirst:
		return e.list(act)
	}
	which := e.which(act, said.Texts, talk)
	if len(which) == 0 {
		return ""
	}
	return e.say(act, part, which)
}

// guarded reports whether a sentence asks for something new, or tells of somebody else's timers.
func guarded(u *Utterance) bool {
	for i := range u.Tokens {
		if key, _ := errandActs.Match(u.Tokens, i); key == "woken" {
			return false
		}
	}
	m := errandGuards.Find(u.Request().Small)
	return m != nil && (m.Slot("who") == "" || errandKinds[m.Slot("who")] == "") // "when is my alarm set"
}

// errandOf reads a text.
func errandOf(u *Utterance, kept []Kept) errand {
	whole := errand{kept: kept}
	for _, c := range u.Clauses {
		part := errand{kept: kept}
		part.read(u, Span{max(c.From, u.Address.To), c.To})
		whole.parts = append(whole.parts, part)
		whole.acts, whole.kinds, whole.picks = append(whole.acts, part.acts...), append(whole.kinds, part.kinds...), append(whole.picks, part.picks...)
		whole.spans, whole.words, whole.other = append(whole.spans, part.spans...), whole.words+part.words, whole.other+part.other
		whole.every = whole.every || part.every
		for _, k := range part.named {
			if !slices.Contains(whole.named, k) {
				whole.named = append(whole.named, k)
			}
		}
		if part.number > 0 {
			whole.number = part.number
		}
	}
	whole.at = clockTimeIn(u.Text)
	whole.bodily = len(whole.spans) == 0 && slices.ContainsFunc(whole.parts, func(p errand) bool { return p.bodily }) && len(whole.kinds) == 0
	if m := howMany.FindStringSubmatch(strings.ToLower(u.Text)); m != nil {
		whole.counts = errandKinds[m[1]]
	}
	return whole
}

// swap is a word that is another in what is kept: "not Anna, I meant Marcus".
func (e *errand) swap(u *Utterance) (id int, from, to string) {
	m := errandSwaps.Find(u.Said)
	if m == nil {
		return 0, "", ""
	}
	from, to = m.Slot("old"), m.Slot("new")
	stem := Stem(strings.ToLower(from))
	for i := len(e.kept) - 1; i >= 0; i-- {
		if k := &e.kept[i]; k.Kind == KeptReminder && k.About[stem] {
			return k.ID, from, to
		}
	}
	return 0, "", ""
}

// clockTimeIn is the time of day that a text says; empty where it is only a number, which may be so many minutes.
func clockTimeIn(text string) string {
	if at := hourAndMinute.FindString(WithTimes(strings.ToLower(text))); at != "" { // "move my alarm to half past seven"
		return at
	}
	at := TimeOfDay(text)
	if _, err := strconv.Atoi(at); err == nil {
		return ""
	}
	return at
}

// read finds the words of errands in a clause.
func (e *errand) read(u *Utterance, clause Span) {
	toks := u.Tokens
	for i := clause.From; i < clause.To; {
		t := &toks[i]
		if !toks.IsMark(i) {
			e.words++
		}
		named := e.name(t)
		e.bodily = e.bodily || errandBodily[t.Word] && i > u.Address.To && (t.Word != "left" || e.words > 1)
		e.makes = e.makes || errandMakes[t.Word]
		e.verb = e.verb || e.words == 1 && IsVerb(t.Word) && !setVerbs[t.Word] && !errandSmall[t.Word] && !errandActs.Has(toks, i)
		if n := e.length(u, i); n > 0 {
			i += n
			continue
		}
		_, pick := errandPicks.Match(toks, i) // "the shorter one"
		if key, n := errandActs.Match(toks, i); n > 0 && n >= pick {
			if e.acts = append(e.acts, key); key == "woken" { // "when will you wake me?"
				e.acts, e.kinds = append(e.acts, "asks", "rings"), append(e.kinds, KeptAlarm)
			}
			i += n
			continue
		}
		key, n := errandPicks.Match(toks, i)
		switch {
		case n > 0:
			e.picks, i = append(e.picks, key), i+n
			continue
		case errandKinds[t.Word] != "":
			e.kinds = append(e.kinds, errandKinds[t.Word])
			e.every = e.every || errandEvery[t.Word]
		case errandEvery[t.Word]:
			e.every = true
		case t.Kind == Number && !t.Pronoun:
			e.number, e.hour = t.Num, toks.Word(i-1) == "at"
		case !named && t.Word != "" && !errandSmall[t.Word] && !errandSmall[t.Orig]:
			e.other++
		}
		i++
	}
	if clause.Len() > 0 {
		e.at = clockTimeIn(u.Text[toks[clause.From].Start:toks[clause.To-1].End])
	}
}

// is reports whether an act is said.
func (e *errand) is(act string) bool { return slices.Contains(e.acts, act) }

// picked reports whether one is pointed at in that way.
func (e *errand) picked(how string) bool { return slices.Contains(e.picks, how) }

// act is what is to be done, and the clause that says it; empty where the sentence says nothing of what is kept. Without a word of what is kept a
// clause must say nothing else, in a conversation that is about it.
func (e *errand) act(u *Utterance, talk, asked bool) (act string, in *errand) {
	about := len(e.named) > 0 || len(e.kinds) > 0
	if part := e.with(func(p *errand) bool { return p.is(errandOff) }); part != nil && // "stop doing that" is about what moves
		(about || talk && part.other == 0 && (len(e.picks) > 0 || e.every)) {
		return errandOff, part
	}
	if e.with(func(p *errand) bool { return p.verb }) != nil && !about { // "look left 20, no, wait, right 20"
		return "", nil
	}
	if part := e.corrected(); part != nil && !e.bodily && (about || talk) {
		return errandChange, part
	}
	if part := e.onlyTime(); part != nil && e.is(errandChange) && !e.is(errandMore) && !e.is(errandLess) && (about || talk) &&
		!e.bodily && !u.Question { // "the boss says half past five, change it"
		return errandChange, part
	}
	if act, in = e.told(u, talk, about); act != "" {
		return act, in
	}
	if part := e.with((*errand).onlyKind); part != nil && u.Question && e.other == 0 && e.onlyKind() { // "still got the timer going?"
		return errandLeft, part
	}
	return e.pointed(u, talk, asked)
}

// told is what a clause asks about what is kept, or how it changes it.
func (e *errand) told(u *Utterance, talk, about bool) (act string, in *errand) {
	for i := range e.parts {
		p := &e.parts[i]
		if only := p.other == 0; about || talk && only {
			if act := p.asked(talk, only, i == len(e.parts)-1 && u.Question, about); act != "" && (about || e.other == 0 || !loosely[act] || p.plain()) {
				return act, p
			}
			if e.is(errandChange) && len(p.named) > 0 && p.other <= 1 && p.by() != "" && !u.Question { // "the drops moved to five, change that one"
				return errandChange, p
			}
			if e.bodily {
				continue
			}
			if act := p.changed(); act != "" && (len(p.spans) > 0 || p.at != "" || !u.Question) { // "what do 12 and 4 add up to?"
				return act, p
			}
		}
	}
	return "", nil
}

// loosely are questions that people also ask of other things: "are you curious? show me".
var loosely = map[string]bool{errandList: true, errandLeft: true}

// corrected is the clause that says otherwise what was said before: "excuse me, not seven, eight minutes"; nil where none does.
func (e *errand) corrected() *errand {
	if !e.is("not") && !e.is(errandChange) {
		return nil
	}
	for i := len(e.parts) - 1; i > 0; i-- {
		p := &e.parts[i]
		beside := p.other == 0 || p.at != "" && p.other <= mostBeside
		if beside && !p.verb && len(p.acts) == 0 && p.by() != "" {
			return p
		}
	}
	return nil
}

// pointed is what is done with what a clause only names: what was asked for just before, or what the robot has asked.
func (e *errand) pointed(u *Utterance, talk, asked bool) (act string, in *errand) {
	for i := range e.parts {
		p := &e.parts[i]
		points := p.points(e) || asked && len(p.spans) > 0
		if !points || p.other > 0 || p.by() != "" && !asked && !e.timed(p) {
			continue
		}
		switch {
		case asked:
			return errandOff, p
		case talk && e.timed(p) && u.Question:
			return errandAbout, p
		case talk && (u.Question || p.is("and") || p.is(errandChange) || p.picked("other")):
			return errandLeft, p
		}
	}
	return "", nil
}

// points reports whether a clause names or points at something that is kept.
func (e *errand) points(whole *errand) bool {
	picks := slices.ContainsFunc(e.spans, func(s span) bool { return s.picks })
	return len(e.named) > 0 || len(e.kinds) > 0 || picks || e.picked("other") || e.picked("first") || e.picked("second") || whole.timed(e)
}

// mostBeside is how many words that have nothing to do with it may stand beside a corrected time: "actually, my daughter says quarter past six".
const mostBeside = 4

// with is the first clause that has something.
func (e *errand) with(has func(p *errand) bool) *errand {
	if i := slices.IndexFunc(e.parts, func(p errand) bool { return has(&p) }); i >= 0 {
		return &e.parts[i]
	}
	return nil
}

// asked is what a clause asks about what is kept.
func (e *errand) asked(talk, only, whole, about bool) string {
	kinds := len(e.kinds) > 0
	switch {
	case e.is(errandAbout) && e.other == 0 && len(e.spans) > 0 && slices.ContainsFunc(e.kept, func(k Kept) bool { return k.Kind == KeptReminder }):
		return errandAbout // "what was I supposed to do in half an hour?"
	case slices.ContainsFunc(e.spans, func(s span) bool { return !s.picks }): // "how many seconds are there in two minutes"
	case e.is(errandFirst):
		return errandFirst
	case e.is(errandAbout) && (talk || slices.Contains(e.kinds, KeptReminder)):
		return errandAbout
	case e.is(errandList) && e.other == 0 && (kinds && len(e.named) == 0 || talk):
		return errandList
	case e.asksLeft(talk, only, whole, about):
		return errandLeft
	}
	return ""
}

// asksLeft reports whether a clause asks how long it is until what is kept comes.
func (e *errand) asksLeft(talk, only, whole, about bool) bool {
	kinds := len(e.kinds) > 0
	switch {
	case e.is("how") && (kinds || e.timers()): // "how are the beans doing"
		return true
	case e.is("hour") && (kinds || len(e.named) > 0 || e.is("rings")) && (talk || kinds || e.timers()): // not "what time is it"
		return true
	case e.is(errandLeft), e.is("asks") && (e.is("marks") || e.is("rings") || whole && talk && e.words <= shortAsk):
		return kinds || talk && (only || about) || e.timers()
	}
	if e.is("asks") && only && e.timers() && len(e.named) < len(e.kept)+1 && whole { // "how long for the lasagne?"
		return true
	}
	return e.is("asks") && talk && only && (len(e.picks) > 0 || len(e.named) > 0)
}

// shortAsk is of how many words a question is that needs no mark: "how long now?".
const shortAsk = 3

// changed is how a clause changes what is kept.
func (e *errand) changed() string {
	switch {
	case e.by() == "":
	case e.is(errandLess) && len(e.spans) > 0:
		return errandLess
	case e.is(errandMore) && (len(e.spans) > 0 || e.number > 0):
		return errandMore
	case e.is(errandChange), e.makes && len(e.named) > 0 && e.other == 0: // "make the rolls fifteen"
		return errandChange
	}
	return ""
}

// timers reports whether all that is named are timers: when a reminder's call was is another question.
func (e *errand) timers() bool {
	return len(e.named) > 0 && !slices.ContainsFunc(e.named, func(k int) bool { return e.kept[k].Kind != KeptTimer })
}

// by is by how much, or to what, something is changed; empty where that is not said.
func (e *errand) by() string {
	for i := len(e.spans) - 1; i >= 0; i-- {
		if !e.spans[i].picks {
			return e.spans[i].text
		}
	}
	if e.at == "" && e.number > 0 {
		return strconv.FormatFloat(e.number, 'f', -1, 64)
	}
	return e.at
}

// speaksOf reports whether a text speaks of something that is kept.
func speaksOf(text string, kept []Kept) bool {
	return slices.ContainsFunc(SplitWords(strings.ToLower(text)), func(w string) bool {
		named := func(k Kept) bool { return k.About[Stem(w)] && !errandSmall[w] && !setVerbs[w] }
		return errandKinds[w] != "" || errandSpoken[w] || slices.ContainsFunc(kept, named)
	})
}

// say is what is to be done with what is kept, in the usual words; in is the clause that says it.
func (e *errand) say(act string, in *errand, which []int) string {
	ids := make([]string, len(which))
	for i, k := range which {
		ids[i] = strconv.Itoa(e.kept[k].ID)
	}
	by, kind := in.by(), e.kept[which[0]].Kind
	unit := len(in.spans) > 0 && by != in.at
	switch {
	case act == errandOff && e.every:
		act = "off all"
	case act == errandChange && (kind != KeptTimer && !unit || by == in.at):
		act = "change at"
	case act == errandChange && kind != KeptTimer:
		act = "change in"
	}
	if !unit && by != in.at && act != "change at" {
		by += " " + errandSays["unit"]
	}
	return strings.NewReplacer("IDS", strings.Join(ids, " and "), "BY", by).Replace(errandSays[act])
}

// list is what asks for what is kept of the kinds that are named, or for what of it comes first.
func (e *errand) list(act string) string {
	if act == errandList {
		if e.counts != "" {
			return strings.ReplaceAll(errandSays["count"], "KIND", e.counts)
		}
		if slices.Equal(slices.Compact(slices.Clone(e.kinds)), []string{KeptTimer}) {
			return errandSays["list timers"]
		}
		if slices.Equal(slices.Compact(slices.Clone(e.kinds)), []string{KeptAlarm}) {
			return errandSays["list alarms"]
		}
		return errandSays["list"]
	}
	all := make([]int, len(e.kept))
	for k := range all {
		all[k] = k
	}
	first := slices.MinFunc(all, func(a, b int) int { return e.kept[a].Next.Compare(e.kept[b].Next) })
	return e.say(errandLeft, e, []int{first})
}
