package commandmodel

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/wake"
)

//go:embed dictionary.txt
var dictionary string

// words are how each word of the commands sounds.
var words = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(dictionary) {
		if word, sounds, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			m[word] = strings.Fields(sounds)
		}
	}
	return m
})

// newAligner lays the commands along a sound. The network is that of the wake phrase, which knows sounds and no words.
func newAligner() (*wake.Aligner, error) {
	n, err := wake.Own()
	if err != nil {
		return nil, err
	}
	sentences := make([]wake.Sentence, len(Commands()))
	for i, c := range Commands() {
		for _, w := range strings.Fields(c) {
			sounds, ok := words()[w]
			if !ok {
				return nil, fmt.Errorf("the dictionary of the %s lacks %q", Name, w)
			}
			sentences[i] = append(sentences[i], sounds)
		}
	}
	return n.NewAligner(sentences)
}
