package template

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A rule is found where it would be if nothing were looked at before it.
func TestNeedsHideNothing(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "to", "the", "duck", "seven", "unsaid"})
	var alternatives func(depth int) *rapid.Generator[string]
	alternatives = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			var alts []string
			for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
				var seq []string
				for range rapid.IntRange(1, 3).Draw(t, "parts") {
					p := word.Draw(t, "word")
					if depth > 0 {
						inner := alternatives(depth - 1)
						switch rapid.IntRange(0, 7).Draw(t, "kind") {
						case 0:
							p = "(" + inner.Draw(t, "group") + ")"
						case 1:
							p = "[" + inner.Draw(t, "option") + "] " + p
						case 2:
							p = "(" + word.Draw(t, "many") + " x)*"
						case 3:
							p = "(" + inner.Draw(t, "once") + " x)+"
						case 4:
							p = "{word}"
						case 5:
							p = "<list>"
						case 6:
							p = p[:1] + "*"
						}
					}
					seq = append(seq, p)
				}
				alts = append(alts, strings.Join(seq, " "))
			}
			return strings.Join(alts, "|")
		})
	}
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		text := alternatives(2).Draw(t, "template")
		s, err := Compile([]Entry{{Name: "<list>", Text: alternatives(1).Filter(func(text string) bool {
			return !strings.Contains(text, "<list>")
		}).Draw(t, "list")}, {Name: "rule", Text: text}}, false)
		if err != nil {
			t.Skip(err) // more than may be
		}
		in := Split(strings.Join(rapid.SliceOfN(rapid.OneOf(word, rapid.Just("x")), 1, 8).Draw(t, "sentence"), " "))
		rule := s.Rule("rule")
		got := rule.Find(in)
		needs := rule.needs
		rule.needs = [maxNeeds]uint16{}
		want := rule.Find(in)
		if (got == nil) != (want == nil) || got != nil && (got.from != want.from || got.to != want.to) {
			t.Fatalf("%q in %q: %v, without its needs %v: %v", text, in.Text, got, needs, want)
		}
		if needs != rule.needs && got != nil {
			met++
		}
	})
	if met == 0 {
		t.Error("no rule with a need was found, so that nothing was shown")
	}
}

// Of many words those that tell most are what a rule needs.
func TestNeeds(t *testing.T) {
	for text, want := range map[string]string{
		"what is the root of {number}":                  "[[what] [root] [the] [is]]",
		"(what is|tell me) (a|the) (square|cubic) root": "[[square cubic] [what tell] [root] [a the]]",
		"[please] {text}":                               "[]",
		"stop|{number}":                                 "[]",
		"(very)+ <animal>":                              "[[very] [cat dog]]",
		"undress*":                                      "[]",
	} {
		s := compile(t, false, "<animal> = cat|dog", "rule = "+text)
		names := s.Words()
		var got [][]string
		for _, at := range s.Rule("rule").needs {
			var one []string
			for _, id := range s.prog.row(at) {
				one = append(one, names[id])
			}
			if at != 0 {
				got = append(got, one)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q needs %v, want %s", text, got, want)
		}
	}
}
