package truncate

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRunes(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""},
		{"nod", 0, ""},
		{"nod", 1, "…"},
		{"nod", 2, "n…"},
		{"nod", 3, "nod"},
		{"grüße", 5, "grüße"},
		{"grüße", 4, "grü…"},
	} {
		if got := Runes(c.text, c.most); got != c.want {
			t.Errorf("Runes(%q, %d) is %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func FuzzRunes(f *testing.F) {
	f.Add("grüße", 3)
	f.Add("\xff\xfe\xfd", 2)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most &= 1<<10 - 1
		got := Runes(s, most)
		if n := utf8.RuneCountInString(got); n > most || (got != s && most > 0 && (!strings.HasSuffix(got, "…") || n != most)) {
			t.Errorf("Runes(%q, %d) is %q, %d characters", s, most, got, n)
		}
	})
}
