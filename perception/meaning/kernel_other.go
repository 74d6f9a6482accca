//go:build !amd64 && !arm64

package meaning

const spareTokens = 0

func multiply(dst, x []float32, tokens int, w *tensor, tile []float32) {
	multiplyPlain(dst, x, tokens, w, tile)
}
