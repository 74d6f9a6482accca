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
	return ggml.WriteWhisper(dst, h, Filters(int(h.Mels)), Tokens(), func(s *ggml.Spec, numbers []float32) {
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

// Filters returns triangular mel filters up to 8 kHz for windows of 25 ms.
func Filters(mels int) []float32 {
	mel := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	hz := func(mel float64) float64 { return 700 * (math.Pow(10, mel/2595) - 1) }
	edge := func(i int) float64 { return hz(mel(8000) * float64(i) / float64(mels+1)) }
	f := make([]float32, mels*ggml.Bins)
	for m := range mels {
		low, mid, high := edge(m), edge(m+1), edge(m+2)
		for b := range ggml.Bins {
			at := float64(b) * 40 // Hz
			f[m*ggml.Bins+b] = float32(max(0, min((at-low)/(mid-low), (high-at)/(high-mid))) * 2 / (high - low))
		}
	}
	return f
}
