package dialogue

import (
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// A command that is to wait for a word ("when I say go, look up"), or that was forbidden ("don't nod"), is done when that is said.

var (
	cues     = language.Patterns("cues")
	mayNow   = language.Phrases("may-now")
	maySmall = language.Words("may-small")
)

// Held is a command that waits.
type Held struct {
	Text string `json:"text"`
	Cue  string `json:"cue,omitempty"` // the word for it; empty: leave
}

// maxCue is how many words somebody says who says the word.
const maxCue = 5

// holding reads a command that is to wait, and notes it.
func (r *reader) holding() (Reading, bool) {
	said := r.u.Said
	for _, name := range []string{"cue", "signal", "ability", "forbids"} {
		m := cues.Rule(name).Find(said)
		if m == nil {
			continue
		}
		text := strings.Trim(m.Slot("what"), " .,!?")
		plan := r.p.PlanFor(language.Analyse(text))
		if plan.Outcome != planner.OutcomePlan || stops(plan.Steps) {
			continue
		}
		held := &Held{Text: text, Cue: m.Slot("cue")}
		reading := Reading{Plan: r.silent(), Text: r.u.Text, held: held, settled: true}
		if name == "forbids" || name == "ability" {
			reading.Plan = r.plan // it says that it does not, or that it can
			return reading, r.plan.Outcome != planner.OutcomePlan
		}
		reading.Say = replies["held"]
		return reading, true
	}
	return Reading{}, false
}

// released reads the word for which a command waits.
func (r *reader) released() (Reading, bool) {
	toks := r.u.Tokens[r.u.Address.To:]
	if r.Held == nil || len(toks) == 0 || len(toks) > maxCue+1 {
		return Reading{}, false
	}
	said := false
	for i := 0; i < len(toks); {
		n := mayNow.Len(toks, i)
		switch {
		case n > 0, r.Held.Cue != "" && strings.EqualFold(toks.Word(i), r.Held.Cue):
			said, n = true, max(n, 1)
		case toks.IsMark(i), maySmall[toks.Word(i)]:
			n = 1
		default:
			return Reading{}, false
		}
		i += n
	}
	if !said {
		return Reading{}, false
	}
	reading, ok := r.whole(r.Held.Text)
	reading.settled = true
	return reading, ok
}
