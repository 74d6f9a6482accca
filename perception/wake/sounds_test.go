package wake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// speller knows the sounds of English and no tone.
func speller(t *testing.T) *Network {
	return newMade(header{
		Width: 1, Hidden: 1, Threshold: 0.5,
		Symbols: []string{"", "h", "e", "ɪ", "eɪ", "ɹ", "i", "t", "ʃ", "tʃ", "ɑ", "s", "k", "n", "l", "o", "b", "ʊ", "m"},
		Phrases: map[string]Ways{"hey reachy": {{"h", "eɪ", "ɹ", "i", "tʃ", "i"}}},
	}).read(t)
}

// nobodySpells has a host without espeak-ng, or with a program of that name that does as the script says.
func nobodySpells(t *testing.T, script string) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if script == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "espeak-ng"), []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}

func TestAKnownPhraseNeedsNoSpelling(t *testing.T) {
	n := speller(t)
	nobodySpells(t, "")
	for _, phrase := range []string{"hey reachy", " Hey,  Reachy! "} {
		if got, err := n.Sounds(t.Context(), phrase); err != nil || fmt.Sprint(got) != "[[h eɪ ɹ i tʃ i]]" {
			t.Errorf("%q: %q, %v", phrase, got, err)
		}
	}
	_, err := n.Sounds(t.Context(), "hey oskar")
	for _, says := range []string{"hey oskar", "espeak-ng is missing", "apt-get install espeak-ng", "hey reachy"} {
		if !errors.Is(err, ErrSpelling) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q in it", err, says)
		}
	}
}

func TestAnOwnNameIsSpelled(t *testing.T) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Fatal("espeak-ng is needed: apt-get install espeak-ng")
	}
	n := speller(t)
	for phrase, want := range map[string]string{
		"hey oskar":    "[[h eɪ ɑ s k ɑ ɹ]]",
		"hello Reachy": "[[h l o ʊ ɹ i tʃ i] [h l o ʊ ɹ i k i]]", // espeak-ng says reeky
	} {
		if got, err := n.Sounds(t.Context(), phrase); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %q, %v", phrase, got, err)
		}
	}
	for phrase, says := range map[string]string{
		"bo":                                  `"bo" has 3 sounds (b o ʊ); allowed are 4…20`,
		"hello hello hello hello hello hello": "has 24 sounds",
		"":                                    "has 0 sounds", "…": "has 0 sounds",
	} {
		if got, err := n.Sounds(t.Context(), phrase); err == nil || errors.Is(err, ErrSpelling) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v", phrase, got, err)
		}
	}
}

func TestASpellerThatFails(t *testing.T) {
	n := speller(t)
	nobodySpells(t, "exit 3\n")
	if _, err := n.Sounds(t.Context(), "hey oskar"); !errors.Is(err, ErrSpelling) || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
	nobodySpells(t, "echo 'hˈeɪ (de)ˈɔ:skˌɑːɹ(en-us)!'\n")
	if got, err := n.Sounds(t.Context(), "hey oskar"); err != nil || fmt.Sprint(got) != "[[h eɪ s k ɑ ɹ]]" {
		t.Errorf("%q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Sounds(ctx, "hey oskar"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
