package frames

import (
	_ "embed"
	"hash/crc32"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/language"
)

//go:embed frames.bin
var data string

// kept is the network, which is found in the file when it is wanted first.
var kept = sync.OnceValue(func() *network {
	n, err := parse(data)
	if err != nil {
		panic("frames.bin: " + err.Error()) // it is part of the program
	}
	return n
})

// Width is how many numbers the vector of a word has.
const Width = 64

// Vectors are those of words, one a row, for other networks: they need none of their own.
func Vectors(words []string) blas32.General {
	n, all := kept(), general(len(words), Width)
	for i, w := range words {
		n.vector(w, row(all, i))
	}
	return all
}

// Checksum tells the network from others, for those who learned with its vectors.
func Checksum() uint32 { return crc32.ChecksumIEEE([]byte(data)) }

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

// Read reads a sentence that was said after the robot did what before says, "head left", or nothing. A sentence that is too long or has
// no words has no frames.
func Read(u *language.Utterance, before string) Reading {
	words, numbers := Tokens(u.Tokens)
	if u.TooLong || len(words) == 0 || len(words) > maxWords {
		return Reading{}
	}
	symbols, sure := kept().read(append(context(before), words...))
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
