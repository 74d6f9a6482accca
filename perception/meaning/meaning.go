// Package meaning makes vectors of sentences: those that mean alike point in nearly the same direction. The model is
// all-MiniLM-L6-v2, a transformer of six layers, in plain Go; its file is optional ('reachyctl models pull minilm') and mapped, not read.
package meaning

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// The shape of the model.
const (
	Size      = 384 // numbers in a vector
	Layers    = 6
	headSize  = 32
	innerSize = 1536
	pieces    = 30522 // in the vocabulary
	maxTokens = 128   // of a sentence; what is said after them is not read
	positions = 512
)

// FileName is that of the model's file, as package models fetches it.
const FileName = "all-minilm-l6-v2-int8.safetensors"

// ErrFormat is wrapped by the error for a file that is no such model.
var ErrFormat = errors.New("no such model file")

// ErrClosed is the error of a model that was closed.
var ErrClosed = errors.New("the model of sentences is closed")

// Model makes vectors. Its methods may be called by many goroutines at once; they take turns.
type Model struct {
	mu     sync.Mutex
	mapped []byte // nil when the file is not mapped
	words  *tokenizer
	net    *network
	work   scratch
}

// Open maps a model's file. The error wraps ErrFormat when the file is something else.
func Open(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if n := info.Size(); n < 16 || n > maxFile {
		return nil, fmt.Errorf("%s: %w: it has %d bytes; 16 … %d are allowed", path, ErrFormat, n, maxFile)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	m, err := parse(data)
	if err != nil {
		_ = unix.Munmap(data)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.mapped = data
	return m, nil
}

// parse makes a model of the bytes of a file, which must stay as they are.
func parse(data []byte) (*Model, error) {
	tensors, err := readTensors(data)
	if err != nil {
		return nil, err
	}
	words, err := newTokenizer(tensors[vocabularyName].bytes)
	if err != nil {
		return nil, err
	}
	return &Model{words: words, net: newNetwork(tensors)}, nil
}

// Close gives the memory back. Closing twice is fine.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.net, m.words, m.work = nil, nil, scratch{}
	if m.mapped == nil {
		return nil
	}
	data := m.mapped
	m.mapped = nil
	return unix.Munmap(data)
}

// Vector is what a sentence means: the mean of the last layer, of length one. Vectors of sentences without a word are valid, too.
func (m *Model) Vector(text string) ([]float32, error) {
	out := make([]float32, Size)
	err := m.read(text, &Changes{}, func(layer int, x []float32) {
		if layer == Layers-1 {
			mean(out, x)
		}
	})
	normalize(out)
	return out, err
}

// States are the means of all layers, one after the other: Layers × Size numbers, each layer's of length one. The lower ones know
// more of how a thing is said, the last one of what it is about.
func (m *Model) States(text string) ([]float32, error) { return m.ChangedStates(text, &Changes{}) }

// ChangedStates are States with changes.
func (m *Model) ChangedStates(text string, changes *Changes) ([]float32, error) {
	out := make([]float32, Layers*Size)
	err := m.read(text, changes, func(layer int, x []float32) {
		part := out[layer*Size:][:Size]
		mean(part, x)
		normalize(part)
	})
	return out, err
}

// Tokens are the ids of the pieces of a text, as the network reads them; nil when the model is closed.
func (m *Model) Tokens(text string) []int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.words == nil {
		return nil
	}
	return m.words.encode(text)
}

// read runs the network over a text; visit gets what each layer makes of it, Size numbers a token.
func (m *Model) read(text string, changes *Changes, visit func(layer int, x []float32)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.net == nil {
		return ErrClosed
	}
	m.net.run(m.words.encode(text), changes, &m.work, visit)
	return nil
}

func mean(dst, x []float32) {
	clear(dst)
	n := float32(len(x) / Size)
	for ; len(x) > 0; x = x[Size:] {
		for i, v := range x[:Size] {
			dst[i] += v / n
		}
	}
}

func normalize(x []float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range x {
		x[i] *= scale
	}
}

// Alike is how alike two vectors of length one are: 1 for the same meaning, about 0 for nothing in common.
func Alike(a, b []float32) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}
