package coder

import (
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/language"
)

// The parts of a question may stand in any order, and none may lack; a number or too much talk beside them makes it another question.
func TestPartsOfTools(t *testing.T) {
	all := toolParts()
	hypotenuse := all[slices.IndexFunc(all, func(p language.Parted) bool { return p.Name == "hypotenuse" })]
	for text, want := range map[string]string{
		"right angled triangle , legs 5 and 12 , what is the third side":               "5 12",
		"what is the long side , if 5 and 12 are the others of a right triangle":       "5 12",
		"the 2 short sides of a right triangle are 6 and 8 , how long is the other":    "6 8",
		"right angled triangle , legs 5 and 12":                                        "",
		"right angled triangle , leg 5 , what is the third side":                       "",
		"right angled triangle , legs 5 and 12 and 9 , what is the third side":         "",
		"5 and 12 , the third side of a right triangle " + strings.Repeat("so ", 40):   "",
		"5 and 12 , the third side of a right triangle " + strings.Repeat("so ", 10):   "5 12",
		"boards of 5 and 12 , a right triangle with 5 and 12 , how long is the other":  "5 12",
		"what is the third side of a right triangle with 5 and 12 and a hat of 3 ties": "",
	} {
		got := ""
		h := &heard{Request: &language.Request{Lower: text}}
		if parts := partsIn(&hypotenuse, text); parts != nil && !h.leftOver(parts) {
			got = parts.Slot("first") + " " + parts.Slot("second")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
