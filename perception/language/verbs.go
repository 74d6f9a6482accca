package language

import (
	"maps"
	"slices"
	"strings"
)

// Inflection is what an inflected verb is a form of.
type Inflection struct {
	Base string // the verb; empty when the word is no form of a known verb
	Form byte   // 'g' gerund, 'p' past, 's' third person
}

var (
	verbs         = Words("verbs")
	irregularPast = Map("irregular-pasts")
	notDoubled    = Words("not-doubled")
	inflections   = inflect(verbs)
)

// IsVerb reports whether w is the base form of a verb that can head a command.
func IsVerb(w string) bool { return verbs[w] }

// InflectionOf returns what w is an inflected form of.
func InflectionOf(w string) Inflection { return inflections[w] }

// inflect maps every derived form to its verb. Where two verbs share a form, the first in the alphabet has it.
func inflect(verbs map[string]bool) map[string]Inflection {
	m := map[string]Inflection{}
	put := func(w, base string, form byte) {
		if _, ok := m[w]; !ok {
			m[w] = Inflection{base, form}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(verbs)) {
		put(Gerund(v), v, 'g')
		put(past(v), v, 'p')
		put(third(v), v, 's')
	}
	for w, v := range irregularPast {
		put(w, v, 'p')
	}
	return m
}

func vowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

// doubles says that the last consonant is doubled: nod → nodding, but not look, tilt, wiggle.
func doubles(v string) bool {
	n := len(v)
	if n < 3 || notDoubled[v] {
		return false
	}
	c := v[n-1]
	return !vowel(c) && c != 'w' && c != 'x' && c != 'y' && vowel(v[n-2]) && !vowel(v[n-3])
}

// Gerund is the -ing form of a verb in its plain form.
func Gerund(v string) string {
	switch {
	case strings.HasSuffix(v, "ee") || v == "be":
		return v + "ing"
	case strings.HasSuffix(v, "e"):
		return v[:len(v)-1] + "ing"
	case doubles(v):
		return v + v[len(v)-1:] + "ing"
	}
	return v + "ing"
}

func past(v string) string {
	switch {
	case strings.HasSuffix(v, "e"):
		return v + "d"
	case strings.HasSuffix(v, "y") && len(v) > 2 && !vowel(v[len(v)-2]):
		return v[:len(v)-1] + "ied"
	case doubles(v):
		return v + v[len(v)-1:] + "ed"
	}
	return v + "ed"
}

func third(v string) string {
	switch {
	case strings.HasSuffix(v, "s"), strings.HasSuffix(v, "sh"), strings.HasSuffix(v, "ch"), v == "go", v == "do":
		return v + "es"
	case strings.HasSuffix(v, "y") && len(v) > 2 && !vowel(v[len(v)-2]):
		return v[:len(v)-1] + "ies"
	}
	return v + "s"
}
