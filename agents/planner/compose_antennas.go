package planner

import (
	"math"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// antennaAt are the positions of the left antenna for words; the right one mirrors them.
var antennaAt = map[string]float64{
	"up": 0, "vertical": 0, "center": 0, "down": 180, "flatdown": 180, "out": 90, "back": 120, "forward": -45, "in": -30, "around": 180,
}

// antennaGoal is where the antennas go.
type antennaGoal struct {
	left, right float64
	side        byte     // 'l', 'r' or 'b': which of them
	ways        [2]Way   // how left and right are meant
	more        bool     // from where they are
	bare        []amount // that belong to no direction yet
}

// set moves the antennas that are meant.
func (g *antennaGoal) set(left, right float64, way Way) {
	if g.side != 'r' {
		g.left, g.ways[0] = left, way
	}
	if g.side != 'l' {
		g.right, g.ways[1] = right, way
	}
}

// wayOf says how an angle of an antenna is meant: it is one to go to, unless it is said otherwise.
func (g *antennaGoal) wayOf(a amount) Way {
	if a.by || g.more && !a.to {
		return By
	}
	return To
}

// drift is how an antenna goes somewhat up or down.
func drift(dir string) Way {
	if antennaAt[dir] == 0 {
		return Rise
	}
	return Sink
}

// take gives a direction its amount: its own, or the next that belongs to none.
func (g *antennaGoal) take(h heading) amount {
	if h.amt.kind != 0 || len(g.bare) == 0 {
		return h.amt
	}
	amt := g.bare[0]
	g.bare = g.bare[1:]
	return amt
}

// heading moves the antennas into a direction; list says that it is one of several.
func (g *antennaGoal) heading(h heading, list bool) {
	switch {
	case h.dir == "left" && h.amt.kind == 'n' && g.side == 'b' && list: // "left 20 right 40"
		g.left, g.ways[0] = h.amt.deg, g.wayOf(h.amt)
	case h.dir == "right" && h.amt.kind == 'n' && g.side == 'b' && list:
		g.right, g.ways[1] = h.amt.deg, g.wayOf(h.amt)
	case h.dir == "left" || h.dir == "right":
		amt := g.take(h)
		v := amt.degrees(yaw)
		if h.dir == "right" {
			v = -v
		}
		g.set(v, v, g.wayOf(amt))
	default:
		v, amt := antennaAt[h.dir], g.take(h)
		switch {
		case amt.kind == 'n' && g.wayOf(amt) == By:
			g.set(amt.deg, amt.deg, drift(h.dir))
		case amt.kind == 'n':
			g.set(amt.deg, amt.deg, To)
		case amt.kind == 'l' && v != 0:
			v = math.Copysign(littleTurn, v)
			g.set(v, -v, Sink)
		case amt.kind == 'l':
			g.set(v, -v, Rise)
		default:
			g.set(v, -v, Apart)
			if h.returns {
				g.set(v, -v, Back)
			}
		}
	}
}

// rest moves the antennas by what is said without a direction; false when nothing is.
func (g *antennaGoal) rest(f *frame) bool {
	bare := g.bare
	switch {
	case len(f.headings) > 0 && len(bare) == 0:
	case len(bare) > 1 && g.side == 'b':
		g.left, g.right = bare[0].degrees(yaw), bare[1].degrees(yaw)
		g.ways = [2]Way{g.wayOf(bare[0]), g.wayOf(bare[1])}
	case len(bare) > 0 && bare[0].kind == 'n':
		way := g.wayOf(bare[0])
		if dir := raised[f.verb]; way == By && dir != "" {
			way = drift(dir)
		}
		g.set(bare[0].deg, bare[0].deg, way)
	case f.verb == "raise":
		g.set(0, 0, little(bare, Rise))
	case f.verb == "lower" && len(bare) > 0 && bare[0].kind == 'l':
		g.set(littleTurn, -littleTurn, Sink)
	case f.verb == "lower":
		g.set(180, -180, Apart)
	case f.axisSet[yaw] || f.axisSet[pitch] || f.axisSet[roll]:
		v := f.axes[yaw] + f.axes[pitch] + f.axes[roll]
		g.set(v, v, To)
	case f.verb == "tilt":
		g.set(defaultYaw, -defaultYaw, Apart)
	default:
		return false
	}
	return true
}

// raised are verbs that say where antennas go, and the direction.
var raised = map[string]string{"raise": "up", "lower": "down"}

// little is the way of a movement of an antenna to its end: only towards it when a little is said.
func little(bare []amount, way Way) Way {
	if len(bare) > 0 && bare[0].kind == 'l' {
		return way
	}
	return Apart
}

// antennas composes a movement of one antenna or both.
func (c *composer) antennas(f *frame, part string) {
	g := antennaGoal{side: 'b', bare: f.bare, more: f.more}
	switch part {
	case "leftAntenna":
		g.side, g.left, g.right = 'l', c.left, c.right
	case "rightAntenna":
		g.side, g.left, g.right = 'r', c.left, c.right
	}
	for _, h := range f.headings {
		g.heading(h, len(f.headings) > 1)
	}
	if !g.rest(f) {
		c.fail(OutcomeNone, "Where should I move my antennas?")
		return
	}
	l, r := language.Tidy(g.left), language.Tidy(g.right)
	for _, v := range [2]float64{l, r} {
		if r := catalog.Antenna; !r.Contains(v) {
			c.fail(OutcomeError, "I cannot move an antenna that far: antennas go from %s° to %s°, and you asked for %s°.", show(r.Min), show(r.Max), show(v))
			return
		}
	}
	c.left, c.right = l, r
	axes := Axes{LeftAntenna: g.ways[0], RightAntenna: g.ways[1]}
	c.move("set_antennas", map[string]any{"left": l, "right": r, "duration": c.duration(f)}, g.side, axes)
}

// mergeAntennas joins "left antenna up and right antenna down" into one step.
func (c *composer) mergeAntennas(from int, head *frame) {
	start := from
	if head.join == joinAnd || head.join == joinComma {
		start = max(0, from-1)
	}
	for k := start; k+1 < len(c.steps); k++ {
		a, b := c.sides[k], c.sides[k+1]
		if a == 'l' && b == 'r' || a == 'r' && b == 'l' {
			if c.steps[k].Args["duration"] == c.steps[k+1].Args["duration"] {
				named := LeftAntenna
				if a == 'r' {
					named = RightAntenna
				}
				c.steps[k+1].Axes[named] = c.steps[k].Axes[named]
				c.steps = append(c.steps[:k], c.steps[k+1:]...)
				c.sides = append(c.sides[:k], c.sides[k+1:]...)
				c.sides[k] = 'b'
			}
		}
	}
}
