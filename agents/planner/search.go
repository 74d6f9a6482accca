package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	searches    = language.Phrases("searches")   // begin a question for the web; what follows is the query
	webWords    = language.Phrases("web-words")  // "on the internet"
	keptQueries = language.Words("kept-queries") // belong to the query that they open
	bringers    = language.Words("bringers")     // are kept only in a short opening
	asksOnline  = language.Words("asks-online")  // ask the web when "online" follows
	lookedUp    = language.Words("looked-up")    // begin what is looked up
	upThere     = language.Words("up-there")     // behind "look up" they say where, not what
	indirectly  = language.Words("indirectly")   // "find me", "find the"
)

// query is what is asked of the web: its opening of n tokens begins at from, the query itself at start.
type query struct {
	*parser
	from, n, start int
	online         bool // the web is named
	w              string
}

// searchClause parses what the web has to answer.
func (ps *parser) searchClause() bool {
	from := ps.i
	w := ps.word(from)
	n := searches.Len(ps.toks, from)
	online := 0
	if n == 0 || w == "look" && ps.word(from+1) != "up" || w == "find" && n == 1 {
		online = ps.onlineAt(from)
	}
	if n == 0 {
		switch {
		case online == 0 || !asksOnline[w]:
			return false
		case w == "look":
			return ps.lookUpOnline(from, online)
		case !keptQueries[w] || w == "check" || w == "find":
			n = 1
		}
	}
	q := query{ps, from, n, ps.queryStart(from, n), online > 0, w}
	if first(ps.p.rules.notSearched, q) != pass {
		return false
	}
	f := frame{class: action, tool: "search_web", args: map[string]any{}}
	if t := ps.tok(q.start); t.Kind == language.Quote {
		f.args["query"] = t.Word
		ps.i = q.start + 1
		if !ps.finishSearch(&f) {
			return false
		}
		ps.put(f)
		return true
	}
	ps.i = max(q.start, from+n)
	end, ok := q.end(&f)
	text := strings.TrimRight(ps.source(q.start, end), ".!?")
	if !ok || text == "" {
		return false
	}
	f.args["query"] = text
	ps.put(f)
	return true
}

// onlineAt returns where the web is named between from and the next mark, 0 when it is not.
func (ps *parser) onlineAt(from int) int {
	for k := from; k < len(ps.toks) && !ps.isMark(k); k++ {
		if webWords.Has(ps.toks, k) {
			return k
		}
	}
	return 0
}

// lookUpOnline parses "look the weather up online".
func (ps *parser) lookUpOnline(from, online int) bool {
	up := online - 1
	if ps.word(up) != "up" || up == from+1 {
		return false
	}
	ps.i = online
	f := frame{class: action, tool: "search_web", args: map[string]any{"query": ps.source(from+1, up)}}
	if !ps.finishSearch(&f) {
		return false
	}
	ps.put(f)
	return true
}

// queryStart returns where the query begins, whose opening has n tokens.
func (ps *parser) queryStart(from, n int) int {
	w := ps.word(from)
	switch {
	case !keptQueries[w]:
	case w == "find" && ps.word(from+1) == "out" && n == 3 && ps.word(from+2) != "about":
		return from + 2
	case w == "find", w == "check" && n <= 2:
	case bringers[w] && n > 2:
		return ps.skip(from+1, indirectly)
	default:
		return from
	}
	return from + n
}

// notSearchedRules are commands that look like a search but are for the head or the camera.
func notSearchedRules() []rule[query] {
	return []rule[query]{
		{"not searched up there", "look up to the left", func(q query) step {
			return when(q.w == "look" && q.word(q.from+1) == "up" && q.n == 2 && !q.looksUp())
		}},
		{"not searched nothing", "search for", func(q query) step { return when(q.searches() && (q.start >= len(q.toks) || q.boundary(q.start))) }},
		{"not searched thing in view", "search for the apple", func(q query) step { return when(q.searches() && q.forCamera()) }},
		{"not searched research", "research", func(q query) step { return when(q.w == "research" && q.boundary(q.start)) }},
	}
}

// searches reports whether the opening is a mere "search" or "search for".
func (q query) searches() bool { return q.w == "search" && q.n <= 2 && q.word(q.from+1) != "up" }

// forCamera reports whether what is searched for is a thing that the camera may find.
func (q query) forCamera() bool {
	name, _ := q.nounPhrase(q.start, true)
	l := language.Singular(lastWord(name))
	w := q.word(q.start)
	return q.p.objects[name] || q.p.objects[l] || things[l] || persons[name] || l == "face" || w == "my" || w == "your" || q.n == 1 && w == "the"
}

// looksUp reports whether "look up" is followed by something to look up, and not by where to look.
func (q query) looksUp() bool {
	t := q.tok(q.start)
	switch {
	case t.Kind != language.Word:
		return t.Kind == language.Quote
	case lookedUp[t.Word]:
		l := q.clauseLast(q.start)
		return l != "ceiling" && l != "sky"
	case q.online:
		return true
	}
	for _, p := range []*language.Trie{directions, amounts, tails, leadIns, adjuncts, paces, counts} {
		if p.Has(q.toks, q.start) {
			return false
		}
	}
	return !q.boundary(q.start) && !upThere[t.Word] && !q.verbAt(q.start) && !q.manner(q.start) && language.InflectionOf(t.Word).Form == 0
}

// end moves to the end of the clause and returns where the query ends, which may be before.
func (q query) end(f *frame) (end int, ok bool) {
	ps, start := q.parser, q.start
	for ; !ps.done(); ps.i++ {
		inside := ps.i > start
		c, tail, web := connectives.Len(ps.toks, ps.i), tails.Len(ps.toks, ps.i), webWords.Len(ps.toks, ps.i)
		switch {
		case web > 0 && inside && (ps.boundary(ps.i+web) || tails.Has(ps.toks, ps.i+web)):
			end = ps.i
			ps.i += web
			return end, ps.finishSearch(f)
		case ps.isMark(ps.i):
			if m := ps.afterJoint(ps.i); ps.toks[ps.i].Word != "," || m >= len(ps.toks) || ps.couldBegin(m) {
				return ps.i, true
			}
		case c > 0 && inside && ps.couldBegin(ps.i+c):
			return ps.i, true
		case c > 0 && inside && ps.word(ps.i) == "and" && ps.word(ps.i+c) == "tell": // "and tell me what you find"
			end = ps.i
			for !ps.done() && !ps.isMark(ps.i) {
				ps.i++
			}
			return end, true
		case tail > 0 && inside && politeTails[ps.word(ps.i)] && ps.boundary(ps.i+tail):
			end = ps.i
			ps.i += tail
			return end, true
		}
	}
	return ps.i, true
}

var politeTails = language.Words("polite-tails")

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
