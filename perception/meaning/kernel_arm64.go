package meaning

// spareTokens is how many tokens the kernel may read beyond the last.
const spareTokens = 1

// dot2x4 multiplies two tokens with four rows, k numbers each, k a multiple of 4; out gets four parts of each sum.
//
//go:noescape
func dot2x4(x, w *float32, k int, out *[2 * tileRows * 4]float32)

// multiply is multiplyPlain with the processor's vectors. x has room for spareTokens more.
func multiply(dst, x []float32, tokens int, w *tensor, tile []float32) {
	k := w.cols
	x = x[:(tokens+spareTokens)*k]
	var out [2 * tileRows * 4]float32
	for r := 0; r < w.rows; r += tileRows {
		widen(tile, w, r)
		for i := 0; i < tokens; i += 2 {
			dot2x4(&x[i*k], &tile[0], k, &out)
			for j := i; j < min(i+2, tokens); j++ {
				for q := range tileRows {
					p := out[(j-i)*4*tileRows+4*q:][:4]
					dst[j*w.rows+r+q] = p[0] + p[1] + p[2] + p[3]
				}
			}
		}
	}
}
