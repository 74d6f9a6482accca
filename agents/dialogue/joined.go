package dialogue

import (
	"slices"
)

// merged puts pieces together that say one movement: "Head. To the left. Fifteen degrees." It is false when one that names a
// direction or a number is left over.
func (r *reader) merged(pieces []piece) (out []piece, ok bool) {
	for _, p := range pieces {
		if p.kind == isRemark {
			continue
		}
		if k := len(out) - 1; k >= 0 && completes(&out[k], &p) {
			out[k].said = joined(out[k].said, p.said)
			out[k].kind = isNamed
			continue
		}
		out = append(out, p)
	}
	ok = true
	out = slices.DeleteFunc(out, func(p piece) bool {
		drop := p.kind == isPart || p.kind == isNamed && !r.certain(&p.said)
		ok = ok && (!drop || !p.said.hasDegs || p.said.loose > 0)
		return drop
	})
	return out, ok
}

// still reports whether a piece is a command that moves nothing by an angle.
func (p *piece) still() bool { return p.kind == isCommand && !moves(p.plan.Steps) }

// completes reports whether p goes on with the movement of before rather than beginning one of its own.
func completes(before, p *piece) bool {
	a, b := &before.said, &p.said
	if before.still() || p.still() || p.after || a.has("again") || b.has("again") {
		return false
	}
	if both(a.motion, b.motion) || both(a.part, b.part) || both(a.axis, b.axis) {
		return false
	}
	only := len(b.dirs) == 0 && b.part == "" && b.axis == "" && !b.has("more")
	switch {
	case len(a.dirs) == 0 && !a.hasDegs && a.amount == "":
		return a.part != "" || a.motion != "" || len(a.kinds) > 0
	case only && (b.hasDegs || b.amount != "" || b.pace != ""):
		return !a.hasDegs
	case len(b.dirs) == 1 && len(a.dirs) == 1 && b.dirs[0] == a.dirs[0]:
		return !a.hasDegs || b.explains()
	case b.part != "" && len(b.dirs) == 0 && !b.hasDegs:
		return a.part == "" && !b.has("too") && !b.has("same")
	}
	return false
}

// explains reports whether a piece says nothing but where: "35 to port - that is left".
func (s *slots) explains() bool { return !s.hasDegs && s.amount == "" && !s.has("more") }

func both(a, b string) bool { return a != "" && b != "" }

// joined is what two pieces say together.
func joined(a, b slots) slots {
	a.kinds = append(slices.Clone(a.kinds), b.kinds...)
	if len(a.dirs) == 0 {
		a.dirs = b.dirs
	}
	if b.hasDegs {
		a.degs, a.hasDegs, a.to, a.signed, a.off = b.degs, true, b.to, b.signed, b.off
	}
	for _, x := range []struct{ to, from *string }{
		{&a.amount, &b.amount},
		{&a.pace, &b.pace},
		{&a.part, &b.part},
		{&a.whose, &b.whose},
		{&a.axis, &b.axis},
		{&a.motion, &b.motion},
		{&a.first, &b.first},
	} {
		if *x.to == "" {
			*x.to = *x.from
		}
	}
	a.count = max(a.count, b.count)
	return a
}
