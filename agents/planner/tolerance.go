package planner

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// A sentence of which something was not understood is read a second time, with tolerance for words that carry no content:
// a preamble of any wording before the command, and a few small words and asides inside. Words of content that no table
// knows are never stepped over, so that statements, reports and questions of knowledge stay what they are.

// maxSlack is how many small words and asides may be left over in one sentence.
const maxSlack = 6

// maxPreamble is how many words a preamble may have.
const maxPreamble = 18

// preambleWords are the words that a request may be wrapped in. None of them denies, reports or names a thing.
var preambleWords = language.Words("preamble-words")

// requestMarks make a preamble with "you" in it a request rather than a remark about the robot.
var requestMarks = language.Words("request-marks")

// notBeforeVerb are words after which a word of the lexicon is no imperative: "the look", "is turn".
var notBeforeVerb = language.Words("not-before-verb")

// asides say nothing about what to do, wherever they stand.
var asides = language.Phrases("asides")

// slackWords are small words that speakers put where the grammar has none: "can you to nod", "put the volume on 40".
var slackWords = language.Words("slack-words")

// tolerant reads the text once more, stepping over words without content.
func (ps *parser) tolerant(toks language.Tokens) bool {
	*ps = parser{p: ps.p, text: ps.text, toks: toks, fuel: maxTrials, begins: make([]beginsAt, len(toks)), slack: maxSlack}
	return ps.sentence() && len(ps.frames) > 0
}

// slip steps over one aside or small word, where the second reading still allows it.
func (ps *parser) slip() bool {
	if ps.slack <= 0 || ps.trial > 0 {
		return false
	}
	n := asides.Len(ps.toks, ps.i)
	switch w := ps.word(ps.i); {
	case n > 0:
	case slackWords[w]:
		n = 1
	case w == "like" && (ps.word(ps.i+1) == "a" || ps.word(ps.i+1) == "an") && directions.Has(ps.toks, ps.i+3):
		n = 3 // "turn your head like an owl to the left"
	}
	if n == 0 {
		return false
	}
	ps.slack--
	ps.i += n
	return true
}

// partAhead reports whether a further part begins at the current word, run together with what stands before:
// "left antenna down right antenna up".
func (ps *parser) partAhead(f *frame) bool {
	if ps.slack <= 0 || ps.trial > 0 || f.class != motion || f.part == "" || f.empty() {
		return false
	}
	k := ps.i
	for ps.word(k) == "your" || ps.word(k) == "the" {
		k++
	}
	if _, n := parts.Match(ps.toks, k); n == 0 || !directions.Has(ps.toks, k+n) && ps.tok(k+n).Kind != language.Number && ps.word(k+n) != "to" {
		return false
	}
	ps.slack--
	return true
}

// dismissed steps over what the speaker does not mind any more: "never mind the apple, look at the duck".
func (ps *parser) dismissed() bool {
	if ps.slack <= 0 || !dismissals.Has(ps.toks, ps.i) {
		return false
	}
	for k := ps.i + 2; k < len(ps.toks); k++ {
		if ps.isMark(k) || ps.word(k) == "and" || ps.word(k) == "just" {
			if m := ps.afterJoint(k); m < len(ps.toks) && ps.couldBegin(m) {
				ps.i, ps.frames = k, ps.frames[:0]
				return true
			}
		}
	}
	return false
}

var dismissals = language.Phrases("dismissals")

// preamble steps to the command behind a preamble of any wording: "I was wondering whether you could", "you must to".
// It reports whether a whole command was parsed there.
func (ps *parser) preamble() bool {
	if ps.slack <= 0 || ps.trial > 0 {
		return false
	}
	from, mark := ps.i, len(ps.frames)
	if ps.calls(from) { // a name without a comma: "bobby look left"
		for ps.i++; ps.isMark(ps.i); ps.i++ {
			continue
		}
		if ps.verbedClause() {
			return true
		}
		ps.i, ps.frames = from, ps.frames[:mark]
	}
	if ps.fronted() {
		return true
	}
	k := from
	for k < len(ps.toks) && k-from < maxPreamble {
		n := ps.preambleStep(from, k)
		if n == 0 {
			return false
		}
		k += n
		asked := (ps.verbAt(k) || ps.gerundAt(k) || ps.pastAt(k)) && ps.asksFor(from, k)
		if !asked && !ps.wantsOne(from, k) {
			continue
		}
		ps.i = k
		gerunds, pasts := ps.gerunds, ps.pasts
		ps.gerunds = ps.gerunds || ps.gerundAt(k)
		ps.pasts = ps.pasts || ps.pastAt(k)
		if ps.headed() && (len(ps.frames) == mark || ps.frames[mark].class != fault || ps.addressed(from, k)) {
			return true
		}
		ps.i, ps.frames, ps.gerunds, ps.pasts = from, ps.frames[:mark], gerunds, pasts
	}
	return false
}

// preambleStep returns how many tokens at k belong to the preamble that begins at from, 0 when it ends.
func (ps *parser) preambleStep(from, k int) int {
	if n := asides.Len(ps.toks, k); n > 0 {
		return n
	}
	w := ps.word(k)
	inside := k > from
	switch mark := ps.tok(k).Word; {
	case ps.manner(k), nounOpeners[w], preambleWords[w] && (w != "turn" || inside && !ps.isMark(k-1)),
		inside && ps.isMark(k) && (mark == "," || mark == "!" || mark == "-" || mark == ":"):
		return 1
	}
	return 0
}

// fronted parses a command of motion whose slots stand before its verb: "twenty degrees to the right turn your body".
func (ps *parser) fronted() bool {
	from, mark, slack := ps.i, len(ps.frames), ps.slack
	fail := func() bool {
		ps.i, ps.frames, ps.slack = from, ps.frames[:mark], slack
		return false
	}
	pre := frame{class: motion}
	ps.slack = 0 // no guessing within the slots
	ps.slots(&pre)
	ps.slack = slack
	if ps.i == from || pre.empty() && pre.part == "" {
		return fail()
	}
	behind := ps.i
	for {
		n := leadIns.Len(ps.toks, ps.i)
		if w := ps.tok(ps.i); n == 0 && w.Kind == language.Mark && w.Word == "," {
			n = 1
		}
		if n == 0 {
			break
		}
		ps.i += n
	}
	if !ps.verbAt(ps.i) || ps.i == behind && ps.boundary(ps.i+1) { // "no left turn" names a thing
		return fail()
	}
	ps.fronting = true
	ok := ps.headed()
	ps.fronting = false
	if !ok || len(ps.frames) != mark+1 {
		return fail()
	}
	f := &ps.frames[mark]
	if f.tool == "gesture" && pre.empty() {
		return true // "with your head, nod"
	}
	if f.class != motion || !f.empty() && !pre.empty() || f.part != "" && f.part != "it" && f.part != "them" && pre.part != "" {
		return fail()
	}
	if f.part == "" || pre.part != "" {
		f.part = pre.part
	}
	if f.empty() {
		f.headings, f.bare, f.axes, f.axisSet = pre.headings, pre.bare, pre.axes, pre.axisSet
	}
	copyModifiers(f, &pre)
	return !f.vague() || fail()
}

// calls reports whether the sentence begins with a word that can only be a name or an outcry.
func (ps *parser) calls(k int) bool {
	w := ps.word(k)
	verb := language.IsVerb(w) || language.InflectionOf(w).Form != 0
	if k > 1 || k == 1 && ps.word(0) != "hey" || w == "" || verb || language.Known(w) && !givenNames[w] || ps.p.objects[w] || strings.HasSuffix(w, "s") {
		return false
	}
	for ps.isMark(k+1) && ps.toks[k+1].Word != "?" {
		k++
	}
	if ps.word(k+1) == "stop" && !ps.boundary(k+2) {
		return false // "Toyota stop production"
	}
	return ps.verbAt(k+1) || leadIns.Has(ps.toks, k+1)
}

// givenNames are names that other tables keep as words.
var givenNames = language.Words("given-names")

// pastAt reports whether the past of a wish stands at k: "it is time you went to sleep".
func (ps *parser) pastAt(k int) bool {
	return language.InflectionOf(ps.word(k)).Form == 'p' && ps.word(k-1) == "you" && (ps.word(k-2) == "time" || ps.word(k-2) == "if")
}

// addressed reports whether "you" or "please" stands from a to before b.
func (ps *parser) addressed(a, b int) bool {
	return slices.ContainsFunc(ps.toks[a:b], func(t language.Token) bool { return t.Kind == language.Word && (t.Word == "you" || t.Word == "please") })
}

// gerundAt reports whether the gerund of a command stands at k: "how about you nodding", "I'd appreciate you looking up".
func (ps *parser) gerundAt(k int) bool {
	if language.InflectionOf(ps.word(k)).Form != 'g' {
		return false
	}
	switch ps.word(k - 1) {
	case "about":
		return true
	case "you":
		return ps.word(k-2) == "appreciate" || ps.word(k-2) == "about" || ps.word(k-2) == "love"
	}
	return false
}

// wantsOne reports whether the words from a to before b ask for what is named at b by a noun: "any chance of a quick photo".
func (ps *parser) wantsOne(a, b int) bool {
	if v, n := actions.Match(ps.toks, b); n == 0 || !strings.HasPrefix(v, "gesture") && v != "take_photo" || !ps.boundary(b+n) && !tails.Has(ps.toks, b+n) {
		return false
	}
	if ps.word(a) == "what" {
		return false
	}
	k := b - 1
	for k > a && nounOpeners[ps.word(k)] {
		k--
	}
	if k == b-1 {
		return false
	}
	for m := a; m < b; m++ {
		switch ps.word(m) {
		case "was", "were", "had", "has", "is", "did", "it", "that":
			return false
		}
	}
	return nounRequests[ps.word(k)]
}

var (
	nounOpeners  = language.Words("noun-openers")
	nounRequests = language.Words("noun-requests")
)

// asksFor reports whether the words from a to before b ask the robot for what follows.
func (ps *parser) asksFor(a, b int) bool {
	if notBeforeVerb[ps.word(b-1)] || ps.word(a) == "if" || ps.word(a) == "how" && ps.word(a+1) != "about" || ps.word(a) == "what" && ps.word(a+2) != "it" {
		return false
	}
	subject, you := "", -1
	marks, states, past := 0, false, false
	for k := a; k < b; k++ {
		switch w := ps.word(k); w {
		case "i", "we":
			subject = w
		case "you":
			subject, you = w, k
		case "was", "were", "did", "has", "had":
			past = true
		case "is":
			states = true
		case "got":
			if ps.word(k+1) == "to" {
				marks++
			}
		default:
			if requestMarks[w] {
				marks++
			}
		}
	}
	switch {
	case subject == "i" || subject == "we":
		return false
	case subject == "":
		return !past && (!states || marks > 0)
	case marks == 0 && !ps.pleads() && ps.word(you-1) != "now":
		return false
	}
	switch ps.word(you - 1) {
	case "do", "did", "had", "were", "as", "like", "love", "when":
		return false // a question about the robot, or a remark
	case "have":
		if w := ps.word(you - 2); w != "us" && w != "to" {
			return false
		}
	}
	switch ps.word(you + 1) {
	case "were", "was", "did", "like", "love", "want", "see", "had", "has", "been":
		return false
	case "are", "do", "have", "need":
		return ps.word(you+2) == "to" || requestMarks[ps.word(you+2)]
	}
	return true
}

// pleads reports whether a "please" stands anywhere in the sentence.
func (ps *parser) pleads() bool {
	return slices.ContainsFunc(ps.toks, func(t language.Token) bool { return t.Kind == language.Word && t.Word == "please" })
}

// idle steps over a stretch between two marks that is nothing but preamble words: "pretty please with sugar on top, …".
func (ps *parser) idle() bool {
	if ps.slack <= 0 || ps.trial > 0 || ps.paceAlone() {
		return false
	}
	k := ps.i
	for k < len(ps.toks) && !ps.isMark(k) {
		if n := asides.Len(ps.toks, k); n > 0 {
			k += n
			continue
		}
		w := ps.word(k)
		if !preambleWords[w] || ps.verbAt(k) && k == ps.i || w == "i" || w == "we" || w == "what" || w == "how" {
			return false
		}
		k++
	}
	if k == ps.i || k-ps.i > maxSlack+2 {
		return false
	}
	ps.slack--
	ps.i = k
	return true
}
