package meaning

import "golang.org/x/sys/cpu"

// spareTokens is how many tokens the kernel may read beyond the last.
const spareTokens = 2

// dot3x4 multiplies three tokens with four rows, k numbers each, k a multiple of 8.
//
//go:noescape
func dot3x4(x, w *float32, k int, out *[3 * tileRows]float32)

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// multiply is multiplyPlain with the processor's vectors, where it has them. x has room for spareTokens more.
func multiply(dst, x []float32, tokens int, w *tensor, tile []float32) {
	if !hasVectors {
		multiplyPlain(dst, x, tokens, w, tile)
		return
	}
	k := w.cols
	x = x[:(tokens+spareTokens)*k]
	var out [3 * tileRows]float32
	for r := 0; r < w.rows; r += tileRows {
		widen(tile, w, r)
		for i := 0; i < tokens; i += 3 {
			dot3x4(&x[i*k], &tile[0], k, &out)
			for j := i; j < min(i+3, tokens); j++ {
				copy(dst[j*w.rows+r:][:tileRows], out[(j-i)*tileRows:])
			}
		}
	}
}
