package reward

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// sentences are what the model is fitted to: a file for each person who has written and labelled some.
//
//go:embed sentences
var sentences embed.FS

// networkFile has the weights of the network, layerFile those of the second layer; 'make reward-weights' makes both anew.
var (
	//go:embed network.bin.gz
	networkFile []byte
	//go:embed layer.bin.gz
	layerFile []byte
)

// Default returns the model of the sentences and weights in the program. It is fitted when it is wanted first, for half a second.
var Default = sync.OnceValue(func() *Model {
	_, writers := Writers()
	m := Fit(slices.Concat(writers...))
	w, err := readWeights(networkFile)
	if err == nil {
		m.net, err = w.network()
	}
	if err != nil {
		panic(err) // the file is part of the program
	}
	return m
})

// Writers returns the names of the files of sentences, in their order, and what is in them. Whoever looks how well a model does on
// people that it does not know leaves one of them out.
func Writers() (names []string, writers [][]Example) {
	files, err := sentences.ReadDir("sentences")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, f := range files {
		all, err := readSentences(f.Name())
		if err != nil {
			panic(fmt.Errorf("%s: %w", f.Name(), err)) // the same
		}
		names, writers = append(names, f.Name()), append(writers, all)
	}
	return names, writers
}

func readSentences(name string) (all []Example, err error) {
	f, err := sentences.Open("sentences/" + name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it is in memory
	return ReadExamples(f)
}

// leastStep is the least weight that is kept, in steps of the scale; smaller ones decide nothing.
const leastStep = 3

// quantized is a model of weights, eight bits each.
func quantized(weights []float32) *Model {
	m := &Model{steps: make([]int8, buckets*heads), scales: make([]float32, heads), anchors: anchors()}
	for i, w := range weights {
		m.scales[i%heads] = max(m.scales[i%heads], float32(math.Abs(float64(w)))/math.MaxInt8)
	}
	for i, w := range weights {
		if scale := m.scales[i%heads]; scale > 0 {
			if v := math.Round(float64(w / scale)); math.Abs(v) >= leastStep {
				m.steps[i] = int8(v)
			}
		}
	}
	return m
}

// anchors are plain sentences whose reward is given.
func anchors() map[string]float64 {
	out := map[string]float64{}
	err := lines("anchors.txt", func(key, rest string) error {
		r, err := strconv.ParseFloat(key, 64)
		if err != nil {
			return err
		}
		for _, text := range strings.Split(rest, "|") {
			out[Plain(text)] = r
		}
		return nil
	})
	if err != nil {
		panic(err) // the file is part of the program
	}
	return out
}
