package planner

import (
	"math"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

func (c *composer) body(f *frame) {
	y, way := 0.0, To
	if f.axisSet[yaw] {
		y = f.axes[yaw]
		if f.axisBy[yaw] {
			way = By
		}
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
		y, way = f.bare[0].deg, f.wayOf(f.bare[0])
	}
	for _, h := range dropAround(hs) {
		if h.amt.kind == 0 && len(f.bare) > 0 {
			h.amt = f.bare[0]
		}
		switch h.dir {
		case "left":
			y, way = y+h.amt.degrees(yaw), f.wayOf(h.amt)
		case "right":
			y, way = y-h.amt.degrees(yaw), f.wayOf(h.amt)
		case "center", "forward", "vertical":
			way = h.place()
		case "around":
			y = 180
			if h.amt.kind == 'n' {
				y = h.amt.deg
			}
			way = h.amt.around()
		case "back":
			if f.verb == "turn" && f.part == "" && c.looked {
				way = Back
				break
			}
			y, way = 180, To
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
	c.move("turn_body", map[string]any{"yaw": y, "duration": c.duration(f)}, 0, Axes{BodyYaw: way})
}
