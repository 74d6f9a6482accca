package reward

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// How the model is fitted: AdaGrad over all sentences in random order. The values are those of the best leave-one-writer-out.
const (
	epochs = 8
	rate   = 0.15
	decay  = 1e-3
	rare   = 6 // how much more a meaning counts that is there than one that is not
)

// ReadExamples reads a JSON object a line. The error names the line, the field and what is allowed.
func ReadExamples(r io.Reader) (all []Example, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if len(in.Bytes()) == 0 {
			continue
		}
		var e Example
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if e.Text == "" || math.Abs(e.Reward) > 1 || math.IsNaN(e.Reward) {
			return nil, fmt.Errorf("line %d: text %q, reward %g: a text and a reward in [-1, 1] are wanted", n, e.Text, e.Reward)
		}
		for _, m := range e.Meant {
			if !slices.Contains(Meanings, m) {
				return nil, fmt.Errorf("line %d: meant: %q is none of %v", n, m, Meanings)
			}
		}
		all = append(all, e)
	}
	return all, in.Err()
}

// Fit makes a model of sentences and of the plain ones in anchors.txt. The same sentences make the same model.
func Fit(examples []Example) *Model {
	weights := make([]float32, buckets*heads)
	given := anchors()
	examples = slices.Clone(examples)
	for _, text := range slices.Sorted(maps.Keys(given)) {
		examples = append(examples, Example{Text: text, Reward: given[text]})
	}
	known := make([][]share, len(examples))
	for i := range examples {
		known[i] = shares(examples[i].Text)
	}
	squares := make([]float32, len(weights))
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same order every time
	order := random.Perm(len(examples))
	slope := make([]float32, heads)
	z := make([]float64, heads)
	for range epochs {
		random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, i := range order {
			clear(z)
			for _, f := range known[i] {
				for k, w := range weights[int(f.bucket)*heads:][:heads] {
					z[k] += float64(w * f.value)
				}
			}
			gradient(&examples[i], z, slope)
			descend(weights, squares, known[i], slope)
		}
	}
	return quantized(weights)
}

// share is what of a feature counts for the weights.
type share struct {
	bucket uint32
	value  float32
}

// shares are the features of a text in as little memory as they take.
func shares(text string) []share {
	fs := read(text).features()
	out := make([]share, len(fs))
	for i, f := range fs {
		out[i] = share{f.bucket, f.value}
	}
	return out
}

// gradient is that of the loss by what the heads say: of classes the cross entropy, of the strength of praise and blame the
// absolute error, of each meaning the cross entropy.
func gradient(e *Example, z []float64, slope []float32) {
	c := ClassOf(e.Reward)
	for k, p := range softmax(z) {
		slope[k] = float32(p)
		if Class(k) == c {
			slope[k]--
		}
	}
	slope[headStrength] = 0
	if c != Neutral {
		slope[headStrength] = float32(max(-1, min(1, 4*(z[headStrength]-math.Abs(e.Reward)))))
	}
	for k, name := range Meanings {
		slope[headMeant+k] = float32(sigmoid(z[headMeant+k]))
		if slices.Contains(e.Meant, name) {
			slope[headMeant+k] = rare * (slope[headMeant+k] - 1)
		}
	}
}

// descend takes one step of AdaGrad.
func descend(weights, squares []float32, fs []share, slope []float32) {
	for _, f := range fs {
		w, sq := weights[int(f.bucket)*heads:][:heads], squares[int(f.bucket)*heads:][:heads]
		for k, s := range slope {
			g := s*f.value + decay*w[k]
			if g == 0 {
				continue
			}
			sq[k] += g * g
			w[k] -= rate * g / (float32(math.Sqrt(float64(sq[k]))) + 1e-6)
		}
	}
}
