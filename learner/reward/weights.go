package reward

import (
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/weights"
)

// sentences are what the model is fitted to: a file for each person who has written and labelled some.
//
//go:embed sentences
var sentences embed.FS

// networkFile has the weights of the network, layerFile those of the second layer; 'make reward-weights' makes both anew.
var (
	//go:embed network.bin
	networkFile string
	//go:embed layer.bin
	layerFile string
)

// linearFile has the linear model of all sentences: the steps' sizes of the heads, then the steps of each bucket. 'make reward-linear'
// fits it anew, and a test says when that is due.
//
//go:embed linear.bin
var linearFile string

var inProgram = spare[Model]{read: func() *Model {
	m, err := readLinear(linearFile)
	if err != nil {
		panic(err) // the file is part of the program
	}
	w, err := readTables(networkFile)
	if err == nil {
		m.net, err = w.network()
	}
	if err != nil {
		panic(err) // the file is part of the program
	}
	return m
}}

// Default returns the model in the program.
func Default() *Model { return inProgram.get() }

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

// readLinear reads what Model.WriteLinear writes. The error wraps ErrWeights.
func readLinear(data string) (*Model, error) {
	if want := (4 + buckets) * heads; len(data) != want {
		return nil, fmt.Errorf("%w: the linear model has %d bytes; %d are wanted", ErrWeights, len(data), want)
	}
	return &Model{scales: weights.Floats(data[:4*heads]), steps: data[4*heads:], anchors: anchors()}, nil
}

// WriteLinear writes the linear model.
func (m *Model) WriteLinear(w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, m.scales); err != nil {
		return err
	}
	_, err := io.WriteString(w, m.steps)
	return err
}

// quantized is a model of weights, eight bits each.
func quantized(weights []float32) *Model {
	m := &Model{scales: make([]float32, heads), anchors: anchors()}
	steps := make([]byte, buckets*heads)
	for i, w := range weights {
		m.scales[i%heads] = max(m.scales[i%heads], float32(math.Abs(float64(w)))/math.MaxInt8)
	}
	for i, w := range weights {
		if scale := m.scales[i%heads]; scale > 0 {
			if v := math.Round(float64(w / scale)); math.Abs(v) >= leastStep {
				steps[i] = byte(int8(v))
			}
		}
	}
	m.steps = string(steps)
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
