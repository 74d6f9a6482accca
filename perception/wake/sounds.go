package wake

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language"
)

//go:embed respelled.txt
var respelledText string

var respelled = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(respelledText) {
		if f := strings.Fields(line); len(f) == 2 && !strings.HasPrefix(line, "#") {
			words[f[0]] = f[1]
		}
	}
	return words
})

// spellLimit is how long espeak-ng may take to spell a phrase.
const spellLimit = 5 * time.Second

// ErrSpelling is wrapped by the error for a phrase whose sounds nobody here knows.
var ErrSpelling = errors.New("the sounds of a wake phrase are not known")

// Sounds are the ways in which a phrase is said, in symbols that the network knows. What the file does not have espeak-ng spells, which may
// be missing: then the error wraps ErrSpelling and says what can be done.
func (n *Network) Sounds(ctx context.Context, phrase string) (Ways, error) {
	words := language.HeardWords(phrase)
	if ways, ok := n.known(words); ok {
		return ways, nil
	}
	if len(words) == 0 {
		_, err := n.number(phrase, nil)
		return nil, err
	}
	meant := slices.Clone(words)
	for i, w := range words {
		if as, ok := respelled()[w]; ok {
			meant[i] = as
		}
	}
	var ways Ways
	for _, words := range [][]string{meant, words} { // other voices read it as espeak-ng does
		ipa, err := spell(ctx, strings.Join(words, " "))
		if err != nil {
			return nil, fmt.Errorf("%w: %q: %w: apt-get install espeak-ng, or take one of the phrases that are known without: %s", ErrSpelling, phrase, err,
				strings.Join(slices.Sorted(maps.Keys(n.Phrases)), ", "))
		}
		if sounds := n.reduce(ipa); len(ways) == 0 || !slices.Equal(ways[0], sounds) {
			ways = append(ways, sounds)
		}
	}
	if _, err := n.numbers(phrase, ways); err != nil {
		return nil, err
	}
	return ways, nil
}

// known are the ways of a phrase that the file has.
func (n *Network) known(words []string) (Ways, bool) {
	ways, ok := n.Phrases[strings.Join(words, " ")]
	return ways, ok
}

// ThresholdOf is the least mean likelihood at which a phrase is found.
func (n *Network) ThresholdOf(phrase string) float64 {
	if _, ok := n.known(language.HeardWords(phrase)); ok || n.Own == 0 {
		return n.Threshold
	}
	return n.Own
}

// spell writes English words as sounds, in the signs of the International Phonetic Alphabet.
func spell(ctx context.Context, text string) (string, error) {
	path, err := exec.LookPath("espeak-ng")
	if err != nil {
		return "", fmt.Errorf("espeak-ng is missing: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, spellLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-q", "--ipa", "-v", "en-us", "--", text).Output()
	if err != nil {
		return "", fmt.Errorf("espeak-ng: %w", err)
	}
	return otherLanguage.ReplaceAllString(string(out), ""), nil
}

// otherLanguage marks the sounds of a word that espeak-ng reads as another language: (fr)…(en-us).
var otherLanguage = regexp.MustCompile(`\([a-z-]+\)`)

// reduce makes symbols of a spelling, the longest that fits first. Other signs, such as those of stress, are left out.
func (n *Network) reduce(ipa string) (sounds []string) {
	for len(ipa) > 0 {
		best := ""
		for _, s := range n.Symbols {
			if len(s) > len(best) && strings.HasPrefix(ipa, s) {
				best = s
			}
		}
		if best == "" {
			_, size := utf8.DecodeRuneInString(ipa)
			ipa = ipa[size:]
			continue
		}
		sounds, ipa = append(sounds, best), ipa[len(best):]
	}
	return sounds
}
