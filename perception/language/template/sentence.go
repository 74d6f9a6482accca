package template

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is a text cut into tokens: words and numbers, what follows an apostrophe, and single other characters.
type Sentence struct {
	Text   string
	tokens []token
}

// token is a piece of a sentence in lower case.
type token struct {
	word       string
	start, end int  // bytes of the text
	glued      bool // no blank stands before it
	number     bool
	mark       bool // , ; : . ! ? behind a word
}

// maxTokens is how much of a text is looked at: the rest of a longer one is no request of a person.
const maxTokens = 1000

// Split cuts a text into tokens. At most 1000 of them are looked at.
func Split(text string) *Sentence {
	s := &Sentence{Text: text, tokens: make([]token, 0, 1+strings.Count(text, " "))}
	gap := true
	for i := 0; i < len(text) && len(s.tokens) < maxTokens; {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			gap = true
			i += n
			continue
		}
		end, number := tokenEnd(text, i, gap)
		s.tokens = append(s.tokens, token{
			word: strings.ReplaceAll(strings.ToLower(text[i:end]), "’", "'"), start: i, end: end, glued: !gap, number: number,
			mark: strings.IndexByte(",;:.!?", text[i]) >= 0 && !letterAt(text, end),
		})
		gap, i = false, end
	}
	return s
}

// Of cuts a text into tokens; it is s where s is of that text.
func (s *Sentence) Of(text string) *Sentence {
	if s.Text == text {
		return s
	}
	return Split(text)
}

// Len is how many tokens there are.
func (s *Sentence) Len() int { return len(s.tokens) }

// tokenEnd returns where the token that begins at i ends. A sign belongs to a number that stands alone.
func tokenEnd(text string, i int, gap bool) (end int, number bool) {
	sign := 0
	if gap && text[i] == '-' {
		sign = 1
	}
	if n := numberLen(text[i+sign:]); n > 0 {
		return i + sign + n, true
	}
	end = i
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		apostrophe := (r == '\'' || r == '’') && end == i && !gap && letterAt(text, end+n)
		if !inWord(r) && !apostrophe {
			if end == i {
				end += n
			}
			break
		}
		end += n
	}
	return end, false
}

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r)
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
}

// numberLen is the length of the number at the beginning of a text: 12, 3.5, 10:30, 2026-11-21. "3rd" and "4x4" are words.
func numberLen(text string) int {
	i := 0
	for i < len(text) && digit(text[i]) {
		i++
		if i+1 < len(text) && strings.IndexByte(".:-", text[i]) >= 0 && digit(text[i+1]) {
			i++
		}
	}
	if i == 0 {
		return 0
	}
	if r, _ := utf8.DecodeRuneInString(text[i:]); i < len(text) && inWord(r) {
		return 0
	}
	return i
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// plain reports whether a number has nothing but digits, a sign and one point.
func plain(word string) bool {
	points := 0
	for i := range len(word) {
		switch c := word[i]; {
		case c == '.':
			points++
		case c == '-' && i == 0:
		case !digit(c):
			return false
		}
	}
	return points <= 1
}

// clock reports whether a number is a time of day: 7, 10:30, 10.30.
func clock(word string) bool {
	hour, minute, found := strings.Cut(strings.Replace(word, ".", ":", 1), ":")
	return len(hour) <= 2 && hour != "" && strings.Trim(hour, "0123456789") == "" && (!found || minutes(minute))
}

// minutes reports whether a number is 00 to 59.
func minutes(word string) bool {
	return len(word) == 2 && word[0] >= '0' && word[0] <= '5' && digit(word[1])
}
