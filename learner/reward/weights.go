package reward

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // the weights
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed model.bin
var embedded []byte

// magic begins a file of weights; its end is the version.
const magic = "RRW1"

// leastStep is the least weight that is kept, in steps of the scale; smaller ones would double the size and decide nothing.
const leastStep = 3

// ErrWeights is wrapped by the error for weights that cannot be read.
var ErrWeights = errors.New("these are no weights of a reward model")

// Default returns the model that is in the program. It is unpacked when it is wanted first.
var Default = sync.OnceValue(func() *Model {
	m, err := Read(bytes.NewReader(embedded))
	if err != nil {
		panic(err) // the file is part of the program
	}
	return m
})

// Read reads weights as Write writes them. The error wraps ErrWeights or is r's.
func Read(r io.Reader) (*Model, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	in := bufio.NewReader(z)
	var head struct {
		Magic  [4]byte
		Bits   uint32
		Heads  uint32
		Scales [64]float32
	}
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	if string(head.Magic[:]) != magic || head.Bits != bucketBits || int(head.Heads) != heads {
		return nil, fmt.Errorf("%w: %q with 2^%d buckets of %d; wanted %q, 2^%d, %d", ErrWeights, head.Magic, head.Bits, head.Heads, magic, bucketBits, heads)
	}
	m := &Model{steps: make([]int8, buckets*heads), scales: head.Scales[:heads], anchors: anchors()}
	column := make([]byte, buckets)
	for k := range heads {
		if _, err := io.ReadFull(in, column); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrWeights, err)
		}
		for b, v := range column {
			m.steps[b*heads+k] = int8(v)
		}
	}
	return m, nil
}

// Write writes the weights as Read reads them.
func (m *Model) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	var scales [64]float32
	copy(scales[:], m.scales)
	if err := binary.Write(z, binary.LittleEndian, struct {
		Magic       [4]byte
		Bits, Heads uint32
		Scales      [64]float32
	}{[4]byte([]byte(magic)), bucketBits, uint32(heads), scales}); err != nil {
		return err
	}
	column := make([]byte, buckets)
	for k := range heads {
		for b := range buckets {
			column[b] = byte(m.steps[b*heads+k])
		}
		if _, err := z.Write(column); err != nil {
			return err
		}
	}
	return z.Close()
}

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
