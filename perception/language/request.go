package language

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language/template"
)

// Request is what a text asks for: without politeness and the marks at its end, in the forms in which templates look at it.
type Request struct {
	Text   string   // in its own letters; empty when the text is longer than MaxRequest
	Lower  string   // Text in lower case
	Digits string   // Lower with numbers in digits: "fifteen percent" is "15 percent"
	Words  []string // of Lower, without marks

	Said    *template.Sentence // Text
	Small   *template.Sentence // Lower
	Counted *template.Sentence // Digits
}

// MaxRequest is the longest text that is read as a request, in bytes; a longer one is no request of one sentence.
const MaxRequest = 400

// politeness stands before and behind a request; see en/coder.txt.
var politeness = Patterns("politeness")

// plainMarks writes marks of typesetters as those of keyboards.
var plainMarks = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "×", "*", "÷", "/", "−", "-", "–",
	"-")

const sentenceMarks = " .!?,;:"

// morseCode is a text that begins or ends with letters of Morse code, of which the dots are no marks.
var morseCode = regexp.MustCompile(`(?:^|\s)[-.]+\s[-.]+[ !?,;:]*$|^[-.]+\s[-.]+(?:\s|$)`)

// trimMarks takes the marks off both ends of a text.
func trimMarks(text string) string {
	if morseCode.MatchString(text) {
		return strings.Trim(text, " !?,;:")
	}
	return strings.Trim(text, sentenceMarks)
}

// Request returns what the text asks for. It is made when it is asked for first.
func (u *Utterance) Request() *Request {
	u.asked.Do(func() { u.request = newRequest(u.Text) })
	return u.request
}

// RequestAs returns what the text asks for in other words. The latest is kept, for those who ask next.
func (u *Utterance) RequestAs(text string) *Request {
	if o := u.other.Load(); o != nil && o.said == text {
		return o.request
	}
	r := newRequest(text)
	u.other.Store(&reworded{text, r})
	return r
}

// reworded is a text in other words, and what it asks for.
type reworded struct {
	said    string
	request *Request
}

func newRequest(text string) *Request {
	if len(text) > MaxRequest {
		text = ""
	}
	text = trimMarks(strings.Join(strings.Fields(plainMarks.Replace(text)), " "))
	said := template.Split(text)
	for range 3 {
		before := text
		if text, said = impolite(text, said); text == before {
			break
		}
	}
	r := &Request{Text: trimMarks(text)}
	r.Lower = strings.ToLower(r.Text)
	r.Words = strings.FieldsFunc(r.Lower, func(c rune) bool { return strings.ContainsRune(" ,.;:!?", c) })
	r.Digits = InDigits(r.Lower)
	r.Said = said.Of(r.Text)
	r.Small = r.Said.Of(r.Lower)
	r.Counted = r.Small.Of(r.Digits)
	return r
}

// impolite takes off what stands before and behind a request.
func impolite(text string, said *template.Sentence) (string, *template.Sentence) {
	find := func(name string) *template.Match {
		said = said.Of(text)
		return politeness.Rule(name).Find(said)
	}
	if m := find("before"); m != nil {
		rest := m.After()
		if strings.Contains(m.Text(), " ") || rest != "" && !strings.Contains(sentenceMarks+"-<>/", rest[:1]) { // "Hello! …" is more than politeness
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
	return text, said.Of(text)
}

// Has reports whether a word is said.
func (r *Request) Has(word string) bool { return slices.Contains(r.Words, word) }

// HasAny reports whether one of the words is said.
func (r *Request) HasAny(words ...string) bool { return slices.ContainsFunc(words, r.Has) }

// Original is a part of Lower in the letters in which it was said, where it can be found there.
func (r *Request) Original(part string) string {
	if at := strings.Index(r.Lower, part); at >= 0 && len(r.Lower) == len(r.Text) {
		return r.Text[at : at+len(part)]
	}
	return part
}
