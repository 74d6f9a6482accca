// Package randommodel writes Whisper models with random weights: they take the time and memory of real ones and say nothing sensible.
package randommodel

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/reachyd/reachyd/perception/internal/ggml"
)

// words is how many of the vocabulary have a text; the special tokens follow.
const words = 50257

// Write writes a model with that header; the same seed gives the same bytes.
func Write(dst io.Writer, h ggml.Header, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	return ggml.WriteWhisper(dst, h, ggml.Filters(int(h.Mels)), Tokens(), func(s *ggml.Spec, numbers []float32) {
		if strings.HasSuffix(s.Name, "ln.weight") || strings.HasSuffix(s.Name, "ln_post.weight") {
			for i := range numbers {
				numbers[i] = 1
			}
			return
		}
		// The spread that keeps activations of the size that they have in a trained model.
		spread := 0.01
		switch {
		case strings.HasSuffix(s.Name, "positional_embedding"):
			spread = 0.5
		case strings.HasSuffix(s.Name, ".weight"):
			fanIn := 1.0
			for _, d := range s.Shape[:len(s.Shape)-1] {
				fanIn *= float64(d)
			}
			spread = 1 / math.Sqrt(fanIn)
		}
		// Evenly spread numbers have the same effect as normal ones and are made ten times as fast.
		width := float32(spread * 2 * math.Sqrt(3))
		for i := range numbers {
			numbers[i] = (rng.Float32() - 0.5) * width
		}
	})
}

// Tokens returns a vocabulary of made-up words.
func Tokens() []string {
	t := make([]string, words)
	t[0] = " "
	for i := 1; i < words; i++ {
		t[i] = fmt.Sprintf(" w%d", i)
	}
	return t
}
