package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	determiners    = language.Words("determiners")
	notNouns       = language.Words("not-nouns")        // no name begins with them
	adverbsOfPlace = language.Words("adverbs-of-place") // no name begins with them without an article
	thingEnds      = language.Words("thing-ends")       // end the name of a thing that is sought
	keptTails      = language.Words("kept-tails")       // belong to a name although they look like a tail
	withWhat       = language.Words("with-what")        // "with your …" ends a name
	beforeNouns    = language.Words("before-nouns")     // after them a verb is a noun
)

// nounPhrase reads the name of a thing at k without its articles. Sought things end before "on the table".
func (ps *parser) nounPhrase(k int, sought bool) (name string, n int) {
	from := k
	for determiners[ps.word(k)] {
		k++
		if ps.word(k) == "of" {
			k++
		}
	}
	article := k > from
	if ps.tok(k).Kind == language.Number && (article || sought) {
		k++
	}
	switch t := ps.tok(k); {
	case t.Kind == language.Quote:
		return strings.ToLower(t.Word), k + 1 - from
	case t.Kind == language.Mark, notNouns[ps.word(k)], adverbsOfPlace[ps.word(k)] && !article:
		return "", 0
	}
	var b strings.Builder
	for words := 0; k < len(ps.toks) && words < 12 && (words == 0 || !ps.nameEnds(k, sought)); words++ {
		if t := ps.tok(k); words > 0 && t.Glued {
			b.WriteByte('-')
		} else if words > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(ps.spelling(k, article))
		k++
	}
	return b.String(), k - from
}

// spelling returns the word at k as it is written in a name: as it was said, with the capital of a proper name.
func (ps *parser) spelling(k int, article bool) string {
	t := ps.tok(k)
	w := t.Word
	if t.Kind == language.Word && t.Orig != t.Word && !ps.p.objects[t.Word] {
		w = t.Orig
	}
	raw := ps.text[t.Start:t.End]
	if article || k == 0 || !properName(raw) || !strings.EqualFold(raw, w) {
		return w
	}
	if strings.ContainsFunc(ps.text[:t.Start], func(r rune) bool { return r >= 'a' && r <= 'z' }) { // not all is in capitals
		return raw
	}
	return w
}

// properName reports whether a word is written like a name: one capital, then small letters.
func properName(s string) bool {
	return len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z'
}

// nameEnds reports whether the name of a thing ends before token k.
func (ps *parser) nameEnds(k int, sought bool) bool {
	t := ps.tok(k)
	if t.Kind == language.Mark || t.Kind == language.Quote || connectives.Has(ps.toks, k) || ps.correctionAt(k) > 0 || t.Word == "or" || ps.modifierAt(k) {
		return true
	}
	w := ps.word(k)
	n := tails.Len(ps.toks, k)
	switch {
	case n > 0 && !keptTails[w] && (ps.boundary(k+n) || tails.Has(ps.toks, k+n)),
		adjuncts.Has(ps.toks, k) && w != "to" && w != "like",
		sought && thingEnds[w],
		w == "with" && withWhat[ps.word(k+1)],
		ps.manner(k):
		return true
	}
	return ps.verbAt(k) && ps.trial == 0 && !beforeNouns[ps.word(k-1)] && ps.couldBegin(k)
}

// modifierAt reports whether a modifier stands at k; "with" and "in" are one only before a number or a time.
func (ps *parser) modifierAt(k int) bool {
	w := ps.word(k)
	timed := ps.tok(k+1).Kind == language.Number || ps.word(k+1) == "a" && language.UnitOf(ps.word(k+2)).Dim == language.Time
	if (w == "with" || w == "in") && !timed {
		return false
	}
	save := ps.i
	ps.i = k
	is := ps.modifier(&frame{})
	ps.i = save
	return is
}

func lastWord(s string) string {
	return s[strings.LastIndexByte(s, ' ')+1:]
}

func singularPhrase(s string) string {
	l := lastWord(s)
	return strings.TrimSuffix(s, l) + language.Singular(l)
}
