package planner

import (
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

var (
	// actions are the closed commands, written without articles, possessives and adverbs: those may stand anywhere inside.
	actions       = language.Phrases("actions")
	looseActs     = language.Words("loose-acts")     // tools behind which a reason or a place may follow
	danceNouns    = language.Words("dance-nouns")    // "party", "dance": also nouns
	afterDance    = language.Words("after-dance")    // behind them they are: "dance music"
	stoppers      = language.Words("stoppers")       // verbs that stop
	notStops      = language.Words("not-stops")      // "stop sign"
	awayWithFace  = language.Words("away-with-face") // "follow me to the door"
	ofPlaces      = language.Words("of-places")      // "look around to the left"
	countedGivers = language.Words("counted-givers") // "give me three nods"
	countedTo     = language.Words("counted-to")
	actIdioms     = language.Phrases("act-idioms")
	paceWords     = language.Map("pace-words")
)

// countedNouns are the nouns for closed commands that people count: "three nods".
var countedNouns = func() map[string]string {
	all := language.Map("counted-nouns")
	for _, g := range catalog.Gestures {
		if g.Noun != "" {
			all[g.Noun] = "gesture " + g.Name
		}
	}
	return all
}()

// act is a closed command of n tokens that begins at from; the parser stands behind it.
type act struct {
	*parser
	f       *frame
	from, n int
	w       string // its first word
}

// actionClause parses the closed commands: gestures, waking, photos, tracking, named poses, stop.
func (ps *parser) actionClause() bool {
	from := ps.i
	v, n := actions.Loose(ps.toks, from, ps.skippable)
	counted, m, times := ps.countedNoun() // "three nods", "give me two big nods"
	if m > n {
		v, n = counted, m
	} else {
		times = 0
	}
	if n == 0 {
		return false
	}
	f := ps.actionFrame(v)
	w := ps.word(from)
	if n == 2 && w == "shake" && ps.word(from+1) == "it" && ps.headBefore() {
		f = ps.actionFrame("gesture shake") // "nod your head, then shake it"
	}
	for k := from; k < from+n; k++ { // an adverb inside the phrase
		if pace := paceWords[ps.word(k)]; pace != "" {
			f.pace = seconds{true, atof(pace)}
		}
	}
	if times > 0 {
		f.times, f.said = times, true
	}
	ps.i += n
	a := act{ps, &f, from, n, w}
	switch {
	case first(ps.p.rules.notActs, a) != pass:
		return false
	case f.tool == "stop" && stoppers[w]:
		if !ps.stopRest(from, &f) {
			return false
		}
	case ps.secret():
		f = frame{class: fault, problem: OutcomeRefuse, message: forbiddenBecause["privacy"]}
	case f.tool == "track_face" && awayWithFace[ps.word(ps.i)], !ps.finish(&f, a.loose()):
		return false
	}
	ps.put(f)
	return true
}

// loose reports whether a reason or a place may follow.
func (a act) loose() bool {
	return looseActs[a.f.tool] && (a.f.tool != "gesture" || !ofPlaces[a.word(a.i)] || !directions.Has(a.toks, a.i))
}

// notActRules are words of a closed command that mean something else.
func notActRules() []rule[act] {
	return []rule[act]{
		{"no act after to", "to three nods", func(a act) step { return when(a.w == "to") }},
		{"no act but a noun", "cancel the dance", func(a act) step { return when(a.f.tool == "gesture" && a.n == 1 && a.word(a.from-1) == "the") }},
		{"no act but music", "dance music", func(a act) step {
			dance := a.f.tool == "gesture" && a.f.args["name"] == "dance" && danceNouns[a.w]
			return when(dance && !a.boundary(a.i) && afterDance[a.word(a.i)])
		}},
		{"no act but an idiom", "wave goodbye to your problems", func(a act) step { return when(actIdioms.Has(a.toks, a.from)) }},
		{"no act of stopping", "enough of that", func(a act) step {
			noun := a.w == "enough" || a.w == "emergency" && a.n == 1
			return when(a.f.tool == "stop" && noun && !a.boundary(a.i))
		}},
	}
}

// countedNoun reads "three nods", "give me two bows": a gesture named as a noun with a number.
func (ps *parser) countedNoun() (v string, n int, times float64) {
	k := ps.i
	if countedGivers[ps.word(k)] {
		k++
	}
	k = ps.skip(k, countedTo)
	t := ps.tok(k)
	if t.Kind != language.Number {
		return "", 0, 0
	}
	k++
	for fillers[ps.word(k)] && !photoWords[ps.word(k)] || ps.manner(k) {
		k++
	}
	w := language.Singular(ps.word(k))
	if w == ps.word(k) && t.Num != 1 && !t.Digits && w != "dance" {
		return "", 0, 0
	}
	if w == "head" || w == "antenna" || w == "ear" {
		k++
		w = language.Singular(ps.word(k))
	}
	name := countedNouns[w]
	if name == "" {
		return "", 0, 0
	}
	return name, k + 1 - ps.i, t.Num
}

// actionFrame makes the frame of an entry of the actions table.
func (ps *parser) actionFrame(entry string) frame {
	tool, arg, _ := strings.Cut(entry, " ")
	f := frame{class: action, tool: tool, args: map[string]any{}}
	switch tool {
	case "gesture", "goto_pose":
		f.args["name"] = arg
	case "track_face":
		f.args["enabled"] = arg == "true"
	case "set_volume":
		f.class = volume
		f.bare = []amount{{kind: 'n', deg: atof(arg)}}
		f.change = changes[arg]
	case "wait":
		f.class = pausing
		f.hold = seconds{true, 1}
	case "head", "body", "antennas", "it":
		f.class, f.tool = motion, ""
		f.verb, f.part = "look", tool
		if tool != "head" {
			f.verb = "move"
		}
		f.headings = []heading{{dir: "center"}}
	}
	return f
}

// headBefore reports whether the clause before was about the head.
func (ps *parser) headBefore() bool {
	if len(ps.frames) == 0 {
		return false
	}
	f := &ps.frames[len(ps.frames)-1]
	return f.class == motion && (f.part == "" || f.part == "head") || f.tool == "gesture" && f.args["name"] == "nod"
}

// stopRest decides whether "stop …" is a stop: anything that follows is, but a few names and idioms.
func (ps *parser) stopRest(from int, f *frame) bool {
	if language.InflectionOf(ps.word(ps.i)).Form == 'g' && ps.word(from) != "freeze" {
		for !ps.boundary(ps.i) { // "stop dancing like that"
			ps.i++
		}
		return true
	}
	if ps.finish(f, true) {
		return true
	}
	if notStops[ps.word(from+1)] || ps.word(from) != "stop" {
		return false
	}
	words := 0 // "stop the music"
	for !ps.boundary(ps.i) {
		ps.i++
		words++
	}
	return words <= 6
}

// secret reports whether words of secrecy stand in the rest of the clause.
func (ps *parser) secret() bool {
	for k := ps.i; k < len(ps.toks); k++ {
		if secrecy.Has(ps.toks, k) {
			return true
		}
	}
	return false
}

func atof(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

func amountOf(v string) amount {
	if v == "far" {
		return amount{kind: 'f'}
	}
	return amount{kind: 'l'}
}
