package commandmodel

import (
	"bytes"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/perception/internal/ggml"
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

func TestCommands(t *testing.T) {
	if n := len(Commands()); n < 60 || !slices.IsSorted(Commands()) {
		t.Errorf("%d commands, sorted: %v", n, slices.IsSorted(Commands()))
	}
}
