// Package guess tells the kind of small talk of a sentence that no template understands, with a small network that learned it from what
// people wrote for each kind: "Designate yourself, name and type" is of the kind who.
//
// The sentences lie in sentences/, train/ makes the network of them (cross/kinds.sh). Its vectors of words are those of package frames,
// so it is made anew after them. Beside the kinds it knows "other", what is of none of them, and "move", what is no small talk.
package guess

import (
	_ "embed"
	"sync"

	"github.com/reachyd/reachyd/perception/language"
)

//go:embed guess.bin
var data string

// What a sentence may be beside the kinds of small talk.
const (
	Other = "other"
	Move  = "move"
)

// kept is the network, which is found in the file when it is wanted first.
var kept = sync.OnceValue(func() *network {
	n, err := parse(data)
	if err != nil {
		panic("guess.bin: " + err.Error()) // it is part of the program
	}
	return n
})

// Guess is how likely a sentence is of each kind.
type Guess struct {
	kinds  []string
	shares []float32
}

// Of is the network's guess of a sentence; of nothing where it has no words.
func Of(u *language.Utterance) Guess {
	words := Words(u)
	if u.TooLong || len(words) == 0 {
		return Guess{}
	}
	n := kept()
	return Guess{n.kinds, n.read(words)}
}

// Best is the likeliest kind, and how likely it is: 0 … 1.
func (g Guess) Best() (kind string, sure float64) {
	at := 0
	for i, s := range g.shares {
		if s > g.shares[at] {
			at = i
		}
	}
	if len(g.shares) == 0 {
		return Other, 0
	}
	return g.kinds[at], float64(g.shares[at])
}

// Share is how likely a kind is; false where the network does not know it.
func (g Guess) Share(kind string) (share float64, known bool) {
	for i, k := range g.kinds {
		if k == kind {
			return float64(g.shares[i]), true
		}
	}
	return 0, false
}

// maxWords is how much of a sentence is read.
const maxWords = 24

// Words are the words of a sentence as the network reads them.
func Words(u *language.Utterance) []string {
	var words []string
	for _, t := range u.Raw {
		switch {
		case t.Word == "":
		case t.Word[0] >= '0' && t.Word[0] <= '9':
			words = append(words, "<number>")
		default:
			words = append(words, t.Word)
		}
	}
	return words[:min(len(words), maxWords)]
}
