package coordinator

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What a conversation has said and done is asked about ("which one before that?", "how old am I?") and gone on from ("divide that by
// three", "that many degrees"). The words are in perception/language/en/recollect.txt.

var (
	pastDeeds    = language.Phrases("past-deeds")
	pastOrder    = language.Phrases("past-order")
	pastSmall    = language.Words("past-small")
	furtherSmall = language.Words("further-small")
	selfAsks     = language.Words("self-asks")
	selfTells    = language.Words("self-tells")
	selfSmall    = language.Words("self-small")
	selfKinds    = language.Map("self-kinds")
	toldKinds    = language.Map("told-kinds")
	toldAsks     = language.Reword("told-asks")
	toldNames    = language.Reword("told-names")
	carriesDay   = language.Reword("carries-day")
	dayAsked     = language.Reword("day-asked")
	carriesOn    = language.Reword("carries-on")
	carriesSum   = language.Reword("carries-sum")
	carriesWord  = language.Reword("carries-word")
	wordAsked    = language.Reword("word-asked")
	carriesCount = language.Reword("carries-count")
	countAsked   = language.Reword("count-asked")
	errandForms  = language.Reword("errand-forms")
	saidAgain    = language.Reword("said-again")
	forgets      = language.Words("self-forgets")
	sums         = language.Words("sum-words")
	recollected  = language.Texts("recollected")
)

// result is what stands for the last result in the words of recollect.txt.
const result = "RESULT"

// oneNumber finds the numbers of a reply.
var oneNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// carried is a sentence of a session in which what leans on the last answer is said in full: "divide that by 3" is "what is 102
// divided by 3" behind one that came to 102, "add a minute" goes to the timer of which was spoken, "say it backwards" is the word that
// was spelt, "and tomorrow?" is the question of another day.
func (c *Coordinator) carried(session, text string) string {
	text = errandForms.Apply(text)
	day := carriesDay.Apply(text)
	counted, worded := carriesOn.Apply(text), carriesWord.Apply(text)
	summed := carriesSum.Apply(counted)
	back := carriesCount.Apply(text)
	if day == text && summed == text && worded == text && back == text {
		return text
	}
	history := c.sessions.history(session)
	if len(history) == 0 {
		return text
	}
	last := history[len(history)-1]
	if len(last.Did) > 0 && last.Outcome == OutcomePlan {
		return text
	}
	if asked := dayAsked.Apply(last.Text); day != text && asked != last.Text {
		return strings.ReplaceAll(asked, result, day)
	}
	if asked := countAsked.Apply(last.Text); back != text && asked != last.Text {
		return strings.ReplaceAll(back, result, asked)
	}
	words := language.SplitWords(language.InDigits(strings.ToLower(last.Text)))
	if worded != text {
		if word := spokenOf(history); word != "" {
			return strings.ReplaceAll(worded, result, word)
		}
	}
	numbers := oneNumber.FindAllString(strings.ReplaceAll(last.Reply, ",", ""), -1)
	sum := slices.ContainsFunc(words, func(w string) bool { return sums[w] })
	if len(numbers) == 0 || !sum && !slices.Contains(words, "how") {
		return text
	}
	if !sum {
		summed = counted
	}
	return strings.ReplaceAll(summed, result, strings.TrimPrefix(numbers[len(numbers)-1], "-"))
}

// maxSpokenOf is how many exchanges back the word, or the timer, may lie of which people speak.
const maxSpokenOf = 4

// spokenOf is the word or phrase whose letters were the last thing to be spoken of; "" when there was none of late.
func spokenOf(history []Exchange) string {
	for i := len(history) - 1; i >= max(0, len(history)-maxSpokenOf); i-- {
		e := &history[i]
		if len(e.Did) > 0 && e.Outcome == OutcomePlan {
			return ""
		}
		if word := wordAsked.Apply(e.Text); word != e.Text && !carriesOver(e.Text) {
			return strings.Trim(word, " \"“”'?.!")
		}
	}
	return ""
}

// carriesOver reports whether a sentence itself leans on a word that was spoken of before.
func carriesOver(text string) bool { return carriesWord.Apply(text) != text }

// recollect answers a question about what was done, or told, before.
func (c *Coordinator) recollect(session string, u *language.Utterance, r *dialogue.Reading) {
	if u.TooLong || r.Answer != nil {
		return
	}
	further := asksFurtherBack(u.Tokens)
	if again := saidAgain.Apply(u.Text); again != u.Text {
		if say, ok := lastAnswer(c.sessions.history(session)); ok {
			*r = answers(u, say)
			return
		}
	}
	if !further && (r.Ask != nil || r.Say != "" || slices.ContainsFunc(r.Plan.Steps, func(s planner.Step) bool { return !asks[s.Tool] })) {
		return
	}
	deed, self := asksOfDeeds(u.Tokens), asksOfSelf(language.SplitWords(u.Text)) || asksOfTold(u.Text)
	history := c.sessions.history(session)
	say, ok := whatItWas(history, u)
	if deed == nil && !self && !further && !ok {
		return
	}
	if further {
		if say, ok = furtherBack(history); !ok {
			return
		}
	}
	if deed != nil && !ok {
		say, ok = deed.answer(deeds(history))
	}
	if !ok && self {
		say, ok = toldBefore(u.Text, history)
	}
	if ok {
		*r = answers(u, say)
	}
}

// answers is a reading to which the robot only says something.
func answers(u *language.Utterance, say string) dialogue.Reading {
	return dialogue.Reading{Plan: planner.Plan{Text: u.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}}, Text: u.Text, Say: say}
}

// lastAnswer is what the robot answered last, where it was an answer and nothing that it did.
func lastAnswer(history []Exchange) (string, bool) {
	if len(history) == 0 {
		return "", false
	}
	last := &history[len(history)-1]
	return last.Reply, last.Outcome == OutcomeAnswered && len(last.Did) == 0 && last.Reply != ""
}

// asks are tools that look something up.
var asks = map[string]bool{"analyze_scene": true, stateTool: true, "detect_objects": true}

// deeds are the exchanges in which the robot did something, oldest first.
func deeds(history []Exchange) (all []Exchange) {
	for _, e := range history {
		if e.Outcome == OutcomePlan && slices.ContainsFunc(e.Did, func(name string) bool { return !asks[name] && name != stopTool }) {
			all = append(all, e)
		}
	}
	return all
}

// deedAsked is what a question after deeds asks for.
type deedAsked struct {
	order  string   // of past-order
	before []string // words of the deed before which it was
}

// asksOfDeeds reads a question all of whose words ask which of the deeds was the first, the last, or the one before another; nil where
// it asks for something else.
func asksOfDeeds(toks language.Tokens) *deedAsked {
	var q deedAsked
	asked := false
	for i := 0; i < len(toks); {
		key, n := pastOrder.Match(toks, i)
		m := pastDeeds.Len(toks, i)
		switch {
		case toks.IsMark(i):
			n = 1
		case n > 0 && n >= m:
			if q.order == "" || key == "before" {
				q.order = key
			}
			asked = asked || m > 0
		case m > 0:
			asked, n = true, m
		case q.order == "before" && toks[i].Kind == language.Word:
			q.before, n = append(q.before, toks[i].Word), 1
		case pastSmall[toks.Word(i)]:
			n = 1
		default:
			return nil
		}
		i += n
	}
	if !asked || q.order == "" {
		return nil
	}
	return &q
}

// asksFurtherBack reports whether all that is asked is what was before: "and before that?" goes on from a question after deeds.
func asksFurtherBack(toks language.Tokens) bool {
	before := false
	for i := 0; i < len(toks); {
		key, n := pastOrder.Match(toks, i)
		switch {
		case n > 0 && key != "before":
			return false
		case n > 0:
			before = true
		case toks.IsMark(i) || furtherSmall[toks.Word(i)]:
			n = 1
		default:
			return false
		}
		i += n
	}
	return before
}

// furtherBack is the deed before the one that was told last; false where the last questions were not after deeds.
func furtherBack(history []Exchange) (string, bool) {
	back := 0
	for _, e := range slices.Backward(history) {
		toks := language.Analyse(e.Text).Tokens
		if back++; asksFurtherBack(toks) {
			continue
		}
		if len(e.Did) > 0 || !asksAfterDeeds(toks) {
			return "", false
		}
		if q := asksOfDeeds(toks); q != nil && q.order == "before" {
			back++
		}
		break
	}
	all := deeds(history)
	if back >= len(all) {
		return recollected["nothing-before"], len(all) > 0
	}
	return told(&all[len(all)-1-back]), true
}

// asksAfterDeeds reports whether a sentence asks for what the robot did, in whatever words.
func asksAfterDeeds(toks language.Tokens) bool {
	for i := range toks {
		if pastDeeds.Len(toks, i) > 0 {
			return true
		}
	}
	return false
}

// told says what was done in an exchange, and when.
func told(e *Exchange) string {
	return strings.NewReplacer("{did}", e.Account(), "{said}", strings.TrimSpace(e.Text)).Replace(recollected["deed"])
}

// answer is the deed that is asked for, in the words that were said of it.
func (q *deedAsked) answer(all []Exchange) (string, bool) {
	at := len(all) - 1
	switch {
	case len(all) == 0:
		return "", false
	case q.order == "first":
		at = 0
	case q.order == "before":
		at = beforeThat(all, q.before)
	case q.order == "all":
		return summary(all), true
	}
	if at < 0 {
		return recollected["nothing-before"], true
	}
	return told(&all[at]), true
}

// beforeThat is the place of the deed before the last one, or before the last that some words name; -1 when there is none.
func beforeThat(all []Exchange, words []string) int {
	words = slices.DeleteFunc(words, func(w string) bool { return pastSmall[w] })
	for i, e := range slices.Backward(all) {
		text := strings.ToLower(e.Text + " " + e.Account())
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			return i - 1
		}
	}
	return len(all) - 2
}

// maxSummary is how many deeds are told at once.
const maxSummary = 5

func summary(all []Exchange) string {
	last := all[max(0, len(all)-maxSummary):]
	said := make([]string, 0, len(last))
	for _, e := range last {
		said = append(said, e.Account())
	}
	return strings.Join(said, " ")
}

// toldBefore answers a question of a person about themselves with what they said of it before, in their own words.
func toldBefore(text string, history []Exchange) (string, bool) {
	want := kinds(text, false)
	most, self := 0, asksOfSelf(language.SplitWords(text))
	best := ""
	for _, e := range slices.Backward(history) {
		words := language.SplitWords(e.Text)
		if slices.ContainsFunc(words, func(w string) bool { return forgets[w] }) { // what was said before is not to be known any more
			break
		}
		if !speaksOfSelf(words) || asksOfSelf(words) || strings.Contains(e.Text, "?") || len(e.Did) > 0 || !self && !names(e.Text) {
			continue
		}
		have, n := kinds(e.Text, true), 0
		for k := range want {
			if have[k] {
				n++
			}
		}
		if n > most {
			best, most = e.Text, n
		}
	}
	if most == 0 || 2*most < len(want) || !self && most < len(want) {
		return "", false
	}
	if act, fact := memory.Understand(language.Unread(best)); act == memory.Remember && fact != "" {
		return strings.Replace(recollected["told-fact"], "{text}", memory.ToYou(fact), 1), true
	}
	return strings.Replace(recollected["told"], "{text}", strings.Trim(best, " .!"), 1), true
}

// asksOfTold reports whether people ask for a name, or for whose it is, as they ask of somebody of whom they spoke: "what was the boy
// called again", "who is Ben".
func asksOfTold(text string) bool { return toldAsks.Apply(text) != text }

// names reports whether a statement gives somebody or something a name.
func names(text string) bool { return toldNames.Apply(text) != text }

func speaksOfSelf(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return selfTells[w] })
}

// asksOfSelf reports whether people ask for something of themselves.
func asksOfSelf(words []string) bool {
	for i, w := range words {
		if selfAsks[w] {
			return i <= maxBeforeAsk && speaksOfSelf(words[i:])
		}
	}
	return false
}

// maxBeforeAsk is how many words may stand before the one that asks.
const maxBeforeAsk = 5

// kinds are the words of a sentence that mean something, as what they are one of: "drive" is said of a car. Of what was told they are
// also what is wider: who has a son may be asked for the boy.
func kinds(text string, wider bool) map[string]bool {
	all := map[string]bool{}
	for _, w := range language.SplitWords(language.InDigits(strings.ToLower(text))) {
		if selfSmall[w] || selfTells[w] {
			continue
		}
		w = language.Singular(w)
		if kind := toldKinds[w]; kind != "" && wider {
			all[kind] = true
		}
		if w[0] >= '0' && w[0] <= '9' {
			w = "number"
		}
		if kind := selfKinds[w]; kind != "" {
			w = kind
		}
		all[w] = true
	}
	return all
}
