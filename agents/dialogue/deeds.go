package dialogue

import (
	"maps"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// Gestures and feelings that were made are named again: "and the nod again", "only the bow", "the other way round", "the first one
// again". Every word of such a sentence is of the tables in perception/language/en/refer.txt.

var (
	deedNames = language.Phrases("deed-names")
	deedOrder = language.Phrases("deed-order")
	deedSmall = language.Words("deed-small")
	deedSizes = language.Phrases("deed-sizes")
	deedTimes = language.Phrases("deed-times")
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

// felt reports whether a feeling was shown last.
func (r *reader) felt() bool {
	last := r.lastDeeds()
	return len(last) > 0 && last[len(last)-1].Tool == "express_emotion"
}

// deedNamed is what a step is called.
func deedNamed(s planner.Step) string {
	name, _ := s.Args["name"].(string)
	if s.Tool == "express_emotion" {
		name, _ = s.Args["emotion"].(string)
	}
	return name
}

// deeds reads a sentence that says nothing but which of the gestures and feelings of before are meant, how wide and how fast.
func (r *reader) deeds() (Reading, bool) {
	if len(r.Acts) == 0 {
		return Reading{}, false
	}
	name, order := "", ""
	wide, long := 1.0, 1.0
	toks := r.u.Tokens[r.u.Address.To:]
	for i := 0; i < len(toks); {
		what, n := deedNames.Match(toks, i)
		how, m := deedOrder.Match(toks, i)
		by, k := deedSizes.Match(toks, i)
		times, l := deedTimes.Match(toks, i)
		switch {
		case toks.IsMark(i):
			n = 1
		case k > max(n, m):
			wide, n = wide*float(by), k
		case l > max(n, m):
			long, n = long*float(times), l
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
	changed := wide != 1 || long != 1
	if last := r.lastDeeds(); changed && name == "" && (order == "" || order == "again") {
		steps = last
	}
	if len(steps) == 0 {
		return Reading{}, false
	}
	reading := r.deed(widened(scaled(slices.Clone(steps), long), wide))
	reading.settled = true
	return reading, true
}

// lastDeeds are the steps of the last command where these are gestures and feelings and nothing else.
func (r *reader) lastDeeds() []planner.Step {
	if r.Last == nil || len(r.Last.Steps) == 0 || moves(r.Last.Steps) || len(acts(r.Last.Steps)) == 0 {
		return nil
	}
	return r.Last.Steps
}

// widened are gestures and feelings that are so many times as wide as they were, within what the body makes.
func widened(steps []planner.Step, factor float64) []planner.Step {
	if factor == 1 {
		return steps
	}
	out := slices.Clone(steps)
	for i, s := range out {
		if inner, ok := s.Args["steps"].([]planner.Step); ok {
			out[i].Args = maps.Clone(s.Args)
			out[i].Args["steps"] = widened(inner, factor)
		} else if len(acts(out[i:i+1])) > 0 {
			size, ok := s.Args["size"].(float64)
			if !ok {
				size = 1
			}
			out[i].Args = maps.Clone(s.Args)
			out[i].Args["size"] = min(max(language.Tidy(size*factor), catalog.Size.Min), catalog.Size.Max)
		}
	}
	return out
}

// lasting is how long a gesture or a feeling takes, seconds; 0 where a step is neither.
func lasting(s planner.Step) float64 {
	var keys []catalog.Keyframe
	if g := catalog.GestureNamed(deedNamed(s)); g != nil && s.Tool == "gesture" {
		keys = g.Keys
	} else if e := catalog.EmotionNamed(deedNamed(s)); e != nil && s.Tool == "express_emotion" {
		keys = e.Keys
	}
	if len(keys) == 0 {
		return 0
	}
	return keys[len(keys)-1].T
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
