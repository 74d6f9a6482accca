package coordinator

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What a conversation has said and done is asked about ("which one before that?", "how old am I?") and gone on from ("divide that by
// three", "that many degrees"). The words are in perception/language/en/recollect.txt.

var (
	pastDeeds   = language.Phrases("past-deeds")
	pastOrder   = language.Phrases("past-order")
	pastSmall   = language.Words("past-small")
	selfAsks    = language.Phrases("self-asks")
	selfTells   = language.Words("self-tells")
	selfSmall   = language.Words("self-small")
	selfKinds   = language.Map("self-kinds")
	carriesOn   = language.Reword("carries-on")
	carriesSum  = language.Reword("carries-sum")
	carriesTime = language.Reword("carries-time")
	errandForms = language.Reword("errand-forms")
	sums        = language.Words("sum-words")
	recollected = language.Texts("recollected")
)

// result is what stands for the last result in the words of recollect.txt.
const result = "RESULT"

// oneNumber finds the numbers of a reply.
var oneNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// carried is a sentence of a session in which what leans on the last answer is said in full: "divide that by 3" is "what is 102
// divided by 3" behind one that came to 102.
func (c *Coordinator) carried(session, text string) string {
	text = errandForms.Apply(text)
	history := c.sessions.history(session)
	if len(history) == 0 {
		return text
	}
	last := history[len(history)-1]
	if len(last.Did) > 0 && last.Outcome == OutcomePlan {
		return text
	}
	words := language.Analyse(last.Text).Tokens
	if slices.ContainsFunc(words, func(t language.Token) bool { return t.Word == "timer" || t.Word == "countdown" }) {
		return carriesTime.Apply(text)
	}
	numbers := oneNumber.FindAllString(strings.ReplaceAll(last.Reply, ",", ""), -1)
	asked := slices.ContainsFunc(words, func(t language.Token) bool { return t.Kind == language.Number || t.Word == "how" || sums[t.Word] })
	if len(numbers) == 0 || !asked {
		return text
	}
	text = carriesOn.Apply(text)
	if slices.ContainsFunc(words, func(t language.Token) bool { return sums[t.Word] }) {
		text = carriesSum.Apply(text)
	}
	return strings.ReplaceAll(text, result, strings.TrimPrefix(numbers[len(numbers)-1], "-"))
}

// recollect answers a question about what was done, or told, before.
func (c *Coordinator) recollect(session string, u *language.Utterance, r *dialogue.Reading) {
	history := c.sessions.history(session)
	if len(history) == 0 || u.TooLong || r.Ask != nil || r.Say != "" || slices.ContainsFunc(r.Plan.Steps, func(s planner.Step) bool { return !asks[s.Tool] }) {
		return
	}
	say, ok := pastDeed(u, history)
	if !ok {
		say, ok = toldBefore(u, history)
	}
	if ok {
		*r = dialogue.Reading{Plan: planner.Plan{Text: u.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}}, Text: u.Text, Say: say}
	}
}

// asks are tools that look something up.
var asks = map[string]bool{"analyze_scene": true, "get_robot_state": true, "detect_objects": true}

// deeds are the exchanges in which the robot did something, oldest first.
func deeds(history []Exchange) (all []Exchange) {
	for _, e := range history {
		if e.Outcome == OutcomePlan && slices.ContainsFunc(e.Did, func(name string) bool { return !asks[name] }) {
			all = append(all, e)
		}
	}
	return all
}

// pastDeed answers which of the deeds was the first, the last, or the one before another.
func pastDeed(u *language.Utterance, history []Exchange) (string, bool) {
	toks, all := u.Tokens, deeds(history)
	asked, order, before := false, "", []string(nil)
	for i := 0; i < len(toks); {
		key, n := pastOrder.Match(toks, i)
		m := pastDeeds.Len(toks, i)
		switch {
		case toks.IsMark(i):
			n = 1
		case m > 0 && m >= n:
			asked, n = true, m
		case n > 0:
			if order == "" || key == "before" {
				order = key
			}
		case order == "before" && toks[i].Kind == language.Word:
			before, n = append(before, toks[i].Word), 1
		case pastSmall[toks.Word(i)]:
			n = 1
		default:
			return "", false
		}
		i += n
	}
	if !asked || len(all) == 0 {
		return "", false
	}
	at := len(all) - 1
	switch order {
	case "first":
		at = 0
	case "before":
		at = beforeThat(all, before)
	case "all":
		return summary(all), true
	case "":
		if len(toks) > maxPastQuestion {
			return "", false
		}
	}
	if at < 0 {
		return recollected["nothing-before"], true
	}
	return all[at].Reply, true
}

// maxPastQuestion is how many words a question after the last deed has that says no order: "which one was it".
const maxPastQuestion = 6

// beforeThat is the place of the deed before the last one, or before the last that some words name; -1 when there is none.
func beforeThat(all []Exchange, words []string) int {
	words = slices.DeleteFunc(words, func(w string) bool { return pastSmall[w] })
	for i, e := range slices.Backward(all) {
		text := strings.ToLower(e.Text + " " + e.Reply)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			return i - 1
		}
	}
	return len(all) - 2
}

// maxSummary is how many deeds are told at once.
const maxSummary = 5

func summary(all []Exchange) string {
	var said []string
	for _, e := range all[max(0, len(all)-maxSummary):] {
		said = append(said, e.Reply)
	}
	return strings.Join(said, " ")
}

// toldBefore answers a question of a person about themselves with what they said of it before, in their own words.
func toldBefore(u *language.Utterance, history []Exchange) (string, bool) {
	if !asksOfSelf(u.Tokens) {
		return "", false
	}
	want := kinds(u.Tokens)
	best, most := "", 0
	for _, e := range slices.Backward(history) {
		toks := language.Analyse(e.Text).Tokens
		if !tellsOfSelf(toks) || asksOfSelf(toks) {
			continue
		}
		have, n := kinds(toks), 0
		for k := range want {
			if have[k] {
				n++
			}
		}
		if n > most {
			best, most = e.Text, n
		}
	}
	if most == 0 || float64(most) < math.Ceil(float64(len(want))/2) {
		return "", false
	}
	return strings.Replace(recollected["told"], "{text}", strings.Trim(best, " .!"), 1), true
}

func asksOfSelf(toks language.Tokens) bool {
	for i := range toks {
		if selfAsks.Has(toks, i) && slices.ContainsFunc(toks[i:], func(t language.Token) bool { return selfTells[t.Word] }) {
			return true
		}
	}
	return false
}

// tellsOfSelf reports whether a sentence says something of who says it.
func tellsOfSelf(toks language.Tokens) bool {
	return slices.ContainsFunc(toks, func(t language.Token) bool { return selfTells[t.Word] }) && !slices.ContainsFunc(toks, func(t language.Token) bool { return t.Word == "?" })
}

// kinds are the words of a sentence that mean something, each with what it is one of: "Volvo" is itself, "drive" is a car.
func kinds(toks language.Tokens) map[string]bool {
	all := map[string]bool{}
	for i, t := range toks {
		if toks.IsMark(i) || selfSmall[t.Word] || selfTells[t.Word] {
			continue
		}
		w := language.Singular(strings.ToLower(t.Word))
		if t.Kind == language.Number {
			w = "number"
		}
		if kind := selfKinds[w]; kind != "" {
			w = kind
		}
		all[w] = true
	}
	return all
}
