package dialogue

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What is said of a movement by its name is worked out from what the conversation has moved: "halve the turn", "drop the tilt", "the down
// part again", "body ten less", "double both". The words are in perception/language/en/refer.txt.

var (
	referredDeeds = language.Phrases("referred-deeds")
	referents     = language.Phrases("referents")
	referSmall    = language.Words("refer-small")
	allOfIt       = language.Words("all-of-it")
)

// referral is what one clause says of a movement.
type referral struct {
	deed  string // of referred-deeds
	what  string // of referents, or a part
	degs  float64
	sized bool
	all   bool // all of it
}

// maxReferrals is how many clauses may refer to movements in one sentence.
const maxReferrals = 4

// referrals reads a sentence of which every clause says what is done to a movement that it names.
func referrals(toks language.Tokens) (all []referral, ok bool) {
	var at referral
	end := func() bool {
		if at == (referral{}) {
			return true
		}
		if at.deed == "" && at.what == "" {
			return false
		}
		all = append(all, at)
		at = referral{}
		return len(all) <= maxReferrals
	}
	for i := 0; i < len(toks); {
		if toks.IsMark(i) {
			if toks[i].Word == "?" || !end() {
				return nil, false
			}
			i++
			continue
		}
		if toks.Word(i) == "and" && at.deed != "" && at.what != "" && !end() {
			return nil, false
		}
		n := at.reads(toks, i)
		if n == 0 {
			return nil, false
		}
		i += n
	}
	return all, end() && len(all) > 0
}

// reads takes in what stands at a place; 0 when it belongs to no referral.
func (f *referral) reads(toks language.Tokens, i int) int {
	what, n := f.names(toks, i)
	deed, m := referredDeeds.Match(toks, i)
	switch {
	case n > 0 && n >= m:
		if f.what != "" && f.what != what {
			return 0
		}
		f.what = what
		return n
	case isNumber(toks[i]) && !toks[i].Pronoun && m == 0:
		q, n := language.QuantityAt(toks, i)
		if n == 0 || f.sized || q.Dim != language.Angle && q.Dim != language.NoUnit || q.Value <= 0 || q.Dim == language.NoUnit && q.Value < 1 {
			return 0
		}
		f.degs, f.sized = q.Value, true
		return n
	case m > 0 && (f.deed == "" || f.deed == deed || deed == "less" || f.deed == "again"):
		if f.deed != "less" || deed != "again" {
			f.deed = deed
		}
		return m
	case deed == "again", deed == "keep":
		return m
	case allOfIt[toks.Word(i)], toks.Word(i) == "after" && toks.Word(i+1) == "all": // "no tilt after all"
		f.all = true
		return 1
	case referSmall[toks.Word(i)]:
		return 1
	}
	return 0
}

// names is what stands at a place that was moved, and how many tokens it takes.
func (f *referral) names(toks language.Tokens, i int) (what string, n int) {
	what, n = referents.Match(toks, i)
	if part, m := parts.Match(toks, i); m > n && wholeParts[part] != nil {
		what, n = part, m
	}
	for _, one := range []string{"left", "right"} { // "the left one", where antennas were moved
		if toks.Word(i) == one && toks.Word(i+1) == "one" && n < 2 {
			what, n = one+"Antenna", 2
		}
	}
	if n == 0 && f.deed != "" && bareNames[toks.Word(i)] != "" { // "no tilt after all"
		what, n = bareNames[toks.Word(i)], 1
	}
	return what, n
}

// bareNames are movements called by one word behind what is done to them.
var bareNames = map[string]string{"tilt": "roll", "lean": "roll", "tilting": "roll", "turn": "turn", "rotation": "turn", "twist": "turn", "turning": "turn"}

// referring reads what is said of movements by their names.
func (r *reader) referring() (Reading, bool) {
	if len(r.Undo) == 0 && r.Redo == nil || r.u.TooLong {
		return Reading{}, false
	}
	all, ok := referrals(r.u.Tokens[r.u.Address.To:])
	if !ok {
		return Reading{}, false
	}
	to, acts, again := r.now.Pose, false, true
	for i := range all {
		f := &all[i]
		if f.deed == "keep" {
			continue
		}
		if !f.whole() {
			return Reading{}, false
		}
		axes := r.referred(f)
		if len(axes) == 0 {
			return Reading{}, false
		}
		for _, a := range axes {
			v, ok := r.referredTo(f, a)
			if !ok {
				return Reading{}, false
			}
			if a == planner.BodyYaw {
				to.Head.Yaw += v - to.BodyYaw
			}
			*to.axis(a) = v
		}
		acts = true
		again = again && f.deed == "again"
	}
	if !acts {
		return Reading{}, false
	}
	steps := Towards(r.now.Pose, to)
	if r.beyond(steps) {
		return Reading{}, false
	}
	reading := r.run(steps)
	if len(steps) > 0 {
		reading.repeats = byAsMuch(steps, r.now.Pose)
	}
	reading.settled = true
	return reading, true
}

// whole reports whether a referral says what is done to what.
func (f *referral) whole() bool {
	if f.deed == "forget" {
		switch {
		case f.all:
			f.deed = "drop"
		case partNames[f.what] != "":
			f.deed = "undo"
		}
	}
	switch f.deed {
	case "", "forget": // the last that was done of it: as the rules read it
		return false
	case "more", "less":
		return f.what != "" && f.sized
	case "halve", "double", "triple", "third", "quarter", "flip", "drop":
		return f.what != "" && !f.sized
	}
	return f.what != "" && f.what != "both" && !f.sized
}

// byAsMuch are steps as they would be made again from where they end.
func byAsMuch(steps []planner.Step, from Pose) []planner.Step {
	out := make([]planner.Step, len(steps))
	at := from
	for i, s := range steps {
		out[i] = planner.Step{Tool: s.Tool, Args: map[string]any{"duration": 1.0}}
		for a, way := range s.Axes {
			arg := arguments[a].name
			if v, isNumber := s.Args[arg].(float64); isNumber && way != planner.Unnamed {
				out[i].Args[arg], out[i].Axes[a] = language.Tidy(v-*at.axis(planner.Axis(a))), planner.By
			}
		}
		at = After(s, at)
	}
	return out
}

// changes are by how much an axis was moved, newest first; nothing is left out but movements that did not move it.
func (r *reader) changes(a planner.Axis) (all []float64) {
	after := &r.now.Pose
	for i := len(r.Undo) - 1; i >= 0; i-- {
		before := &r.Undo[i]
		if d := change(a, before, after); math.Abs(d) > near {
			all = append(all, language.Tidy(d))
		}
		after = before
	}
	return all
}

// made are the changes of an axis that may be made again, newest first: what was just taken back before all others.
func (r *reader) made(a planner.Axis) (all []float64) {
	if r.Redo != nil {
		if d := change(a, &r.now.Pose, r.Redo); math.Abs(d) > near {
			all = append(all, language.Tidy(d))
		}
	}
	return append(all, r.changes(a)...)
}

// lately are the axes that the last movements have moved, as many movements as it takes to have two.
func (r *reader) lately() (axes []planner.Axis) {
	after := &r.now.Pose
	for i := len(r.Undo) - 1; i >= 0 && len(axes) < 2; i-- {
		for a := range planner.NumAxes {
			if math.Abs(change(a, &r.Undo[i], after)) > near && !slices.Contains(axes, a) {
				axes = append(axes, a)
			}
		}
		after = &r.Undo[i]
	}
	return axes
}

// rest is how far an axis is from its middle.
func (p *Pose) rest(a planner.Axis) float64 {
	if isAntenna(partOfAxis(a)) {
		neutral := Pose{Antennas: restingAntennas}
		if *p.axis(a) == *neutral.axis(a) {
			return 0
		}
	}
	return language.Tidy(*p.axis(a) - p.middle(a))
}

// referred are the axes that a referral means: those of what it names that are not where they rest, or else were moved.
func (r *reader) referred(f *referral) []planner.Axis {
	moved := func(axes ...planner.Axis) (out []planner.Axis) {
		for _, a := range axes {
			if f.deed == "again" && len(r.made(a)) > 0 || f.deed != "again" && math.Abs(r.now.Pose.rest(a)) > near {
				out = append(out, a)
			}
		}
		return out
	}
	first := func(axes ...planner.Axis) []planner.Axis { // the one that was moved last
		var best []planner.Axis
		latest := -1
		for _, a := range axes {
			if at := r.movedAt(a); len(moved(a)) > 0 && at > latest {
				best, latest = []planner.Axis{a}, at
			}
		}
		return best
	}
	switch f.what {
	case "roll":
		return first(planner.Roll)
	case "pitch":
		return moved(planner.Pitch)
	case "yaw":
		return moved(planner.Yaw)
	case "turn":
		return first(planner.Yaw, planner.BodyYaw)
	case "body-turn":
		return moved(planner.BodyYaw)
	case "left", "right":
		if len(r.antennasLately()) > 0 {
			return nil
		}
		return first(planner.Yaw, planner.BodyYaw, planner.Roll)
	case "both":
		return r.lately()
	case "head":
		axes := moved(planner.Pitch, planner.Yaw, planner.Roll)
		if f.deed == "drop" || len(axes) <= 1 {
			return axes
		}
		return first(axes...)
	case "leftAntenna", "rightAntenna":
		if !f.sized && f.deed != "drop" { // as is said of antennas by the rules
			return nil
		}
	case "antennas":
		if f.deed != "drop" {
			return nil
		}
	}
	return moved(wholeParts[f.what]...)
}

// antennasLately are the antennas that the last movement moved.
func (r *reader) antennasLately() []planner.Axis {
	return slices.DeleteFunc(r.lately(), func(a planner.Axis) bool { return !isAntenna(partOfAxis(a)) })
}

// movedAt is the place in the conversation of the last movement of an axis; -1 when it was not moved.
func (r *reader) movedAt(a planner.Axis) int {
	after := &r.now.Pose
	for i := len(r.Undo) - 1; i >= 0; i-- {
		if math.Abs(change(a, &r.Undo[i], after)) > near {
			return i
		}
		after = &r.Undo[i]
	}
	return -1
}

// scales are the deeds that multiply how far an axis is from its middle.
var scales = map[string]float64{"halve": half, "double": 2, "triple": 3, "third": 1.0 / 3, "quarter": 0.25, "flip": -1}

// referredTo is where an axis goes.
func (r *reader) referredTo(f *referral, a planner.Axis) (to float64, ok bool) {
	p := &r.now.Pose
	at, rest, middle := *p.axis(a), p.rest(a), p.middle(a)
	changes := r.changes(a)
	side := rest // where it went last
	if len(changes) > 0 {
		side = changes[0]
	}
	antenna := isAntenna(partOfAxis(a))
	switch f.deed {
	case "again":
		made := r.made(a)
		if len(made) == 0 {
			return 0, false
		}
		to = at + made[0]
	case "undo":
		if len(changes) == 0 {
			return 0, false
		}
		to = at - changes[0]
	case "drop":
		if to = middle; antenna {
			neutral := Pose{Antennas: restingAntennas}
			to = *neutral.axis(a)
		}
	case "more", "less":
		if antenna || math.Abs(rest) > near { // outwards, or towards the middle
			side = at - middle
		}
		if side == 0 {
			side = map[bool]float64{true: -1, false: 1}[a == planner.RightAntenna]
		}
		sign := map[string]float64{"more": 1, "less": -1}[f.deed]
		to = at + signed(1, side)*sign*f.degs
	default:
		to = middle + rest*scales[f.deed]
	}
	return language.Tidy(to), true
}
