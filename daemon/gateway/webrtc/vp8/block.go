package vp8

// block are the 16 samples or coefficients of 4 × 4.
type block [16]int32

// Factors of the transform: √2·cos(π/8) and √2·sin(π/8), in 4096ths.
const cos8, sin8 = 5352, 2217

// forward turns samples into coefficients.
func (b *block) forward() {
	for i := range 4 { // rows; 8 times as large, for the rounding
		r := (*[4]int32)(b[4*i:])
		s, d := r[0]+r[3], r[0]-r[3]
		t, e := r[1]+r[2], r[1]-r[2]
		r[0], r[2] = (s+t)*8, (s-t)*8
		r[1], r[3] = (d*cos8+e*sin8+256)>>9, (d*sin8-e*cos8+256)>>9
	}
	for i := range 4 { // columns; half of 8 times
		s, d := b[i]+b[i+12], b[i]-b[i+12]
		t, e := b[i+4]+b[i+8], b[i+4]-b[i+8]
		b[i], b[i+8] = (s+t+8)>>4, (s-t+8)>>4
		b[i+4], b[i+12] = (d*cos8+e*sin8+1<<15)>>16, (d*sin8-e*cos8+1<<15)>>16
	}
}

// inverse turns coefficients into samples, to the bit as every decoder does: section 14.3 of RFC 6386.
func (b *block) inverse() {
	mul := func(v int32) (c, s int32) { return v + v*20091>>16, v * 35468 >> 16 }
	for i := range 4 {
		p, q := b[i]+b[i+8], b[i]-b[i+8]
		c1, s1 := mul(b[i+4])
		c3, s3 := mul(b[i+12])
		u, v := s1-c3, c1+s3
		b[i], b[i+12], b[i+4], b[i+8] = p+v, p-v, q+u, q-u
	}
	for i := range 4 {
		r := (*[4]int32)(b[4*i:])
		p, q := r[0]+r[2], r[0]-r[2]
		c1, s1 := mul(r[1])
		c3, s3 := mul(r[3])
		u, v := s1-c3, c1+s3
		r[0], r[3], r[1], r[2] = (p+v+4)>>3, (p-v+4)>>3, (q+u+4)>>3, (q-u+4)>>3
	}
}

// level is inverse for a block that has the mean alone.
func (b *block) level() {
	v := (b[0] + 4) >> 3
	for i := range b {
		b[i] = v
	}
}

// forwardWalsh is forward for the means of a macroblock's blocks.
func (b *block) forwardWalsh() {
	for i := range 4 {
		r := b[4*i : 4*i+4]
		r[0], r[1], r[2], r[3] = r[0]+r[1]+r[2]+r[3], r[0]+r[1]-r[2]-r[3], r[0]-r[1]-r[2]+r[3], r[0]-r[1]+r[2]-r[3]
	}
	for i := range 4 {
		p, q, r, s := b[i], b[i+4], b[i+8], b[i+12]
		b[i], b[i+4], b[i+8], b[i+12] = (p+q+r+s+1)>>1, (p+q-r-s+1)>>1, (p-q-r+s+1)>>1, (p-q+r-s+1)>>1
	}
}

// inverseWalsh is inverse for them.
func (b *block) inverseWalsh() {
	for i := range 4 {
		p, q, r, s := b[i], b[i+4], b[i+8], b[i+12]
		b[i], b[i+4], b[i+8], b[i+12] = p+q+r+s, p+q-r-s, p-q-r+s, p-q+r-s
	}
	for i := range 4 {
		r := b[4*i : 4*i+4]
		p, q, u, v := r[0], r[1], r[2], r[3]
		r[0], r[1], r[2], r[3] = (p+q+u+v+3)>>3, (p+q-u-v+3)>>3, (p-q-u+v+3)>>3, (p-q+u-v+3)>>3
	}
}

// steps are the quantiser's, for the first coefficient and the others.
type steps struct {
	dc, ac       int32
	byDC, byAC   int64 // their reciprocals, in 65536ths, rounded up
	offDC, offAC int32 // what is added before the division: less than a half, so that what is small becomes 0
}

func newSteps(dc, ac int32) steps {
	by := func(step int32) int64 { return (1<<16 + int64(step) - 1) / int64(step) }
	return steps{dc, ac, by(dc), by(ac), dc * 3 / 8, ac * 3 / 8}
}

// maxLevel is the largest coefficient that can be written.
const maxLevel = 2047

// quantise divides the coefficients from number first on by the steps, with a dead zone in which they become 0, and says where the last one
// that is not 0 ends, in the order of zigzag.
func (s *steps) quantise(b *block, first int) (end int) {
	if first == 0 {
		if b[0] = divide(b[0], s.dc, s.offDC, s.byDC); b[0] != 0 {
			end = 1
		}
	}
	small := s.ac - s.offAC
	for i := 1; i < 16; i++ {
		v := &b[zigzag[i]]
		if *v < small && *v > -small {
			*v = 0
			continue
		}
		*v = divide(*v, s.ac, s.offAC, s.byAC)
		end = i + 1
	}
	return end
}

// divide is v/step, towards 0 after off was added.
func divide(v, step, off int32, by int64) int32 {
	size := max(v, -v) + off
	if size < step {
		return 0
	}
	size = min(int32(int64(size)*by>>16), maxLevel)
	if v < 0 {
		return -size
	}
	return size
}

// restore multiplies them again.
func (s *steps) restore(b *block, first int) {
	if first == 0 {
		b[0] *= s.dc
	}
	for i := 1; i < 16; i++ {
		b[i] *= s.ac
	}
}

// token writes the coefficients of a block: section 13 of RFC 6386. It starts with number first, end is where the last ends that is not 0.
func (e *boolEncoder) block(b *block, kind, first, end, context int) {
	probs := &tokens[kind]
	p := &probs[bands[first]][context]
	for i := first; i < 16; {
		if i >= end {
			e.put(false, p[0])
			return
		}
		e.put(true, p[0])
		for b[zigzag[i]] == 0 { // after a 0 there is more in any case
			e.put(false, p[1])
			i++
			p = &probs[bands[i]][0]
		}
		e.put(true, p[1])
		v := b[zigzag[i]]
		i++
		size := max(v, -v)
		if size == 1 {
			e.put(false, p[2])
			p = &probs[bands[i]][1]
		} else {
			e.put(true, p[2])
			e.size(size, p)
			p = &probs[bands[i]][2]
		}
		e.put(v < 0, 128)
	}
}

// size writes how large a coefficient is, from 2 on.
func (e *boolEncoder) size(v int32, p *[11]uint8) {
	if v < least[0] {
		e.put(false, p[3])
		e.put(v > 2, p[4])
		if v > 2 {
			e.put(v == 4, p[5])
		}
		return
	}
	e.put(true, p[3])
	kind := 0
	for v >= least[kind+1] {
		kind++
	}
	e.put(kind > 1, p[6])
	switch {
	case kind < 2:
		e.put(kind == 1, p[7])
	default:
		e.put(kind > 3, p[8])
		e.put(kind&1 == 1, p[9+(kind-2)/2])
	}
	rest := v - least[kind]
	for i, no := range extra[kind] {
		e.put(rest>>(len(extra[kind])-1-i)&1 != 0, no)
	}
}
