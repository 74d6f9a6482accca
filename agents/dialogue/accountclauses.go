package dialogue

import (
	"reflect"
	"slices"
)

// united puts clauses together that complete or correct each other.
func united(all []account) (out []account) { //nolint:gocyclo // one case after the other
	carried := map[string]bool{}
	for _, c := range all {
		if n := len(out) - 1; n >= 0 && out[n].onlyPart() && c.part == "" && !c.named && !c.empty() { // "head: level"
			c.part, out = out[n].part, out[:n]
		}
		if c.empty() || !c.names() && !c.sized() && c.verb == "" && len(c.dirs) == 0 && c.is("toofar", "wrong-way", "less") && !c.is("back") && len(all) > 1 {
			for k := range c.kinds {
				carried[k] = true
			}
			if len(out) > 0 && out[len(out)-1].pace == "" {
				out[len(out)-1].pace = c.pace
			}
			continue
		}
		for k := range carried {
			c.kinds[k] = true
		}
		carried = map[string]bool{}
		if len(out) > 0 {
			last := &out[len(out)-1]
			if reflect.DeepEqual(*last, c) && (!c.hasDegs || c.to) && !c.is(leanings...) || last.absorbs(&c) {
				continue
			}
			if c.is("no", "sorry") && !c.is(amendable...) && last.amends(&c) || last.completedBy(&c) {
				continue
			}
		}
		out = append(out, c)
	}
	if len(out) > 0 { // "left forty, too far" ends in it
		for k := range carried {
			if k == "toofar" || k == "wrong-way" || k == "no" || k == "sorry" {
				out[len(out)-1].kinds[k] = true
			}
		}
	} else if len(carried) > 0 {
		out = append(out, account{kinds: carried})
	}
	return out
}

// absorbs reports whether a clause says again, perhaps more exactly, what stood before it: "mirror that, same angle, on the left", "a bit
// less, knock ten off", "body left, the same angle".
func (c *account) absorbs(next *account) bool {
	bare := next.verb == "" && next.part == "" && !next.named && !next.sized()
	switch {
	case c.is("negate", "other-side", "otherway") && bare && (next.is("same", "negate", "other-side") || len(next.dirs) > 0 && !next.is(leanings...)):
		return true
	case bare && len(next.dirs) == 0 && next.is("same", "as-much") && !c.sized() && (len(c.dirs) > 0 || c.names()):
		c.kinds["same"] = true
		return true
	case c.size == "little" && c.is("toofar") && next.hasDegs && next.is("back", "less") && len(next.dirs) == 0: // "a bit too much, three back"
		*c = *next
		return true
	case c.size == "little" && next.hasDegs && len(next.dirs) == 0 && next.part == "" && (next.is("less") && c.is("less") || next.is("more") && c.is("more")):
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
func (c *account) completedBy(next *account) bool { //nolint:gocyclo // one case after the other
	side := len(next.dirs) > 0 && !next.sized() && next.part == "" && len(c.dirs) == 0 && c.is("same") // "same yaw, but on the right side"
	half := next.share != 0 && next.it && !c.sized() && c.is("less")
	switch {
	case next.verb != "" || next.named || next.is(leanings...) || c.is("undo") || next.it && !half:
		return false
	case half:
		c.share = next.share
	case side:
		c.dirs = next.dirs
	case next.part == "head" && c.part == "" && c.verb == "turn" && slices.ContainsFunc(next.dirs, vertical): // "left 20 and up 10 with your head"
		c.part = "head"
		return false
	case next.part != "" && len(next.dirs) == 0 && !next.sized() && c.part == "" && !c.it && !c.named:
		c.part = next.part
	case next.part == "" && len(next.dirs) == 0 && next.sized() && (!c.sized() || c.size == "little" && next.hasDegs):
		c.degs, c.hasDegs, c.signed, c.to, c.by = next.degs, next.hasDegs, next.signed, next.to, next.by
		c.size, c.share, c.factor = next.size, next.share, next.factor
		if next.hasDegs {
			c.size = ""
		}
	case next.part == "" && len(next.dirs) > 0 && len(c.dirs) == 0 && c.allows(next.dirs) && (!next.sized() || !c.sized()) &&
		(c.verb != "" || c.part != "" || c.hasDegs) && !c.is(leanings...):
		c.dirs = next.dirs
		if next.sized() {
			c.degs, c.hasDegs, c.signed, c.to, c.by, c.size = next.degs, next.hasDegs, next.signed, next.to, next.by, next.size
		}
	default:
		return false
	}
	for k := range next.kinds {
		c.kinds[k] = true
	}
	if c.pace == "" {
		c.pace = next.pace
	}
	return true
}

// allows reports whether directions lie on the axis that is named, if one is.
func (c *account) allows(dirs []string) bool {
	return !c.named || !slices.ContainsFunc(dirs, func(d string) bool { return directionOn(c.axis, d) == 0 && d != "center" })
}
