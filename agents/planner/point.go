package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	// pointFillers may stand before a point in space.
	pointFillers = language.Words("point-fillers")
	// coordinateFillers may stand between the name of a coordinate and its number.
	coordinateFillers = language.Words("coordinate-fillers")
)

// point is a point in metres that is being read: x forward, y left, z up.
type point struct {
	at     [3]float64
	have   [3]bool
	n      int // coordinates read
	inLine int // of these without a name
}

// put sets a coordinate that was not said before.
func (p *point) put(axis int, v float64) bool {
	if p.have[axis] {
		return false
	}
	p.at[axis], p.have[axis] = v, true
	p.n++
	return true
}

// whole reports whether what was read is a point: numbers without names are three.
func (p *point) whole() bool { return p.n == 3 || p.n > 0 && p.inLine == 0 }

// coordinates parses a point in metres: "x 0.5 y 0.2 z 0.1", "(0.5, 0.2, 0.1)", "a point 1 metre ahead and 20 cm left".
func (ps *parser) coordinates() bool {
	from := ps.i
	for pointFillers[ps.word(ps.i)] || ps.isOneOf(ps.i, "(:") {
		ps.i++
	}
	var p point
	st := taken
	for st == taken && !ps.done() {
		before := ps.i
		for p.n > 0 && (ps.isOneOf(ps.i, ",):") || ps.word(ps.i) == "and") {
			ps.i++
		}
		if st = ps.coordinate(&p); st != taken {
			ps.i = before
		}
	}
	if st == stop || !p.whole() {
		ps.i = from
		return false
	}
	for ps.isOneOf(ps.i, ")") || ps.word(ps.i) != "" && language.UnitOf(ps.word(ps.i)).Dim == language.Length {
		ps.i++
	}
	if ps.word(ps.i) == "of" && ps.word(ps.i+1) == "you" {
		ps.i += 2
	}
	f := frame{class: action, tool: "look_at", args: map[string]any{"x": p.at[0], "y": p.at[1], "z": p.at[2]}}
	if !ps.complete(f, false) {
		ps.i = from
		return false
	}
	return true
}

// isOneOf reports whether one of marks stands at k.
func (ps *parser) isOneOf(k int, marks string) bool {
	if !ps.isMark(k) {
		return false
	}
	w := ps.toks[k].Word
	for i := range len(marks) {
		if w == marks[i:i+1] {
			return true
		}
	}
	return false
}

// coordinate reads one coordinate. It says stop when what stands there cannot be part of a point.
func (ps *parser) coordinate(p *point) step {
	w := ps.word(ps.i)
	switch {
	case len(w) == 1 && w >= "x" && w <= "z":
		return ps.namedCoordinate(p, int(w[0]-'x'))
	case ps.tok(ps.i).Kind != language.Number:
		return pass
	}
	q, m := ps.quantity(ps.i)
	if q.Dim == language.Length {
		v, n := directions.Match(ps.toks, ps.i+m)
		if axis, sign := coordinateAxis(v); axis >= 0 {
			ps.i += m + n
			if !p.put(axis, sign*q.Value) {
				return stop
			}
			return taken
		}
	}
	if q.Dim != language.NoUnit && q.Dim != language.Length || p.inLine != p.n || p.n > 2 {
		return pass
	}
	p.put(p.n, q.Value)
	p.inLine++
	ps.i += m
	return taken
}

// namedCoordinate reads "x = 0.5", "y of 20 cm".
func (ps *parser) namedCoordinate(p *point, axis int) step {
	ps.i++
	for coordinateFillers[ps.word(ps.i)] || ps.isOneOf(ps.i, ":") {
		ps.i++
	}
	q, m := ps.quantity(ps.i)
	if m == 0 || q.Dim != language.NoUnit && q.Dim != language.Length || !p.put(axis, q.Value) {
		return stop
	}
	ps.i += m
	return taken
}

// coordinateAxis is the coordinate that a direction counts along; -1 when it is none.
func coordinateAxis(direction string) (axis int, sign float64) {
	switch direction {
	case "center", "forward":
		return 0, 1
	case "back":
		return 0, -1
	case "left":
		return 1, 1
	case "right":
		return 1, -1
	case "up":
		return 2, 1
	case "down":
		return 2, -1
	}
	return -1, 0
}
