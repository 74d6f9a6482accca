package memory

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var frames = language.Patterns("memory-frames")

// What may stand before a request to remember something, and behind one.
var (
	leadWords   = language.Words("memory-lead")
	tailWords   = language.Words("memory-tail")
	reasonWords = language.Words("memory-reasons")
	subjects    = language.Words("memory-subjects")
	modals      = language.Words("memory-modals")
)

// requests reports whether what stands before "remember" leaves it a request: "I remember that" and "do you remember it" are none.
func requests(lead string) bool {
	words := language.SplitWords(strings.ToLower(lead))
	if slices.ContainsFunc(words, func(w string) bool { return !leadWords[w] }) {
		return false
	}
	if n := len(words); n > 0 && subjects[words[n-1]] {
		return n > 1 && words[n-1] == "you" && modals[words[n-2]]
	}
	return true
}

// asksBehind reports whether what follows a request for something to be remembered leaves it one: it is polite, or gives a reason.
func asksBehind(tail string) bool {
	words := language.SplitWords(strings.ToLower(tail))
	before, _, told := strings.Cut(tail, ",") // "remember that for me, I'll be tired in the morning"
	if told && !slices.ContainsFunc(language.SplitWords(strings.ToLower(before)), func(w string) bool { return !tailWords[w] }) {
		return true
	}
	at := slices.IndexFunc(words, func(w string) bool { return !tailWords[w] })
	return at < 0 || at > 0 && slices.ContainsFunc(words[:at], func(w string) bool { return reasonWords[w] })
}

// leastFact is how many words of a fact mean something.
const leastFact = 2

// framed is what a sentence asks to be remembered beside whatever else it says: "my keys are in the drawer, do try to keep that in mind", "right
// mate, remember this for us: the van is at Pete's". Empty where it asks for nothing of the kind.
func framed(u *language.Utterance, text string) string {
	said := u.Said.Of(text)
	if m := frames.Rule("behind").Find(said); m != nil && requests(m.Slot("lead")) && asksBehind(m.Slot("tail")) {
		if fact := withoutLead(u, m.Before()); states(u, fact) {
			return fact
		}
	}
	for from := 0; from >= 0; from = language.NextPart(text, from) { // "I always forget it, so please remember that I parked on level three"
		m := frames.Rule("before").Find(u.Said.Of(text[from:]))
		if m == nil || !requests(m.Slot("lead")) {
			continue
		}
		if fact := cleaned(u, m.From("fact")); states(u, fact) && parts.Rule("motion").Find(u.Said.Of(fact)) == nil && !asksBack(u, fact) {
			return fact
		}
	}
	return ""
}

// states reports whether a text tells something.
func states(u *language.Utterance, text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return len(keywords(text)) >= leastFact && !askers[first] && !language.IsVerb(first) && frames.Rule("asks").Find(u.Said.Of(text)) == nil
}

// withoutLead is a text without what is only polite before it.
func withoutLead(u *language.Utterance, text string) string {
	text = strings.Trim(text, " ,.;:!-")
	if m := parts.Rule("polite").Find(u.Said.Of(text)); m != nil {
		text = strings.Trim(m.After(), " ,.;:!-")
	}
	return text
}

// cleaned is a fact without what stands between it and the request for it: "it's important, that", "for us:".
func cleaned(u *language.Utterance, fact string) string {
	if m := frames.Rule("mid").Find(u.Said.Of(fact)); m != nil && m.After() != "" {
		fact = m.After()
	}
	if m := frames.Rule("tail").Find(u.Said.Of(fact)); m != nil && m.Before() != "" {
		fact = m.Before()
	}
	return strings.Trim(fact, " ,;:")
}

// AsksWhat reports whether a sentence asks to remember something that it does not say yet.
func AsksWhat(fact string) bool {
	return frames.Rule("something").Find(template.Split(fact)) != nil
}

// NameAlone is the name that a sentence says and nothing else, where a name was asked for: "it's Torsten".
func NameAlone(u *language.Utterance) string {
	m := parts.Rule("name-anew").Find(u.Said.Of(strings.Trim(u.Text, " .!")))
	if m == nil {
		return ""
	}
	name := m.Slot("name")
	if small := strings.ToLower(name); notNames[small] || language.Known(small) && !givenNames[small] {
		return ""
	}
	return name
}

// Introduces is the name by which somebody presents himself who says nothing else: "hi, Jorge here".
func Introduces(u *language.Utterance) string {
	const most = 8
	name, _ := Presents(u)
	if act, fact := Understand(u); name == "" && act == Remember && frames.Rule("introduced").Find(u.Said) != nil {
		name = fact
	}
	if len(strings.Fields(u.Text)) > most {
		return ""
	}
	return name
}

// SameThing reports whether two texts speak of the same: "I take my coffee black" and "I take my coffee with sugar".
func SameThing(a, b string) bool {
	x, y := keywords(a), keywords(b)
	shared := 0
	for i, w := range x {
		if len(w) > 1 && slices.Contains(y, w) && !slices.Contains(x[:i], w) {
			shared++
		}
	}
	return shared >= leastFact
}

// Moves reports whether a sentence says where something is that it does not name.
func Moves(u *language.Utterance) bool { return frames.Rule("moved").Find(u.Said) != nil }

// Moved is a fact of where something is now, of which an earlier fact told it elsewhere: "they're in the toolbox".
func Moved(u *language.Utterance, fact string) string {
	m := frames.Rule("moved").Find(u.Said.Of(strings.TrimRight(u.Text, ".! ")))
	was := placed.FindStringSubmatch(fact)
	if m == nil || was == nil {
		return ""
	}
	be := " is "
	if strings.Contains(strings.ToLower(fact[len(was[1]):min(len(fact), len(was[1])+len(" are "))]), "are") {
		be = " are "
	}
	return was[1] + be + m.From("place")
}

// Tells reports whether a sentence tells something, of the memory or not.
func Tells(u *language.Utterance) bool {
	act, _ := Understand(u)
	return act == None && !u.Question && states(u, u.Text)
}
