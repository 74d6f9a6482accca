package planner

import (
	"math"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// degrees returns how far an amount goes along an axis.
func (a amount) degrees(axis int) float64 {
	switch a.kind {
	case 'n':
		return a.deg
	case 'l':
		return littleTurn
	case 'f':
		if axis == yaw {
			return farYaw
		}
		return farTilt
	}
	if axis == yaw {
		return defaultYaw
	}
	return defaultTilt
}

// wayOf says how an angle of a movement of head or body is meant.
func (f *frame) wayOf(a amount) Way {
	switch {
	case a.to:
		return To
	case f.more || a.kind == 'n':
		return By
	}
	return From
}

// around says how the angle of "turn around" is meant.
func (a amount) around() Way {
	if a.kind == 'n' && !a.to {
		return By
	}
	return To
}

// place says how a direction is meant that is a place: the middle, or where the robot was.
func (h *heading) place() Way {
	if h.returns {
		return Back
	}
	return To
}

// angles are where the head goes: pitch, yaw, roll in degrees.
type angles [3]float64

// headTurns are what the directions do to the head.
var headTurns = map[string]func(c *composer, verb string, v *angles, amt amount){
	"left":  func(_ *composer, verb string, v *angles, amt amount) { v.aside(verb, 1, amt) },
	"right": func(_ *composer, verb string, v *angles, amt amount) { v.aside(verb, -1, amt) },
	"up":    func(_ *composer, _ string, v *angles, amt amount) { v[pitch] -= amt.degrees(pitch) },
	"down":  func(_ *composer, _ string, v *angles, amt amount) { v[pitch] += amt.degrees(pitch) },
	"back": func(c *composer, verb string, v *angles, amt amount) {
		switch {
		case verb == "tilt":
			v[pitch] -= amt.degrees(pitch)
		case verb == "look" && !c.looked || verb == "face":
			v[yaw] = 180
		}
	},
	"forward": func(_ *composer, verb string, v *angles, amt amount) {
		if verb == "tilt" {
			v[pitch] += amt.degrees(pitch)
		}
	},
	"around": func(_ *composer, _ string, v *angles, amt amount) {
		v[yaw] = 180
		if amt.kind == 'n' {
			v[yaw] = amt.deg
		}
	},
	"center":   func(*composer, string, *angles, amount) {},
	"flatdown": func(_ *composer, _ string, v *angles, _ amount) { v[pitch] = farTilt },
	"vertical": func(_ *composer, _ string, v *angles, _ amount) { v[pitch] = -farTilt },
}

// aside turns or tilts to a side: 1 is left, -1 right.
func (v *angles) aside(verb string, side float64, amt amount) {
	if axisOf("left", verb) == roll {
		v[roll] -= side * amt.degrees(roll)
		return
	}
	v[yaw] += side * amt.degrees(yaw)
}

// head composes a movement of the head.
func (c *composer) head(f *frame) {
	v, axes := angles(f.axes), Axes{}
	for a, set := range f.axisSet {
		switch {
		case set && f.axisBy[a]:
			axes[a] = By
		case set:
			axes[a] = To
		}
	}
	said := f.axisSet[pitch] || f.axisSet[yaw] || f.axisSet[roll]
	hs, bare := headingsOf(f, said)
	if f.word == "pitch" && f.verb == "look" && len(f.headings) == 0 && len(bare) > 0 {
		v[pitch], axes[Pitch], bare = bare[0].deg, f.wayOf(bare[0]), nil
	}
	switch {
	case len(bare) > 0 && bare[0].kind == 'n': // "turn your head 20 degrees"
		v[yaw], axes[Yaw] = bare[0].deg, f.wayOf(bare[0])
	case len(bare) > 0 && !said:
		c.fail(OutcomeNone, "Which way should I turn my head?")
		return
	case len(bare) == 0 && len(hs) == 0 && !said:
		c.fail(OutcomeNone, "Which way should I move my head?")
		return
	}
	for _, h := range dropAround(hs) {
		turn := headTurns[h.dir]
		if turn == nil {
			c.fail(OutcomeNone, "I do not know how to move my head %s.", h.dir)
			return
		}
		if h.dir == "back" && h.amt.kind != 0 && f.verb != "tilt" && !c.looked { // behind is a place, "back a bit" is from somewhere
			c.fail(OutcomeNone, "I do not know from where I should look back.")
			return
		}
		turn(c, f.verb, &v, h.amt)
		c.named(&axes, f, &h)
	}
	for a, limit := range [3]float64{catalog.HeadPitch.Max, catalog.HeadYaw.Max, catalog.HeadRoll.Max} {
		v[a] = language.Tidy(v[a])
		if math.Abs(v[a]) > limit {
			what := [3]string{"tip my head up or down", "turn my head", "tilt my head to the side"}[a]
			c.fail(OutcomeError, "I cannot turn that far: I can %s by at most %s°, and you asked for %s°.", what, show(limit), show(math.Abs(v[a])))
			return
		}
	}
	c.looked = true
	c.move("move_head", map[string]any{"pitch": v[pitch], "yaw": v[yaw], "roll": v[roll], "duration": c.duration(f)}, 0, axes)
}

// named notes which axes of the head a direction names, and how.
func (c *composer) named(axes *Axes, f *frame, h *heading) {
	tilts := f.verb == "tilt" && (h.dir == "back" || h.dir == "forward")
	switch a := axisOf(h.dir, f.verb); {
	case h.dir == "around":
		axes[Yaw] = h.amt.around()
	case a >= 0 || tilts:
		axes[max(a, pitch)] = f.wayOf(h.amt)
	case h.dir == "flatdown" || h.dir == "vertical":
		axes[Pitch] = To
	case h.dir == "back" && (f.verb != "look" || !c.looked):
		axes[Yaw] = To
	default:
		way := h.place()
		if h.dir == "back" {
			way = Back
		}
		only := map[string]int{"pitch": pitch, "yaw": yaw, "roll": roll}
		for a := range axes[:BodyYaw] {
			if k, one := only[f.word]; one && k != a {
				continue
			}
			if axes[a] == Unnamed {
				axes[a] = way
			}
		}
	}
}

// headingsOf returns the directions of a movement of the head, with those that its verb implies, and the amounts that
// belong to none.
func headingsOf(f *frame, said bool) (hs []heading, bare []amount) {
	hs, bare = append(hs, f.headings...), f.bare
	updown := false
	for k := range hs {
		updown = updown || hs[k].dir == "up" || hs[k].dir == "down"
		if hs[k].amt.kind == 0 && len(bare) > 0 {
			hs[k].amt = bare[0]
		}
	}
	implied := ""
	switch {
	case said:
	case f.verb == "raise" && !updown:
		implied = "up"
	case f.verb == "lower" && !updown:
		implied = "down"
	case (f.verb == "tilt" || f.verb == "roll") && len(hs) == 0:
		implied = "right"
	}
	if implied != "" {
		h := heading{dir: implied}
		if len(f.bare) > 0 {
			h.amt = f.bare[0]
		}
		hs = append(hs, h)
	}
	if len(hs) > 0 {
		bare = nil
	}
	return hs, bare
}

// dropAround takes the "around" out of "turn around to the left", whose amount then belongs to the left.
func dropAround(hs []heading) []heading {
	if len(hs) < 2 {
		return hs
	}
	var out []heading
	var amt amount
	for _, h := range hs {
		if h.dir == "around" {
			amt = h.amt
			continue
		}
		if h.amt.kind == 0 {
			h.amt = amt
		}
		out = append(out, h)
	}
	return out
}
