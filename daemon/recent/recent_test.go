package recent

import "testing"

// The latest texts are remembered; one that is noted again is changed, and makes no other be forgotten.
func TestTexts(t *testing.T) {
	var r Texts
	if _, known := r.Get("a"); known {
		t.Error("a is known before it was noted")
	}
	for _, n := range [][2]string{{"a", "1"}, {"b", "2"}, {"b", "3"}, {"c", "4"}} {
		r.Note(n[0], n[1], 2)
	}
	for id, want := range map[string]string{"a": "", "b": "3", "c": "4"} {
		if got, known := r.Get(id); got != want || known != (want != "") {
			t.Errorf("%s: %q, %v, want %q", id, got, known, want)
		}
	}
}
