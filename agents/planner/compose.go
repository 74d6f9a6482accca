package planner

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/reachyd/reachyd/hal/catalog"
)

// composer turns frames into steps.
type composer struct {
	steps    []Step
	part     string // what "it" means
	left     float64
	right    float64
	outcome  Outcome
	message  string
	sides    []byte // for every step: which antennas it names, 0 for other tools
	prohibit bool
	looked   bool // the head was moved before
}

// compose builds the steps of the frames; outcome is OutcomePlan unless a limit is exceeded or something is not allowed.
func (c *composer) compose(frames []frame) {
	c.outcome = OutcomePlan
	for _, f := range frames {
		if f.class == fault && f.problem == OutcomeRefuse && !f.negated {
			c.fail(OutcomeRefuse, "%s", f.message)
			return
		}
	}
	wrapFrom := -1
	var wrap *frame
	for i := 0; i < len(frames); {
		j := i + 1
		for j < len(frames) && !frames[j].verbed {
			j++
		}
		group := frames[i:j]
		i = j
		head := &group[0]
		switch head.class {
		case ahead:
			wrapFrom, wrap = len(c.steps), head
			continue
		case again:
			c.again(head)
			continue
		case nothing:
			if head.negated {
				c.prohibit = true
			}
			if len(group) == 1 {
				continue
			}
		}
		c.group(group)
		if c.outcome != OutcomePlan {
			return
		}
	}
	if len(c.steps) > 1 && wrap == nil {
		c.dropEchoes() // "it's too quiet, turn it up"
	}
	if wrap != nil && len(c.steps) > wrapFrom {
		inner := append([]Step(nil), c.steps[wrapFrom:]...)
		c.steps = append(c.steps[:wrapFrom], c.repeated(inner, wrap)...)
	}
}

// dropEchoes removes a volume, a feeling, a stop or a question of state that only says again what the step before it did.
func (c *composer) dropEchoes() {
	out := c.steps[:1]
	for _, s := range c.steps[1:] {
		last := out[len(out)-1]
		level := s.Tool == "set_volume" && s.Args["level"] == last.Args["level"]
		state := (s.Tool == "wake_up" || s.Tool == "express_emotion") && reflect.DeepEqual(s.Args, last.Args)
		if s.Tool == last.Tool && (level || state || s.Tool == "stop" || s.Tool == "get_robot_state") {
			continue
		}
		out = append(out, s)
	}
	c.steps = out
}

func (c *composer) fail(o Outcome, format string, args ...any) {
	if c.outcome == OutcomePlan || o == OutcomeRefuse {
		c.outcome, c.message = o, fmt.Sprintf(format, args...)
	}
}

// again repeats everything that stands before: "do that three times".
func (c *composer) again(f *frame) {
	if len(c.steps) == 0 {
		return
	}
	if f.word == "more" && f.times <= 1 {
		f.times = 2
	}
	inner := c.steps
	c.steps = c.repeated(append([]Step(nil), inner...), f)
	c.sides = make([]byte, len(c.steps))
}

// repeated wraps steps in a repeat if f says so.
func (c *composer) repeated(steps []Step, f *frame) []Step {
	times := 1.0
	if f.said {
		times = f.times
	}
	interval := 0.0
	if f.every.set {
		interval = f.every.s
		if !f.said {
			switch {
			case f.hold.set && f.every.s > 0:
				times = math.Max(1, math.Floor(f.hold.s/f.every.s+1e-9))
			case f.over.set && f.every.s > 0:
				times = math.Max(1, math.Floor(f.over.s/f.every.s+1e-9))
			default:
				times = 10 // unbounded requests are bounded
			}
		}
	}
	if times != math.Trunc(times) || times < 1 || times > catalog.MaxRounds {
		c.fail(OutcomeError, "I cannot repeat that %s times: I repeat things 1 to %d times.", show(times), catalog.MaxRounds)
		return steps
	}
	if !catalog.Interval.Contains(interval) {
		c.fail(OutcomeError, "I cannot wait %s s between repetitions: the interval is at most %s s.", show(interval), show(catalog.Interval.Max))
		return steps
	}
	if times == 1 {
		return steps
	}
	return []Step{{Tool: "repeat", Args: map[string]any{"steps": steps, "times": times, "interval": interval}}}
}

// group composes a clause with a verb and the elliptical clauses that lean on it. A count closes what stands before
// it: "look left and right twice, then up" repeats the first two.
func (c *composer) group(g []frame) {
	from, start := 0, len(c.steps)
	for k := range g {
		counted := (g[k].said || g[k].every.set) && !g[0].early
		if counted || k == len(g)-1 {
			c.counted(g, from, k+1)
			from = k + 1
		}
		if c.outcome != OutcomePlan {
			return
		}
	}
	c.mergeAntennas(start, &g[0])
}

// counted composes g[from:to] and repeats it if its frames say so.
func (c *composer) counted(g []frame, from, to int) {
	head := &g[0]
	start := len(c.steps)
	var mod frame
	delayed := 0
	for k := from; k < to; k++ {
		copyModifiers(&mod, &g[k])
	}
	total := mod.every.set && !mod.said
	for k := from; k < to; {
		f := &g[k]
		if f.delay.set {
			c.wait(f.delay.s)
			if k == from {
				delayed = len(c.steps) - start
			}
		}
		switch {
		case f.negated:
			c.prohibit = true
			if f.class == motion && f.part != "" {
				c.part = f.part
			}
			k++
		case f.class == pending, f.class == nothing:
			k++
		case f.class != motion:
			c.single(f, total || f.said)
			if f.hold.set && !total && f.class != pausing && f.tool != "gesture" {
				c.wait(f.hold.s)
			}
			k++
		default:
			m := k + 1
			for m < to && g[m].class == motion && !g[m].negated {
				m++
			}
			c.motions(g, k, m, head, total)
			k = m
		}
	}
	if c.outcome != OutcomePlan || !mod.said && !mod.every.set {
		return
	}
	first := start + delayed
	if first >= len(c.steps) {
		return
	}
	inner := append([]Step(nil), c.steps[first:]...)
	c.steps = append(c.steps[:first], c.repeated(inner, &mod)...)
	c.sides = append(c.sides[:first], make([]byte, len(c.steps)-first)...)
}

func (c *composer) add(tool string, args map[string]any) {
	c.move(tool, args, 0, Axes{})
}

// move adds a step with the axes that it names.
func (c *composer) move(tool string, args map[string]any, side byte, axes Axes) {
	c.steps = append(c.steps, Step{Tool: tool, Args: args, Axes: axes})
	c.sides = append(c.sides, side)
}

func (c *composer) wait(s float64) {
	if !(s > 0) || !catalog.WaitTime.Contains(s) {
		c.fail(OutcomeError, "I cannot wait %s s: a wait is more than 0 and at most %s s.", show(s), show(catalog.WaitTime.Max))
		return
	}
	c.add("wait", map[string]any{"seconds": s})
}

// single composes a frame that is one step.
func (c *composer) single(f *frame, counted bool) {
	switch f.class {
	case fault:
		c.fail(f.problem, "%s", f.message)
	case speech:
		c.add("speak", map[string]any{"text": f.word})
	case looking:
		c.add("look_at", map[string]any{"target": f.word})
		if f.keeps {
			c.steps[len(c.steps)-1].As = "follow_object"
		}
		c.part, c.looked = "head", true
	case feeling:
		c.add("express_emotion", map[string]any{"emotion": f.word})
	case pausing:
		c.wait(f.hold.s)
	case volume:
		v := f.bare[0].deg
		if r := catalog.Volume; !r.Contains(v) {
			c.fail(OutcomeError, "I cannot set the volume to %s: it goes from %s to %s.", show(v), show(r.Min), show(r.Max))
			return
		}
		c.add("set_volume", map[string]any{"level": v})
		if changes[show(v)] == f.change { // not corrected since: "louder, I mean 40"
			c.steps[len(c.steps)-1].Change = f.change
		}
	case finding:
		args := map[string]any{}
		if f.word != "" {
			args["name"] = f.word
		}
		c.add("detect_objects", args)
		if f.seeks && f.word != "" {
			c.steps[len(c.steps)-1].As = "find_object"
		}
	case action:
		args := map[string]any{}
		for k, v := range f.args {
			args[k] = v
		}
		c.add(f.tool, args)
		if f.tool == "gesture" {
			c.part = ""
			if g := catalog.GestureNamed(args["name"].(string)); g != nil {
				c.part = g.Part
			}
			if f.hold.set && !counted {
				// a gesture lasts about two seconds; "for ten seconds" repeats it
				n := math.Max(1, math.Round(f.hold.s/2))
				last := len(c.steps) - 1
				c.steps = append(c.steps[:last], c.repeated([]Step{c.steps[last]}, &frame{times: math.Min(n, catalog.MaxRounds), said: true})...)
			}
		}
	}
}

func isAntenna(part string) bool {
	return part == "antennas" || part == "leftAntenna" || part == "rightAntenna"
}

func samePart(a, b *frame) bool {
	return a.part == b.part || isAntenna(a.part) && isAntenna(b.part)
}

// bundles merges what is one movement: "up and to the left" is one, "left and right" are two.
func bundles(chunk []frame) []*frame {
	var out []*frame
	one := func(fs []frame) *frame {
		f := fs[0]
		f.headings = append([]heading(nil), f.headings...)
		for k := 1; k < len(fs); k++ {
			f.headings = append(f.headings, fs[k].headings...)
			f.bare = append(f.bare[:len(f.bare):len(f.bare)], fs[k].bare...)
			for a := range fs[k].axisSet {
				if fs[k].axisSet[a] {
					f.axes[a], f.axisSet[a], f.axisBy[a] = fs[k].axes[a], true, fs[k].axisBy[a]
				}
			}
			f.more = f.more || fs[k].more
			copyModifiers(&f, &fs[k])
		}
		return &f
	}
	if mergeable(chunk) {
		return []*frame{one(chunk)}
	}
	// pairs divided by commas: "up and left, down and right"
	var runs [][]frame
	start := 0
	for k := 1; k <= len(chunk); k++ {
		if k == len(chunk) || chunk[k].join == joinComma {
			runs = append(runs, chunk[start:k])
			start = k
		}
	}
	pairs := len(runs) > 1
	for _, r := range runs {
		pairs = pairs && len(r) == 2 && mergeable(r)
	}
	if pairs {
		for _, r := range runs {
			out = append(out, one(r))
		}
		return out
	}
	for k := range chunk {
		f := chunk[k]
		if len(f.headings) > 1 && !distinct(f.headings, f.verb) {
			for _, h := range f.headings {
				single := f
				single.headings = []heading{h}
				out = append(out, &single)
			}
			continue
		}
		out = append(out, &f)
	}
	return out
}

// mergeable reports whether the frames of a chunk move different axes and so are one movement.
func mergeable(chunk []frame) bool {
	if len(chunk) == 1 {
		if isAntenna(chunk[0].part) {
			return true
		}
		return len(chunk[0].headings) < 2 || distinct(chunk[0].headings, chunk[0].verb)
	}
	if len(chunk) > 3 {
		return false
	}
	var hs []heading
	var seen [3]bool
	for k := range chunk {
		f := &chunk[k]
		if isAntenna(f.part) || f.part == "body" || len(f.parts) > 0 {
			return false
		}
		if f.hold.set && k < len(chunk)-1 || f.verb == "raise" || f.verb == "lower" {
			return false
		}
		if k > 0 && f.pace.set && chunk[k-1].pace.set && f.pace.s != chunk[k-1].pace.s {
			return false
		}
		hs = append(hs, f.headings...)
		for a := range f.axisSet {
			if f.axisSet[a] {
				if seen[a] {
					return false
				}
				seen[a] = true
			}
		}
		if len(f.headings) == 0 && !f.axisSet[0] && !f.axisSet[1] && !f.axisSet[2] {
			return false
		}
	}
	return distinct(hs, chunk[0].verb)
}

func distinct(hs []heading, verb string) bool {
	var seen [3]bool
	for _, h := range dropAround(hs) {
		a := axisOf(h.dir, verb)
		if a < 0 || seen[a] {
			return false
		}
		seen[a] = true
	}
	return true
}

// duration of a move in seconds.
func (c *composer) duration(f *frame) float64 {
	d := 1.0
	switch {
	case f.over.set:
		d = f.over.s
	case f.pace.set:
		d = f.pace.s
	}
	if r := catalog.MoveTime; !r.Contains(d) {
		c.fail(OutcomeError, "I cannot move in %s s: a move takes %s to %s s.", show(d), show(r.Min), show(r.Max))
	}
	return d
}

// motion composes one movement of one part, or of several together.
func (c *composer) motion(f *frame) {
	if len(f.parts) > 0 {
		rest := f.parts
		f.parts = nil
		c.motion(f)
		for _, p := range rest {
			more := *f
			more.part = p
			c.motion(&more)
		}
		return
	}
	part := f.part
	if part == "" {
		part = "head"
		if f.verb == "turn" && !f.axisSet[pitch] && !f.axisSet[yaw] && !f.axisSet[roll] {
			part = "body"
			for _, h := range f.headings {
				if h.dir == "up" || h.dir == "down" {
					part = "head"
				}
			}
		}
	}
	switch {
	case part == "head":
		c.head(f)
	case part == "body":
		c.body(f)
	case isAntenna(part):
		c.antennas(f, part)
	default:
		c.fail(OutcomeNone, "I do not have that part.")
	}
	c.part = part
}

// The sizes of moves without a number, in degrees.
const (
	defaultYaw, defaultTilt = catalog.UsualTurn, catalog.UsualTilt
	littleTurn              = 10
	farYaw, farTilt         = 60, 35
)

// show writes a number for a person.
func show(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
