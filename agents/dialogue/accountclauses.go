package dialogue

import (
	"maps"
	"reflect"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
)

// closes settles what a clause says as a whole: what stays as it is, and an amount that is taken away; false where that is not clear.
func (c *account) closes() bool {
	if c.is("drop") && c.hasDegs && c.degs != 0 && !c.to && !c.is("turning") { // "take away five"
		delete(c.kinds, "drop")
		c.kinds["less"] = true
	}
	if c.is("toofar") && c.by && c.hasDegs { // "too high by five"
		delete(c.kinds, "toofar")
		c.kinds["less"] = true
	}
	if c.size == "max" { // "as far to the right as it will go"
		delete(c.kinds, "same")
	}
	if c.standsSo() { // "the right one stays up"
		delete(c.kinds, "keep")
	}
	return !c.is("keep") || c.keeps()
}

// standsSo reports whether a clause says where an antenna is to stay.
func (c *account) standsSo() bool {
	ears := isAntenna(c.part) || c.is("left-one", "right-one", "other", "both")
	return ears && len(c.dirs) > 0 && !slices.ContainsFunc(c.dirs, horizontal)
}

// keeps settles what stays as it is; false where that is not clear.
func (c *account) keeps() bool {
	stay := c.it || c.is("other", "left-one", "right-one", "both")
	delete(c.kinds, "keep")
	switch {
	case len(staysSo[c.verb]) > 0 && len(c.dirs) == 0 && !c.sized() && !c.is(leanings...): // "stay turned"
		c.kept = append(c.kept, staysSo[c.verb]...)
	case c.is(leanings...), c.verb != "", c.part != "" && len(c.dirs) > 0:
		return false
	case c.hasDegs && (c.to || len(c.dirs) > 0): // "leave it at twenty"
		c.to = true
		return true
	case c.hasDegs: // "keep the twenty"
		c.keptAt = c.degs
	case c.named:
		c.kept = append(c.kept, c.axis)
	case c.is("ear"):
		c.kept = append(c.kept, wholeParts["antennas"]...)
	}
	if !c.named {
		c.kept = append(c.kept, wholeParts[c.part]...)
	}
	for _, d := range c.dirs {
		for _, a := range everyAxis {
			if directionOn(a, d) != 0 {
				c.kept = append(c.kept, a)
			}
		}
	}
	*c = account{kinds: map[string]bool{"stay": stay}, kept: c.kept, keptAt: c.keptAt, strange: c.strange, sharp: c.sharp}
	return true
}

// staysSo are the axes that stay as they are with what was done by a verb.
var staysSo = map[string][]planner.Axis{"turn": {planner.Yaw, planner.BodyYaw}, "tilt": {planner.Roll}}

// united puts clauses together that complete or correct each other.
func united(all []account) (out []account) {
	carried, flipped := map[string]bool{}, false
	for _, c := range all {
		c.to = c.to || flipped && c.hasDegs && len(c.dirs) > 0
		if n := len(out) - 1; n == 0 && out[n].interjects() && (c.verb != "" || c.names() || c.flips()) { // "right, bring it back up"
			out = out[:n]
		}
		if n := len(out) - 1; n >= 0 && c.follows(&out[n]) {
			out = out[:n]
		}
		n := len(out) - 1
		if c.empty() || len(all) > 1 && c.onlyJudges() {
			maps.Copy(carried, c.kinds)
			if n >= 0 && out[n].pace == "" {
				out[n].pace = c.pace
			}
			continue
		}
		maps.Copy(c.kinds, carried)
		if c.sharp && carried["less"] && c.hasDegs && !c.names() && len(c.dirs) == 0 && c.verb == "" { // "less. Fifteen."
			c.kinds["make"] = true
		}
		carried = map[string]bool{}
		flipped = flipped || n >= 0 && out[n].flips()
		if n < 0 || !out[n].takesUp(&c) {
			out = append(out, c)
		}
	}
	if slices.ContainsFunc(out, func(c account) bool { return c.is("relative") }) { // "yaw minus 5, pitch plus 5 from there"
		for i := range out {
			out[i].kinds["relative"] = true
		}
	}
	return endedBy(out, carried)
}

// flips reports whether a clause only says that it is to be the other way round.
func (c *account) flips() bool {
	return c.is("negate", "otherway", "other-side") && !c.names() && !c.sized() && len(c.dirs) == 0 && c.verb == ""
}

// interjects reports whether a clause is nothing but "right".
func (c *account) interjects() bool {
	return len(c.dirs) == 1 && c.dirs[0] == "right" && !c.names() && !c.sized() && c.verb == "" && !c.is(leanings...)
}

// endedBy adds what is carried when no clause follows any more.
func endedBy(all []account, carried map[string]bool) []account {
	if len(all) == 0 {
		if len(carried) > 0 {
			all = append(all, account{kinds: carried})
		}
		return all
	}
	for _, k := range []string{"toofar", "wrong-way", "no", "sorry"} { // "left forty, too far" ends in it
		if carried[k] {
			all[len(all)-1].kinds[k] = true
		}
	}
	return all
}

// onlyJudges reports whether a clause says of a movement that it was wrong, and not of which.
func (c *account) onlyJudges() bool {
	return !c.names() && !c.sized() && c.verb == "" && len(c.dirs) == 0 && c.is("toofar", "wrong-way", "less") && !c.is("back")
}

// takesUp takes in the next clause where it repeats, corrects or completes this one; false where it stands by itself.
func (c *account) takesUp(next *account) bool {
	switch {
	case c.saysSide(next), reflect.DeepEqual(*c, *next) && (!next.hasDegs || next.to) && !next.is(leanings...), c.saysAll(next), c.absorbs(next):
		return true
	case next.is("no", "sorry") && !next.is(amendable...) && c.amends(next):
		return true
	case c.hasDegs && next.hasDegs && next.degs == c.degs && len(next.dirs) == 0 && onlySized(next) && !next.is(leanings...): // "by ten, yes, ten"
		return true
	case c.is("drop") && c.it && !c.named && next.onlyBack(): // "forget it, go back" takes back once
		*c = *next
		return true
	}
	return c.completedBy(next)
}

// onlyBack reports whether a clause says nothing but that the robot is to go back.
func (c *account) onlyBack() bool {
	return c.is("back", "undo") && !c.names() && !c.sized() && len(c.dirs) == 0 && c.verb == ""
}

// saysSide reports whether the next clause only says again which antenna is meant: "the left ear, only the left".
func (c *account) saysSide(next *account) bool {
	bare := next.verb == "" && !next.names() && !next.sized() && !next.is(leanings...)
	return bare && len(next.dirs) == 1 && next.dirs[0]+"Antenna" == c.part
}

// saysAll reports whether the next clause says all of what this one only begins: "flip that, twenty up", "up, twelve degrees up".
func (c *account) saysAll(next *account) bool {
	plain := !next.is(leanings...)
	switch {
	case plain && len(next.dirs) > 0 && slices.Equal(c.dirs, next.dirs) && !next.sized() && next.verb == "" && !next.names(): // "right, yes, right"
		return true
	case c.verb != "" && c.verb == next.verb && !c.sized() && !c.names() && len(c.dirs) == 0 && next.sized() && plain: // "lower, five degrees lower"
		*c = *next
		return true
	case c.flips() && len(next.dirs) > 0 && plain && (next.sized() || len(next.dirs) > 1):
		next.to = next.to || next.hasDegs
		*c = *next
		return true
	case len(c.dirs) > 0 && !c.sized() && !c.is(leanings...) && slices.Equal(c.dirs, next.dirs) && next.sized() && next.verb == "" && !next.names() && plain:
		c.sizedLike(next)
		c.share, c.factor = next.share, next.factor
		if next.is("of-centre") {
			c.kinds["of-centre"] = true
		}
		return true
	}
	return false
}

// absorbs reports whether a clause says again, perhaps more exactly, what stood before it: "mirror that, same angle, on the left", "a bit
// less, knock ten off", "body left, the same angle".
func (c *account) absorbs(next *account) bool {
	bare := next.verb == "" && next.part == "" && !next.named && !next.sized()
	switch {
	case bare && !next.it && len(next.dirs) == 0 && next.is("same-side") && (c.sized() || c.is("on", "more", "another")): // "ten more, same side"
		c.kinds["same-side"] = true
		return true
	case bare && next.to && next.is("center", "straight", "level") && c.is("same"): // "the same to the left, so you are facing forward"
		c.dirs, c.kinds = nil, map[string]bool{"center": true}
		return true
	case c.is("negate", "other-side", "otherway") && bare && (next.is("same", "negate", "other-side") || len(next.dirs) > 0 && !next.is(leanings...)):
		return true
	case bare && len(next.dirs) == 0 && next.is("same", "as-much") && !c.sized() && (len(c.dirs) > 0 || c.names()):
		c.kinds["same"] = true
		return true
	}
	return c.saysWhich(next) || c.goesOnBy(next) || c.size == "little" && next.hasDegs && len(next.dirs) == 0 && c.exactly(next)
}

// goesOnBy takes in by how many degrees a movement is made again: "lift it once more, by another five".
func (c *account) goesOnBy(next *account) bool {
	if !c.is("again", "more", "on") || c.is("less", "back") || c.sized() || !onlySized(next) || len(next.dirs) > 0 && !slices.Equal(next.dirs, c.dirs) {
		return false
	}
	if c.is("again") && !next.is("another", "more", "again") {
		return false
	}
	delete(c.kinds, "again")
	c.kinds["another"] = true
	c.sizedLike(next)
	c.share = next.share
	return true
}

// onlySized reports whether a clause says nothing but by how much it goes on.
func onlySized(c *account) bool {
	return (c.hasDegs && !c.to || c.share != 0) && !c.names() && c.verb == "" && !c.is("back", "less", "undo", "make", "no", "toofar", "center", "otherway")
}

// saysWhich takes in which antennas are meant, where that is said behind what they do: "ears down, both of them", "one ear down, the left one",
// "only half of that, both of them"; and how far, "let your ears down, like, halfway".
func (c *account) saysWhich(next *account) bool {
	bare := next.verb == "" && next.part == "" && !next.named && len(next.dirs) == 0 && !next.is("swap")
	ears := isAntenna(c.part) || c.is("one-ear")
	switch {
	case !bare:
		return false
	case next.is("halfway") && !next.names() && ears && len(c.dirs) > 0 && !c.sized():
		c.share, c.kinds["halfway"] = half, true
		return true
	case next.sized() || next.is(leanings...):
		return false
	case next.is("both") && ears && (len(c.dirs) > 0 || c.verb != "" || c.sized()):
		c.part = "antennas"
		return true
	case next.is("both") && !c.names() && c.share != 0:
		c.kinds["both"] = true
		return true
	case next.is("left-one", "right-one") && c.is("one-ear"):
		delete(c.kinds, "one-ear")
		c.part = map[bool]string{true: "leftAntenna", false: "rightAntenna"}[next.is("left-one")]
		return true
	}
	return false
}

// exactly takes in the number of the next clause for the little that this one says.
func (c *account) exactly(next *account) bool {
	switch {
	case c.is("toofar") && next.is("back", "less"), next.is("make") && next.part == "": // "a bit too much, three back", "a bit more, call it 15"
		*c = *next
		return true
	case next.part == "" && (next.is("less") && c.is("less") || next.is("more") && c.is("more")):
		c.size, c.degs, c.hasDegs = "", next.degs, true
		return true
	}
	return false
}

// amendable are kinds that say more than what is meant instead.
var amendable = slices.DeleteFunc(slices.Clone(leanings), func(k string) bool { return k == "toofar" })

// onlyPart reports whether nothing is said but a part.
func (c *account) onlyPart() bool {
	return c.part != "" && !c.named && len(c.dirs) == 0 && !c.sized() && c.verb == "" && !c.is(leanings...) && !c.is("too", "no", "sorry")
}

// follows takes over what is named before a mark, "head: level", "the pitch: ten up"; false where nothing such is.
func (c *account) follows(before *account) bool {
	switch {
	case c.empty():
		return false
	case before.onlyAxis() && !c.names() && c.verb == "":
		c.part, c.axis, c.named, c.noun = before.part, before.axis, true, before.noun
		return true
	case before.correctsPart() && c.is("make") && c.hasDegs && c.part == "": // "correction for the body, make it 50"
		c.part, c.it = before.part, false
		return true
	case before.onlyPart() && c.part == "" && (!c.named || before.part == "head"):
		c.part = before.part
		return true
	}
	return false
}

// correctsPart reports whether nothing is said but that something of a part was wrong.
func (c *account) correctsPart() bool {
	return c.part != "" && c.is("no", "sorry") && len(c.dirs) == 0 && !c.sized() && c.verb == ""
}

// onlyAxis reports whether nothing is said but an axis.
func (c *account) onlyAxis() bool {
	return c.named && len(c.dirs) == 0 && !c.sized() && c.verb == "" && !c.is(leanings...) && !c.is("too", "no", "sorry")
}

// amends puts what somebody corrects themselves to in the place of what they have said.
func (c *account) amends(by *account) bool {
	if by.verb != "" && by.verb != c.verb {
		return false
	}
	if len(by.dirs) > 0 {
		c.dirs = by.dirs
	}
	if by.hasDegs {
		c.degs, c.hasDegs, c.signed, c.to, c.size = by.degs, true, by.signed, by.to || c.to, ""
	}
	if by.part != "" {
		c.part = by.part
	}
	if by.size != "" {
		c.size = by.size
	}
	return true
}

// completedBy takes in a clause that only adds what is not said yet: "turn left, thirty degrees", "with your head".
func (c *account) completedBy(next *account) bool {
	if !c.fills(next) {
		return false
	}
	maps.Copy(c.kinds, next.kinds)
	if c.pace == "" {
		c.pace = next.pace
	}
	return true
}

// fills takes the part, the size or the directions of the next clause where this one lacks them.
func (c *account) fills(next *account) bool {
	half := next.share != 0 && next.it && !c.sized() && c.is("less")
	switch {
	case next.verb != "" || next.named || next.is(leanings...) || c.is("undo") || next.it && !half:
		return false
	case half:
		c.share = next.share
	case c.lacksSide(next):
		c.dirs = next.dirs
	case next.part == "head" && c.part == "" && c.verb == "turn" && slices.ContainsFunc(next.dirs, vertical): // "left 20 and up 10 with your head"
		c.part = "head"
		return false
	case c.lacksPart(next):
		c.part = next.part
	case c.lacksSize(next):
		c.sizedLike(next)
		c.share, c.factor = next.share, next.factor
		if next.hasDegs {
			c.size = ""
		}
	case c.lacksDirs(next):
		c.dirs = next.dirs
		if next.sized() {
			c.sizedLike(next)
		}
	default:
		return false
	}
	return true
}

// lacksSide reports whether the next clause is the side of "the same": "same yaw, but on the right side".
func (c *account) lacksSide(next *account) bool {
	return len(next.dirs) > 0 && !next.sized() && next.part == "" && len(c.dirs) == 0 && (c.is("same") || next.but && c.is("again"))
}

func (c *account) lacksPart(next *account) bool {
	return next.part != "" && len(next.dirs) == 0 && !next.sized() && c.part == "" && !c.it && !c.named
}

func (c *account) lacksSize(next *account) bool {
	return next.part == "" && len(next.dirs) == 0 && next.sized() && (!c.sized() || c.size == "little" && next.hasDegs)
}

func (c *account) lacksDirs(next *account) bool {
	return next.part == "" && len(next.dirs) > 0 && len(c.dirs) == 0 && c.allows(next.dirs) && (!next.sized() || !c.sized()) &&
		(c.verb != "" || c.part != "" || c.hasDegs) && !c.is(leanings...)
}

// sizedLike takes over how far the next clause goes.
func (c *account) sizedLike(next *account) {
	c.degs, c.hasDegs, c.signed, c.to, c.by, c.size = next.degs, next.hasDegs, next.signed, next.to, next.by, next.size
}

// allows reports whether directions lie on the axis that is named, if one is.
func (c *account) allows(dirs []string) bool {
	return !c.named || !slices.ContainsFunc(dirs, func(d string) bool { return directionOn(c.axis, d) == 0 && d != "center" })
}

// inherits takes the verb of the clause before where this one says neither a verb nor what is moved.
func (c *account) inherits(verb string) {
	if c.part == "" && !c.named && !c.it && c.verb == "" && verb != "raise" && verb != "lower" {
		c.verb = verb
	}
}
