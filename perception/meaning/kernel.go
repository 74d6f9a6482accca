package meaning

// tileRows is how many rows of a matrix are widened to floats at once, for all tokens.
const tileRows = 4

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

// multiplyPlain writes to dst, for each token, the sums of the products of its numbers in x with each row of w.
func multiplyPlain(dst, x []float32, tokens int, w *tensor, tile []float32) {
	k, rows := w.cols, w.rows
	for r := 0; r < rows; r += tileRows {
		widen(tile, w, r)
		w0 := tile[:k]
		w1, w2, w3 := tile[k:][:len(w0)], tile[2*k:][:len(w0)], tile[3*k:][:len(w0)]
		for i := 0; i < tokens; i += 2 { // two tokens at once: each weight is loaded for both
			i := max(0, min(i, tokens-2))
			j := min(i+1, tokens-1)
			a, b := x[i*k:][:len(w0)], x[j*k:][:len(w0)]
			var a0, a1, a2, a3, b0, b1, b2, b3 float32
			for c, v0 := range w0 {
				va, vb := a[c], b[c]
				v1, v2, v3 := w1[c], w2[c], w3[c]
				a0 += va * v0
				a1 += va * v1
				a2 += va * v2
				a3 += va * v3
				b0 += vb * v0
				b1 += vb * v1
				b2 += vb * v2
				b3 += vb * v3
			}
			d, e := dst[i*rows+r:][:tileRows], dst[j*rows+r:][:tileRows]
			d[0], d[1], d[2], d[3] = a0, a1, a2, a3
			e[0], e[1], e[2], e[3] = b0, b1, b2, b3
		}
	}
}
