package vp8

import "math/bits"

// boolEncoder writes yes and no, each with its probability: section 7 of RFC 6386.
type boolEncoder struct {
	out    []byte
	low    uint64 // what has not been written: pending bits, and the 8 below of which width is a part
	width  uint32 // 128 … 255
	pended int
}

func (e *boolEncoder) reset() { *e = boolEncoder{out: e.out[:0], width: 255} }

// put writes a bit; no is the probability that it is not set, in 256ths.
func (e *boolEncoder) put(bit bool, no uint8) {
	split := 1 + (e.width-1)*uint32(no)>>8
	if bit {
		e.low += uint64(split)
		e.width -= split
	} else {
		e.width = split
	}
	if e.width >= 128 {
		return
	}
	shift := bits.LeadingZeros8(uint8(e.width))
	e.width <<= shift
	e.low <<= shift
	if e.pended += shift; e.pended >= 16 {
		e.flush()
	}
}

// number writes the lowest n bits of v, each as likely as not.
func (e *boolEncoder) number(v uint32, n int) {
	for n--; n >= 0; n-- {
		e.put(v>>n&1 != 0, 128)
	}
}

// flush writes the bytes that no later bit changes but by a carry.
func (e *boolEncoder) flush() {
	for ; e.pended >= 8; e.pended -= 8 {
		b := e.low >> e.pended
		e.low &= 1<<e.pended - 1
		if b > 255 {
			i := len(e.out) - 1
			for ; e.out[i] == 255; i-- {
				e.out[i] = 0
			}
			e.out[i]++
		}
		e.out = append(e.out, byte(b))
	}
}

// bytes ends the writing.
func (e *boolEncoder) bytes() []byte {
	for range 3 {
		e.low <<= 8
		e.pended += 8
		e.flush()
	}
	return e.out
}
