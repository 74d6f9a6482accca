package meaning

import "github.com/reachyd/reachyd/perception/weights"

// tileRows is how many rows of a matrix are widened to floats at once, for all tokens.
const tileRows = weights.KernelRows

// widen writes rows of a matrix from row on as floats, one after the other.
func widen(tile []float32, w *tensor, row int) {
	for r := range tileRows {
		scale := w.scales[row+r]
		steps := w.steps[(row+r)*w.cols:][:w.cols]
		out := tile[r*w.cols:][:len(steps)]
		for i, v := range steps {
			out[i] = scale * float32(v)
		}
	}
}

// multiply writes to dst, for each token, the sums of the products of its numbers in x with each row of w. x has room for
// weights.SpareTokens more.
func multiply(dst, x []float32, tokens int, w *tensor, tile []float32) {
	tile = tile[:tileRows*w.cols]
	for r := 0; r < w.rows; r += tileRows {
		widen(tile, w, r)
		weights.Multiply(dst[r:], w.rows, x, tokens, tile)
	}
}
