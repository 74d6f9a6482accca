package commandmodel

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/wake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheFileIsSmallAndOfTheFormThatWhisperReads(t *testing.T) {
	if len(packed) > 4e6 {
		t.Errorf("it is %d bytes, the most is 4 MB", len(packed))
	}
	b, err := Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w, err := ggml.ReadWhisper(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, word := range w.Tokens {
		words[word] = true
	}
	for _, c := range Commands() {
		for _, word := range bytes.Fields([]byte(c)) {
			if !words[" "+string(word)] {
				t.Errorf("%q: the model has no token for %q", c, word)
			}
		}
	}
	if !words[" "+Unknown] {
		t.Errorf("the model has no token for %s", Unknown)
	}
}

func TestTheDictionaryHasTheWordsOfTheCommands(t *testing.T) {
	used := map[string]bool{}
	for _, c := range Commands() {
		for _, w := range strings.Fields(c) {
			used[w] = true
		}
	}
	if _, err := newAligner(); err != nil {
		t.Error(err)
	}
	for w := range words() {
		if !used[w] {
			t.Errorf("no command has the word %q", w)
		}
	}
}

func TestConfidence(t *testing.T) {
	good := wake.Fit{Mean: -0.1, Worst: -0.2, Ahead: 8, Sounds: 7}
	bad := wake.Fit{Mean: -4, Worst: -8, Ahead: 0.2, Sounds: 7}
	rising := []float64{
		confidence("look left", bad, Unknown, 0.9), confidence("look left", bad, "look right", 0.9), confidence("look left", bad, "look left", 0.9),
		confidence("look left", good, "look right", 0.9), confidence("look left", good, "look left", 0.4), confidence("look left", good, "look left", 0.9),
	}
	for i, c := range rising {
		if c < 0 || c > 1 || i > 1 && c <= rising[i-1] {
			t.Errorf("%d: %.3f", i, rising)
		}
	}
	if rising[1] > MinConfidence || rising[5] < 0.9 {
		t.Errorf("%.3f", rising)
	}
	far := confidence("look left", wake.Fit{Mean: math.Inf(-1), Worst: math.Inf(-1), Ahead: math.Inf(-1), Sounds: 7}, "", 0)
	if !(far >= 0 && far < NoCommand) {
		t.Errorf("what is shorter than the command: %.3f", far)
	}
}

func TestCommands(t *testing.T) {
	if n := len(Commands()); n < 60 || !slices.IsSorted(Commands()) {
		t.Errorf("%d commands, sorted: %v", n, slices.IsSorted(Commands()))
	}
}
