package frames

import (
	"math"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// quoteWord stands for a quotation.
const quoteWord = "<quote>"

// maxWords is how much of a sentence is read: what is longer is no command.
const maxWords = 60

// Tokens are the words of a sentence as the network reads them, and the values of those that are numbers, in order.
func Tokens(toks language.Tokens) (words []string, numbers []float64) {
	for _, t := range toks {
		switch {
		case t.Kind == language.Number && !t.Pronoun:
			words = append(words, numberWord(t.Num))
			numbers = append(numbers, t.Num)
		case t.Kind == language.Quote:
			words = append(words, quoteWord)
		default:
			words = append(words, t.Word)
		}
	}
	return words, numbers
}

// context are the words that stand before a sentence for what was done before it.
func context(before string) []string {
	words := strings.Fields(before)
	for i, w := range words {
		words[i] = "@" + w
	}
	return words
}

// numberWord is the word for a number by its size: fractions and counts say something else than angles.
func numberWord(v float64) string {
	const few, close = 4, 0.01
	for _, f := range []struct {
		value float64
		word  string
	}{{1.0 / 2, "<half>"}, {1.0 / 3, "<third>"}, {1.0 / 4, "<quarter>"}} {
		if math.Abs(v-f.value) < close {
			return f.word
		}
	}
	if v >= 1 && v <= few && v == math.Trunc(v) {
		return "<few>"
	}
	return "<number>"
}
