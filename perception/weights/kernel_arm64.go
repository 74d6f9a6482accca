package weights

// SpareTokens is how many tokens Multiply may read beyond the last.
const SpareTokens = 1

// dot2x4 multiplies two tokens with four rows, k numbers each, k a multiple of 4; out gets four parts of each sum.
//
//go:noescape
func dot2x4(x, w *float32, k int, out *[2 * KernelRows * 4]float32)

// Multiply writes the sums of the products of each token's numbers in x with those of each of the KernelRows rows in w, as many, a multiple
// of 8. A token's sums lie beside each other in dst, the next token's a row of so many numbers on. x has room for SpareTokens more.
func Multiply(dst []float32, rows int, x []float32, tokens int, w []float32) {
	k := len(w) / KernelRows
	x = x[:(tokens+SpareTokens)*k]
	var out [2 * KernelRows * 4]float32
	for i := 0; i < tokens; i += 2 {
		dot2x4(&x[i*k], &w[0], k, &out)
		for j := i; j < min(i+2, tokens); j++ {
			for q := range KernelRows {
				p := out[(j-i)*4*KernelRows+4*q:][:4]
				dst[j*rows+q] = p[0] + p[1] + p[2] + p[3]
			}
		}
	}
}
