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

func TestClausesThatAsk(t *testing.T) {
	for _, c := range []struct {
		said      string
		at        int
		asks, sum string
	}{
		{"He wants it for three weeks, what's the date in three weeks?", 1, "what's the date in three weeks?", ""},
		{"72 divided by 5? I need five equal shelves", 0, "72 divided by 5?", "72 divided by 5"},
		{"Forty-five plus six, what minute is that?", 0, "Forty-five plus six?", "Forty-five plus six"},
		{"which is right, this one or that one?", 1, "", ""},
		{"the bus was late, I had to run", 1, "", ""},
		{"3 plus 4, 5 plus 6", 0, "3 plus 4?", ""}, // which of them
		{"turn left 20, right 30", 0, "", ""},
	} {
		u := Analyse(c.said)
		if got := ClauseAsks(u, c.at); got != c.asks {
			t.Errorf("%q: asks %q, want %q", c.said, got, c.asks)
		}
		if got := ClauseSum(u); got != c.sum {
			t.Errorf("%q: sum %q, want %q", c.said, got, c.sum)
		}
	}
	if got := LastQuantity(Analyse("I ran thirteen miles today, how many kilometres is that?"), 6); got != "thirteen miles" {
		t.Errorf("told %q", got)
	}
}
