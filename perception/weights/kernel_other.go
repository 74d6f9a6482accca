//go:build !amd64 && !arm64

package weights

// SpareTokens is how many tokens Multiply may read beyond the last.
const SpareTokens = 0

// Multiply writes the sums of the products of each token's numbers in x with those of each of the KernelRows rows in w, as many, a multiple
// of 8. A token's sums lie beside each other in dst, the next token's a row of so many numbers on. x has room for SpareTokens more.
func Multiply(dst []float32, rows int, x []float32, tokens int, w []float32) {
	multiplyPlain(dst, rows, x, tokens, w)
}
