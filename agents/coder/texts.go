package coder

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var (
	aboutTexts = language.Sentences("texts")
	noTexts    = language.Sentences("no-texts")
	comma      = regexp.MustCompile(`\s*(?:,\s*and\s+|,\s*|\s+and\s+|;\s*)\s*`)
)

// notText says whether a text stands for something else than itself: "reverse it", "reverse the direction".
func notText(t string) bool { return noTexts.Find(template.Split(t)) != nil }

// textOf is the text that a sentence is about by a rule; empty when it is about none.
func textOf(s *language.Request, rule, slot string) (text string, m *template.Match) {
	if m = aboutTexts.Rule(rule).Find(s.Said); m == nil {
		return "", nil
	}
	return textIn(m.Slot(slot)), m
}

// textIn cleans a text that was named; empty when it stands for something else. What is in quotes is always itself.
func textIn(t string) string {
	t = strings.TrimSpace(t)
	if n := len(t); n > 2 && (t[0] == '"' && t[n-1] == '"' || t[0] == '\'' && t[n-1] == '\'') {
		return t[1 : n-1]
	}
	if notText(t) || strings.HasSuffix(t, ",") { // what follows the comma was about the text
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(t, `"`, ""))
}

func readReverse(s *language.Request, _ time.Time) args {
	if t, _ := textOf(s, "reverse", "text"); t != "" {
		return args{"text": t}
	}
	return nil
}

func readCount(s *language.Request, _ time.Time) args {
	if t, m := textOf(s, "count", "text"); t != "" {
		return args{"what": strings.ToLower(m.Slot("what")), "text": t}
	}
	return nil
}

func countInText(a args) (any, error) {
	t, n := a["text"].(string), 0
	if len(t) > 2000 {
		return nil, errValue
	}
	var is func(r rune) bool
	switch a["what"] {
	case "words":
		return len(strings.Fields(t)), nil
	case "characters":
		return utf8.RuneCountInString(t), nil
	case "letters":
		is = unicode.IsLetter
	case "digits":
		is = unicode.IsDigit
	case "vowels":
		is = func(r rune) bool { return strings.ContainsRune("aeiouAEIOU", r) }
	case "consonants":
		is = func(r rune) bool { return unicode.IsLetter(r) && !strings.ContainsRune("aeiouAEIOU", r) }
	default:
		return nil, errValue
	}
	for _, r := range t {
		if is(r) {
			n++
		}
	}
	return n, nil
}

func readLetter(s *language.Request, _ time.Time) args {
	t, m := textOf(s, "letter", "text")
	if t == "" {
		return nil
	}
	letter := strings.TrimLeft(strings.ToLower(m.Slot("letter")), `"'`)
	if letter == "" || letter[0] < 'a' || letter[0] > 'z' || strings.Trim(letter[1:], `"'s`) != "" {
		return nil
	}
	return args{"letter": letter[:1], "text": t}
}

func readCase(s *language.Request, _ time.Time) args {
	text, m := textOf(s, "case-first", "text")
	if m == nil {
		text, m = textOf(s, "case-last", "text")
	}
	if text == "" {
		return nil
	}
	how := strings.ToLower(m.Slot("case"))
	switch {
	case strings.HasPrefix(how, "lower"), strings.HasPrefix(how, "small"):
		how = "lower"
	case strings.Contains(how, "title"), strings.HasPrefix(how, "capitali"):
		how = "title"
	default:
		how = "upper"
	}
	return args{"text": text, "case": how}
}

func changeCase(a args) (any, error) {
	t := a["text"].(string)
	if len(t) > 2000 {
		return nil, errValue
	}
	switch a["case"] {
	case "upper":
		return strings.ToUpper(t), nil
	case "lower":
		return strings.ToLower(t), nil
	case "title":
		words := strings.Split(t, " ")
		for i, w := range words {
			if r, n := utf8.DecodeRuneInString(w); n > 0 {
				words[i] = strings.ToUpper(string(r)) + strings.ToLower(w[n:])
			}
		}
		return strings.Join(words, " "), nil
	}
	return nil, errValue
}

func readSort(s *language.Request, _ time.Time) args {
	m := aboutTexts.Rule("sort").Find(s.Said)
	if m == nil {
		return nil
	}
	text, how := m.Slot("items"), strings.ToLower(m.Slot("order"))
	if text == "" || notText(text) {
		return nil
	}
	items := comma.Split(strings.TrimSpace(text), -1)
	if len(items) == 1 {
		if items = strings.Fields(text); len(items) < 3 && how == "" {
			return nil
		}
	}
	items = slices.DeleteFunc(items, func(i string) bool { return i == "" })
	if len(items) < 2 {
		return nil
	}
	for _, i := range items {
		if strings.Count(i, " ") > 2 || notText(i) {
			return nil
		}
	}
	down := strings.Contains(how, "descending") || strings.Contains(how, "reverse") || strings.Contains(how, "backwards") ||
		strings.HasPrefix(how, "from l") && !strings.HasPrefix(how, "from low") || strings.HasPrefix(how, "from b") || strings.HasPrefix(how, "from h")
	a := args{"items": items}
	if down {
		a["descending"] = true
	}
	return a
}

var plainNumber = regexp.MustCompile(`^-?\d+(?:\.\d*)?$`)

func sortItems(a args) (any, error) {
	items := slices.Clone(a["items"].([]string))
	if len(items) < 1 || len(items) > 500 {
		return nil, errValue
	}
	all := !slices.ContainsFunc(items, func(i string) bool { return !plainNumber.MatchString(i) })
	slices.SortStableFunc(items, func(x, y string) int {
		if !all {
			return strings.Compare(strings.ToLower(x), strings.ToLower(y))
		}
		f, _ := number(x)
		g, _ := number(y)
		switch {
		case f < g:
			return -1
		case f > g:
			return 1
		}
		return 0
	})
	if a["descending"] == true {
		slices.Reverse(items)
	}
	return items, nil
}

func readSpell(s *language.Request, _ time.Time) args {
	if strings.HasPrefix(s.Lower, "how is") && !strings.HasSuffix(s.Lower, " spelled") && !strings.HasSuffix(s.Lower, " spelt") {
		return nil // "how is Anna"
	}
	t, _ := textOf(s, "spell", "word")
	if t == "" || strings.ContainsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) {
		return nil
	}
	return args{"word": t}
}

func readPalindrome(s *language.Request, _ time.Time) args {
	if t, _ := textOf(s, "palindrome", "text"); t != "" {
		return args{"text": t}
	}
	return nil
}
