package coder

import (
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// consent is yes and no; see perception/language/en/coder.txt.
var consent = language.Sentences("consent")

// consents reports whether a request is nothing but a "yes", or a "no".
func consents(s *language.Request, how string) bool {
	return len(s.Lower) < 40 && consent.Rule(how).Find(template.Split(strings.ReplaceAll(s.Lower, ",", ""))) != nil
}

// number reads digits; ok is false when there are none.
func number(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x, err == nil && x > -1e15 && x < 1e15
}

// asides are what stands around a question that can be worked out; see perception/language/en/coder.txt.
var asides = language.Patterns("around-sums")

// withoutAsides is a request without the first aside around it; nil when there is none.
func withoutAsides(s *language.Request) *language.Request {
	text := s.Text
	in := template.Split(strings.ToLower(text))
	if len(text) != len(strings.ToLower(text)) {
		return nil
	}
	if m := asides.Rule("after").Find(in); m != nil && m.Before() != "" {
		text = text[:len(m.Before())]
	} else if m := asides.Rule("before").Find(in); m != nil && m.After() != "" {
		text = text[len(text)-len(m.After()):]
	} else {
		return nil
	}
	return language.Analyse(strings.Trim(text, " ,;:")).Request()
}
