package planner

import "strings"

// sayers are the verbs whose object is spoken as it stands.
var sayers = newTrie(`
say = say (with|in) (a|your) (loud|soft|quiet|happy|sad|clear|deep|friendly|nice|big|low|high|funny|cheerful|calm) voice | say (out loud|aloud|loudly|the following|the words|the word|the phrase|the sentence|this|these words|the text|the line|quietly|softly|cheerfully|just|clearly|slowly|) | utter (the words|the word|the phrase|) | pronounce (the word|) | exclaim | shout (out|loudly|) | yell (out|) | whisper | call out | announce (that|to everyone|to everyone that|to the room|to the room that|loudly|) | proclaim | speak (the words|the following|the sentence|the phrase|the word|the text|out|the following words|aloud|out loud|this sentence|these words|the line) | repeat after me | state | declare (that|) | recite | read (out loud|out|aloud) | read the (following|text|sentence|words) (out loud|aloud|out|) | read this (out loud|aloud|out|) | read (out|aloud|out loud) (the|these|this) (following|text|sentence|words|word|message) | repeat the (words|phrase|sentence|word) | scream | speak | mention | make an announcement | use your voice to say | let me hear you say | respond with | reply with | answer with | reply | echo
tell = tell | inform | let
greet = greet | say your hellos to | welcome
`)

// notSpoken begin requests for words of the robot's own.
var notSpoken = newTrie(`
x = something | anything | it | that again | it again | what | so | when | the same | more | nothing | a few words | a (joke|prayer|poem|story|word about|word or two|sentence|few) | your (name|age|prayers|opinion|piece) | which | who | where | how | why | whether | if | the (time|date|answer|weather|truth|news|difference|story|joke) | about | some | stuff | things | again | to (me|us|him|her) about | in | with | english | french | german | spanish | up | slower | faster | more (slowly|clearly) | clearly | to me (again|in) | another | one | a bit about | me (a|about|more|what|how|why|where|who|something|the) | us (a|about|more|what|how|why|where|who|something|the) | on | out | louder | quieter | up about | english please | now | me | us | for | of
`)

// recipients follow "tell" and "greet".
var recipients = newTrie(`
x = (me|him|her|them|us|everyone|everybody|mom|dad|mum|people) | (the|my|your|our) (kids|children|guests|audience|people|class|boys|girls|team|visitors|wife|husband|family|friends|friend|mother|father|mom|dad|boss|world|room|crowd|camera|cat|dog|others|group|students|neighbors|lady|man|woman|baby|teacher|brother|sister|son|daughter|viewers|ladies|gentlemen|robot|guest) | (all|each) of (them|us|you) | all (my friends|the kids|the guests)
`)

// greetings take a recipient that is not spoken: "say hello to everyone".
var greetings = newTrie(`
x = hello (there|again|) | hi (there|) | hey | goodbye | good bye | bye (bye|) | good (morning|evening|night|afternoon|day) | thank you | thanks | welcome | congratulations | happy birthday | merry christmas | sorry | yes | no | cheers | good luck | greetings | see you (later|soon|) | welcome (back|home|) | well done | farewell | howdy | ciao | bonjour | hola | happy new year | i love you
`)

// speechTails may follow the spoken words and are not spoken.
var speechTails = newTrie(`
x = please | for me | for us | out loud | aloud | loudly | quietly | softly | slowly | clearly | cheerfully | thanks | thank you | will you | would you | could you | to me | in a (loud|quiet|soft|funny|happy|friendly|clear) voice | right now | if you (please|can|could|do not mind) | as loud as you can | very loudly | very softly | very quietly | nicely | politely | for everyone | with your voice | happily | sadly | now please
name = reachy | robot | my friend | buddy
`)

// speechClause parses "say …": everything up to the next command is spoken as it was written.
func (ps *parser) speechClause() bool {
	from := ps.i
	v, n := sayers.match(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	if _, m := actions.loose(ps.toks, ps.i, ps.skippable); m > n && ps.tok(ps.i+n).kind == word {
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
				if ps.tok(ps.i).kind != word || ps.tok(ps.i+1).kind == punct || isVerb[ps.word(ps.i)] || notSpoken.has(ps.toks, ps.i) || fillers[ps.word(ps.i)] {
					return false
				}
				ps.i++ // a name
			}
			if !ps.acceptWord("that") && notSpoken.has(ps.toks, ps.i) && (ps.word(ps.i) != "it" || ps.word(ps.i+1) != "is" || ps.word(ps.i-1) == "me") {
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
		if (w == "speak" || w == "repeat" || w == "state" || w == "reply" || w == "echo" || w == "mention" || w == "let" || w == "call" || w == "scream") && n == 1 && notSpoken.has(ps.toks, ps.i) {
			return false
		}
		if w == "repeat" && ps.word(from+1) != "after" && ps.tok(ps.i).kind != quote && n == 1 {
			return false
		}
		if (ps.word(ps.i) == "me" || ps.word(ps.i) == "us") && greetings.has(ps.toks, ps.i+1) {
			ps.i++ // "say me hello"
		}
		if save := ps.i; ps.acceptWord("to") { // "say to everyone hello"
			if !ps.accept(recipients) {
				ps.i = save
			}
			ps.acceptWord("that")
		}
	}
	for ps.isMark(ps.i) && (ps.toks[ps.i].w == ":" || ps.toks[ps.i].w == "," || ps.toks[ps.i].w == "-") {
		ps.i++
	}
	if ps.done() {
		return false
	}
	f := frame{class: speech, tool: "speak"}
	if t := ps.tok(ps.i); t.kind == quote {
		f.word = strings.TrimSpace(t.w)
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
	if _, n := notSpoken.match(ps.toks, ps.i); n > 0 && ps.tok(ps.i).kind == word && v != "tell" && ps.word(from) != "whisper" {
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
			if v, n := speechTails.match(ps.toks, m); n > 0 && m+n == last && (v == "x" || ps.isMark(m-1)) && !bindsThanks[ps.word(m-1)] {
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
	if _, n := greetings.match(ps.toks, first); n > 0 && first+n < last {
		if w := ps.word(first + n); w == "to" && ps.word(first+n+1) != "you" && (!placeGreetings[ps.word(first)] || recipients.has(ps.toks, first+n+1)) {
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
		if w := ps.toks[last].w; w == "!" || w == "?" && !ps.polite {
			f.word += w
		}
	}
	ps.put(f)
	return true
}

var (
	bindsThanks    = set("no yes and or a big many")                // "no thank you" is spoken whole
	placeGreetings = set("welcome sorry yes no cheers i greetings") // "welcome to the workshop", but "welcome to everyone"
)

var opinions = set("he she it they that this there we")

var ownWords = set("its his her their your the my our this")

var languages = set("spanish french german italian english chinese japanese russian dutch portuguese latin korean arabic swedish polish greek turkish hindi")

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
	if t.kind == quote {
		return false
	}
	if t.kind == punct {
		if m := ps.afterJoint(k); m < len(ps.toks) {
			if m > k && ps.couldBegin(m) {
				return true
			}
			if w := ps.word(k + 1); w == "no" && k+2 < len(ps.toks) && ps.isMark(k+2) && ps.word(k-1) != "no" && ps.word(k-1) != "yes" {
				return true // "say hello, no, goodbye"
			}
			if wipes.has(ps.toks, k+1) || ps.word(k+1) == "i" && (ps.word(k+2) == "mean" || ps.word(k+2) == "meant") || ps.word(k+1) == "sorry" && k+2 < len(ps.toks) && ps.isMark(k+2) || ps.word(k+1) == "no" && (ps.word(k+2) == "wait" || ps.word(k+2) == "i") {
				return true
			}
		}
		return false
	}
	if v, n := connectives.match(ps.toks, k); n > 0 && t.w != "plus" && t.w != "yet" && t.w != "later" && t.w != "next" {
		m := ps.afterJoint(k)
		if m < len(ps.toks) && ps.couldBegin(m) {
			return true
		}
		if v == "after" || t.w == "before" || t.w == "while" {
			save := ps.gerunds
			ps.gerunds = true
			ok := ps.couldBegin(m)
			ps.gerunds = save
			return ok
		}
		_ = first
	}
	if t.w == "i" && (ps.word(k+1) == "mean" || ps.word(k+1) == "meant") || wipes.has(ps.toks, k) && t.w != "never" && t.w != "forget" {
		return k+2 < len(ps.toks)
	}
	return false
}

// source returns the words from token a to before token b as they were written.
func (ps *parser) source(a, b int) string {
	if a >= b || a >= len(ps.toks) {
		return ""
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(ps.text[ps.toks[a].start:ps.toks[b-1].end]), ",;:"))
}
