package dialogue

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
)

// antenna is where an antenna goes.
func (s *scene) antenna(p *spot) (float64, planner.Way, bool) {
	up, down := slices.Contains(p.dirs, "up"), slices.Contains(p.dirs, "down")
	amount := p.hasDegs && !p.to
	switch {
	case up && down:
		return 0, 0, false
	case p.is("was"):
		return p.at - p.last, planner.By, math.Abs(p.last) > near
	case amount && (up || down) && !p.is("make") && !p.signed:
		way := map[bool]planner.Way{true: planner.Rise, false: planner.Sink}[up]
		return goal(p.toward.axis, way, p.degs, s.at, s.at), planner.By, true
	case amount && p.is("more", "another", "on", "plus", "again"):
		return p.shifted(p.outward(p.last), p.degs)
	case amount && p.is("reduce"):
		return p.shifted(-p.outward(p.at), p.degs)
	case amount && p.is("less", "back", "minus", "toofar"):
		return p.shifted(-p.outward(p.moved), p.degs)
	}
	if v, way, ok := s.antennaLike(p, up, down); ok {
		return v, way, ok
	}
	return p.earPlace(s, up, down)
}

// Where an antenna is all the way down, and halfway.
const (
	earDown = 180.0
	earHalf = earDown / 2
)

// earPlace is where an antenna goes that is only told to be up, down, or halfway.
func (p *spot) earPlace(s *scene, up, down bool) (float64, planner.Way, bool) {
	side, at := signed(1, directionDown[p.toward.axis]), math.Abs(p.at)
	switch {
	case p.hasDegs, p.factor != 0, p.size == "far", p.is("less", "toofar", "undo", "otherway", "negate", "no", "same", "as-much"):
		return 0, 0, false
	case p.is("halfway") && up && at <= earHalf, p.is("halfway") && down && at >= earHalf && at < earDown-near: // half of what is left
		to := map[bool]float64{true: 0, false: earDown}[up]
		return side * (at + to) / 2, planner.By, true
	case p.is("halfway"), p.share == half && !up && (down || p.at == 0) && math.Abs(p.rest) <= restingAntennas.Left:
		return side * earHalf, planner.By, true
	case p.share != 0 && down && at <= restingAntennas.Left: // "a third of the way down"
		return side * earDown * p.share, planner.By, true
	case p.share != 0 && up && at > restingAntennas.Left: // "a quarter of the way up"
		return side * at * (1 - p.share), planner.By, true
	case p.share != 0: // one that is up already, but for what it leans, goes up
		return 0, planner.To, up
	case (up || down) && (p.size == "little" || p.size == "" && p.is("more", "another", "on")):
		way := map[bool]planner.Way{true: planner.Rise, false: planner.Sink}[up]
		return goal(p.toward.axis, way, 0, s.at, s.at), planner.By, true
	case p.size == "little":
		return 0, 0, false
	case up, p.is("upright", "center", "straight", "level"):
		return 0, planner.To, true
	case down && !p.is("again", "back"):
		return directionDown[p.toward.axis], planner.To, true
	}
	return 0, 0, false
}

// antennaLike is where an antenna goes that is moved like something, or to a place.
func (s *scene) antennaLike(p *spot, up, down bool) (float64, planner.Way, bool) {
	bare := !up && !down
	if p.is("like-left", "like-right") && !p.sized() {
		model := map[bool]planner.Axis{true: planner.LeftAntenna, false: planner.RightAntenna}[p.is("like-left")]
		like := *s.at.axis(model)
		if s.sinks {
			like = signed(like, directionDown[p.toward.axis])
		}
		return like, planner.To, true
	}
	if to, way, ok := p.multiplied(); ok && bare {
		return to, way, true
	}
	switch {
	case p.is("other", "too", "same", "as-much", "other-side", "like-it") && !p.sized() && (bare || s.likewise(p, down)):
		return s.likeOther(p)
	case p.is("again") && up && !p.sized() && !p.is("back", "undo", "no"): // "up again"
		return 0, planner.To, true
	case p.hasDegs && p.is("otherway", "no"), p.is("back", "undo", "again", "more", "less", "otherway", "negate", "toofar"):
		return 0, 0, false
	case p.hasDegs:
		return p.degs, planner.To, true
	case p.share != 0 && up && math.Abs(p.moved) > near:
		return p.at - p.share*p.moved, planner.By, true
	case p.share != 0 && bare && !p.is("halfway"):
		return s.earShare(p)
	case p.size == "little" && bare:
		return goal(p.toward.axis, planner.Sink, 0, s.at, s.at), planner.By, true
	}
	return 0, 0, false
}

// multiplied is where an antenna goes whose angle, or last movement, is multiplied; of both one may not have been moved.
func (p *spot) multiplied() (float64, planner.Way, bool) {
	moved := math.Abs(p.moved) > near
	switch {
	case p.factor == 0:
	case moved && p.relative:
		return p.at + (p.factor-1)*p.moved, planner.By, true
	case !p.relative && (moved || p.is("both")):
		return p.at * p.factor, planner.To, true
	}
	return 0, 0, false
}

// likewise reports whether an antenna that is told to go up or down goes the way that the other one went.
func (s *scene) likewise(p *spot, down bool) bool {
	other := otherEar[p.toward.axis]
	d, at := s.lastChange(other), *s.at.axis(other)
	return math.Abs(d) > near && (math.Abs(at) > math.Abs(at-d)) == down && p.size == ""
}

// scalesOn reports whether the last command moved an axis by an amount.
func (s *scene) scalesOn(a planner.Axis) bool {
	step, ok := lastMove(s.last)
	return ok && step.Axes[a].Relative()
}

// earShare is where an antenna goes of which only a share is wanted of what it did, or of what the other one did: "only half of that, both",
// "the right one half of that".
func (s *scene) earShare(p *spot) (float64, planner.Way, bool) {
	if p.is("both") && math.Abs(p.last) > near {
		return p.at - (1-p.share)*p.last, planner.By, true
	}
	other := otherEar[p.toward.axis]
	if d := s.moved(other); math.Abs(p.moved) < near && math.Abs(p.rest) < near && math.Abs(d) > near && p.is("left-one", "right-one", "other") {
		side := signed(1, directionDown[p.toward.axis])
		if !s.scalesOn(other) { // it went to a place
			return side * p.share * math.Abs(*s.at.axis(other)), planner.By, true
		}
		return p.at + side*p.share*signed(d, d*signed(1, directionDown[other])), planner.By, true
	}
	return 0, 0, false
}

// otherEar is the antenna on the other side.
var otherEar = map[planner.Axis]planner.Axis{planner.LeftAntenna: planner.RightAntenna, planner.RightAntenna: planner.LeftAntenna}

// likeOther is where an antenna goes that does what the other one did alone; false where that was not moved last.
func (s *scene) likeOther(p *spot) (float64, planner.Way, bool) {
	other := otherEar[p.toward.axis]
	lately := s.off(s.recent(planner.LeftAntenna, planner.RightAntenna))
	if len(lately) != 1 || lately[0] != other {
		return 0, 0, false
	}
	v := *s.at.axis(other)
	if d := s.lastChange(other); s.scalesOn(other) && math.Abs(p.rest) > near && !p.is("like-it") && math.Abs(d) > near { // by as much as the other
		return p.at + signed(d, p.at)*signed(1, d*(v-d)), planner.By, true
	}
	if step, ok := lastMove(s.last); ok && step.Axes[other] != planner.To && (s.sinks || !p.is("like-it")) {
		v = -v
		if step.Axes[other].Relative() { // as far again, not to that place
			return v, planner.By, true
		}
	}
	if math.Abs(v) > earDown-near { // all the way down, each on its own side
		v = directionDown[p.toward.axis]
	}
	return v, planner.To, true
}
