package coder

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const theText = `(?:(?:the |this |my )?(?:word|words|text|phrase|sentence|string|name|line)\s*:?\s+)?`

var (
	reverse1 = regexp.MustCompile(`(?i)^(?:reverse|invert|flip) ` + theText + `(.+)$`)
	reverse2 = regexp.MustCompile(`(?i)^(?:what is|what's|write|spell|say|how do you (?:write|spell|say)|how does|read|print) ` + theText + `(.+?) (?:(?:spelled|spelt|written|read|look like|sound) )?(?:backwards?|in reverse|from back to front)$`)
	reverse3 = regexp.MustCompile(`(?i)^(?:what is|what's|tell me|give me) the reverse of ` + theText + `(.+)$`)
	countOf1 = regexp.MustCompile(`(?i)^(?:how many|(?:what is |what's )?(?:the )?number of) (letters|characters|words|vowels|consonants|digits) (?:(?:are there|are|there are|do you find|does it have) )?in ` + theText + `(.+)$`)
	countOf2 = regexp.MustCompile(`(?i)^how many (letters|characters|words|vowels|consonants|digits) (?:does|do|has|have) ` + theText + `(.+?)(?: (?:have|has|contain|contains|consist of))?$`)
	countOf3 = regexp.MustCompile(`(?i)^count (?:all )?(?:the )?(letters|characters|words|vowels|consonants|digits) (?:in|of) ` + theText + `(.+)$`)
	letterIn = regexp.MustCompile(`(?i)^(?:how many|count the|how often is|how often does) (?:times (?:does|is) )?(?:the )?(?:letters? )?["']?([a-z])["']?(?:'?s)?(?: (?:are there|are|there are|occur|occurs|appear|appears|come|is there))? (?:in|there in) ` + theText + `(.+)$`)
	caseOf1  = regexp.MustCompile(`(?i)^(?:write|put|make|say|convert|turn|change|print|set) ` + theText + `(.+?) (?:in |into |to |as )?(?:all )?(upper ?case|lower ?case|capitals|capital letters|small letters|title case|a title|caps)(?: letters)?$`)
	caseOf2  = regexp.MustCompile(`(?i)^(upper ?case|lower ?case|capitali[sz]e) ` + theText + `(.+)$`)
	caseOf3  = regexp.MustCompile(`(?i)^what is ` + theText + `(.+?) in (upper ?case|lower ?case|capitals|capital letters|small letters|title case)$`)
	sort1    = regexp.MustCompile(`(?i)^(?:sort|order|arrange|alphabeti[sz]e) (?:these |the |this )?(?:(?:words?|numbers?|list|names?|items?|letters)\s*:?\s+)?(.+?)(?:,? (alphabetically|by name|in alphabetical order|by size|in order|in ascending order|ascending|in descending order|descending|backwards|in reverse(?: order)?|from (?:small|low|smallest|lowest) to (?:large|big|high|largest|biggest|highest)|from (?:large|big|high|largest|biggest|highest) to (?:small|low|smallest|lowest)))?$`)
	sort2    = regexp.MustCompile(`(?i)^put (?:these |the )?(?:(?:words?|numbers?|names?|items?)\s*:?\s+)?(.+?) (?:in|into) (alphabetical order|ascending order|descending order|order)$`)
	spell1   = regexp.MustCompile(`(?i)^(?:spell|how do you spell|how is|how do i spell|spell out) ` + theText + `([\p{L}'-]+)(?: spelled| spelt| letter by letter| out)?$`)
	palin    = regexp.MustCompile(`(?i)^(?:is|are) ` + theText + `(.+?) (?:a )?palindromes?$`)
	comma    = regexp.MustCompile(`\s*(?:,\s*and\s+|,\s*|\s+and\s+|;\s*)\s*`)
)

// notText is what stands for something else than itself: "reverse it", "reverse the direction".
var notText = regexp.MustCompile(`(?i)^(?:(?:a|an|any|some|every|each|each of the) (?:word|text|sentence|phrase|name|string|line|book|page|file|list)s?|it|that|this|them|these|those|everything|yourself|me|your .*|my .*|the (?:direction|order|move|movement|last|list|course|antennas?|head|body|room|table|image|picture|photo|video|car|decision|text|words?|sentence|file|books?|mail|desk|things?|toys?)\b.*|direction|course|(?:the|a) .+ (?:on|in|under|behind|by|at) (?:the|my|your|our|this) .*|.* (?:you|your|i|we|he|she|they) .*)$`)

// textIn cleans a text that was named; empty when it stands for something else. What is in quotes is always itself.
func textIn(t string) string {
	t = strings.TrimSpace(t)
	if n := len(t); n > 2 && (t[0] == '"' && t[n-1] == '"' || t[0] == '\'' && t[n-1] == '\'') {
		return t[1 : n-1]
	}
	if notText.MatchString(t) {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(t, `"`, ""))
}

func readReverse(s *sentence, _ time.Time) args {
	for _, p := range []*regexp.Regexp{reverse1, reverse2, reverse3} {
		if m := p.FindStringSubmatch(s.text); m != nil {
			if t := textIn(m[1]); t != "" {
				return args{"text": t}
			}
		}
	}
	return nil
}

func readCount(s *sentence, _ time.Time) args {
	for _, p := range []*regexp.Regexp{countOf1, countOf2, countOf3} {
		if m := p.FindStringSubmatch(s.text); m != nil {
			if t := textIn(m[2]); t != "" {
				return args{"what": strings.ToLower(m[1]), "text": t}
			}
		}
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

func readLetter(s *sentence, _ time.Time) args {
	if m := letterIn.FindStringSubmatch(s.text); m != nil {
		if t := textIn(m[2]); t != "" {
			return args{"letter": strings.ToLower(m[1]), "text": t}
		}
	}
	return nil
}

func readCase(s *sentence, _ time.Time) args {
	text, how := "", ""
	if m := caseOf2.FindStringSubmatch(s.text); m != nil {
		how, text = m[1], m[2]
	} else if m := caseOf1.FindStringSubmatch(s.text); m != nil {
		text, how = m[1], m[2]
	} else if m := caseOf3.FindStringSubmatch(s.text); m != nil {
		text, how = m[1], m[2]
	}
	if text = textIn(text); text == "" {
		return nil
	}
	how = strings.ToLower(how)
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

func readSort(s *sentence, _ time.Time) args {
	text, how := "", ""
	if m := sort1.FindStringSubmatch(s.text); m != nil {
		text, how = m[1], strings.ToLower(m[2])
	} else if m := sort2.FindStringSubmatch(s.text); m != nil {
		text, how = m[1], strings.ToLower(m[2])
	}
	if text == "" || notText.MatchString(text) {
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
		if strings.Count(i, " ") > 2 || notText.MatchString(i) {
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

func readSpell(s *sentence, _ time.Time) args {
	if strings.HasPrefix(s.lower, "how is") && !strings.HasSuffix(s.lower, " spelled") && !strings.HasSuffix(s.lower, " spelt") {
		return nil // "how is Anna"
	}
	if m := spell1.FindStringSubmatch(s.text); m != nil {
		if t := textIn(m[1]); t != "" {
			return args{"word": t}
		}
	}
	return nil
}

func readPalindrome(s *sentence, _ time.Time) args {
	if m := palin.FindStringSubmatch(s.text); m != nil {
		if t := textIn(m[1]); t != "" {
			return args{"text": t}
		}
	}
	return nil
}
