package tool

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		far  int
	}{{"", "", 0}, {"", "nod", 3}, {"nod", "nod", 0}, {"nd", "nod", 1}, {"node", "nod", 1}, {"nid", "nod", 1}, {"ndo", "nod", 2}, {"kitten", "sitting", 3}, {"abc", "xyz", 3}} {
		if there, back := Distance(c.a, c.b), Distance(c.b, c.a); there != c.far || back != c.far {
			t.Errorf("%q and %q: %d there and %d back, want %d", c.a, c.b, there, back, c.far)
		}
	}
}
