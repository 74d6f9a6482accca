package registry

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Near-duplicates are found by the tokens of the source, normalised so that comments, docstrings, layout, names of
// variables and the values of literals do not count: two tools that differ in those alone should be one tool with a
// parameter. What they call does count. The set of all runs of four such tokens is kept as a MinHash sketch of 512
// bytes, so that five hundred tools cost a quarter of a megabyte and a comparison half a microsecond, with an error of
// about 4 %. The parameters are compared as sets of name and type.
const (
	shingle         = 4
	sketchSize      = 128
	weightSource    = 0.8
	weightSignature = 1 - weightSource
)

// sketch stands for a tool in comparisons.
type sketch struct {
	source    [sketchSize]uint32
	signature []string // sorted "name:type"
}

// similarity of two tools, 0 to 1.
func (s *sketch) similarity(o *sketch) float64 {
	same := 0
	for i := range s.source {
		if s.source[i] == o.source[i] {
			same++
		}
	}
	return weightSource*float64(same)/sketchSize + weightSignature*jaccard(s.signature, o.signature)
}

// jaccard of two sorted sets; two empty ones are the same.
func jaccard(a, b []string) float64 {
	both := 0
	for _, s := range a {
		if _, ok := slices.BinarySearch(b, s); ok {
			both++
		}
	}
	if len(a)+len(b) == 0 {
		return 1
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

func sketchOf(source string, schema json.RawMessage) sketch {
	s := sketch{signature: signature(schema)}
	for i := range s.source {
		s.source[i] = ^uint32(0)
	}
	tokens := tokenise(source)
	for len(tokens) < shingle {
		tokens = append(tokens, "")
	}
	h := fnv.New64a() // the same in every process, so that luck does not decide at the limit
	for i := range len(tokens) - shingle + 1 {
		h.Reset()
		for _, t := range tokens[i : i+shingle] {
			_, _ = h.Write([]byte(t + "\x00")) // never fails
		}
		x := mix(h.Sum64())
		for j := range s.source {
			x = mix(x + 0x9e3779b97f4a7c15)
			s.source[j] = min(s.source[j], uint32(x>>32))
		}
	}
	return s
}

// mix is the finaliser of SplitMix64: every step of the sequence is as good as another hash function.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func signature(schema json.RawMessage) []string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	found := make([]string, 0, len(s.Properties))
	for name, p := range s.Properties {
		found = append(found, fmt.Sprintf("%s:%v", name, p.Type))
	}
	slices.Sort(found)
	return found
}

var keywords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("and as assert async await break class continue def del elif else except False finally for from global if import in is " +
		"lambda None nonlocal not or pass raise return True try while with yield") {
		m[w] = true
	}
	return m
}()

// tokenise cuts a Python source (or one of a similar language) into normalised tokens: keywords, operators, names
// that are called or follow a dot or stand on a line of import as they are; other names as i, numbers as 0, strings
// as s. A string alone on its line is a docstring and left out. JSON says something by its literals alone: its tokens
// are all its words.
func tokenise(src string) []string {
	if json.Valid([]byte(src)) {
		return strings.FieldsFunc(src, func(r rune) bool { return !wordRune(r) })
	}
	var out []string
	lineStart, importing := true, false
	for len(src) > 0 {
		r, size := utf8.DecodeRuneInString(src)
		switch {
		case r == '\n':
			lineStart, importing = true, false
			src = src[1:]
		case unicode.IsSpace(r):
			src = src[size:]
		case r == '#':
			src = afterLine(src)
		case r == '"' || r == '\'':
			rest := afterString(src)
			alone := lineStart && strings.TrimLeft(untilLine(rest), " \t;\r") == ""
			if !alone {
				out = append(out, "s")
			}
			lineStart, src = false, rest
		case unicode.IsDigit(r):
			src = strings.TrimLeftFunc(src, func(r rune) bool { return wordRune(r) || r == '.' })
			out = append(out, "0")
			lineStart = false
		case wordRune(r):
			rest := strings.TrimLeftFunc(src, wordRune)
			word := src[:len(src)-len(rest)]
			if quoted(rest) && len(word) <= 2 { // r"", b"", f""
				src = rest
				continue
			}
			importing = importing || lineStart && (word == "import" || word == "from")
			defined := len(out) > 0 && (out[len(out)-1] == "def" || out[len(out)-1] == "class")
			called := strings.HasPrefix(strings.TrimLeft(rest, " \t"), "(") && !defined
			dotted := len(out) > 0 && out[len(out)-1] == "."
			if !keywords[word] && !importing && !called && !dotted {
				word = "i"
			}
			out = append(out, word)
			lineStart, src = false, rest
		default:
			out = append(out, src[:size])
			lineStart, src = false, src[size:]
		}
	}
	return out
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func quoted(s string) bool { return s != "" && (s[0] == '"' || s[0] == '\'') }

func untilLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func afterLine(s string) string { return s[len(untilLine(s)):] }

// afterString returns what follows the string literal that s begins with.
func afterString(s string) string {
	quote := s[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s, long) {
		quote = long
	}
	for s = s[len(quote):]; s != ""; s = s[1:] {
		switch {
		case strings.HasPrefix(s, quote):
			return s[len(quote):]
		case s[0] == '\\' && len(s) > 1:
			s = s[1:]
		case s[0] == '\n' && len(quote) == 1:
			return s
		}
	}
	return s
}

// Match is a tool that is similar to another.
type Match struct {
	Name       string  `json:"name"`
	Version    int     `json:"version"`
	Similarity float64 `json:"similarity"` // 0 to 1
}

// Similar returns the tools that are most similar to a source with a schema of its parameters, most similar first.
func (r *Registry) Similar(source string, schema json.RawMessage, limit int) []Match {
	s := sketchOf(source, schema)
	tools := r.state.Load().tools
	found := make([]Match, 0, len(tools))
	for name, e := range tools {
		found = append(found, Match{name, e.current.Number, s.similarity(&e.sketch)})
	}
	slices.SortFunc(found, func(a, b Match) int {
		switch {
		case a.Similarity != b.Similarity && a.Similarity > b.Similarity:
			return -1
		case a.Similarity != b.Similarity:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return found[:min(max(limit, 0), len(found))]
}

// duplicate refuses what is nearly the same as another tool. A new version may be like the last, and like the tools
// that the last was allowed to be like.
func (w *change) duplicate(d *Draft, v *Version) error {
	if d.AllowDuplicate {
		return nil
	}
	s := sketchOf(v.Source, v.Schema)
	best := Match{}
	own := w.entry(v.Name)
	look := func(tools map[string]*entry) {
		for name, e := range tools {
			if name == v.Name || own != nil && own.sketch.similarity(&e.sketch) >= w.r.set.Duplicate {
				continue
			}
			if x := s.similarity(&e.sketch); x > best.Similarity {
				best = Match{name, e.current.Number, x}
			}
		}
	}
	look(w.base.tools)
	look(w.added)
	if best.Similarity < w.r.set.Duplicate {
		return nil
	}
	return refuse(v.Name, CodeDuplicate, fmt.Sprintf("use %s, give it a parameter, or register a version of it", best.Name),
		"it is nearly the same as %s v%d (similarity %.2f, allowed less than %.2f)", best.Name, best.Version, best.Similarity, w.r.set.Duplicate)
}
