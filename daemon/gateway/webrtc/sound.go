package webrtc

import "math/bits"

// opusSilence is a packet of Opus in which nothing is heard. Reachyd packs no Opus, reachy-sense does; but where that cannot, a client that
// knows nothing else, as the official Python SDK, does not speak before sound comes.
var opusSilence = []byte{0xf8, 0xff, 0xfe}

// packPCMU packs sound as G.711, µ-law: every second sample, as one byte.
func packPCMU(pcm []int16) []byte {
	out := make([]byte, len(pcm)/2)
	for i := range out {
		out[i] = mulaw((int(pcm[2*i]) + int(pcm[2*i+1])) / 2)
	}
	return out
}

// mulaw is a sample in the code of G.711.
func mulaw(v int) byte {
	const bias, clip = 132, 32635
	sign := byte(0)
	if v < 0 {
		v, sign = -v, 0x80
	}
	v = min(v, clip) + bias
	exponent := bits.Len(uint(v)) - 8
	return ^(sign | byte(exponent<<4) | byte(v>>(exponent+3)&15))
}

// g722 packs sound as ITU-T G.722 at 64 kbit/s: two bands, in each of which the difference to what was foreseen is sent.
type g722 struct {
	history   [24]int
	low, high band
}

// band is one of them.
type band struct {
	level, step          int    // how large differences are, as a logarithm and as such
	estimate, byZeros    int    // what is foreseen, and the part of it that differences foresee
	restored             [2]int // the last two samples as decoders have them
	partial              [2]int // and without what samples foresaw of them
	poles                [2]int
	differences, weights [6]int
}

// Tables of ITU-T G.722.
var (
	mirror   = [12]int{3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11}
	lowSteps = [30]int{
		0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195,
		2557, 2919,
	}
	lowLevels   = [16]int{0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0}
	lowWeights  = [16]int{-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60}
	highLevels  = [4]int{-7408, -1616, 7408, 1616}
	highWeights = [4]int{798, -214, 798, -214}
	logarithm   = [32]int{
		2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834,
		2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
	}
)

func saturate(v int) int { return max(-32768, min(32767, v)) }

// encode packs two samples into each byte.
func (g *g722) encode(pcm []int16) []byte {
	out := make([]byte, 0, len(pcm)/2)
	for i := 0; i+1 < len(pcm); i += 2 {
		copy(g.history[:], g.history[2:])
		g.history[22], g.history[23] = int(pcm[i]), int(pcm[i+1])
		odd, even := 0, 0
		for k, c := range mirror {
			odd += g.history[2*k] * c
			even += g.history[2*k+1] * mirror[11-k]
		}
		out = append(out, g.high.encodeHigh((even-odd)>>14)<<6|g.low.encodeLow((even+odd)>>14))
	}
	return out
}

// encodeLow packs a sample of the lower band into six bits.
func (b *band) encodeLow(v int) byte {
	if b.step == 0 {
		b.step = 32
	}
	difference := saturate(v - b.estimate)
	size := max(difference, -(difference + 1))
	i := 1
	for i < 30 && size >= lowSteps[i]*b.step>>12 {
		i++
	}
	code := 62 - i
	switch {
	case difference < 0 && i < 3:
		code = 64 - i
	case difference < 0:
		code = 34 - i
	}
	coarse := code >> 2
	change := b.step * lowLevels[coarse] >> 15
	b.scale(lowWeights[coarse], 18432, 8)
	b.follow(change)
	return byte(code)
}

// encodeHigh packs a sample of the upper band into two bits.
func (b *band) encodeHigh(v int) byte {
	if b.step == 0 {
		b.step = 8
	}
	difference := saturate(v - b.estimate)
	code := byte(1)
	if difference >= 0 {
		code = 3
	}
	if max(difference, -(difference+1)) >= 564*b.step>>12 {
		code--
	}
	change := b.step * highLevels[code] >> 15
	b.scale(highWeights[code], 22528, 10)
	b.follow(change)
	return code
}

// scale makes steps larger after large differences, and smaller after small ones.
func (b *band) scale(weight, most, shift int) {
	b.level = max(0, min(most, b.level*127>>7+weight))
	b.step = logarithm[b.level>>6&31]
	if shift -= b.level >> 11; shift < 0 {
		b.step <<= -shift
	} else {
		b.step >>= shift
	}
	b.step <<= 2
}

// follow adapts what is foreseen to a difference as decoders have it.
func (b *band) follow(d int) {
	same := func(p, q int) bool { return p < 0 == (q < 0) }
	now, partial := saturate(b.estimate+d), saturate(b.byZeros+d)
	turn := saturate(4 * b.poles[0])
	if same(partial, b.partial[0]) {
		turn = min(-turn, 32767)
	}
	second := turn>>7 - 128
	if same(partial, b.partial[1]) {
		second += 256
	}
	second = max(-12288, min(12288, second+b.poles[1]*32512>>15))
	first := -192
	if same(partial, b.partial[0]) {
		first = 192
	}
	limit := 15360 - second
	first = max(-limit, min(limit, saturate(first+b.poles[0]*32640>>15)))
	for i := range b.weights {
		change := 0
		if d != 0 {
			change = -128
			if same(d, b.differences[i]) {
				change = 128
			}
		}
		b.weights[i] = saturate(change + b.weights[i]*32640>>15)
	}
	b.poles = [2]int{first, second}
	b.restored, b.partial = [2]int{now, b.restored[0]}, [2]int{partial, b.partial[0]}
	copy(b.differences[1:], b.differences[:5])
	b.differences[0] = d
	b.byZeros = 0
	for i, w := range b.weights {
		b.byZeros += saturate(2*b.differences[i]) * w >> 15
	}
	b.byZeros = saturate(b.byZeros)
	bySamples := saturate(saturate(2*b.restored[0])*first>>15 + saturate(2*b.restored[1])*second>>15)
	b.estimate = saturate(bySamples + b.byZeros)
}
