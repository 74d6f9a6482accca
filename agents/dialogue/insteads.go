package dialogue

import (
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What is wanted instead of something that was done corrects that: "a bow instead of a nod" is "no, a bow".

var (
	insteads     = language.Phrases("instead-of")
	insteadLeads = language.Phrases("instead-leads")
	yesOrNo      = language.Texts("yes-or-no")
)

// insteadOf is a text in which what is wanted stands behind "no"; the text itself where nothing is wanted in place of another.
func (r *reader) insteadOf(text string) string {
	u := language.Analyse(text)
	toks := u.Tokens
	for i := range toks {
		n := insteads.Len(toks, i)
		if n == 0 {
			continue
		}
		end := i + n
		for end < len(toks) && !toks.IsMark(end) {
			end++
		}
		rest := ""
		if end < len(toks) {
			rest = text[toks[end].End:]
		}
		from := i
		for from > 0 && !toks.IsMark(from-1) && joints.Len(toks, from-1) == 0 {
			from--
		}
		if from == i { // "instead of that, nod"
			return "no," + rest
		}
		lead := text[:toks[from].Start]
		for from < i && insteadLeads.Len(toks, from) > 0 {
			from += insteadLeads.Len(toks, from)
		}
		if from >= i {
			return text
		}
		wanted := text[toks[from].Start:toks[i-1].End]
		if gesture := yesOrNo[strings.ToLower(wanted)]; gesture != "" {
			wanted = gesture
		}
		return strings.TrimSpace(lead + "no, " + wanted + " " + rest)
	}
	return text
}

// turnedOn is by how many degrees a step turns in a direction or the opposite one; 0 when that is not one angle.
func turnedOn(s *planner.Step, dir string) (size float64) {
	for a, way := range s.Axes {
		v, isNumber := s.Args[arguments[a].name].(float64)
		if way.Relative() && isNumber && directionOn(planner.Axis(a), dir) != 0 {
			size = max(size, v, -v)
		}
	}
	return size
}
