package dialogue

import (
	"cmp"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
)

// spot is what is known when it is worked out where an axis goes.
type spot struct {
	*account
	toward
	at, mid, rest float64
	moved         float64 // by the last command
	last          float64 // lately, by whatever
	relative      bool    // the last command went by an amount
	amount        float64 // how far that was
}

// outward is a side that is meant where none is said: where it went last, else where it is.
func (p *spot) outward(v ...float64) float64 {
	for _, x := range v {
		if math.Abs(x) > near {
			return signed(1, x)
		}
	}
	return 0
}

// spotOf is what is known of an axis that a clause means.
func (s *scene) spotOf(c *account, t toward) spot {
	p := spot{account: c, toward: t, at: *s.at.axis(t.axis), mid: s.at.middle(t.axis)}
	p.rest, p.moved, p.last = s.at.rest(t.axis), s.moved(t.axis), s.lastChange(t.axis)
	if p.last*p.moved > 0 && math.Abs(p.last) > math.Abs(p.moved) { // it came from the other side
		p.last = p.moved
	}
	if step, ok := lastMove(s.last); ok {
		for a, w := range step.Axes {
			if w == planner.Unnamed {
				continue
			}
			p.relative = w.Relative()
			if v, _ := step.Args[arguments[a].name].(float64); p.relative && planner.Axis(a) == t.axis && math.Abs(v-p.moved) < near {
				p.last = p.moved // a correction has done it, from where the robot was before
			}
			if m := math.Abs(s.moved(planner.Axis(a))); m > near {
				p.amount = m
			} else {
				p.amount = math.Abs(s.at.rest(planner.Axis(a)))
			}
		}
	}
	return p
}

// value is where an axis goes, and whether it is told as a place or as a way to go; false where that is not known.
func (s *scene) value(c *account, t toward) (float64, planner.Way, bool) {
	p := s.spotOf(c, t)
	if isAntenna(partOfAxis(t.axis)) {
		return s.antenna(&p)
	}
	if c.is("same-side") && p.sign == 0 {
		p.sign = s.lastSide(t.axis)
	}
	switch {
	case c.is("was"):
		return p.at - p.last, planner.By, math.Abs(p.last) > near
	case c.is("other-side"):
		return p.otherSide()
	case c.hasDegs:
		return p.byDegrees()
	case c.share != 0 || c.factor != 0:
		return p.byShare(s)
	case c.is("otherway") && p.sign == 0 && c.size == "" && !c.is("again", "same"):
		return p.otherWay(s)
	case c.is("otherway"):
		return 0, 0, false
	case c.is("negate"):
		return p.mid - p.rest, planner.To, math.Abs(p.rest) > near && p.sign == 0
	case c.is("center", "straight", "level", "upright", "drop") && (p.sign == 0 || !c.sized()):
		if t.axis == planner.Yaw && math.Abs(s.at.BodyYaw) <= neckTurn { // ahead is where the room is
			return 0, planner.To, true
		}
		return p.mid, planner.To, true
	case c.is("same", "as-much") && c.size == "", c.is("too") && c.part != "" && p.sign == 0 && !c.sized():
		return p.asMuch(s)
	case c.size == "little":
		return p.little()
	case c.size != "":
		return p.farther()
	case p.sign != 0:
		return p.sided(s)
	}
	return p.leaning(s)
}

// otherSide goes to the other side of the middle, as far as it is on this one where no more is said.
func (p *spot) otherSide() (float64, planner.Way, bool) {
	size := math.Abs(p.rest)
	if p.hasDegs {
		size = p.degs
	}
	side := cmp.Or(p.sign, -p.outward(p.rest))
	if p.size == "max" {
		return p.outermost(side)
	}
	return p.mid + side*size, planner.To, side != 0 && p.size == "" && p.share == 0
}

// otherWay goes as far to the other side, after what began in the middle; else it takes the last movement back.
func (p *spot) otherWay(s *scene) (float64, planner.Way, bool) {
	began := func(a planner.Axis) bool {
		return math.Abs(s.moved(a)) < near || math.Abs(s.at.rest(a)-s.moved(a)) < near
	}
	if !slices.ContainsFunc(everyAxis, func(a planner.Axis) bool { return !began(a) }) {
		s.crosses = append(s.crosses, p.toward.axis)
		return p.mid - p.rest, planner.By, math.Abs(p.rest) > near
	}
	return p.at - p.moved, planner.By, math.Abs(p.moved) > near
}

// farther goes far, or as far as it can, to the side that is said or to which it went.
func (p *spot) farther() (float64, planner.Way, bool) {
	if p.is("back", "less", "toofar") {
		return 0, 0, false
	}
	side := p.sign
	if side == 0 && (p.size == "max" || p.is("more", "on", "another")) {
		side = p.outward(p.last)
	}
	return p.outermost(side)
}

// leaning goes where nothing but the last movement says.
func (p *spot) leaning(s *scene) (float64, planner.Way, bool) {
	switch {
	case p.is("again") && !p.is("last") && len(s.last) > 1 && !p.names() && !s.within: // all of it
		return 0, 0, false
	case p.is("more", "another", "on", "again"):
		return p.at + p.last, planner.By, s.last != nil && math.Abs(p.last) > near
	case p.is("less", "toofar"):
		return p.at - p.moved/2, planner.By, math.Abs(p.moved) > near
	case p.is("back"):
		return p.at - p.last, planner.By, math.Abs(p.last) > near
	case p.names() && !p.it && p.verb == "": // "and the pitch"
		return p.asMuch(s)
	}
	return 0, 0, false
}

// lastSide is the side to which an axis goes that goes to the same side as the last movement.
func (s *scene) lastSide(to planner.Axis) float64 {
	axes := s.recent(planner.Yaw, planner.BodyYaw, planner.Roll)
	if len(axes) == 0 {
		return 0
	}
	if own := s.at.rest(to); len(axes) > 1 && math.Abs(own) > near { // "body ten more the same way", of several that were moved
		return signed(1, own)
	}
	side := signed(1, s.lastChange(axes[0]))
	if moved := s.moved(axes[0]); math.Abs(moved) > near {
		side = signed(1, moved)
	}
	if (axes[0] == planner.Roll) != (to == planner.Roll) {
		side = -side
	}
	return side
}

// byDegrees is where a number brings an axis.
func (p *spot) byDegrees() (float64, planner.Way, bool) {
	n := math.Abs(p.degs)
	switch {
	case p.is("elevation") && p.sign == 0 && !p.is("back", "toofar"):
		return p.elevated()
	case p.is("same", "to-shoulder") && p.sign*p.rest < 0 && math.Abs(math.Abs(p.rest)-n) < near: // "the same twenty, on the right"
		return p.mid + p.sign*n, planner.To, true
	case p.degs == 0 && p.sign == 0 && p.toward.axis == planner.Yaw && math.Abs(p.mid) <= neckTurn:
		return 0, planner.To, true
	case p.toPlace():
		return p.place()
	case p.is("otherway"):
		return p.shifted(cmp.Or(p.sign, -p.outward(p.moved, p.rest)), n)
	case p.adds() != 0:
		return p.at + p.degs*p.adds(), planner.By, !p.signed
	case p.is("center") && p.sign == 0: // "ten back towards the middle"
		return p.shifted(-p.outward(p.rest, p.moved), n)
	case p.is("reduce") && p.sign == 0 && math.Abs(p.rest) > near:
		return p.shifted(-p.outward(p.rest), n)
	case p.is("less", "minus", "toofar"), p.is("back") && p.sign == 0, p.is("center"):
		side := cmp.Or(p.sign, -p.outward(p.moved, p.rest))
		if p.sign != 0 && p.is("less") {
			side = -p.sign
		}
		return p.shifted(side, n)
	case p.sign != 0:
		return p.aside(n), planner.By, !p.signed
	case p.is("increase", "another", "again", "on", "plus", "more", "same-side"):
		return p.onwards(n)
	}
	return p.bareDegrees(n)
}

// onwards is where so many degrees more bring an axis.
func (p *spot) onwards(n float64) (float64, planner.Way, bool) {
	switch {
	case p.is("increase"):
		return p.shifted(p.outward(p.rest, p.last), n)
	case p.is("more") && !p.is("another", "again"): // outwards, after something was taken back
		return p.shifted(p.outward(p.moved, p.rest), n)
	}
	return p.shifted(p.outward(p.last, p.rest), n)
}

// bareDegrees is where a number without a direction brings an axis.
func (p *spot) bareDegrees(n float64) (float64, planner.Way, bool) {
	switch {
	case p.is("relative"), p.by && (p.named || p.signed): // "pitch by -5"
		return p.at + p.degs, planner.By, true
	case p.named && !p.noun:
		return p.mid + p.degs, planner.To, true
	case (p.noun || p.is("turning")) && math.Abs(p.rest) > near:
		return p.mid + p.outward(p.rest)*n, planner.To, true
	}
	return 0, 0, false
}

// adds is the sign with which a number is added to an axis that is named, 0 where it is not: "reduce the yaw by ten" where it is zero.
func (p *spot) adds() float64 {
	switch {
	case !p.named:
	case p.is("plus"):
		return 1
	case p.is("minus"), p.is("less") && !p.noun && math.Abs(p.rest) < near:
		return -1
	}
	return 0
}

// aside is where so many degrees to the side that is said bring an axis: "now only up 5" in the place of more than that.
func (p *spot) aside(n float64) float64 {
	if p.is("only") && !p.is("more", "another", "on", "again") && p.part == "" && p.sign*p.moved > n {
		return p.at - p.moved + p.sign*n
	}
	return p.at + p.sign*n
}

// elevated is where a number of degrees of elevation brings the pitch, which counts the other way.
func (p *spot) elevated() (float64, planner.Way, bool) {
	switch {
	case p.is("less", "minus"):
		return p.at + p.degs, planner.By, !p.signed
	case p.is("more", "plus", "another", "again"):
		return p.at - p.degs, planner.By, !p.signed
	}
	return p.mid - p.degs, planner.To, true
}

// shifted goes so far to a side; false where the side is not known.
func (p *spot) shifted(side, by float64) (float64, planner.Way, bool) {
	return p.at + side*by, planner.By, side != 0
}

// toPlace reports whether a number says where an axis goes, not how far.
func (p *spot) toPlace() bool {
	if p.to || p.degs == 0 || p.is("of-centre") {
		return true
	}
	change := p.is("more", "another", "again", "on", "less", "back", "toofar", "plus", "minus", "otherway")
	return p.is("make") && !change && (p.sign == 0 && (!p.named || p.noun) || p.sign != 0 && p.named) // "make your yaw nine to the right"
}

// place is where a number lies that says where an axis goes.
func (p *spot) place() (float64, planner.Way, bool) {
	n := math.Abs(p.degs)
	switch {
	case p.signed && p.sign == 0:
		return p.degs, planner.To, true
	case p.sign != 0:
		return p.mid + p.sign*n, planner.To, true
	case p.named && !p.noun && p.account.axis != planner.Roll && math.Abs(p.rest) < near:
		return p.mid + n, planner.To, true
	}
	side := p.outward(p.rest, p.last)
	return p.mid + side*n, planner.To, side != 0 || n == 0
}

// byShare is where a part of the last movement, or of where it is, brings an axis.
func (p *spot) byShare(s *scene) (float64, planner.Way, bool) {
	of := p.moved
	if s.scaled || p.is("whole") && math.Abs(p.rest) > near || !p.relative && p.rest*p.moved > 0 || p.factor != 0 && p.rest*p.moved < 0 {
		of = p.rest
	}
	switch {
	case p.is("as-far") && p.sign*p.rest > near && p.sign*p.moved > near: // "chin down twice as far", of where it is
		return p.mid + p.factor*p.rest, planner.To, true
	case p.factor != 0:
		return p.byFactor(of)
	case p.is("center"):
		return p.at - p.share*p.rest, planner.By, math.Abs(p.rest) > near
	case p.is("less") && p.rest*p.moved > 0 && !p.is("back", "toofar"):
		return p.at - p.share*p.rest, planner.By, true
	case p.is("back", "less", "undo"):
		return p.at - p.share*p.moved, planner.By, math.Abs(p.moved) > near
	case p.is("more", "again", "another", "on"):
		return p.at + p.share*p.moved, planner.By, math.Abs(p.moved) > near
	case p.sign != 0 && p.sign*p.rest < 0 && p.verb != "":
		return p.at - (1-p.share)*p.rest, planner.By, true
	case p.sign != 0 && p.sign*p.moved < 0:
		return 0, 0, false
	case p.named || p.is("turning"):
		return p.mid + p.share*p.rest, planner.To, math.Abs(p.rest) > near
	}
	return p.at - (1-p.share)*of, planner.By, math.Abs(of) > near
}

// byFactor is where so many times of something brings an axis.
func (p *spot) byFactor(of float64) (float64, planner.Way, bool) {
	switch {
	case p.is("same") && p.sign*p.rest < 0: // "the same to the left, but double"
		return p.mid - p.factor*p.rest, planner.To, true
	case p.sign != 0:
		return p.at + p.sign*p.factor*p.amount, planner.By, p.amount > 0
	case p.named || p.is("turning"):
		return p.mid + p.factor*p.rest, planner.To, math.Abs(p.rest) > near
	}
	return p.at + (p.factor-1)*of, planner.By, math.Abs(of) > near
}

// asMuch goes as far as the last movement, or where that went.
func (p *spot) asMuch(s *scene) (float64, planner.Way, bool) {
	if s.last == nil || p.amount == 0 && p.sign != 0 {
		return 0, 0, false
	}
	switch {
	case p.sign != 0 && p.is("same") && !p.is("again") && p.sign*p.rest < 0 && math.Abs(p.moved) > near: // as far to the other side
		return p.mid - p.rest, planner.To, true
	case p.sign != 0:
		return p.at + p.sign*p.amount, planner.By, true
	}
	step, _ := lastMove(s.last)
	axes := s.recent(everyAxis...)
	if len(axes) != 1 || axes[0] == p.toward.axis {
		return 0, 0, false
	}
	a := axes[0]
	if a == planner.Yaw && p.toward.axis == planner.BodyYaw && step.Axes[a] == planner.To { // the same heading
		return s.at.Head.Yaw, planner.To, true
	}
	if step.Axes[a] == planner.To {
		return p.mid + s.at.rest(a), planner.To, true
	}
	return p.at + s.moved(a), planner.By, math.Abs(s.moved(a)) > near
}

// little goes somewhat.
func (p *spot) little() (float64, planner.Way, bool) {
	switch {
	case p.is("less", "toofar"), p.is("back") && p.sign == 0:
		if p.sign != 0 {
			return 0, 0, false
		}
		return p.at - signed(min(littleTurn, math.Abs(p.moved)), p.moved), planner.By, math.Abs(p.moved) > near
	case p.sign != 0:
		return p.at + p.sign*littleTurn, planner.By, true
	case p.is("more", "another", "on", "again"):
		return p.at + p.outward(p.last)*littleTurn, planner.By, math.Abs(p.last) > near
	}
	return 0, 0, false
}

// outermost goes as far as "far" is, or as the axis can.
func (p *spot) outermost(side float64) (float64, planner.Way, bool) {
	if side == 0 {
		return 0, 0, false
	}
	size := farTurn
	switch {
	case p.size == "max" && p.toward.axis == planner.Yaw:
		size = math.Floor(neckTurn)
	case p.size == "max":
		size = arguments[p.toward.axis].limits.Max
	case p.toward.axis == planner.Pitch || p.toward.axis == planner.Roll:
		size = farTilt
	}
	if p.size == "far" && (p.rest*side > size-near || p.is("more", "on", "another")) {
		return 0, 0, false
	}
	return p.mid + side*size, planner.To, true
}

// sided goes to a side without a number.
func (p *spot) sided(s *scene) (float64, planner.Way, bool) {
	switch {
	case p.is("back") && p.rest*p.sign < 0:
		return p.mid, planner.To, true
	case p.is("again"):
		return p.at + p.sign*p.amount, planner.By, p.amount > 0
	}
	if past, ok := beyondMiddle(p.toward.axis, p.sign*usual(p.toward.axis), s.at); ok {
		s.crosses = append(s.crosses, p.toward.axis)
		return past, planner.From, true
	}
	return p.at + p.sign*usual(p.toward.axis), planner.From, true
}
