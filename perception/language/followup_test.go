package language

import (
	"slices"
	"testing"
)

// What leans on the exchange before is an operation, sure where nothing else is said beside it.
func TestFollowUps(t *testing.T) {
	for _, c := range []struct {
		text  string
		ops   []string
		about float64 // the number; 0 for none
		alone bool
	}{
		{"And if I take away twelve from that?", []string{"minus"}, 12, true},
		{"Five more, I can hardly hear it.", []string{"plus", "low"}, 5, true},
		{"And shared between four of us?", []string{"over"}, 4, true},
		{"lol double it", []string{"double"}, 0, true},
		{"Roll it one more time, I want a bigger one!", []string{"again"}, 0, true},
		{"And what did it show, for those at the back?", []string{"tell"}, 0, true},
		{"One more time, look to the left", []string{"again"}, 0, false},
		{"there are ten more people in the kitchen", []string{"plus"}, 10, false},
		{"look left", nil, 0, false},
	} {
		f := FollowUpOf(Analyse(c.text))
		about := 0.0
		if len(f.Numbers) > 0 {
			about = f.Numbers[0]
		}
		if !slices.Equal(f.Ops, c.ops) || about != c.about || f.Alone != c.alone {
			t.Errorf("%q: %+v", c.text, f)
		}
	}
	for text, want := range map[string]string{"And scared also?": "scared", "once more, it was so funny": "", "happy or sad?": ""} {
		if f := FollowUpOf(Analyse(text)); f.Face != want {
			t.Errorf("%q: face %q, want %q", text, f.Face, want)
		}
	}
}
