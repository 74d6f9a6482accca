package smalltalk

import (
	"maps"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
	"github.com/reachyd/reachyd/perception/language/template"
	"github.com/reachyd/reachyd/perception/weights"
)

// found is a kind that was found in a sentence.
type found struct {
	kind *kind
	at   *template.Match // nil where a maker has read the sentence itself
	left int             // words that it does not explain
	size int             // words that it does
	read any             // what the maker has read
}

// matcher finds kinds in sentences.
type matcher struct {
	p       *Persona
	set     *template.Set
	fillers map[string]bool
	heard   map[string]string // other spellings
	byFirst map[byte][]string // the longer ones of them, for misspellings
	stems   *weights.Words    // of the words of the templates
	whole   []string          // a word of each stem
	near    *nearness
}

func newMatcher(p *Persona) *matcher {
	set, err := p.compile()
	if err != nil {
		panic("smalltalk: " + err.Error()) // Load has compiled it before
	}
	m := &matcher{
		p: p, set: set, fillers: map[string]bool{}, heard: map[string]string{}, byFirst: map[byte][]string{},
		near: newNearness(p),
	}
	stems := map[string]string{}
	for _, line := range p.tables["fillers"] {
		for w := range strings.FieldsSeq(line) {
			m.fillers[w] = true
		}
	}
	for _, line := range p.tables["spellings"] {
		to, from, _ := strings.Cut(line, "=")
		for w := range strings.SplitSeq(from, "|") {
			m.heard[strings.TrimSpace(w)] = strings.TrimSpace(to)
		}
	}
	for _, w := range set.Words() {
		if len(w) >= 4 {
			m.byFirst[w[0]] = append(m.byFirst[w[0]], w)
		}
		if s := language.Stem(w); stems[s] == "" || len(w) < len(stems[s]) {
			stems[s] = w
		}
	}
	all := slices.Sorted(maps.Keys(stems))
	m.stems, m.whole = weights.WordsOf(all), make([]string, len(all))
	for i, s := range all {
		m.whole[i] = stems[s]
	}
	for _, words := range m.byFirst {
		slices.Sort(words) // so that the same word is found every time
	}
	return m
}

// plain writes a text as the templates see it: small words with single blanks, contractions taken apart, no marks.
func (m *matcher) plain(toks language.Tokens) string {
	var b strings.Builder
	word := func(w string) {
		if to, ok := m.heard[w]; ok {
			w = to
		}
		if w != "" {
			b.WriteByte(' ')
			b.WriteString(w)
		}
	}
	for i := range toks {
		switch t := &toks[i]; t.Kind {
		case language.Mark:
		case language.Quote:
			for _, w := range strings.Fields(strings.ToLower(t.Word)) {
				word(strings.Trim(w, ".,;:!?"))
			}
		default:
			for w := range strings.FieldsSeq(strings.ToLower(t.Word)) {
				word(w)
			}
		}
	}
	return strings.TrimSpace(plainForms.Apply(b.String()))
}

// plainForms are forms that the templates have in another way: "who on earth", "its my birthday".
var plainForms = language.Reword("talk-plain")

// mended replaces words that no template has by the word that was meant; it is text where there is none.
func (m *matcher) mended(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if short := drawn(w); short != w {
			if to := m.heard[short]; to != "" {
				short = to
			}
			if m.set.Knows(short) || m.fillers[short] {
				words[i] = short
				continue
			}
		}
		if len(w) < 4 || m.set.Knows(w) || m.fillers[w] || language.Known(w) || w[0] < 'a' || w[0] > 'z' {
			continue
		}
		if at, known := m.stems.Find(language.Stem(w)); known {
			words[i] = m.whole[at]
			continue
		}
		limit := 1
		if len(w) >= 8 {
			limit = 2
		}
		best, tie := "", false
		for _, c := range m.byFirst[w[0]] {
			if len(c)-len(w) > limit || len(w)-len(c) > limit {
				continue
			}
			if d := levenshtein.Distance(w, c, limit); d <= limit {
				tie = best != "" && d == limit
				if best == "" || d < limit {
					best, limit = c, d
				}
			}
		}
		if best != "" && !tie {
			words[i] = best
		}
	}
	return strings.Join(words, " ")
}

// drawn is a word without what is drawn out in it: "heyyyy" is hey. No word has a letter three times in a row.
func drawn(w string) string {
	var b strings.Builder
	for i := 0; i < len(w); {
		n := 1
		for i+n < len(w) && w[i+n] == w[i] {
			n++
		}
		if n > 2 && w[i] >= 'a' && w[i] <= 'z' {
			b.WriteByte(w[i])
		} else {
			b.WriteString(w[i : i+n])
		}
		i += n
	}
	return b.String()
}

// find returns the kind that explains the most of a text; nil when none does.
func (m *matcher) find(text string) *found {
	if text == "" {
		return nil
	}
	plain := template.Split(text)
	counted := plain.Of(language.InDigits(text))
	best := m.best(nil, plain)
	if counted != plain {
		best = m.best(best, counted)
	}
	return best
}

// best is the better one of best and what is found in a sentence.
func (m *matcher) best(best *found, in *template.Sentence) *found {
	all := m.set.All(in)
	for _, at := range all {
		name, way, _ := strings.Cut(at.Rule.Name, " ")
		if " "+way == otherwise || slices.ContainsFunc(all, func(o *template.Match) bool { return o.Rule.Name == name+otherwise }) {
			continue
		}
		f := &found{kind: m.p.byName[name], at: at}
		if words := strings.Fields(at.Text()); denies(words) && !m.near.like[f.kind].denies && !asking(words) {
			continue // "I don't like you"
		}
		if accept := acceptors[name]; accept != nil {
			if f.read = accept(m.p, at); f.read == nil {
				continue
			}
		}
		f.left = m.weight(at.Before()) + m.weight(at.After())
		f.size = m.weight(at.Text())*100 + len(strings.Fields(at.Text()))
		if best == nil || f.before(best) {
			best = f
		}
	}
	return best
}

// before says whether what was found explains more than what else was.
func (f *found) before(o *found) bool {
	if f.left == o.left && f.kind.last != o.kind.last {
		return o.kind.last
	}
	return f.left < o.left || f.left == o.left && f.size > o.size
}

// excluded are the kinds of which something in a text says that it is not of them.
func (m *matcher) excluded(text string) map[string]bool {
	all := map[string]bool{}
	for _, at := range m.set.All(template.Split(text)) {
		if name, ok := strings.CutSuffix(at.Rule.Name, otherwise); ok {
			all[name] = true
		}
	}
	return all
}

// weight counts the words of a text that mean something.
func (m *matcher) weight(text string) (n int) {
	for w := range strings.FieldsSeq(text) {
		if !m.fillers[w] {
			n++
		}
	}
	return n
}
