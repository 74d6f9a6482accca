package release

import "testing"

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		order int // sign
		ok    bool
	}{
		{"v0.2.0", "0.1.9", 1, true},
		{"v0.10", "0.9", 1, true},
		{"0.1", "v0.1.0", 0, true},
		{"0.1", "0.1+git5.abc1234", -1, true},
		{"0.1+git10.abc", "0.1+git9.def", 1, true},
		{"v1", "0.9.9", 1, true},
		{"0.1", "d4d1826-dirty", 0, false},
		{"latest", "0.1", 0, false},
		{"", "0.1", 0, false},
		{"0.1+gitx", "0.1", 0, false},
		{"-1", "0", 0, false},
		{"99999999999999999999", "1", 0, false},
	} {
		order, ok := Compare(c.a, c.b)
		if ok != c.ok || order > 0 != (c.order > 0) || order < 0 != (c.order < 0) {
			t.Errorf("Compare(%q, %q) = %d, %v", c.a, c.b, order, ok)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("v0.1.2", "0.1+git3.abc")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := Compare(a, b)
		y, same := Compare(b, a)
		if ok != same || x > 0 != (y < 0) {
			t.Errorf("Compare(%q, %q) = %d, %v; the other way %d, %v", a, b, x, ok, y, same)
		}
	})
}
