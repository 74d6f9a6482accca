package dialogue

import (
	"slices"
	"strings"
	"unicode"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Errands are what the runtime does at a time: timers and reminders. What they lack is asked for here; the sentence that the answer
// completes goes to the runtime (Reading.Heard).

var (
	errands     = language.Phrases("errands")
	errandTimes = language.Words("errand-times")
	errandDates = language.Words("errand-dates")
	errandDays  = language.Words("errand-dates", "errand-days")
	partJoiners = language.Words("part-joiners")
)

// errand asks for what a timer or a reminder lacks.
func (r *reader) errand(text string) (Reading, bool) {
	toks := r.u.Tokens
	from := r.u.Address.To
	for n := 1; n > 0 && errands.Len(toks, from) == 0; from += n {
		if n = leadIns.Len(toks, from); n == 0 && (toks.IsMark(from) || partJoiners[toks.Word(from)]) {
			n = 1
		}
	}
	key, n := errands.Match(toks, from)
	if n == 0 || asksWhat[toks.Word(from+n)] { // "remind me what they call you"
		return Reading{}, false
	}
	what, timed := saysWhat(toks, from+n), false
	for i := range toks {
		timed = timed || saysWhen(toks, i) || key == "timer" && i >= from+n && toks[i].Kind == language.Number && !toks[i].Pronoun
	}
	text = strings.TrimSpace(strings.TrimRight(text, " .!?,…"))
	ask := func(text, key string) (Reading, bool) {
		q := Question{Text: text, Say: questions[key], Errand: true}
		return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: &q}, true
	}
	switch {
	case timed && key == "reminder" && !what:
		return ask(text+" "+Hole, "errand-what")
	case timed, what && key == "timer":
		return Reading{}, false
	case key == "alarm":
		return ask("set an alarm for "+Hole, "errand-when")
	case key == "timer":
		return ask("set a timer for "+Hole, "errand-how-long")
	case !what:
		return ask(text+" "+Hole, "errand-what")
	}
	return ask(text+" "+Hole, "errand-when")
}

// saysWhat reports whether tokens from one on say anything but when.
func saysWhat(toks language.Tokens, from int) bool {
	for i := from; i < len(toks); i++ {
		word := toks.Word(i)
		when := errandDays[word] || errandTimes[word] || timePrepositions[word] || word != "" && unicode.IsDigit(rune(word[0])) ||
			toks[i].Kind == language.Number && !toks[i].Pronoun
		if word != "" && !when && !answerWords[word] {
			return true
		}
	}
	return false
}

// saysWhen reports whether a token says when or how long: "in two hours", "at six", "tonight"; not so the six of "room six".
func saysWhen(toks language.Tokens, i int) bool {
	if errandTimes[toks.Word(i)] {
		return true
	}
	q, n := language.QuantityAt(toks, i)
	return n > 0 && !toks[i].Pronoun && (q.Dim == language.Time || toks[i].Kind == language.Number && timePrepositions[toks.Word(i-1)])
}

// timePrepositions stand before a number that is an hour.
var timePrepositions = language.Words("time-prepositions")

// whatJoints stand before what somebody is to be reminded of.
var whatJoints = language.Words("what-joints")

// answerWords are polite words beside an errand.
var answerWords = language.Words("errand-small")

// errandAnswered is the errand with the answer in it; nothing when something else is said.
func (r *reader) errandAnswered(answer string) (Reading, bool) {
	if r.said.bare() && (r.said.has("never-mind") || r.said.has("no")) {
		return say(r, "dropped")
	}
	toks := language.Analyse(answer).Tokens
	if r.plan.Outcome == planner.OutcomePlan || len(toks) == 0 || errands.Len(toks, 0) > 0 {
		return Reading{}, false
	}
	if r.Question.Say == questions["errand-when"] && !slices.ContainsFunc(toks, func(t language.Token) bool {
		return t.Kind == language.Number && !t.Pronoun || errandTimes[t.Word] || errandDates[t.Word]
	}) {
		return Reading{}, false
	}
	asked, link := r.Question.Text, ""
	if q, n := language.QuantityAt(toks, 0); n > 0 && !strings.HasSuffix(asked, "for "+Hole) {
		link = map[bool]string{true: "in ", false: "at "}[q.Dim == language.Time]
	}
	if when := language.When(answer); when != "" && r.Question.Say == questions["errand-when"] { // "on Friday at three"
		answer, toks, link = when, nil, ""
		asked = strings.Replace(asked, " for "+Hole, " "+Hole, 1) // of an alarm
	} else if when := language.TimeOfDay(answer); when != "" && !strings.HasSuffix(asked, "timer for "+Hole) { // "at a quarter past five, I should think"
		answer, toks, link = when, nil, "at "
	} else if at, n := onlyTime(toks); n > 0 { // "dunno, maybe 20 minutes", "in about ten"
		answer = answer[toks[at].Start:toks[at+n-1].End]
		toks, link = language.Analyse(answer).Tokens, ""
		if !strings.HasSuffix(asked, "for "+Hole) {
			link = "in "
		}
	}
	if word := language.Analyse(answer).Tokens.Word(0); r.Question.Say == questions["errand-what"] && !whatJoints[word] { // "the bins"
		toks, link = nil, "to "
	}
	from, to := 0, len(answer)
	if n := errandPrepositions.Len(toks, 0); n > 0 && n < len(toks) && strings.HasSuffix(asked, "for "+Hole) {
		toks = toks[n:]
		from = toks[0].Start
	}
	if q, n := language.QuantityAt(toks, 0); q.Dim == language.Time && onlyTails(toks[n:]) {
		to = toks[n-1].End
	}
	answer = answer[from:to]
	text := strings.Replace(asked, Hole, link+answer, 1)
	if all := language.Appointments(language.Analyse(text)); len(all) == 1 { // of a day, in the usual order
		text = all[0]
	}
	inner := reader{State: r.State, p: r.p, u: language.Analyse(text), now: r.now}
	inner.plan = r.silent()
	if next, ok := inner.errand(text); ok {
		return next, true
	}
	plan := r.silent()
	plan.Text = text
	return Reading{Plan: plan, Text: text, Heard: text}, true
}

// onlyTime is where the one length of time stands in an answer, and how many tokens it has; 0 where there is none or several.
func onlyTime(toks language.Tokens) (at, n int) {
	for i := 0; i < len(toks); i++ {
		q, size := language.QuantityAt(toks, i)
		switch {
		case size == 0 || q.Dim != language.Time:
		case n > 0:
			return 0, 0
		default:
			at, n = i, size
			i += size - 1
		}
	}
	return at, n
}

// onlyTails reports whether words say nothing but that it is so much, and who is spoken to.
func onlyTails(toks language.Tokens) bool {
	for i := 0; i < len(toks); {
		n := max(gistTails.Len(toks, i), tails.Len(toks, i), addresses.Len(toks, i))
		if n == 0 && toks.IsMark(i) {
			n = 1
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

var errandPrepositions = language.Phrases("errand-prepositions")
