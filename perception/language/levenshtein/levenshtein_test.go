package levenshtein

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"look", "look", 1, 0},
		{"look", "loook", 1, 1},
		{"look", "lok", 1, 1},
		{"look", "lokk", 1, 1},
		{"look", "olok", 1, 1},
		{"left", "right", 2, 3},
		{"", "ab", 2, 2},
		{"", "abc", 2, 3},
		{"müde", "mude", 1, 1},
		{strings.Repeat("a", 60), strings.Repeat("a", 58) + "bc", 2, 2},
		{"ca", "abc", 3, 3},
		{"a", "b", 0, 1},
		{"", "nod", 9, 3},
		{"nid", "nod", 9, 1},
		{"ndo", "nod", 9, 1}, // two that changed places are one slip
		{"kitten", "sitting", 9, 3},
		{"abc", "xyz", 9, 3},
	} {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Distance(p[0], p[1], c.limit); got != c.want {
				t.Errorf("Distance(%q, %q, %d) = %d, want %d", p[0], p[1], c.limit, got, c.want)
			}
		}
	}
}
