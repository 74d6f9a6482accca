package planner

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// refusal says why the tools would refuse one of the steps, "" when they run them all.
func refusal(steps []Step) string {
	for _, s := range steps {
		if why := refusedStep(s, 1); why != "" {
			return why
		}
	}
	return ""
}

// Unmeasured says that a movement cannot be measured as the sentence says: by a length or a percentage; "" where it can.
func Unmeasured(toks language.Tokens, p *Plan) string {
	names := slices.ContainsFunc(toks, func(t language.Token) bool { return partWords[t.Word] })
	asks := p.Outcome == OutcomeNone && names && language.IsVerb(toks.Word(leadIns.Len(toks, 0)))
	for i := range toks {
		switch q, _ := language.QuantityAt(toks, i); {
		case q.Dim == language.Length && (asks || slices.ContainsFunc(p.Steps, turns)):
			return wrongUnits["length"]
		case q.Dim == language.Percent && len(p.Steps) > 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return !turns(s) }):
			return wrongUnits["percent"]
		}
	}
	return ""
}

// turns reports whether a step moves by an angle.
func turns(s Step) bool { return s.Axes.Named() }

var (
	partWords  = language.Words("part-words")
	wrongUnits = language.Texts("wrong-units")
)

func refusedStep(s Step, depth int) string {
	t := catalog.ToolNamed(s.Tool)
	if t == nil {
		return "" // a tool of the owner, which checks its arguments itself
	}
	for _, a := range t.Arguments {
		switch v := s.Args[a.Name].(type) {
		case float64:
			if r := a.Range; !r.Contains(v) {
				return fmt.Sprintf("I cannot use %s %s for the %s of %s: it goes from %s to %s.", show(v), r.Unit, a.Name, s.Tool, show(r.Min), show(r.Max))
			}
		case string:
			if n := utf8.RuneCountInString(v); a.MaxLength > 0 && n > a.MaxLength {
				return fmt.Sprintf("I cannot take %d characters for the %s of %s: at most %d are allowed.", n, a.Name, s.Tool, a.MaxLength)
			}
		}
	}
	if s.Tool == "repeat" {
		return refusedRepeat(s, depth)
	}
	return ""
}

func refusedRepeat(s Step, depth int) string {
	inner, _ := s.Args["steps"].([]Step)
	switch whole := catalog.MaxRepeated.Seconds(); {
	case depth > catalog.MaxNesting:
		return fmt.Sprintf("I cannot repeat something within %d repetitions: at most %d are allowed.", depth-1, catalog.MaxNesting-1)
	case len(inner) > catalog.MaxSteps:
		return fmt.Sprintf("I cannot repeat %d things together: at most %d are allowed.", len(inner), catalog.MaxSteps)
	case takes(s) > whole:
		return fmt.Sprintf("I cannot repeat that for %s s: a repetition takes at most %s s.", show(takes(s)), show(whole))
	}
	for _, one := range inner {
		if why := refusedStep(one, depth+1); why != "" {
			return why
		}
	}
	return ""
}

// takes returns the seconds that a step takes at least.
func takes(s Step) float64 {
	if s.Tool != "repeat" {
		d, _ := s.Args["duration"].(float64)
		w, _ := s.Args["seconds"].(float64)
		return d + w
	}
	times, _ := s.Args["times"].(float64)
	interval, _ := s.Args["interval"].(float64)
	inner, _ := s.Args["steps"].([]Step)
	round := 0.0
	for _, one := range inner {
		round += takes(one)
	}
	return times*round + (times-1)*interval
}
