package api

import (
	"regexp"
	"strings"
	"testing"
)

func FuzzIsName(f *testing.F) {
	for _, s := range []string{
		"", "a", " a", "_a", "Ada's", "küche 2", "½", "a.b", "x@y", strings.Repeat("é", 64), strings.Repeat("é", 65),
		"a\xff", "a\n", "日本_ -",
	} {
		f.Add(s)
	}
	plain, more := regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}$`), regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} _.@-]{0,63}$`)
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := IsName(s, "_-"), plain.MatchString(s); got != want {
			t.Errorf("%q: %t, want %t", s, got, want)
		}
		if got, want := IsName(s, "_.@-"), more.MatchString(s); got != want {
			t.Errorf("%q with marks: %t, want %t", s, got, want)
		}
	})
}
