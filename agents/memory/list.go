package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Op is what is done with a list.
type Op string

// The operations.
const (
	ListAdd   Op = "add"
	ListDrop  Op = "drop"
	ListTell  Op = "tell"
	ListCount Op = "count"
	ListNew   Op = "new"
	ListClear Op = "clear"
)

// List is what a sentence wants of a list that is kept: "put milk and eggs on the shopping list".
type List struct {
	Op    Op
	Name  string // "shopping list"
	Items []string
}

var (
	listPatterns = language.Patterns("lists-kept")
	pointed      = language.Words("list-pointers")
	noItems      = language.Words("list-no-items")
	listTellers  = language.Words("list-tellers")
	listJoints   = regexp.MustCompile(`(?i)\s*(?:,\s*(?:and\s+)?|\s+and\s+|;)\s*`)
	listVerbs    = regexp.MustCompile(`(?i)^.*(?:[,;.]| and| so) *(?:please |can you |could you |would you |and |so )*(?:put|add|write|stick|pop|note|chuck|jot) `)
	listArticles = regexp.MustCompile(`(?i)^(?:the|some|a|an|my|our|also|please|more)\s+`)
)

// listWord is the name of a list that has none of its own.
const listWord = "list"

// ListOf is what a sentence wants of a list; ok is false where it wants nothing.
func ListOf(u *language.Utterance) (l List, ok bool) {
	text, _ := bare(u)
	said := u.Said.Of(text)
	for _, r := range listPatterns.Rules() {
		m := r.Find(said)
		if m == nil || listTellers[lastWord(m.Before())] && !lacks(text[len(m.Before()):]) { // "I put milk on the shopping list" only tells
			continue
		}
		op, _, _ := strings.Cut(r.Name, "-")
		l.Op = Op(op)
		l.Name = listWord
		if of := m.Slot("of"); of != "" {
			l.Name = strings.ToLower(of) + " " + listWord
		}
		if l.Items = items(u, m); len(l.Items) == 0 && (l.Op == ListAdd || l.Op == ListDrop) {
			continue
		}
		return l, true
	}
	return l, false
}

// lacks reports whether a text begins with what somebody has not: "we need candles on the shopping list".
func lacks(text string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "need ")
}

func lastWord(text string) string {
	words := language.SplitWords(strings.ToLower(text))
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// items are the things that a match names.
func items(u *language.Utterance, m *template.Match) (all []string) {
	what := m.Slot("items")
	if what == "" {
		return nil
	}
	what = listVerbs.ReplaceAllString(what, "") // "I need more wool, put grey wool"
	for _, item := range listJoints.Split(withoutLead(u, what), -1) {
		for cut := ""; cut != item; {
			cut = item
			item = strings.TrimSpace(listArticles.ReplaceAllString(item, ""))
		}
		if item != "" && !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// Named reports whether things are such as stand on a list: a few words each, and nothing that is said of somebody or asked of the robot.
func (l *List) Named() bool {
	const most = 4
	return len(l.Items) > 0 && !slices.ContainsFunc(l.Items, func(item string) bool {
		words := language.SplitWords(strings.ToLower(item))
		return len(words) == 0 || len(words) > most || slices.ContainsFunc(words, func(w string) bool { return noItems[w] })
	})
}

// Points reports whether a list is spoken of with things that are only pointed at: "cross it off the packing list".
func (l *List) Points() bool {
	return len(l.Items) > 0 && !slices.ContainsFunc(l.Items, func(w string) bool { return !pointed[strings.ToLower(w)] })
}

// mark is what stands before an item in the fact by which it is kept.
func (l *List) mark() string { return "on the " + l.Name + ": " }

// item is the list that a fact is a part of, and what of it; ok is false for any other fact.
func (f *Fact) item() (list, item string, ok bool) {
	rest, ok := strings.CutPrefix(f.Text, "on the ")
	if !ok {
		return "", "", false
	}
	list, item, ok = strings.Cut(rest, ": ")
	return list, item, ok && strings.HasSuffix(list, listWord)
}

// AddTo puts things on a list, all or none of them; what is on it already stays there once.
func (a *Memories) AddTo(session string, l List) error {
	return a.change(session, func(m *Memory) error {
		for _, item := range l.Items {
			text := l.mark() + item
			if n := utf8.RuneCountInString(text); n > MaxFact {
				return fmt.Errorf("%w: %d characters, at most %d", ErrLong, n, MaxFact)
			}
			m.Facts = slices.DeleteFunc(m.Facts, func(old Fact) bool { return strings.EqualFold(old.Text, text) })
			if len(m.Facts) >= MaxFacts {
				return fmt.Errorf("%w: %d facts; tell me to forget some", ErrFull, MaxFacts)
			}
			m.Last++
			m.Facts = append(m.Facts, Fact{ID: m.Last, TS: a.now().UTC(), Text: text})
		}
		return nil
	})
}

// Listed are the things on a list, and its name; of one without a name, those on the list that was added to last.
func (a *Memories) Listed(session string, l List) (name string, all []string, err error) {
	m, err := a.Of(session)
	if name = l.Name; name == listWord {
		for _, f := range m.Facts {
			if of, _, ok := f.item(); ok {
				name = of
			}
		}
	}
	for _, f := range m.Facts {
		if of, item, ok := f.item(); ok && of == name {
			all = append(all, item)
		}
	}
	return name, all, err
}

// TakeOff takes things off a list, all where none are named, and returns what it took.
func (a *Memories) TakeOff(session string, l List) (gone []string, err error) {
	err = a.change(session, func(m *Memory) error {
		m.Facts = slices.DeleteFunc(m.Facts, func(f Fact) bool {
			of, item, ok := f.item()
			if !ok || of != l.Name || len(l.Items) > 0 && !slices.ContainsFunc(l.Items, func(w string) bool { return SameItem(w, item) }) {
				return false
			}
			gone = append(gone, item)
			return true
		})
		return nil
	})
	return gone, err
}

// SameItem reports whether two names are of one thing: "the bananas" and "banana".
func SameItem(a, b string) bool {
	x, y := keywords(a), keywords(b)
	return len(x) > 0 && !slices.ContainsFunc(x, func(w string) bool { return !slices.Contains(y, w) })
}
