package language

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][2][]string{ // as they are, as they are heard
		"":                     {{}, {}},
		" ?! …":                {{}, {}},
		"Don't stop, Reachy!":  {{"don", "t", "stop", "reachy"}, {"dont", "stop", "reachy"}},
		"it’s 20 °C":           {{"it", "s", "20", "c"}, {"its", "20", "c"}},
		"ÄRGER im Café-Garten": {{"ärger", "im", "café", "garten"}, {"ärger", "im", "café", "garten"}},
	} {
		if split, heard := SplitWords(text), HeardWords(text); !slices.Equal(split, want[0]) || !slices.Equal(heard, want[1]) {
			t.Errorf("%q: %q and %q, want %q", text, split, heard, want)
		}
	}
}

func TestHasWords(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "...": false, "[noise]": false, "(music) [laughs": false, "a": true, "[noise] stop": true, "(a (b) c) d": true, ") 7": true,
	} {
		if HasWords(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
