package dialogue

import (
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Gestures and feelings that were made are named again: "and the nod again", "only the bow", "the other way round", "the first one
// again". Every word of such a sentence is of the tables in perception/language/en/refer.txt.

var (
	deedNames = language.Phrases("deed-names")
	deedOrder = language.Phrases("deed-order")
	deedSmall = language.Words("deed-small")
)

// maxActs is how many gestures and feelings are remembered.
const maxActs = 6

// acts are the gestures and feelings among steps.
func acts(steps []planner.Step) (out []planner.Step) {
	for _, s := range steps {
		if inner, ok := s.Args["steps"].([]planner.Step); ok {
			out = append(out, acts(inner)...)
		} else if s.Tool == "gesture" || s.Tool == "express_emotion" {
			out = append(out, s)
		}
	}
	return out
}

// deedNamed is what a step is called.
func deedNamed(s planner.Step) string {
	name, _ := s.Args["name"].(string)
	if s.Tool == "express_emotion" {
		name, _ = s.Args["emotion"].(string)
	}
	return name
}

// deeds reads a sentence that says nothing but which of the gestures and feelings of before are meant.
func (r *reader) deeds() (Reading, bool) {
	if len(r.Acts) == 0 {
		return Reading{}, false
	}
	name, order := "", ""
	toks := r.u.Tokens[r.u.Address.To:]
	for i := 0; i < len(toks); {
		what, n := deedNames.Match(toks, i)
		how, m := deedOrder.Match(toks, i)
		switch {
		case toks.IsMark(i):
			n = 1
		case n > 0 && n >= m:
			if name != "" && name != what {
				return Reading{}, false
			}
			name = what
		case m > 0:
			if order != "" && order != how && how != "again" && order != "again" {
				return Reading{}, false
			}
			if order == "" || order == "again" {
				order = how
			}
			n = m
		case deedSmall[toks.Word(i)]:
			n = 1
		default:
			return Reading{}, false
		}
		i += n
	}
	steps := r.deedsMeant(name, order)
	if len(steps) == 0 {
		return Reading{}, false
	}
	reading := r.deed(slices.Clone(steps))
	reading.settled = true
	return reading, true
}

// deedsMeant are the deeds that a name and an order mean.
func (r *reader) deedsMeant(name, order string) []planner.Step {
	last := []planner.Step(nil)
	if r.Last != nil {
		last = r.Last.Steps
	}
	is := func(s planner.Step) bool { return deedNamed(s) == name }
	switch order {
	case "reversed":
		if name == "" && len(last) > 1 && len(acts(last)) == len(last) {
			out := slices.Clone(last)
			slices.Reverse(out)
			return out
		}
	case "without":
		if rest := slices.DeleteFunc(slices.Clone(last), is); name != "" && len(last) > 1 && len(rest) < len(last) && len(acts(rest)) == len(rest) {
			return rest
		}
	case "first", "second", "middle":
		of := acts(last)
		if len(of) < 2 {
			of = r.Acts
		}
		at := map[string]int{"first": 0, "second": 1, "middle": len(of) / 2}[order]
		if name == "" && len(of) > 1 && at < len(of) && (r.Last == nil || len(acts(last)) > 0) {
			return of[at : at+1]
		}
	case "again", "only":
		if name == "" {
			return nil
		}
		for _, s := range slices.Backward(r.Acts) {
			if is(s) {
				return []planner.Step{s}
			}
		}
	}
	return nil
}
