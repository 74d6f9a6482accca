package compute

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// aWordOnly is a word that can be looked at; nil for what is none.
func spelt(v *value) []rune {
	if v.kind != text || len(v.text) > 60 {
		return nil
	}
	var all []rune
	for _, r := range v.text {
		if unicode.IsLetter(r) {
			all = append(all, r)
		}
	}
	return all
}

func capital(r rune) string { return string(unicode.ToUpper(r)) }

func spell(_ *context, v []*value) *value {
	letters := spelt(v[0])
	all := make([]string, 0, len(letters))
	for _, r := range letters {
		all = append(all, capital(r))
	}
	if len(all) < 2 {
		return nil
	}
	return reply(strings.Join(all, ", ") + ".")
}

// reversed are the letters of a text from the last to the first; nil where there are none to turn round.
func reversed(v *value) []rune {
	r := slices.Clone(spelt(v))
	if len(r) < 2 {
		return nil
	}
	slices.Reverse(r)
	return r
}

func backwards(_ *context, v []*value) *value {
	if r := reversed(v[0]); r != nil {
		return reply(string(r) + ".")
	}
	return nil
}

func spellBackwards(c *context, v []*value) *value {
	if r := reversed(v[0]); r != nil {
		return spell(c, []*value{{kind: text, text: string(r)}})
	}
	return nil
}

func howMany(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func letterCount(_ *context, v []*value) *value {
	if n := len(spelt(v[0])); n > 1 {
		return reply(fmt.Sprintf("“%s” has %s.", v[0].text, howMany(n, "letter", "letters")))
	}
	return nil
}

func wordCount(_ *context, v []*value) *value {
	n := len(strings.Fields(v[0].text))
	return reply(howMany(n, "word", "words") + ".")
}

// theLetter is the one letter that a value is.
func theLetter(v *value) (r rune, ok bool) {
	all := spelt(v)
	return first(all), len(all) == 1
}

func first(all []rune) rune {
	if len(all) == 0 {
		return 0
	}
	return all[0]
}

func occurrences(_ *context, v []*value) *value {
	l, ok := theLetter(v[0])
	if !ok || len(spelt(v[1])) < 2 {
		return nil
	}
	n := strings.Count(v[1].text, string(l))
	return reply(fmt.Sprintf("%d: the letter %s is %s in “%s”.", n, capital(l), howMany(n, "time", "times"), v[1].text))
}

func vowels(want bool) action {
	return func(_ *context, v []*value) *value {
		r := spelt(v[0])
		if len(r) < 2 {
			return nil
		}
		var found []string
		for _, l := range r {
			if strings.ContainsRune("aeiou", l) == want {
				found = append(found, capital(l))
			}
		}
		name := "vowels"
		if !want {
			name = "consonants"
		}
		if len(found) == 0 {
			return reply(fmt.Sprintf("“%s” has no %s.", v[0].text, name))
		}
		return reply(fmt.Sprintf("%d %s: %s.", len(found), name, strings.Join(found, ", ")))
	}
}

func letterAt(_ *context, v []*value) *value {
	n, ok := v[0].whole(-1, 60)
	r := spelt(v[1])
	if n < 0 {
		n = len(r)
	}
	if !ok || len(r) < 2 || n < 1 || n > len(r) {
		return nil
	}
	return reply(capital(r[n-1]) + ".")
}

func letterOfAlphabet(_ *context, v []*value) *value {
	n, ok := v[0].whole(-1, 26)
	if n < 0 {
		n = 26
	}
	if !ok || n < 1 {
		return nil
	}
	return reply(strings.ToUpper(alphabet[n-1:n]) + ".")
}

// nextLetter is a letter so many on in the alphabet.
func nextLetter(sign int) action {
	return func(_ *context, v []*value) *value {
		by, ok := 1, true
		if len(v) > 1 {
			by, ok = v[0].whole(1, 25)
		}
		l, ok2 := theLetter(v[len(v)-1])
		if !ok || !ok2 || l < 'a' || l > 'z' {
			return nil
		}
		at := int(l-'a') + sign*by
		if at < 0 || at > 25 {
			return reply("None: the alphabet has only 26 letters.")
		}
		return reply(strings.ToUpper(alphabet[at:at+1]) + ".")
	}
}

func palindrome(_ *context, v []*value) *value {
	r := spelt(v[0])
	if len(r) < 2 {
		return nil
	}
	back := slices.Clone(r)
	slices.Reverse(back)
	if slices.Equal(r, back) {
		return reply(fmt.Sprintf("Yes, “%s” is a palindrome: it reads the same backwards.", v[0].text))
	}
	return reply(fmt.Sprintf("No: backwards “%s” is “%s”.", v[0].text, string(back)))
}

// sorted puts a list in order; down begins with the largest.
func sorted(down bool) action {
	return func(_ *context, v []*value) *value {
		all := slices.Clone(v[0].all)
		for _, o := range all[1:] {
			if o.kind != all[0].kind || o.kind == amount && !comparable(o, all[0]) {
				return nil
			}
		}
		slices.SortStableFunc(all, func(a, b *value) int {
			if a.kind == text {
				return strings.Compare(a.text, b.text)
			}
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return 0
		})
		if down {
			slices.Reverse(all)
		}
		return reply(upper(sayList(all)) + ".")
	}
}

func sayList(all []*value) string {
	var names []string
	for _, o := range all {
		if o.kind == text {
			names = append(names, o.text)
			continue
		}
		o.parts = true
		names = append(names, o.say())
	}
	return strings.Join(names, ", ")
}

// extreme is the largest or the smallest of a list of numbers; of words the longest or the shortest.
func extreme(most bool) action {
	return func(_ *context, v []*value) *value {
		all := v[0].all
		size := func(o *value) float64 {
			if o.kind == text {
				return float64(len(spelt(o)))
			}
			return o.x
		}
		best := all[0]
		for _, o := range all[1:] {
			if o.kind != best.kind || o.kind == amount && !comparable(o, best) {
				return nil
			}
			if (size(o) > size(best)) == most && size(o) != size(best) {
				best = o
			}
		}
		return reply(upper(sayList([]*value{best})) + ".")
	}
}

// withVowel are the words of a list that begin with a vowel.
func beginning(vowel bool) action {
	return func(_ *context, v []*value) *value {
		var all []*value
		for _, o := range v[0].all {
			if r := spelt(o); len(r) > 0 && strings.ContainsRune("aeiou", r[0]) == vowel {
				all = append(all, o)
			}
		}
		if len(all) == 0 {
			return reply("None of them.")
		}
		return reply(upper(sayList(all)) + ".")
	}
}

// phrase is several words as one.
func phrase(_ *context, v []*value) *value {
	s := ""
	for _, w := range v {
		if w.kind != text {
			return nil
		}
		s += " " + w.text
	}
	return &value{kind: text, text: strings.TrimSpace(s)}
}
