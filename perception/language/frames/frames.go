package frames

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/language"
)

//go:embed frames.bin.gz
var packed []byte

// load unpacks the network when it is asked for first: most sentences are read without it.
var load = sync.OnceValue(func() *network {
	n, err := parse(packed)
	if err != nil {
		panic(fmt.Sprintf("frames.bin.gz: %v", err)) // it is part of the program
	}
	return n
})

// Frame is one thing that is asked for: its name and what follows it, as in "move head left #1".
type Frame []string

// String is the frame as it is written in the sentences.
func (f Frame) String() string { return strings.Join(f, " ") }

// Reading is what the network makes of a sentence.
type Reading struct {
	Frames  []Frame
	Numbers []float64 // of the sentence; the symbol #1 is the first
	Sure    float64   // how likely the network holds it to be: 0 … 1
}

// Read reads a sentence. A sentence that is too long or has no words has no frames.
func Read(u *language.Utterance) Reading {
	words, numbers := Tokens(u.Tokens)
	if u.TooLong || len(words) == 0 || len(words) > maxWords {
		return Reading{}
	}
	symbols, sure := load().read(words)
	r := Reading{Numbers: numbers, Sure: sure}
	var frame Frame
	for _, s := range append(symbols, ";") {
		if s != ";" {
			frame = append(frame, s)
			continue
		}
		if len(frame) > 0 {
			r.Frames = append(r.Frames, frame)
		}
		frame = nil
	}
	return r
}
