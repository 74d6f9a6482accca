package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// sayers are the verbs whose object is spoken as it stands.
var sayers = language.Phrases("sayers")

// notSpoken begin requests for words of the robot's own.
var notSpoken = language.Phrases("not-spoken")

// recipients follow "tell" and "greet".
var recipients = language.Phrases("recipients")

// greetings take a recipient that is not spoken: "say hello to everyone".
var greetings = language.Phrases("greetings")

// speechTails may follow the spoken words and are not spoken.
var speechTails = language.Phrases("speech-tails")

// speechClause parses "say …": everything up to the next command is spoken as it was written.
func (ps *parser) speechClause() bool {
	from := ps.i
	v, n := sayers.Match(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	if _, m := actions.Loose(ps.toks, ps.i, ps.skippable); m > n && ps.tok(ps.i+n).Kind == language.Word {
		return false // "say no with your head"
	}
	ps.i += n
	switch v {
	case "greet":
		if !ps.accept(recipients) {
			if ps.word(ps.i) == "" || ps.boundary(ps.i) {
				return false
			}
			ps.i++ // a name
		}
		f := frame{class: speech, tool: "speak", word: "hello"}
		if !ps.finish(&f, true) {
			return false
		}
		ps.put(f)
		return true
	case "tell":
		if ps.word(from) == "let" {
			ps.i = from + 1
			if !ps.accept(recipients) || !ps.acceptWord("know") || !ps.acceptWord("that") {
				return false
			}
		} else {
			if !ps.accept(recipients) {
				if ps.tok(ps.i).Kind != language.Word || ps.tok(ps.i+1).Kind == language.Mark || language.IsVerb(ps.word(ps.i)) || notSpoken.Has(ps.toks, ps.i) || fillers[ps.word(ps.i)] {
					return false
				}
				ps.i++ // a name
			}
			if !ps.acceptWord("that") && notSpoken.Has(ps.toks, ps.i) && (ps.word(ps.i) != "it" || ps.word(ps.i+1) != "is" || ps.word(ps.i-1) == "me") {
				return false
			}
			switch w := ps.word(ps.i); {
			case w == "to":
				return false
			case (ps.word(from+1) == "me" || ps.word(from+1) == "us") && ps.word(ps.i-1) != "that" && ownWords[w]:
				return false // "tell me your name" asks for words
			}
		}
	default:
		w := ps.word(from)
		if ps.word(from-1) == "you" && ps.word(from-2) == "would" && opinions[ps.word(ps.i)] {
			return false // "would you say he was angry"
		}
		if w == "speak" && ps.word(ps.i) == "at" {
			return false // "speak at half volume"
		}
		if (w == "speak" || w == "repeat" || w == "state" || w == "reply" || w == "echo" || w == "mention" || w == "let" || w == "call" || w == "scream") && n == 1 && notSpoken.Has(ps.toks, ps.i) {
			return false
		}
		if w == "repeat" && ps.word(from+1) != "after" && ps.tok(ps.i).Kind != language.Quote && n == 1 {
			return false
		}
		if (ps.word(ps.i) == "me" || ps.word(ps.i) == "us") && greetings.Has(ps.toks, ps.i+1) {
			ps.i++ // "say me hello"
		}
		if save := ps.i; ps.acceptWord("to") { // "say to everyone hello"
			if !ps.accept(recipients) {
				ps.i = save
			}
			ps.acceptWord("that")
		}
	}
	for ps.isMark(ps.i) && (ps.toks[ps.i].Word == ":" || ps.toks[ps.i].Word == "," || ps.toks[ps.i].Word == "-") {
		ps.i++
	}
	if ps.done() {
		return false
	}
	f := frame{class: speech, tool: "speak"}
	if t := ps.tok(ps.i); t.Kind == language.Quote {
		f.word = strings.TrimSpace(t.Word)
		ps.i++
		if ps.acceptWord("to") && !ps.accept(recipients) {
			_, n := ps.nounPhrase(ps.i, true)
			ps.i += max(n, 1)
		}
		for ps.accept(speechTails) {
			continue
		}
		if f.word == "" || !ps.finish(&f, true) {
			return false
		}
		ps.put(f)
		return true
	}
	if _, n := notSpoken.Match(ps.toks, ps.i); n > 0 && ps.tok(ps.i).Kind == language.Word && v != "tell" && ps.word(from) != "whisper" {
		rest := ps.i + n
		single := ps.word(ps.i)
		switch single {
		case "so", "when", "if", "in", "what", "how", "who", "where", "why", "the", "about", "which", "some", "more", "one", "now", "me", "us", "for", "it", "again", "on", "up", "with", "out", "english", "french", "of":
			if rest >= len(ps.toks) || single == "it" && ps.boundary(rest) {
				return false
			}
			if single == "in" || single == "about" || single == "what" && ps.word(rest) == "you" {
				return false
			}
		default:
			return false
		}
	}
	return ps.spoken(f)
}

// spoken takes the words up to the next command as the text.
func (ps *parser) spoken(f frame) bool {
	first := ps.i
	k := first
	for ; k < len(ps.toks); k++ {
		if k == first {
			continue
		}
		if ps.speechEnds(first, k) {
			break
		}
	}
	last := k // one past the text
	ps.i = k
	// what stands at the end and is not spoken
	for again := true; again; {
		again = false
		if last > first+1 && ps.isMark(last-1) {
			last--
			again = true
			continue
		}
		for m := last - 1; m > first && m >= last-9; m-- {
			if v, n := speechTails.Match(ps.toks, m); n > 0 && m+n == last && (v == "x" || ps.isMark(m-1)) && !bindsThanks[ps.word(m-1)] {
				last, again = m, true
				break
			}
			var mod frame
			save := ps.i
			ps.i = m
			for ps.i < last && ps.modifier(&mod) {
				continue
			}
			if ps.i == last && (mod.said && !f.said || mod.every.set && !f.every.set) {
				copyModifiers(&f, &mod)
				last, again = m, true
			}
			ps.i = save
			if again {
				break
			}
		}
	}
	if _, n := greetings.Match(ps.toks, first); n > 0 && first+n < last {
		if w := ps.word(first + n); w == "to" && ps.word(first+n+1) != "you" && (!placeGreetings[ps.word(first)] || recipients.Has(ps.toks, first+n+1)) {
			last = first + n
		}
	}
	if last <= first {
		return false
	}
	f.word = ps.source(first, last)
	if ps.word(first) != "" && last-first >= 3 { // "in Spanish" asks for a translation
		if ps.word(last-2) == "in" && languages[ps.word(last-1)] {
			return false
		}
	}
	if f.word == "" {
		return false
	}
	// keep a final ! or ? that belongs to the words
	if last < len(ps.toks) && ps.isMark(last) && last == ps.endOfText(last) {
		if w := ps.toks[last].Word; w == "!" || w == "?" && !ps.polite {
			f.word += w
		}
	}
	ps.put(f)
	return true
}

var (
	bindsThanks    = language.Words("binds-thanks")    // "no thank you" is spoken whole
	placeGreetings = language.Words("place-greetings") // "welcome to the workshop", but "welcome to everyone"
)

var opinions = language.Words("opinions")

var ownWords = language.Words("own-words")

var languages = language.Words("languages")

// endOfText returns k when only marks follow.
func (ps *parser) endOfText(k int) int {
	for m := k; m < len(ps.toks); m++ {
		if !ps.isMark(m) {
			return -1
		}
	}
	return k
}

// speechEnds reports whether the spoken words that began at first end before k.
func (ps *parser) speechEnds(first, k int) bool {
	t := ps.tok(k)
	if t.Kind == language.Quote {
		return false
	}
	if t.Kind == language.Mark {
		if m := ps.afterJoint(k); m < len(ps.toks) {
			if m > k && ps.couldBegin(m) {
				return true
			}
			if w := ps.word(k + 1); w == "no" && k+2 < len(ps.toks) && ps.isMark(k+2) && ps.word(k-1) != "no" && ps.word(k-1) != "yes" {
				return true // "say hello, no, goodbye"
			}
			if wipes.Has(ps.toks, k+1) || ps.word(k+1) == "i" && (ps.word(k+2) == "mean" || ps.word(k+2) == "meant") || ps.word(k+1) == "sorry" && k+2 < len(ps.toks) && ps.isMark(k+2) || ps.word(k+1) == "no" && (ps.word(k+2) == "wait" || ps.word(k+2) == "i") {
				return true
			}
		}
		return false
	}
	if v, n := connectives.Match(ps.toks, k); n > 0 && t.Word != "plus" && t.Word != "yet" && t.Word != "later" && t.Word != "next" {
		m := ps.afterJoint(k)
		if m < len(ps.toks) && ps.couldBegin(m) {
			return true
		}
		if v == "after" || t.Word == "before" || t.Word == "while" {
			save := ps.gerunds
			ps.gerunds = true
			ok := ps.couldBegin(m)
			ps.gerunds = save
			return ok
		}
		_ = first
	}
	if t.Word == "i" && (ps.word(k+1) == "mean" || ps.word(k+1) == "meant") || wipes.Has(ps.toks, k) && t.Word != "never" && t.Word != "forget" {
		return k+2 < len(ps.toks)
	}
	return false
}

// source returns the words from token a to before token b as they were written.
func (ps *parser) source(a, b int) string {
	if a >= b || a >= len(ps.toks) {
		return ""
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(ps.text[ps.toks[a].Start:ps.toks[b-1].End]), ",;:"))
}
