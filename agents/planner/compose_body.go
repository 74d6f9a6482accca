package planner

import (
	"math"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

func (c *composer) body(f *frame) {
	y := 0.0
	if f.axisSet[yaw] {
		y = f.axes[yaw]
	}
	if f.axisSet[pitch] || f.axisSet[roll] {
		c.fail(OutcomeError, "I cannot tilt my body: it only turns left and right, by at most %s°.", show(catalog.BodyYaw.Max))
		return
	}
	hs := append([]heading(nil), f.headings...)
	if len(hs) == 0 && !f.axisSet[yaw] {
		if len(f.bare) == 0 || f.bare[0].kind != 'n' {
			c.fail(OutcomeNone, "Which way should I turn?")
			return
		}
		y = f.bare[0].deg
	}
	for _, h := range dropAround(hs) {
		if h.amt.kind == 0 && len(f.bare) > 0 {
			h.amt = f.bare[0]
		}
		switch h.dir {
		case "left":
			y += h.amt.degrees(yaw)
		case "right":
			y -= h.amt.degrees(yaw)
		case "center", "forward", "vertical":
		case "around":
			y = 180
			if h.amt.kind == 'n' {
				y = h.amt.deg
			}
		case "back":
			if f.verb == "turn" && f.part == "" && c.looked {
				break
			}
			y = 180
		case "up", "down", "flatdown":
			c.fail(OutcomeError, "I cannot move my body %s: it only turns left and right, by at most %s°.", h.dir, show(catalog.BodyYaw.Max))
			return
		default:
			c.fail(OutcomeNone, "I do not know how to move my body %s.", h.dir)
			return
		}
	}
	y = language.Tidy(y)
	if r := catalog.BodyYaw; !r.Contains(y) {
		c.fail(OutcomeError, "I cannot turn that far: my body turns at most %s° to either side, and you asked for %s°.", show(r.Max), show(math.Abs(y)))
		return
	}
	c.add("turn_body", map[string]any{"yaw": y, "duration": c.duration(f)}, 0)
}
