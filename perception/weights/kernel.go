package weights

// KernelRows is how many rows of a matrix Multiply takes at once.
const KernelRows = 4

// multiplyPlain is Multiply without the processor's vectors.
func multiplyPlain(dst []float32, rows int, x []float32, tokens int, w []float32) {
	k := len(w) / KernelRows
	w0 := w[:k]
	w1, w2, w3 := w[k:][:len(w0)], w[2*k:][:len(w0)], w[3*k:][:len(w0)]
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
		d, e := dst[i*rows:][:KernelRows], dst[j*rows:][:KernelRows]
		d[0], d[1], d[2], d[3] = a0, a1, a2, a3
		e[0], e[1], e[2], e[3] = b0, b1, b2, b3
	}
}
