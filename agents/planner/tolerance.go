package planner

import (
	"slices"
	"strings"
)

// A sentence of which something was not understood is read a second time, with tolerance for words that carry no content:
// a preamble of any wording before the command, and a few small words and asides inside. Words of content that no table
// knows are never stepped over, so that statements, reports and questions of knowledge stay what they are.

// maxSlack is how many small words and asides may be left over in one sentence.
const maxSlack = 6

// maxPreamble is how many words a preamble may have.
const maxPreamble = 18

// preambleWords are the words that a request may be wrapped in. None of them denies, reports or names a thing.
var preambleWords = set(`i we you it that this there is am are was were be been being would could can might may should shall will must ought has have had
 just really ever so very much too also kindly quick maybe perhaps possibly simply quickly wondering hoping thinking asking wanted want need like love prefer appreciate glad grateful happy pleased delighted obliged thankful
 nice great good kind lovely cool fun wonderful awesome amazing fantastic helpful super got gotta reckon suggest recommend propose suppose guess request ask tell insist demand wish expect require beg urge whether if for me us a an the my your our favor favour please pretty plz pls sugar cherry
 honey top on with of able important necessary essential crucial vital better best honour honor pleasure possible possibility chance time moment minute second turn next first task job mission thing step goal order command instruction assignment go ahead try make sure certain remember get let see now then well okay ok alright right hey hi hello yo oi
 robot reachy mini buddy friend pal dear sweetie mate bot man dude fellow guy bro any lets machine thing little old sweet clever smart lovely to and as in excuse pardon sorry bother trouble disturb thank thanks kindness here come goodness do doing did about
 what how say one more all by at once again today some feel free welcome allowed supposed requested asked invited required going start begin proceed continue take want's would've wanna gotta gonna lemme gimme up`)

// requestMarks make a preamble with "you" in it a request rather than a remark about the robot.
var requestMarks = set(`please plz pls kindly want need wish ask asking request demand insist expect require beg urge prefer appreciate would could can might may should must shall will ought task job mission goal order turn time try sure supposed requested asked invited required welcome free let lets important necessary essential crucial vital better best`)

// notBeforeVerb are words after which a word of the lexicon is no imperative: "the look", "is turn".
var notBeforeVerb = set("me us the a an my our of on with is are was were am be been being it this i we has had in at by as what how one some all it's good great nice very much little old sweet")

// asides say nothing about what to do, wherever they stand.
var asides = newTrie(`
x = (if|) (it is|that is|) (not|) too much (trouble|bother|to ask|of a bother|of a problem|work) | if it is not too much of a (bother|problem|hassle) | no (rush|hurry|worries|problem|pressure) | not to (bother|rush|trouble) you | over (there|here) | out (there|loud) | right (there|here) | on top | what (was|is) (it|that|the word|the name) (again|called|) | so to speak | as it were | if you will | in (a|one) (go|swoop|sweep|single motion|single movement|smooth motion|fluid motion|smooth movement) | or so | or (something|whatever) (like that|) | and (so on|stuff|such|all that|everything) | at all | for (it|that|this|sure|real|certain|good measure|old times' sake|all to see|old time's sake) | in the (process|meantime|mean time) | as (a start|before|usual|ever|always|well as) | of course | by the way | to be (exact|precise|clear|specific|honest) | more or less | give or take | i (beg|pray) you | i (would|will) say | that is | you hear (me|) | do you hear (me|) | you got it | got it | understood | is that clear | right about now | with (style|feeling|passion|energy|gusto|enthusiasm|pleasure|confidence|pride|flair|panache|vigour|vigor|joy) | my (good|dear|sweet|little|) (fellow|robot|friend|buddy|dear|man|chap|thing|machine) | (you|) (silly|little|clever|smart|cute|sweet|lovely|old|good|funny) (robot|thing|machine|bot|one|fellow|guy|boy|buddy|friend) | and (nothing|that is) (else|it|all) | right this (second|minute|moment|instant) | this (second|minute|moment|instant) | in this moment | at (this|the) moment | at present | (with|in) (a|one|) (single|smooth|fluid|gentle|soft|nice|steady|calm) (movement|motion|move|sweep) | for one time | one time only | quick quick | chop chop | come on | let us go | will you please | if that makes sense | if that is fine | if that is not a problem | (and|) be quick about it | (and|) make it (quick|snappy) | pretty please | with (sugar|a cherry|sugar and a cherry) on top | pretty please with (sugar|a cherry) on top
`)

// slackWords are small words that speakers put where the grammar has none: "can you to nod", "put the volume on 40".
var slackWords = set("to for that of the a an you your it on at in please now just then so well um like okay ok plz pls there here also yes sir madam ma'am bro guys really very quite halfway such be own self all")

// tolerant reads the text once more, stepping over words without content.
func (ps *parser) tolerant(toks []token) bool {
	*ps = parser{p: ps.p, text: ps.text, toks: toks, fuel: maxTrials, begins: make([]beginsAt, len(toks)), slack: maxSlack}
	return ps.sentence() && len(ps.frames) > 0
}

// slip steps over one aside or small word, where the second reading still allows it.
func (ps *parser) slip() bool {
	if ps.slack <= 0 || ps.trial > 0 {
		return false
	}
	n := matchLen(asides, ps.toks, ps.i)
	switch w := ps.word(ps.i); {
	case n > 0:
	case slackWords[w]:
		n = 1
	case w == "like" && (ps.word(ps.i+1) == "a" || ps.word(ps.i+1) == "an") && directions.has(ps.toks, ps.i+3):
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
	if _, n := parts.match(ps.toks, k); n == 0 || !directions.has(ps.toks, k+n) && ps.tok(k+n).kind != number && ps.word(k+n) != "to" {
		return false
	}
	ps.slack--
	return true
}

// dismissed steps over what the speaker does not mind any more: "never mind the apple, look at the duck".
func (ps *parser) dismissed() bool {
	if ps.slack <= 0 || !dismissals.has(ps.toks, ps.i) {
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

var dismissals = newTrie(`
x = never mind (about|) (the|that|a|my|your|all) | forget (about|) (the|that|a|my|your) | do not (worry|care|bother) (about|with) | leave the
`)

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
		w := ps.word(k)
		if n := matchLen(asides, ps.toks, k); n > 0 {
			k += n
		} else if ps.manner(k) || nounOpeners[w] || preambleWords[w] && (w != "turn" || k > from && !ps.isMark(k-1)) {
			k++
		} else if k > from && ps.isMark(k) && (ps.toks[k].w == "," || ps.toks[k].w == "!" || ps.toks[k].w == "-" || ps.toks[k].w == ":") {
			k++
		} else {
			return false
		}
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
		n := matchLen(leadIns, ps.toks, ps.i)
		if w := ps.tok(ps.i); n == 0 && w.kind == punct && w.w == "," {
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
	if k > 1 || k == 1 && ps.word(0) != "hey" || w == "" || vocabulary[w] && !givenNames[w] || ps.p.objects[w] || isVerb[w] || inflections[w].form != 0 || strings.HasSuffix(w, "s") {
		return false
	}
	for ps.isMark(k+1) && ps.toks[k+1].w != "?" {
		k++
	}
	if ps.word(k+1) == "stop" && !ps.boundary(k+2) {
		return false // "Toyota stop production"
	}
	return ps.verbAt(k+1) || leadIns.has(ps.toks, k+1)
}

// givenNames are names that other tables keep as words.
var givenNames = set("max bob bill anna john mary paul peter steve tom jim joe sam ben dan lisa sarah laura emma")

// pastAt reports whether the past of a wish stands at k: "it is time you went to sleep".
func (ps *parser) pastAt(k int) bool {
	return inflections[ps.word(k)].form == 'p' && ps.word(k-1) == "you" && (ps.word(k-2) == "time" || ps.word(k-2) == "if")
}

// addressed reports whether "you" or "please" stands from a to before b.
func (ps *parser) addressed(a, b int) bool {
	return slices.ContainsFunc(ps.toks[a:b], func(t token) bool { return t.kind == word && (t.w == "you" || t.w == "please") })
}

// gerundAt reports whether the gerund of a command stands at k: "how about you nodding", "I'd appreciate you looking up".
func (ps *parser) gerundAt(k int) bool {
	if inflections[ps.word(k)].form != 'g' {
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
	if v, n := actions.match(ps.toks, b); n == 0 || !strings.HasPrefix(v.(string), "gesture") && v != "take_photo" || !ps.boundary(b+n) && !tails.has(ps.toks, b+n) {
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
	nounOpeners  = set("a an another one some quick little nice big short small good tiny great lovely my your the")
	nounRequests = set("for of about try want need love see do make get give")
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
	return slices.ContainsFunc(ps.toks, func(t token) bool { return t.kind == word && t.w == "please" })
}

// idle steps over a stretch between two marks that is nothing but preamble words: "pretty please with sugar on top, …".
func (ps *parser) idle() bool {
	if ps.slack <= 0 || ps.trial > 0 {
		return false
	}
	k := ps.i
	for k < len(ps.toks) && !ps.isMark(k) {
		if n := matchLen(asides, ps.toks, k); n > 0 {
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
