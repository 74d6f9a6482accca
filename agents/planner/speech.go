package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	sayers         = language.Phrases("sayers")             // verbs whose object is spoken as it stands
	notSpoken      = language.Phrases("not-spoken")         // begin requests for words of the robot's own
	recipients     = language.Phrases("recipients")         // follow "tell" and "greet"
	greetings      = language.Phrases("greetings")          // take a recipient that is not spoken: "say hello to everyone"
	speechTails    = language.Phrases("speech-tails")       // may follow the spoken words and are not spoken
	corrected      = language.Phrases("speech-corrections") // take back what was to be spoken
	bindsThanks    = language.Words("binds-thanks")         // "no thank you" is spoken whole
	placeGreetings = language.Words("place-greetings")      // "welcome to the workshop", but "welcome to everyone"
	opinions       = language.Words("opinions")             // "would you say he …"
	ownWords       = language.Words("own-words")            // "tell me your …"
	ownSayers      = language.Words("own-sayers")           // sayers of words of the robot's own as well
	spokenOpeners  = language.Words("spoken-openers")       // are spoken although they begin a request
	askingOpeners  = language.Words("asking-openers")       // and are not
	notConnecting  = language.Words("not-connecting")       // connectives that are rather spoken
	languages      = language.Words("languages")
)

// said is a sayer of n tokens at from; the parser stands behind it.
type said struct {
	*parser
	from, n int
	w       string // its first word
}

// speechClause parses "say …": everything up to the next command is spoken as it was written.
func (ps *parser) speechClause() bool {
	from := ps.i
	v, n := sayers.Match(ps.toks, from)
	if n == 0 {
		return false
	}
	if _, m := actions.Loose(ps.toks, from, ps.skippable); m > n && ps.tok(from+n).Kind == language.Word {
		return false // "say no with your head"
	}
	ps.i += n
	w := ps.word(from)
	switch {
	case v == "greet":
		return ps.greetClause()
	case v == "tell":
		if !ps.told(from) {
			return false
		}
	case first(ps.p.rules.unsaid, said{ps, from, n, w}) != pass:
		return false
	default:
		ps.skipRecipient()
	}
	for mark := ps.tok(ps.i).Word; ps.isMark(ps.i) && (mark == ":" || mark == "," || mark == "-"); mark = ps.tok(ps.i).Word {
		ps.i++
	}
	if ps.done() {
		return false
	}
	f := frame{class: speech, tool: "speak"}
	if ps.tok(ps.i).Kind == language.Quote {
		return ps.quoted(f)
	}
	if v != "tell" && w != "whisper" && ps.asksForWords() {
		return false
	}
	return ps.spoken(f)
}

// unsaidRules are sayers whose object is not spoken.
func unsaidRules() []rule[said] {
	return []rule[said]{
		{"unsaid opinion", "would you say he was angry", func(s said) step {
			return when(s.word(s.from-1) == "you" && s.word(s.from-2) == "would" && opinions[s.word(s.i)])
		}},
		{"unsaid loudness", "speak at half anything volume", func(s said) step { return when(s.w == "speak" && s.word(s.i) == "at") }},
		{"unsaid own words", "speak me", func(s said) step { return when(ownSayers[s.w] && s.n == 1 && notSpoken.Has(s.toks, s.i)) }},
	}
}

// greetClause parses whom to greet.
func (ps *parser) greetClause() bool {
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
}

// told steps over whom to tell; ok is false when it is not about words that are given.
func (ps *parser) told(from int) (ok bool) {
	if ps.word(from) == "let" {
		ps.i = from + 1
		return ps.accept(recipients) && ps.acceptWord("know") && ps.acceptWord("that")
	}
	if !ps.accept(recipients) {
		w := ps.word(ps.i)
		if w == "" || ps.tok(ps.i+1).Kind == language.Mark || language.IsVerb(w) || notSpoken.Has(ps.toks, ps.i) || fillers[w] {
			return false
		}
		ps.i++ // a name
	}
	that := ps.acceptWord("that")
	w := ps.word(ps.i)
	itIs := w == "it" && ps.word(ps.i+1) == "is" && ps.word(ps.i-1) != "me"
	if !that && notSpoken.Has(ps.toks, ps.i) && !itIs {
		return false
	}
	whom := ps.word(from + 1)
	if me := whom == "me" || whom == "us"; me && (notSpoken.Has(ps.toks, ps.afterMarks(ps.i)) ||
		ps.isMark(ps.i) && strings.HasSuffix(ps.text, "?")) { // "tell me, what is your name"
		return false
	}
	asked := (whom == "me" || whom == "us") && ps.word(ps.i-1) != "that" && (ownWords[w] || ps.owned(w)) // "tell me your name" asks for words
	return w != "to" && !asked
}

// owned reports whether a word here says whose what follows is, "today's date", and no more than that is asked for.
func (ps *parser) owned(w string) bool {
	return w != "it" && w != "that" && strings.HasSuffix(strings.ReplaceAll(ps.source(ps.i, ps.i+1), "’", "'"), "'s") && ps.i+3 >= len(ps.toks)
}

// skipRecipient steps over whom to say it to: "say me hello", "say to everyone hello".
func (ps *parser) skipRecipient() {
	if w := ps.word(ps.i); (w == "me" || w == "us") && greetings.Has(ps.toks, ps.i+1) {
		ps.i++
	}
	from := ps.i
	if ps.acceptWord("to") {
		if !ps.accept(recipients) {
			ps.i = from
		}
		ps.acceptWord("that")
	}
}

// asksForWords reports whether words of the robot's own are asked for: "say something".
func (ps *parser) asksForWords() bool {
	n := notSpoken.Len(ps.toks, ps.i)
	if n == 0 || ps.tok(ps.i).Kind != language.Word {
		return false
	}
	rest, w := ps.i+n, ps.word(ps.i)
	return !spokenOpeners[w] || rest >= len(ps.toks) || w == "it" && ps.boundary(rest) || askingOpeners[w] || w == "what" && ps.word(rest) == "you"
}

// quoted speaks what stands in quotation marks.
func (ps *parser) quoted(f frame) bool {
	f.word = strings.TrimSpace(ps.tok(ps.i).Word)
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

// spoken takes the words up to the next command as the text.
func (ps *parser) spoken(f frame) bool {
	from := ps.i
	k := from + 1
	for k < len(ps.toks) && !ps.speechEnds(k) {
		k++
	}
	k = min(k, len(ps.toks))
	ps.i = k
	last := k                   // one past the text
	for again := true; again; { // what stands at the end and is not spoken
		last, again = ps.unspokenEnd(&f, from, last)
	}
	if n := greetings.Len(ps.toks, from); n > 0 && from+n < last {
		to := from + n
		if ps.word(to) == "to" && ps.word(to+1) != "you" && (!placeGreetings[ps.word(from)] || recipients.Has(ps.toks, to+1)) {
			last = to
		}
	}
	if last <= from {
		return false
	}
	f.word = ps.source(from, last)
	translated := ps.word(from) != "" && last-from >= 3 && ps.word(last-2) == "in" && languages[ps.word(last-1)] // "in Spanish"
	if f.word == "" || translated {
		return false
	}
	if last < len(ps.toks) && last == ps.endOfText(last) { // a final ! or ? belongs to the words
		if w := ps.toks[last].Word; w == "!" || w == "?" && !ps.polite {
			f.word += w
		}
	}
	ps.put(f)
	return true
}

// unspokenEnd takes one mark, courtesy or modifier off the end of a text from token from to before last; again is false
// when there was none.
func (ps *parser) unspokenEnd(f *frame, from, last int) (end int, again bool) {
	if last > from+1 && ps.isMark(last-1) {
		return last - 1, true
	}
	save := ps.i
	defer func() { ps.i = save }()
	for m := last - 1; m > from && m >= last-9; m-- {
		if v, n := speechTails.Match(ps.toks, m); n > 0 && m+n == last && (v == "x" || ps.isMark(m-1)) && !bindsThanks[ps.word(m-1)] {
			return m, true
		}
		var mod frame
		ps.i = m
		for ps.i < last && ps.modifier(&mod) {
			continue
		}
		if ps.i == last && (mod.said && !f.said || mod.every.set && !f.every.set) {
			copyModifiers(f, &mod)
			return m, true
		}
	}
	return last, false
}

// endOfText returns k when only marks follow.
func (ps *parser) endOfText(k int) int {
	for m := k; m < len(ps.toks); m++ {
		if !ps.isMark(m) {
			return -1
		}
	}
	return k
}

// speechEnds reports whether spoken words end before k.
func (ps *parser) speechEnds(k int) bool {
	t := ps.tok(k)
	switch t.Kind {
	case language.Quote:
		return false
	case language.Mark:
		return ps.speechEndsAtMark(k)
	}
	if v, n := connectives.Match(ps.toks, k); n > 0 && !notConnecting[t.Word] {
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
	}
	mean := t.Word == "i" && corrected.Has(ps.toks, k)
	return (mean || wipes.Has(ps.toks, k) && t.Word != "never" && t.Word != "forget") && k+2 < len(ps.toks)
}

// speechEndsAtMark reports whether spoken words end at the mark at k: a command or a correction follows.
func (ps *parser) speechEndsAtMark(k int) bool {
	m := ps.afterJoint(k)
	if m >= len(ps.toks) {
		return false
	}
	before, w := ps.word(k-1), ps.word(k+1)
	alone := ps.isMark(k + 2)
	switch {
	case ps.couldBegin(m), wipes.Has(ps.toks, k+1), corrected.Has(ps.toks, k+1), w == "sorry" && alone:
		return true
	}
	return w == "no" && alone && before != "no" && before != "yes" // "say hello, no, goodbye"
}

// source returns the words from token a to before token b as they were written.
func (ps *parser) source(a, b int) string {
	if a >= b || a >= len(ps.toks) {
		return ""
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(ps.text[ps.toks[a].Start:ps.toks[b-1].End]), ",;:"))
}
