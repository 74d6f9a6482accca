package planner

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	faceSentences = language.Sentences("faces")
	noNames       = language.Words("no-person-names")
	politeFirst   = language.Patterns("memory-parts")
)

// faceTools are the tools for faces that are known by name.
var faceTools = map[string]bool{"remember_face": true, "recognize_face": true, "forget_face": true}

// whoseFace asks for the name that is missing.
const whoseFace = `Whose face is it? Say for example: "remember my face, I am Tom".`

// OfFaces returns the tool by which a plan remembers, recognises or forgets a face, or would if it had a name; "" for any other plan.
func OfFaces(p Plan) string {
	switch {
	case len(p.Steps) == 1 && faceTools[p.Steps[0].Tool]:
		return p.Steps[0].Tool
	case p.Outcome == OutcomeError && p.Message == whoseFace:
		return "remember_face"
	}
	return ""
}

// faces reads a sentence all of which is about whose face is whose; false for any other.
func faces(u *language.Utterance) (out Plan, ok bool) {
	text := strings.TrimRight(strings.Join(strings.Fields(u.Text), " "), ".!? ")
	if m := politeFirst.Rule("polite").Find(u.Said.Of(text)); m != nil {
		text = m.After()
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, " please"), ",")
	m := faceSentences.Find(u.Said.Of(text))
	if m == nil {
		return out, false
	}
	step := Step{Args: map[string]any{}}
	if name := m.Slot("name"); name != "" {
		if !personName(name) {
			return out, false
		}
		step.Args["name"] = capital(name)
	}
	switch m.Rule.Name {
	case "nameless":
		return Plan{Text: u.Text, Outcome: OutcomeError, Steps: []Step{}, Message: whoseFace}, true
	case "remember", "introduced":
		step.Tool = "remember_face"
	case "forget", "forget-all":
		step.Tool = "forget_face"
	default:
		step.Tool = "recognize_face"
	}
	return Plan{Text: u.Text, Outcome: OutcomePlan, Steps: []Step{step}}, true
}

// personName reports whether a word is a name: a given one, or one that is written like a name and no other word.
func personName(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	small := strings.ToLower(word)
	switch {
	case noNames[small]:
		return false
	case unicode.IsUpper(r):
		return len(word) > n && (givenNames[small] || !language.Known(small))
	}
	return givenNames[small]
}

// capital writes a name with a capital letter.
func capital(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}
