package language

import "testing"

func TestWhatIsSaidAgainCountsOnce(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Look at me! Look at me!", "look at me !"},
		{"Turn left. I said, turn left.", "turn left ."},
		{"turn left... turn left 45 degrees", "turn left 45 degrees"},
		{"turn your, um, turn your head", "turn your head"},
		{"raise your left, raise your left antenna", "raise your left antenna"},
		{"Nod! Did you hear me? Nod!", "nod !"},
		{"Lower both antennas! Please lower both antennas!", "lower both antennas !"},
		{"look left and up! look left and up!", "look left and up !"},
		{"turn left, turn left again", "turn left , turn left again"},
		{"turn left 10, turn left 10", "turn left 10 , turn left 10"},
		{"turn left and turn left", "turn left and turn left"},
		{"nod, nod", "nod , nod"},
		{"say look up! look up!", "say look up ! look up !"},
		{"look left, look right, look left, look right", "look left , look right , look left , look right"},
	} {
		got := ""
		for _, tok := range Analyse(c.text).Tokens {
			got += " " + tok.Word
		}
		if got != " "+c.want {
			t.Errorf("%q is read as%q, want %q", c.text, got, c.want)
		}
	}
}
