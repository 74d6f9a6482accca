package language

import (
	"slices"
	"testing"
)

// TestAsides has an order beside what is told, and what only looks like that.
func TestAsides(t *testing.T) {
	for text, want := range map[string][]string{
		"It went down to the grass, look down by 14.":            {"look down by 14"},
		"Reachy, the bird is on the roof now, look up and left.": {"look up and left"},
		"Tilt your head, the picture hangs crooked.":             {"Tilt your head"},
		"Look left, look right, the bus is about to come":        {"Look left, look right"},
		"look down by 14":                              nil, // it is all of it
		"My coach told us yesterday, look up.":         nil,
		"If the bell rings twice, look up.":            nil,
		"Turn the pancake over, look up.":              nil, // an order that would be lost
		"Where did you put my glasses, look up.":       nil,
		"Come on lads, move up the pitch!":             nil,
		"Move up the pitch, Graham":                    nil,
		"Let me get this straight, you sold the boat?": nil,
		"Look straight at it, have you sold the boat?": nil,
		"Tea at five, and be back by ten.":             nil,
		"The dog is outside, is it not, look up.":      nil,
	} {
		var got []string
		for _, a := range Asides(Analyse(text)) {
			if !a.Bare {
				got = append(got, a.Text)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
