package coder

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// mostBeside is how many words of a question no part of a tool explains.
const mostBeside = 34

// foundParts are the parts of a question that are slots.
type foundParts struct {
	parts []*template.Match
	left  string // what none of them used up
}

// Slot is what stands in a slot of one of the parts.
func (f *foundParts) Slot(name string) string {
	for _, m := range f.parts {
		if text := m.Slot(name); text != "" {
			return text
		}
	}
	return ""
}

// fromParts finds the template whose parts all stand in a sentence, in any order, where no number is left over.
func (h *heard) fromParts(may func(name string) bool) *wanted {
	for _, t := range toolParts() {
		if !may(t.Name) {
			continue
		}
		text := h.Digits
		if textTools().Named(t.Name) { // names keep their capitals, and words their numbers
			text = h.Said.Text
		}
		parts := partsIn(&t, text)
		if parts == nil || h.leftOver(parts) {
			continue
		}
		k, err := dataTemplate(t.Name)
		if err != nil {
			panic(err) // it is in this program
		}
		if a := h.arguments(k, parts); a != nil {
			return &wanted{toolTemplate: k, args: a, match: parts, lacks: h.lacks}
		}
	}
	return nil
}

// leftOver says whether a number of a question is none of its parts. One that is said twice is explained once: "the gcd of 84 and 126" after
// "a board of 84 cm and one of 126 cm"; and so is a "one" that only counts: "each one".
func (h *heard) leftOver(found *foundParts) bool {
	used := map[string]bool{}
	for _, m := range found.parts {
		for w := range strings.FieldsSeq(m.Text()) {
			used[bareNumeral(w)] = true
		}
	}
	if !slices.Contains(strings.FieldsFunc(h.Lower, notDigit), "1") {
		used["1"] = true
	}
	left := strings.Fields(found.left)
	for i, w := range left {
		if numerals(w) > 0 && (!used[bareNumeral(w)] || w == "1" && i+1 < len(left) && units.Of(left[i+1]) != nil) {
			return true
		}
	}
	return false
}

// bareNumeral is a number without the marks around it.
func bareNumeral(w string) string { return strings.Trim(w, "-(),.;:!?$€£") }

// partsIn are the parts that are found in a text; nil where one lacks.
func partsIn(t *language.Parted, text string) *foundParts {
	in := template.Split(text)
	found := &foundParts{}
	for _, p := range t.Parts {
		m := p.Rule.Find(in)
		switch {
		case p.Unlike && m != nil || m == nil && !p.Optional && !p.Unlike:
			return nil
		case m == nil || m.Text() == "":
			continue
		}
		found.parts = append(found.parts, m)
		if numerals(m.Text()) > 0 { // it is used up; what only says what it is about may stand beside a number, too
			in = template.Split(m.Before() + " , " + m.After())
		}
	}
	if found.left = in.Text; len(strings.FieldsFunc(found.left, between)) > mostBeside {
		return nil
	}
	return found
}

// between says what stands between words.
func between(r rune) bool { return r == ' ' || r == ',' }
