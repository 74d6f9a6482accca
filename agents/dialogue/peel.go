package dialogue

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// A command may stand before its reason ("nod, so that I can see it works") or behind what is only said ("very good indeed, and now
// bow"): where the sentence as a whole says nothing, such clauses are left out. The words are in perception/language/en/gist.txt.

var (
	peelReasons = language.Phrases("peel-reasons")
	peelLeads   = language.Phrases("peel-leads")
	peelStarts  = language.Phrases("peel-starts")
)

// maxPeel is how many words a clause has that is left out.
const maxPeel = 14

// peeled reads what is left of a sentence without its reasons, and without what is said before.
func (r *reader) peeled(whole *Reading) (Reading, bool) {
	if len(whole.Steps()) > 0 || whole.Ask != nil || whole.Say != "" || whole.Heard != "" || whole.settled || whole.Plan.Outcome != planner.OutcomeNone ||
		r.u.TooLong || r.u.Question {
		return Reading{}, false
	}
	clauses := clausesOf(r.u.Tokens)
	n := len(clauses)
	if n < 2 || n > maxClauses || slices.ContainsFunc(clauses, r.calls) || r.told() {
		return Reading{}, false
	}
	to := n
	for to > 1 && (peels(clauses[to-1], peelReasons) || r.tells(clauses[to-1])) {
		to--
	}
	from := 0
	for from < to-1 && peels(clauses[from], peelLeads) {
		from++
	}
	begins := from == 0 || peelStarts.Len(clauses[from], 0) > 0 || r.sharpBefore(clauses[from]) || language.IsVerb(clauses[from].Word(0))
	if !begins || from == 0 && to == n {
		return Reading{}, false
	}
	last := clauses[to-1]
	text := r.u.Text[clauses[from][0].Start:last[len(last)-1].End]
	if k := peelStarts.Len(clauses[from], 0); from > 0 && k < len(clauses[from]) {
		text = r.u.Text[clauses[from][k].Start:last[len(last)-1].End]
	}
	inner := *r
	inner.u = language.Analyse(strings.TrimSpace(text))
	inner.plan = r.p.PlanFor(inner.u)
	reading := inner.considered()
	if len(reading.Steps()) == 0 || stops(reading.Plan.Steps) {
		return Reading{}, false
	}
	return reading, true
}

// tells reports whether a clause tells what somebody did who is called by name: "Milo used the potty".
func (r *reader) tells(c language.Tokens) bool {
	if len(c) < len("abc") || len(c) > maxPeel || namesMovement(c) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(r.u.Text[c[0].Start:])
	form := language.InflectionOf(c.Word(1)).Form
	return unicode.IsUpper(first) && (givenNames[c.Word(0)] || !language.Known(c.Word(0))) && (form == 'p' || form == 's')
}

// sharpBefore reports whether a clause begins a sentence.
func (r *reader) sharpBefore(c language.Tokens) bool {
	before := strings.TrimSpace(r.u.Text[:c[0].Start])
	return strings.HasSuffix(before, ".") || strings.HasSuffix(before, "!") || strings.HasSuffix(before, "?")
}

// peels reports whether a clause begins as one that is left out, and names no movement.
func peels(c language.Tokens, begins *language.Trie) bool {
	return len(c) <= maxPeel && begins.Len(c, 0) > 0 && !namesMovement(c)
}
