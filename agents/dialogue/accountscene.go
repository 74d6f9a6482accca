package dialogue

import (
	"maps"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// scene is where the robot is and what was done, clause after clause.
type scene struct {
	at      Pose
	undo    []Pose
	before  Pose // where the robot was before the last command
	last    []planner.Step
	tilts   bool
	adjusts bool // the last command only said by how much to go on
	sinks   bool // the last command was to go up or down, as people see it, not to an angle
	scaled  bool
	within  bool  // a clause stood before in the same sentence
	base    *Pose // what a correction counts from
	repeats []planner.Step
	undone  int
	scales  bool                     // the last deed was so many times what there was
	crosses []planner.Axis           // that go to the other side of the middle without a number
	acted   bool                     // the last command had a gesture in it
	about   string                   // what was asked about, while nothing has been moved since
	turned  [planner.NumAxes]float64 // axes that were moved in this sentence
}

func (r *reader) scene() *scene {
	s := &scene{at: r.now.Pose, undo: slices.Clone(r.Undo), before: r.now.Pose, tilts: r.Tilts, about: r.About}
	text := ""
	for _, c := range []*Command{r.Last, r.Moved} {
		if c != nil && moves(c.Steps) {
			text = c.Text
			s.before, s.last, s.scaled = c.Before, c.Steps, c.Scaled
			break
		}
	}
	for _, t := range language.Analyse(text).Tokens {
		s.sinks = s.sinks || vertical(t.Word) || t.Word == "lower" || t.Word == "drop" || t.Word == "raise" || t.Word == "lift" || t.Word == "hang"
	}
	s.adjusts = text != "" && adjusts(text)
	s.acted = r.Last != nil && len(acts(r.Last.Steps)) > 0
	if r.Last != nil && !moves(r.Last.Steps) {
		s.last = nil // a gesture stands between
	}
	return s
}

// adjusts reports whether a command neither says a verb of movement nor which way: "a bit more, call it 15".
func adjusts(text string) bool {
	toks := language.Analyse(text).Tokens
	for i := range toks {
		if directions.Has(toks, i) || gistVerbs[toks.Word(i)] != "" || parts.Has(toks, i) {
			return false
		}
	}
	return true
}

// lastChange is by how much an axis was moved last.
func (s *scene) lastChange(a planner.Axis) float64 {
	after := &s.at
	for _, before := range slices.Backward(s.undo) {
		if d := change(a, &before, after); math.Abs(d) > near {
			return language.Tidy(d)
		}
		after = &before
	}
	return 0
}

// recent are the axes of some that were moved last, at once.
func (s *scene) recent(of ...planner.Axis) (axes []planner.Axis) {
	after := &s.at
	for _, before := range slices.Backward(s.undo) {
		for _, a := range of {
			if math.Abs(change(a, &before, after)) > near {
				axes = append(axes, a)
			}
		}
		if len(axes) > 0 {
			return axes
		}
		after = &before
	}
	return nil
}

var everyAxis = []planner.Axis{planner.Pitch, planner.Yaw, planner.Roll, planner.BodyYaw, planner.LeftAntenna, planner.RightAntenna}

// off are those of some axes that are not where they rest; all of them where none is.
func (s *scene) off(axes []planner.Axis) []planner.Axis {
	if off := slices.DeleteFunc(slices.Clone(axes), func(a planner.Axis) bool { return math.Abs(s.at.rest(a)) < near }); len(off) > 0 {
		return off
	}
	return axes
}

// standing are the axes that stand so many degrees from where they rest.
func (s *scene) standing(degs float64) (axes []planner.Axis) {
	for _, a := range everyAxis {
		if degs != 0 && math.Abs(math.Abs(s.at.rest(a))-math.Abs(degs)) < near {
			axes = append(axes, a)
		}
	}
	return axes
}

// ear is the antenna that is meant by "the ear": that which was moved last; "" where that is not known.
func (s *scene) ear() string {
	if last := s.lastPart(); isAntenna(last) && last != "antennas" {
		return last
	}
	if lately := s.off(s.recent(planner.LeftAntenna, planner.RightAntenna)); len(lately) == 1 {
		return partOfAxis(lately[0])
	}
	return ""
}

// lastPart is the part that was moved last.
func (s *scene) lastPart() string {
	if s.about != "" && !s.within {
		return s.about
	}
	axes := s.off(s.recent(everyAxis...))
	switch len(axes) {
	case 0:
		return ""
	case 2:
		if isAntenna(partOfAxis(axes[0])) && isAntenna(partOfAxis(axes[1])) {
			return "antennas"
		}
	}
	return partOfAxis(axes[len(axes)-1])
}

// moved is by how much the last command has moved an axis.
func (s *scene) moved(a planner.Axis) float64 { return language.Tidy(change(a, &s.before, &s.at)) }

// oneStep joins steps of one tool in a row that move different axes.
func oneStep(steps []planner.Step) (out []planner.Step) {
	for _, s := range steps {
		if n := len(out) - 1; n >= 0 && (s.Tool == "set_antennas" || s.Tool == "move_head") && out[n].Tool == s.Tool && !sharing(out[n].Axes, s.Axes) {
			args, axes := maps.Clone(out[n].Args), out[n].Axes
			maps.Copy(args, s.Args)
			for a, w := range s.Axes {
				if w != planner.Unnamed {
					axes[a] = w
				}
			}
			out[n] = planner.Step{Tool: s.Tool, Args: args, Axes: axes}
			continue
		}
		out = append(out, s)
	}
	return out
}

func sharing(a, b planner.Axes) bool {
	for i := range a {
		if a[i] != planner.Unnamed && b[i] != planner.Unnamed {
			return true
		}
	}
	return false
}
