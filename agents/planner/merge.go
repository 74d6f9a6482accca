package planner

// mergeFragment lets a correction without a verb overwrite the slots of the last frame: "…, no, right".
func mergeFragment(prev, fresh []frame) []frame {
	f := fresh[0]
	k := len(prev) - 1
	last := &prev[k]
	switch {
	case f.class == pending:
		copyModifiers(last, &f)
	case f.class == motion && last.class == motion:
		if f.part != "" && f.part != "it" {
			last.part, last.parts = f.part, nil
		}
		if f.verb != "" {
			last.verb = f.verb
		}
		copyModifiers(last, &f)
		overwriteHeadings(last, &f)
		for a := range f.axisSet {
			if f.axisSet[a] {
				last.axes[a], last.axisSet[a], last.axisBy[a] = f.axes[a], true, f.axisBy[a]
			}
		}
	case f.class == last.class && f.class != action:
		keep := *last
		*last = f
		last.verbed, last.join = keep.verbed, keep.join
		copyModifiers(&keep, &f)
		last.times, last.said, last.every = keep.times, keep.said, keep.every
	case f.class == motion && f.part == "" && f.empty():
		copyModifiers(last, &f)
	default:
		f.verbed, f.join = true, last.join
		if f.class == motion && f.verb == "" {
			f.verb = "look"
		}
		*last = f
	}
	return append(prev, fresh[1:]...)
}

// overwriteHeadings puts the corrected directions and amounts into last.
func overwriteHeadings(last, f *frame) {
	if len(f.headings) == 0 {
		if len(f.bare) == 0 {
			return
		}
		switch n := len(last.headings); {
		case n > 0:
			last.headings[n-1].amt = f.bare[0]
		case last.axisSet[pitch] || last.axisSet[yaw] || last.axisSet[roll]:
			for a := range last.axisSet {
				if last.axisSet[a] {
					last.axes[a], last.axisBy[a] = f.bare[0].deg, f.bare[0].by
				}
			}
		default:
			last.bare = f.bare
		}
		return
	}
	for _, h := range f.headings {
		at := -1
		for k, old := range last.headings {
			if axisOf(old.dir, last.verb) == axisOf(h.dir, last.verb) {
				at = k
			}
		}
		if at < 0 || len(last.headings) == 1 {
			if h.amt.kind == 0 && len(last.headings) > 0 {
				h.amt = last.headings[len(last.headings)-1].amt
			}
			if len(f.headings) == 1 || at < 0 && len(last.headings) == 1 {
				last.headings = []heading{h}
				continue
			}
			last.headings = append([]heading(nil), f.headings...)
			return
		}
		if h.amt.kind == 0 {
			h.amt = last.headings[at].amt
		}
		last.headings[at] = h
	}
}

// axisOf tells which axis a direction moves, −1 for all of them.
func axisOf(dir, verb string) int {
	switch dir {
	case "left", "right":
		if verb == "tilt" || verb == "roll" {
			return roll
		}
		return yaw
	case "up", "down":
		return pitch
	case "forward", "back":
		if verb == "tilt" {
			return pitch
		}
		return -1
	case "around":
		return yaw
	}
	return -1
}
