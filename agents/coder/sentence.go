package coder

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// sentence is what somebody said, in the forms in which templates look at it.
type sentence struct {
	text  string   // without politeness and the marks at its end, in its own letters
	lower string   // text in lower case
	nums  string   // lower, with numbers in digits: "fifteen percent" is "15 percent"
	words []string // of lower

	said    *template.Sentence // text
	small   *template.Sentence // lower
	counted *template.Sentence // nums
}

// maxSentence is the longest text that templates look at, bytes; longer ones are no requests of one sentence.
const maxSentence = 400

// The patterns are in perception/language/en/coder.txt.
var (
	politeness = language.Patterns("politeness")
	consent    = language.Sentences("consent")
	quotes     = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "×", "*", "÷", "/", "−", "-", "–",
		"-")
)

const marks = " .!?,;:"

// sense reads a text.
func sense(text string) *sentence {
	if len(text) > maxSentence {
		text = ""
	}
	text = strings.Trim(strings.Join(strings.Fields(quotes.Replace(text)), " "), marks)
	for range 3 {
		before := text
		if text = impolite(text); text == before {
			break
		}
	}
	text = strings.Trim(text, marks)
	s := &sentence{text: text, lower: strings.ToLower(text)}
	s.words = strings.FieldsFunc(s.lower, func(r rune) bool { return strings.ContainsRune(" ,.;:!?", r) })
	s.nums = language.InDigits(s.lower)
	s.said, s.small, s.counted = template.Split(s.text), template.Split(s.lower), template.Split(s.nums)
	return s
}

// impolite takes off what stands before and behind a request.
func impolite(text string) string {
	said := template.Split(text)
	find := func(name string) *template.Match {
		if said.Text != text {
			said = template.Split(text)
		}
		return politeness.Rule(name).Find(said)
	}
	if m := find("before"); m != nil {
		rest := m.After()
		if strings.Contains(m.Text(), " ") || rest != "" && !strings.Contains(marks+"-<>/", rest[:1]) { // "Hello! …" is more than politeness
			text = rest
		}
	}
	if m := find("tell"); m != nil {
		text = m.From("question")
	}
	if m := find("would"); m != nil && strings.ContainsAny(m.Slot("sum"), "0123456789") {
		text = "what is " + m.Slot("sum")
	}
	if m := find("after"); m != nil && m.Before() != "" {
		text = m.Before()
	}
	return text
}

func (s *sentence) has(word string) bool { return slices.Contains(s.words, word) }

func (s *sentence) hasAny(words ...string) bool { return slices.ContainsFunc(words, s.has) }

func (s *sentence) yes() bool { return s.consents("yes") }

func (s *sentence) no() bool { return s.consents("no") }

func (s *sentence) consents(how string) bool {
	return len(s.lower) < 40 && consent.Rule(how).Find(template.Split(strings.ReplaceAll(s.lower, ",", ""))) != nil
}

// number reads digits; ok is false when there are none.
func number(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x, err == nil && x > -1e15 && x < 1e15
}

// original is a part of the sentence in the letters in which it was said, when it can be found there.
func (s *sentence) original(part string) string {
	if at := strings.Index(s.lower, part); at >= 0 && len(s.lower) == len(s.text) {
		return s.text[at : at+len(part)]
	}
	return part
}
