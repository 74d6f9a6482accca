package language

import "testing"

func TestStems(t *testing.T) {
	for w, want := range map[string][2]string{ // singular, stem
		"cats": {"cat", "cat"}, "glass": {"glass", "glass"}, "colours": {"colour", "colour"}, "bus": {"bus", "bus"},
		"looking": {"looking", "look"}, "looked": {"looked", "look"}, "looks": {"look", "look"}, "nodding": {"nodding", "nod"},
		"take": {"take", "take"}, "taking": {"taking", "tak"}, "telling": {"telling", "tell"}, "image": {"image", "imag"}, "": {"", ""},
		"boxes": {"box", "box"}, "berries": {"berry", "berri"},
	} {
		if got := [2]string{Singular(w), Stem(w)}; got != want {
			t.Errorf("%q: %q, want %q", w, got, want)
		}
	}
}
