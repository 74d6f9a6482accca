package planner

// motions composes g[from:to], motions that share the verb of head.
func (c *composer) motions(g []frame, from, to int, head *frame, total bool) {
	for k := from; k < to; k++ {
		var prev *frame
		if k > 0 {
			prev = &g[k-1]
		}
		c.inherit(&g[k], prev, head)
	}
	for k := to - 2; k >= from; k-- {
		share(&g[k], &g[k+1], k+1 == to-1)
	}
	for k := from; k < to; {
		m := k + 1
		for m < to && (g[m].join == joinAnd || g[m].join == joinComma) && samePart(&g[k], &g[m]) {
			m++
		}
		start := len(c.steps)
		for _, merged := range bundles(g[k:m]) {
			c.motion(merged)
			if merged.hold.set && !total {
				c.wait(merged.hold.s)
			}
		}
		survey(c.steps[start:])
		k = m
	}
}

// survey makes a list of directions of which some are opposite a list of looks, each from where the head was: "left, right, up and down".
func survey(steps []Step) {
	var used [NumAxes]int
	for i := range steps {
		n := 0
		for a, way := range steps[i].Axes {
			if way != Unnamed {
				used[a]++
				n++
			}
			if way != Unnamed && way != From {
				return
			}
		}
		if n != 1 || steps[i].Tool != "move_head" {
			return
		}
	}
	if used[Pitch] == 0 || used[Yaw] == 0 || used[Pitch]+used[Yaw] != len(steps) || len(steps) < 3 {
		return
	}
	for i := range steps {
		for _, a := range []Axis{Pitch, Yaw} {
			if steps[i].Axes[a] == Unnamed {
				steps[i].Axes[a] = Back
			}
		}
	}
}

// inherit gives a motion the verb of the first one, the part of the one before, and an early pace.
func (c *composer) inherit(f, prev, head *frame) {
	if f.verb == "" {
		f.verb = "look"
		if head.class == motion {
			f.verb = head.verb
		}
	}
	if f.part == "it" || f.part == "them" {
		switch {
		case c.part != "":
			f.part = c.part
		case f.part == "them":
			f.part = "antennas"
		default:
			f.part = "head"
		}
	}
	if f.part == "" && prev != nil && prev.class == motion {
		f.part = prev.part
		if len(f.parts) == 0 {
			f.parts = prev.parts
		}
		otherAntenna(f, prev)
	}
	if !f.pace.set && head.pace.set && head.early && prev != nil {
		f.pace, f.early = head.pace, true
	}
}

// otherAntenna makes "and the right to 10", after "the left antenna to 30", a motion of the right antenna.
func otherAntenna(f, prev *frame) {
	if !isAntenna(f.part) || len(f.headings) == 0 {
		return
	}
	h := f.headings[0]
	if h.dir != "left" && h.dir != "right" || h.amt.kind == 0 && len(f.headings) == 1 {
		return
	}
	f.part = h.dir + "Antenna"
	if h.amt.kind != 0 {
		f.bare = append(f.bare, h.amt)
	}
	f.headings = f.headings[1:]
	oneAntenna(prev)
}

// share lets what stands last hold for all of a list: "left and right slowly", "left and right by 15 degrees".
func share(f, next *frame, last bool) {
	if next.join != joinAnd && next.join != joinComma {
		return
	}
	if !f.pace.set && next.pace.set {
		f.pace = next.pace
	}
	if !f.over.set && next.over.set {
		f.over = next.over
	}
	if !last || len(f.headings) == 0 || len(next.headings) != 1 {
		return
	}
	end := &f.headings[len(f.headings)-1].amt
	if end.kind == 0 && next.headings[0].amt.kind != 0 && trailing(next) {
		*end = next.headings[0].amt
	}
}

// oneAntenna makes "the antennas to 20 left", before "and 40 right", the left antenna.
func oneAntenna(f *frame) {
	if f.part != "antennas" || len(f.headings) != 1 || f.headings[0].amt.kind != 'n' || f.headings[0].dir != "left" && f.headings[0].dir != "right" {
		return
	}
	f.part, f.bare, f.headings = f.headings[0].dir+"Antenna", append(f.bare, f.headings[0].amt), nil
}

// trailing reports whether the amount of a frame's only heading holds for the list before it too: it does when said after the direction.
func trailing(f *frame) bool { return f.headings[0].amt.kind == 'n' || f.headings[0].amt.kind == 'l' }
