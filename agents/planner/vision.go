package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// sights are questions and commands that look at the scene; what follows them belongs to the question.
var sights = language.Phrases("sights")

// seekers are questions and commands for one kind of object; its name follows.
var seekers = language.Phrases("seekers")

// notSought are things that no camera finds.
var notSought = language.Words("not-sought")

// persons are seen as "person".
var persons = language.Words("persons")

// visionClause parses what the camera has to answer.
func (ps *parser) visionClause() bool {
	from := ps.i
	if v, n := sights.Match(ps.toks, ps.i); n > 0 && (n > 1 || v != "detectall" || ps.boundary(ps.i+1)) {
		ps.i += n
		f := frame{class: action, args: map[string]any{}}
		ps.restOfQuestion()
		prompt := strings.TrimRight(ps.source(from, ps.i), ".!?")
		switch v {
		case "analyze":
			if ps.aboutOthers(from) {
				return false
			}
			f.tool = "analyze_scene"
			f.args["prompt"] = prompt
		case "detectall":
			f.tool = "detect_objects"
		case "image":
			f.tool = "describe_image"
			if (ps.word(from+n-1) == "it" || ps.word(from+1) == "it") && !ps.photoBefore() {
				return false
			}
			f.args["photo"], f.args["prompt"] = ps.photoName(from), prompt
		}
		ps.put(f)
		return true
	}
	n := seekers.Len(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	head := ps.word(ps.i)
	many := head == "how" || head == "count" || ps.word(ps.i+n-1) == "many"
	asksForPerson := (head == "is" || head == "anyone" || head == "anybody") && persons[ps.word(ps.i+n-1)]
	ps.i += n
	f := frame{class: finding, tool: "detect_objects"}
	if asksForPerson {
		switch ps.word(ps.i) {
		case "there", "here", "in", "around", "at", "home", "near", "next", "behind", "out":
		default:
			return false
		}
		f.word = "person"
		ps.restOfQuestion()
		ps.put(f)
		return true
	}
	if n == 1 && head == "is" { // "is the apple on the table", "is the duck there"
		if ps.word(ps.i) != "the" && ps.word(ps.i) != "my" && ps.word(ps.i) != "a" {
			return false
		}
		name, m := ps.nounPhrase(ps.i, true)
		if m == 0 {
			return false
		}
		switch ps.word(ps.i + m) {
		case "on", "in", "there", "here", "visible", "near", "next", "under", "behind", "around", "still":
		default:
			return false
		}
		f.word = name
		ps.i += m
		ps.restOfQuestion()
		if notSought[lastWord(name)] {
			return false
		}
		ps.put(f)
		return true
	}
	if head == "where" && (ps.word(ps.i) == "your" || ps.word(ps.i) == "you") {
		return false // about the robot, not the scene
	}
	det := fillers[ps.word(ps.i)] || ps.word(ps.i) == "any" || ps.word(ps.i) == "some" || ps.word(ps.i) == "if" || ps.tok(ps.i).Kind == language.Number
	if w := ps.word(ps.i); persons[w] && (w != "people" || head != "find") {
		if head == "how" {
			if next := ps.word(ps.i + 1); !ps.boundary(ps.i+1) && !countGoesOn[next] && !tails.Has(ps.toks, ps.i+1) {
				return false // "how many people live in Germany"
			}
			ps.i++
			seen := ps.inView()
			ps.i--
			if !seen {
				return false
			}
		}
		if w == "me" || w == "us" {
			if head == "look" || head == "search" || !ps.boundary(ps.i+1) && !tails.Has(ps.toks, ps.i+1) {
				return false
			}
		}
		f.word = "person"
		ps.i++
		ps.restOfQuestion()
		ps.put(f)
		return true
	}
	if ps.word(ps.i) == "what" || ps.word(ps.i) == "how" {
		return false
	}
	if ps.word(ps.i) == "my" && ps.word(ps.i+1) == "face" || ps.word(ps.i) == "a" && ps.word(ps.i+1) == "face" {
		det = true
	}
	name, m := ps.nounPhrase(ps.i, true)
	if m == 0 || name == "" {
		return false
	}
	last := lastWord(name)
	if head == "did" && (last == "night" || last == "yesterday" || last == "today" || strings.Contains(name, " last ")) {
		return false // "did you see the game last night"
	}
	if notSought[last] || notSought[name] || notSought[strings.SplitN(name, " ", 2)[0]] {
		return false
	}
	if head == "where" || head == "have" || head == "is" || head == "search" {
		if !det && !ps.p.objects[name] {
			return false
		}
	}
	if !det && !many && head != "detect" && head != "are" && head != "locate" && head != "spot" && head != "find" && !ps.p.objects[language.Singular(last)] && head != "look" && head != "identify" && head != "recognize" && head != "do" && head != "can" && head != "count" {
		return false
	}
	ps.i += m
	if head == "can" || head == "do" || head == "did" {
		if w := ps.word(ps.i); w == "that" || w == "what" || w == "why" {
			return false
		}
	}
	if many || strings.HasPrefix(head, "are") || ps.word(ps.i-m) == "any" || strings.HasPrefix(head, "count") {
		name = singularPhrase(name)
	}
	if persons[name] {
		name = "person"
	}
	f.word = name
	if many {
		switch w := ps.word(ps.i); {
		case ps.boundary(ps.i), w == "are", w == "do", w == "can", w == "on", w == "in", w == "you", w == "there", tails.Has(ps.toks, ps.i):
		default:
			return false
		}
		if head == "how" && !ps.inView() {
			return false
		}
		if w := ps.word(ps.i); w == "are" || w == "do" || w == "can" {
			if w2 := ps.word(ps.i + 1); w2 != "there" && w2 != "you" && w2 != "visible" && w2 != "on" && w2 != "in" {
				return false
			}
			if ps.word(ps.i+1) == "you" || ps.word(ps.i+1) == "there" && ps.word(ps.i+2) == "in" && ps.word(ps.i+3) == "a" {
				switch ps.word(ps.i + 2) {
				case "see", "find", "spot", "detect", "count", "recognize", "notice", "identify":
				default:
					return false
				}
			}
		}
	}
	if many && (ps.word(ps.i) == "can" || ps.word(ps.i) == "could") {
		ps.restOfQuestion() // "how many cups can you see", where "can you" is no tail
	} else if !ps.finish(&f, true) {
		switch ps.word(ps.i) {
		case "in", "on", "at", "to", "with", "from", "for", "right", "that", "is", "are", "there", "here", "around", "nearby", "still", "you", "do", "can", "visible", "somewhere", "anywhere", "near", "next", "behind", "under", "located", "standing", "sitting", "lying", "hiding", "beside", "below", "above", "left":
			ps.restOfQuestion()
		default:
			return false
		}
	}
	ps.put(f)
	return true
}

// seenPlaces are places that a camera may look at.
var seenPlaces = language.Words("seen-places")

// countGoesOn are the words that go on with a question of number about what is in view.
var countGoesOn = language.Words("count-goes-on")

// inView reports whether the place in a question of number, if it names one, can be seen: "on the table", not "in a circle".
func (ps *parser) inView() bool {
	for k := ps.i; k < len(ps.toks) && !ps.isMark(k); k++ {
		switch ps.word(k) {
		case "in", "on", "inside", "under", "behind":
			for m := k + 1; m < len(ps.toks) && m < k+5; m++ {
				if seenPlaces[ps.word(m)] || ps.word(m) == "my" || ps.word(m) == "your" {
					return true
				}
			}
			return false
		}
	}
	return true
}

// aboutOthers reports whether a question only sounds like one about the scene: "what is this song called".
func (ps *parser) aboutOthers(from int) bool {
	for k := from; k < ps.i; k++ {
		switch ps.word(k) {
		case "called", "song", "tomorrow", "yesterday", "mean", "means", "future", "movie", "news", "politics", "world", "theory", "history", "universe", "internet":
			return true
		}
	}
	if ps.word(from) == "what" && ps.word(from+1) == "is" && (ps.word(from+2) == "that" || ps.word(from+2) == "this" || ps.word(from+2) == "happening") {
		switch ps.word(from + 3) {
		case "supposed", "all", "about", "for", "good", "got", "to":
			return true
		}
	}
	if ps.word(from) == "who" && (ps.word(from+2) == "that" || ps.word(from+2) == "this") {
		if w := ps.word(from + 3); w != "" && w != "in" && w != "over" && w != "there" && w != "person" && w != "man" && w != "woman" && w != "standing" && w != "sitting" && w != "guy" {
			return true
		}
	}
	if w := ps.word(from + 1); ps.word(from) == "what" && (w == "color" || w == "colour") && (ps.word(from+2) == "is" || ps.word(from+2) == "are") {
		switch ps.word(from + 3) {
		case "your", "love", "happiness", "the":
			return ps.word(from+3) != "the" || ps.word(from+4) == "sky" || ps.word(from+4) == "sun"
		case "are":
			return true
		}
	}
	return false
}

// restOfQuestion moves to the end of the question, or to the next command.
func (ps *parser) restOfQuestion() {
	for !ps.done() {
		if ps.isMark(ps.i) {
			if m := ps.afterJoint(ps.i); ps.toks[ps.i].Word != "," || m >= len(ps.toks) || ps.couldBegin(m) {
				return
			}
		} else if _, n := connectives.Match(ps.toks, ps.i); n > 0 && ps.couldBegin(ps.i+n) {
			return
		} else if tails.Has(ps.toks, ps.i) {
			_, n := tails.Match(ps.toks, ps.i)
			w := ps.word(ps.i)
			if ps.i+n >= len(ps.toks) && (w == "please" || w == "for" || w == "reachy" || w == "robot") || ps.isMark(ps.i+n) && w == "please" {
				return
			}
		}
		ps.i++
	}
}

var photoWords = language.Words("photo-words")

// photoBefore reports whether a photo is named earlier in the sentence.
func (ps *parser) photoBefore() bool {
	for k := range ps.i {
		if photoWords[ps.word(k)] {
			return true
		}
	}
	return false
}

// photoName returns which photo is meant: its number, "first", or "last".
func (ps *parser) photoName(from int) string {
	for k := from; k < ps.i; k++ {
		switch ps.word(k) {
		case "photo", "picture", "image", "pic":
			if t := ps.tok(k + 1); t.Kind == language.Number {
				return t.Word
			}
			if ps.word(k+1) == "number" && ps.tok(k+2).Kind == language.Number {
				return ps.tok(k + 2).Word
			}
			if t := ps.tok(k + 1); t.Kind == language.Quote {
				return t.Word
			}
		case "first", "previous", "second":
			return ps.word(k)
		}
	}
	return "last"
}

// nounPhrase reads the name of a thing at k without its articles. Sought things end before "on the table".
func (ps *parser) nounPhrase(k int, sought bool) (name string, n int) {
	from := k
	article := false
	for {
		switch ps.word(k) {
		case "the", "a", "an", "that", "this", "these", "those", "my", "your", "our", "his", "her", "their", "any", "some", "all", "one", "another", "both":
			article = true
			k++
			if ps.word(k) == "of" {
				k++
			}
			continue
		}
		break
	}
	if ps.tok(k).Kind == language.Number && article || ps.tok(k).Kind == language.Number && sought {
		k++
	}
	if ps.tok(k).Kind == language.Quote {
		return strings.ToLower(ps.tok(k).Word), k + 1 - from
	}
	var b strings.Builder
	words := 0
	for ; k < len(ps.toks); k++ {
		t := ps.tok(k)
		if t.Kind == language.Mark || t.Kind == language.Quote {
			break
		}
		if words > 0 && (connectives.Has(ps.toks, k) || ps.correctionAt(k) > 0 || ps.word(k) == "or") {
			break
		}
		if words > 0 && ps.nounEnds(k, sought) {
			break
		}
		if words == 0 && (t.Kind == language.Word && (adverbsOfPlace[t.Word] && !article || t.Word == "to" || t.Word == "and" || t.Word == "for" || t.Word == "is" || t.Word == "of" || t.Word == "you" || t.Word == "i")) {
			return "", 0
		}
		if words >= 12 {
			break
		}
		w := t.Word
		if t.Kind == language.Word && t.Orig != t.Word && !ps.p.objects[t.Word] {
			w = t.Orig
		}
		if !article && words == 0 || b.Len() > 0 && !article {
			if raw := ps.text[t.Start:t.End]; k > 0 && properName(raw) && strings.EqualFold(raw, w) && strings.ContainsFunc(ps.text[:t.Start], func(r rune) bool { return r >= 'a' && r <= 'z' }) {
				w = raw
			}
		}
		if b.Len() > 0 {
			if t.Glued {
				b.WriteByte('-')
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w)
		words++
	}
	if words == 0 {
		return "", 0
	}
	return b.String(), k - from
}

var adverbsOfPlace = language.Words("adverbs-of-place")

// properName reports whether a word is written like a name: one capital, then small letters.
func properName(s string) bool {
	return len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z'
}

// nounEnds reports whether the name of a thing ends before token k.
func (ps *parser) nounEnds(k int, sought bool) bool {
	var scratch frame
	save := ps.i
	ps.i = k
	w := ps.word(k)
	is := false
	if w != "with" && w != "in" || ps.tok(k+1).Kind == language.Number || ps.word(k+1) == "a" && language.UnitOf(ps.word(k+2)).Dim == language.Time {
		is = ps.modifier(&scratch)
	}
	ps.i = save
	if is {
		return true
	}
	if _, n := tails.Match(ps.toks, k); n > 0 && w != "there" && w != "good" && w != "like" {
		if ps.boundary(k+n) || tails.Has(ps.toks, k+n) {
			return true
		}
	}
	if adjuncts.Has(ps.toks, k) && w != "to" && w != "like" {
		return true
	}
	if sought {
		switch w {
		case "is", "are", "on", "in", "there", "here", "around", "near", "nearby", "next", "still", "do", "can", "you", "under", "behind", "anywhere", "somewhere", "for", "at", "from", "visible", "right", "that", "please", "i", "beside", "below", "above", "between", "standing", "sitting", "lying", "with":
			return true
		}
	}
	if w == "with" && (ps.word(k+1) == "your" || ps.word(k+1) == "both" || ps.word(k+1) == "only") {
		return true
	}
	if ps.manner(k) {
		return true
	}
	if ps.verbAt(k) && ps.trial == 0 && ps.word(k-1) != "the" && ps.word(k-1) != "a" && ps.word(k-1) != "my" && ps.couldBegin(k) {
		return true
	}
	return false
}

func lastWord(s string) string {
	return s[strings.LastIndexByte(s, ' ')+1:]
}

func singularPhrase(s string) string {
	l := lastWord(s)
	return strings.TrimSuffix(s, l) + language.Singular(l)
}

// searches begin a question for the web; what follows is the query.
var searches = language.Phrases("searches")

// keptQueries keep their opening words in the query.
var keptQueries = language.Words("kept-queries")

var webWords = language.Phrases("web-words")

var asksOnline = language.Words("asks-online")

// searchClause parses what the web has to answer.
func (ps *parser) searchClause() bool {
	from := ps.i
	_, n := searches.Match(ps.toks, ps.i)
	online := 0
	if n == 0 || ps.word(from) == "look" && ps.word(from+1) != "up" || ps.word(from) == "find" && n == 1 {
		for k := from; k < len(ps.toks) && !ps.isMark(k); k++ {
			if m := webWords.Len(ps.toks, k); m > 0 {
				online = k
				break
			}
		}
	}
	w := ps.word(from)
	if n == 0 {
		if online == 0 || !asksOnline[w] {
			return false
		}
		n = 1
		if w == "look" { // "look the weather up online"
			for k := from; k < online; k++ {
				if ps.word(k) == "up" && k+1 == online {
					ps.i = online
					f := frame{class: action, tool: "search_web", args: map[string]any{"query": ps.source(from+1, k)}}
					if k == from+1 || !ps.finishSearch(&f) {
						return false
					}
					ps.put(f)
					return true
				}
			}
			return false
		}
		if keptQueries[w] && w != "check" && w != "find" {
			n = 0
		}
	}
	start := from + n
	if keptQueries[w] {
		start = from
		if w == "find" || w == "check" && n <= 2 {
			start = from + n
		}
		if w == "find" && ps.word(from+1) == "out" && n == 3 && ps.word(from+2) != "about" {
			start = from + 2
		}
		if (w == "check" || w == "get" || w == "find" || w == "show" || w == "tell" || w == "read" || w == "give") && n > 2 && start == from {
			start = from + 1
			for ps.word(start) == "me" || ps.word(start) == "us" || ps.word(start) == "the" {
				start++
			}
		}
		ps.i = max(start, from+n)
	} else {
		ps.i = start
	}
	if w == "look" && ps.word(from+1) == "up" && n == 2 { // "look up" with something to look up
		switch t := ps.tok(start); {
		case t.Kind == language.Quote:
		case t.Kind != language.Word:
			return false
		case t.Word == "the" || t.Word == "how" || t.Word == "what" || t.Word == "who" || t.Word == "where" || t.Word == "when" || t.Word == "why":
			if l := ps.clauseLast(start); l == "ceiling" || l == "sky" {
				return false
			}
		case online > 0:
		case ps.boundary(start), directions.Has(ps.toks, start), amounts.Has(ps.toks, start), tails.Has(ps.toks, start), leadIns.Has(ps.toks, start), adjuncts.Has(ps.toks, start), paces.Has(ps.toks, start), counts.Has(ps.toks, start),
			t.Word == "you", t.Word == "i", t.Word == "we", t.Word == "at", t.Word == "to", t.Word == "by", t.Word == "for", t.Word == "a", t.Word == "in", t.Word == "over", t.Word == "into", t.Word == "toward", t.Word == "towards", t.Word == "with", t.Word == "your", t.Word == "from", t.Word == "about", t.Word == "around", ps.verbAt(start), ps.manner(start), language.InflectionOf(t.Word).Form != 0:
			return false
		}
	}
	if w == "search" && n <= 2 && ps.word(from+1) != "up" { // "search for the apple" is for the camera
		k := start
		if start >= len(ps.toks) || ps.boundary(start) {
			return false
		}
		name, _ := ps.nounPhrase(k, true)
		if l := language.Singular(lastWord(name)); ps.p.objects[name] || ps.p.objects[l] || things[l] || persons[name] || ps.word(k) == "my" || ps.word(k) == "your" || l == "face" || (n == 1 && ps.word(k) == "the") {
			return false
		}
	}
	if w == "research" && ps.boundary(start) {
		return false
	}
	f := frame{class: action, tool: "search_web", args: map[string]any{}}
	if t := ps.tok(start); t.Kind == language.Quote {
		f.args["query"] = t.Word
		ps.i = start + 1
		if !ps.finishSearch(&f) {
			return false
		}
		ps.put(f)
		return true
	}
	if ps.i < start {
		ps.i = start
	}
	last := -1
	for !ps.done() {
		if m := webWords.Len(ps.toks, ps.i); m > 0 && ps.i > start && (ps.boundary(ps.i+m) || tails.Has(ps.toks, ps.i+m)) {
			last = ps.i
			ps.i += m
			if !ps.finishSearch(&f) {
				return false
			}
			break
		}
		if ps.isMark(ps.i) {
			if m := ps.afterJoint(ps.i); ps.toks[ps.i].Word != "," || m >= len(ps.toks) || ps.couldBegin(m) {
				break
			}
		} else if _, c := connectives.Match(ps.toks, ps.i); c > 0 && ps.i > start && (ps.couldBegin(ps.i+c) || ps.word(ps.i) == "and" && ps.word(ps.i+c) == "tell") {
			if ps.word(ps.i+c) == "tell" && !ps.couldBegin(ps.i+c) { // "and tell me what you find"
				last = ps.i
				for !ps.done() && !ps.isMark(ps.i) {
					ps.i++
				}
			}
			break
		} else if tm := tails.Len(ps.toks, ps.i); tm > 0 && ps.i > start && (ps.word(ps.i) == "please" || ps.word(ps.i) == "for" || ps.word(ps.i) == "thanks") && ps.boundary(ps.i+tm) {
			last = ps.i
			ps.i += tm
			break
		}
		ps.i++
	}
	if last < 0 {
		last = ps.i
	}
	q := strings.TrimRight(ps.source(start, last), ".!?")
	if q == "" {
		return false
	}
	f.args["query"] = q
	ps.put(f)
	return true
}

func (ps *parser) finishSearch(f *frame) bool {
	for ps.accept(webWords) {
		continue
	}
	return ps.finish(f, true)
}

// clauseLast returns the last word before the next mark or connective.
func (ps *parser) clauseLast(k int) string {
	last := ""
	for ; k < len(ps.toks) && !ps.isMark(k) && !connectives.Has(ps.toks, k) && !tails.Has(ps.toks, k); k++ {
		last = ps.word(k)
	}
	return last
}
