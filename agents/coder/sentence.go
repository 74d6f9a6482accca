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
