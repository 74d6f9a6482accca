package reward

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

//go:embed en/*.txt
var files embed.FS

// role is a bit for each thing that a word does in a sentence of feedback.
type role uint64

// vocabulary is what the text files say of vocab().
type vocabulary struct {
	valence map[string]int8 // −3 … 3
	roles   map[string]role
	names   []string        // of the roles, by bit
	bit     map[string]role // the same the other way round
	phrases map[string]int8 // words parted by spaces, to a level
	marks   map[string]role // such phrases that have a role
	begins  map[string]int  // first words of phrases, to the most words of one

	meant       map[string]uint32 // phrases, to a bit of Meanings
	meantBegins map[string]int
}

// english is the vocabulary; a file that does not parse is a programming error.
var english = spare[vocabulary]{read: func() *vocabulary {
	v, err := readVocabulary()
	if err != nil {
		panic(err)
	}
	return v
}}

// vocab is the vocabulary of English.
func vocab() *vocabulary { return english.get() }

// lines calls fn with what stands before and after the colon of each line of a file.
func lines(name string, fn func(key, rest string) error) error {
	data, err := files.ReadFile("en/" + name)
	if err != nil {
		return err
	}
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, rest, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%s:%d: no colon", name, n+1)
		}
		if err := fn(key, rest); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
	}
	return nil
}

func readVocabulary() (*vocabulary, error) {
	v := &vocabulary{
		valence: map[string]int8{}, roles: map[string]role{}, bit: map[string]role{},
		phrases: map[string]int8{}, marks: map[string]role{}, begins: map[string]int{},
		meant: map[string]uint32{}, meantBegins: map[string]int{},
	}
	err := lines("valence.txt", func(key, rest string) error {
		level, err := strconv.ParseInt(key, 10, 8)
		if err != nil {
			return err
		}
		for _, w := range strings.Fields(rest) {
			if _, known := v.valence[w]; !known {
				v.valence[w] = int8(level)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = lines("roles.txt", func(key, rest string) error {
		b := v.role(key)
		for _, w := range strings.Fields(rest) {
			v.roles[w] |= b
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := lines("phrases.txt", v.addPhrases); err != nil {
		return nil, err
	}
	return v, lines("meant.txt", v.addMeant)
}

func (v *vocabulary) role(name string) role {
	b, known := v.bit[name]
	if !known {
		b = 1 << len(v.names)
		v.names, v.bit[name] = append(v.names, name), b
	}
	return b
}

func (v *vocabulary) addPhrases(key, rest string) error {
	level, err := strconv.ParseInt(key, 10, 8)
	isLevel := err == nil
	for _, phrase := range strings.Split(rest, "|") {
		w := strings.Fields(phrase)
		if len(w) == 0 {
			continue
		}
		text := strings.Join(w, " ")
		if isLevel {
			v.phrases[text] = int8(level)
		} else {
			v.marks[text] |= v.role(key)
		}
		v.begins[w[0]] = max(v.begins[w[0]], len(w))
	}
	return nil
}

// tokens parts a text into words in lower case and the signs that matter; a word of one's own spelling ("soooo", "don’t") is
// brought to one form.
func tokens(text string) []string {
	out := make([]string, 0, 24)
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	var last, before rune
	for _, r := range text {
		r = unicode.ToLower(r)
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if r == last && r == before && unicode.IsLetter(r) {
				continue // a letter more than twice
			}
			b.WriteRune(r)
		case r == '\'' || r == '’' || r == '`':
			continue
		case r == '?' || r == '!' || r == '.' || r == ',' || r == ';' || r == ':' || r == '"':
			flush()
			if n := len(out); n == 0 || out[n-1] != string(r) {
				out = append(out, string(r))
			}
		default:
			flush()
		}
		last, before = r, last
	}
	flush()
	return out
}

func (v *vocabulary) addMeant(key, rest string) error {
	k := slices.Index(Meanings, key)
	if k < 0 && key != "-" {
		return fmt.Errorf("%q is none of %v", key, Meanings)
	}
	for _, phrase := range strings.Split(rest, "|") {
		w := strings.Fields(phrase)
		text := strings.Join(w, " ")
		if k >= 0 {
			v.meant[text] |= 1 << k
		} else {
			v.meant[text] = 0
		}
		v.meantBegins[w[0]] = max(v.meantBegins[w[0]], len(w))
	}
	return nil
}
