package weights

import "golang.org/x/sys/cpu"

// SpareTokens is how many tokens Multiply may read beyond the last.
const SpareTokens = 2

// dot3x4 multiplies three tokens with four rows, k numbers each, k a multiple of 8.
//
//go:noescape
func dot3x4(x, w *float32, k int, out *[3 * KernelRows]float32)

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Multiply writes the sums of the products of each token's numbers in x with those of each of the KernelRows rows in w, as many, a multiple
// of 8. A token's sums lie beside each other in dst, the next token's a row of so many numbers on. x has room for SpareTokens more.
func Multiply(dst []float32, rows int, x []float32, tokens int, w []float32) {
	if !hasVectors {
		multiplyPlain(dst, rows, x, tokens, w)
		return
	}
	k := len(w) / KernelRows
	x = x[:(tokens+SpareTokens)*k]
	var out [3 * KernelRows]float32
	for i := 0; i < tokens; i += 3 {
		dot3x4(&x[i*k], &w[0], k, &out)
		for j := i; j < min(i+3, tokens); j++ {
			copy(dst[j*rows:][:KernelRows], out[(j-i)*KernelRows:])
		}
	}
}
