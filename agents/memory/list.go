package memory

import (
	"regexp"
	"slices"
	"strings"

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
	listJoints   = regexp.MustCompile(`(?i)\s*(?:,\s*(?:and\s+)?|\s+and\s+|;)\s*`)
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
		if m == nil {
			continue
		}
		l.Op, _, _ = cutOp(r.Name)
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

func cutOp(rule string) (Op, string, bool) {
	op, rest, ok := strings.Cut(rule, "-")
	return Op(op), rest, ok
}

// items are the things that a match names.
func items(u *language.Utterance, m *template.Match) (all []string) {
	what := m.Slot("items")
	if what == "" {
		return nil
	}
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

// mark is what stands before an item in the fact by which it is kept.
func (l *List) mark() string { return "on the " + l.Name + ": " }

// AddTo puts things on a list; what is on it already stays there once.
func (a *Memories) AddTo(session string, l List) error {
	for _, item := range l.Items {
		if _, err := a.Remember(session, l.mark()+item); err != nil {
			return err
		}
	}
	return nil
}

// Listed are the things on a list; of one without a name, those on the only list there is.
func (a *Memories) Listed(session string, l List) (name string, all []string, err error) {
	m, err := a.Of(session)
	for _, f := range m.Facts {
		of, item, ok := strings.Cut(strings.TrimPrefix(f.Text, "on the "), ": ")
		if !strings.HasPrefix(f.Text, "on the ") || !ok || !strings.HasSuffix(of, listWord) || l.Name != of && l.Name != listWord {
			continue
		}
		name, all = of, append(all, item)
	}
	if name == "" {
		name = l.Name
	}
	return name, all, err
}

// TakeOff takes things off a list, all where none are named, and returns what it took.
func (a *Memories) TakeOff(session string, l List) (gone []string, err error) {
	err = a.change(session, func(m *Memory) error {
		m.Facts = slices.DeleteFunc(m.Facts, func(f Fact) bool {
			of, item, ok := strings.Cut(strings.TrimPrefix(f.Text, "on the "), ": ")
			on := strings.HasPrefix(f.Text, "on the ") && ok && strings.HasSuffix(of, listWord) && (l.Name == of || l.Name == listWord)
			if !on || len(l.Items) > 0 && !slices.ContainsFunc(l.Items, func(w string) bool { return sameThing(w, item) }) {
				return false
			}
			gone = append(gone, item)
			return true
		})
		return nil
	})
	return gone, err
}

// sameThing reports whether two names are of one thing: "the bananas" and "banana".
func sameThing(a, b string) bool {
	x, y := keywords(a), keywords(b)
	return len(x) > 0 && !slices.ContainsFunc(x, func(w string) bool { return !slices.Contains(y, w) })
}
