package coordinator

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// mostBeside is how many clauses of a sentence are read for a question that stands beside what else is told.
const mostBeside = 4

// pointsBack finds the word by which a question takes what was said just before it: "I ran thirteen miles, how many kilometres is that?".
var pointsBack = regexp.MustCompile(`(?i)\b(?:that|this|it|those)((?: in [a-z]+)?\W*)$`)

// summed is the sum of a sentence that says it in a clause of its own: "what's that board and a half, 68.5 times 1.5?".
func (c *Coordinator) summed(session string, whole *understanding, unsure bool) (r understanding, ok bool) {
	text := language.ClauseSum(whole.u)
	if text == "" || whole.ends.Kind != halt.None || len(whole.reading.Plan.Steps) > 0 && !whole.u.Question {
		return r, false
	}
	r = c.reads(session, text, unsure)
	r.wish, r.said = text, whole.u.Text
	return r, c.apart(session, &r)
}

// measured is what is asked of an amount that is told beside it: "it's 86 Fahrenheit over there, what's that in Celsius?".
func (c *Coordinator) measured(session string, whole *understanding, unsure bool) (r understanding, ok bool) {
	u := whole.u
	last := len(u.Clauses) - 1
	looks := func(s planner.Step) bool { return !asks[s.Tool] }
	if last < 1 || len(whole.reading.Plan.Steps) == 0 || slices.ContainsFunc(whole.reading.Plan.Steps, looks) {
		return r, false
	}
	if !pointsBack.MatchString(language.ClauseAsks(u, last)) || language.LastQuantity(u, u.Clauses[last].From) == "" {
		return r, false
	}
	return c.askedBeside(session, whole, unsure)
}

// askedBeside is what a clause asks of a sentence which nobody understands: "he wants it for three weeks, what's the date in three weeks?"; not ok
// where none asks for something that is surely answered.
func (c *Coordinator) askedBeside(session string, whole *understanding, unsure bool) (r understanding, ok bool) {
	u := whole.u
	if u.TooLong || whole.ends.Kind != halt.None || len(u.Clauses) < 2 || len(u.Clauses) > mostBeside {
		return r, false
	}
	for i := len(u.Clauses) - 1; i >= 0; i-- {
		text := language.ClauseAsks(u, i)
		if text == "" {
			continue
		}
		if said := language.LastQuantity(u, u.Clauses[i].From); said != "" && pointsBack.MatchString(text) {
			if of := strings.Fields(said); strings.Contains(text, of[len(of)-1]) { // "forty lengths of 25 metres, how many metres is that?"
				return r, false
			}
			text = pointsBack.ReplaceAllString(text, said+"$1")
		}
		r = c.reads(session, text, unsure)
		if other, ok := c.inPassing(session, &r, nil, unsure); ok {
			r = other
		}
		still := r.ends.Kind == halt.None && r.reading.Plan.Outcome == planner.OutcomeNone && r.reading.Ask == nil
		if still && c.understood(session, &r) {
			if r.wish == "" {
				r.wish = strings.TrimSpace(text)
			}
			return r, true
		}
	}
	return r, false
}
