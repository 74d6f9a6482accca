package language

import (
	"strings"
	"testing"
)

// TestSpokenSentencesAreWhole fills every slot that is named, and only those that there are.
func TestSpokenSentencesAreWhole(t *testing.T) {
	all := Spoken()
	have := map[string]bool{}
	for _, s := range all {
		have[s.Text] = true
		if strings.ContainsAny(s.Text, "{}") || strings.Contains(s.Text, "  ") || s.Weight <= 0 {
			t.Fatalf("%q counts %v", s.Text, s.Weight)
		}
	}
	if len(all) > 100_000 {
		t.Fatalf("%d sentences: all of them are counted when hearing begins", len(all))
	}
	for _, want := range []string{"look left", "nod your head", "stop"} {
		if !have[want] {
			t.Errorf("%q is missing among %d sentences", want, len(all))
		}
	}
}
