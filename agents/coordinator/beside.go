package coordinator

import (
	"regexp"
	"strings"

	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// mostBeside is how many clauses of a sentence are read for a question that stands beside what else is told.
const mostBeside = 4

// pointsBack finds the word by which a question takes what was said just before it: "I ran thirteen miles, how many kilometres is that?".
var pointsBack = regexp.MustCompile(`(?i)\b(?:that|this|it|those)(\W*)$`)

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
