package vp8

// frame puts a frame together: section 9 of RFC 6386.
func (e *Encoder) frame(key bool) []byte {
	h := &e.head
	h.reset()
	n := e.columns * e.rows
	noSkip := uint8(max(1, min(255, (n-e.skipped)*256/n)))
	if key {
		h.number(0, 2) // the usual colours; samples are clamped
	}
	h.number(0, 1)               // no segments
	h.number(0, 1+6+3+1)         // the usual loop filter at level 0, which is none
	h.number(0, 2)               // one partition of coefficients
	h.number(uint32(e.index), 7) // the quantiser
	h.number(0, 5)               // with no other index for anything
	if key {
		h.number(1, 1) // probabilities stay
	} else {
		h.number(0, 2+2+2+2) // neither golden nor other frame is renewed, copied, or of another sign
		h.number(0, 1)       // probabilities do not stay: there are none
		h.number(1, 1)       // this frame is the one that the next one is foreseen from
	}
	for i := range tokenUpdates {
		for j := range tokenUpdates[i] {
			for k := range tokenUpdates[i][j] {
				for _, p := range tokenUpdates[i][j][k] {
					h.put(false, p)
				}
			}
		}
	}
	h.number(1, 1) // macroblocks may be skipped
	h.number(uint32(noSkip), 8)
	if !key {
		h.number(1, 8)   // hardly any macroblock is no child of the frame before
		h.number(255, 8) // which is the last one
		h.number(128, 8)
		h.number(0, 2) // the probabilities of other predictions stay
		for i := range motionUpdates {
			for _, p := range motionUpdates[i] {
				h.put(false, p)
			}
		}
	}
	for i := range e.modes {
		m := &e.modes[i]
		h.put(m.skip, noSkip)
		if key {
			e.keyMode(m)
		} else {
			h.put(true, 1)
			h.put(false, 255)
			h.put(false, zeroMotion[e.neighbours(i)])
		}
	}
	first, rest := h.bytes(), e.rest.bytes()
	tag := uint32(len(first))<<5 | 1<<4
	if !key {
		tag |= 1
	}
	out := make([]byte, 0, len(first)+len(rest)+10)
	out = append(out, byte(tag), byte(tag>>8), byte(tag>>16))
	if key {
		out = append(out, 0x9d, 0x01, 0x2a, byte(e.width), byte(e.width>>8), byte(e.height), byte(e.height>>8))
	}
	return append(append(out, first...), rest...)
}

// neighbours weighs the neighbours of a macroblock that come from the frame before, which is all that there are.
func (e *Encoder) neighbours(i int) (weight int) {
	above, left := i >= e.columns, i%e.columns > 0
	if above {
		weight += 2
	}
	if left {
		weight += 2
	}
	if above && left {
		weight++
	}
	return weight
}

// keyMode writes how a macroblock of a key frame is foreseen.
func (e *Encoder) keyMode(m *mode) {
	h := &e.head
	h.put(true, 145) // as a whole
	h.put(m.kind >= horizontal, 156)
	if m.kind >= horizontal {
		h.put(m.kind == plane, 128)
	} else {
		h.put(m.kind == vertical, 163)
	}
	h.put(m.chroma != flat, 142)
	if m.chroma != flat {
		h.put(m.chroma != vertical, 114)
		if m.chroma != vertical {
			h.put(m.chroma == plane, 183)
		}
	}
}
