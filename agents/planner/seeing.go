package planner

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	sights         = language.Phrases("sights")         // questions and commands that look at the scene; what follows belongs to the question
	seekers        = language.Phrases("seekers")        // questions and commands for one kind of object; its name follows
	soughtBehind   = language.Words("sought-behind")    // end a question for which the robot looks around
	notSought      = language.Words("not-sought")       // what no camera finds
	persons        = language.Words("persons")          // are seen as "person"
	seenPlaces     = language.Words("seen-places")      // that a camera may look at
	placeOpeners   = language.Words("place-openers")    // stand before a place
	countGoesOn    = language.Words("count-goes-on")    // go on with a question of number about what is in view
	someWords      = language.Words("some-words")       // say that a thing of a kind is sought, besides articles
	bareSeekers    = language.Words("bare-seekers")     // their object needs no article
	definiteSeeker = language.Words("definite-seekers") // their object needs an article
	subclauses     = language.Words("subclauses")       // begin a clause, not a place
	dayWords       = language.Words("day-words")        // when something was seen on television
	afterPersons   = language.Words("after-persons")    // "is anybody there"
	afterThings    = language.Words("after-things")     // "is the apple on the table"
	afterSought    = language.Words("after-sought")     // what a question goes on with behind the thing
	afterMany      = language.Words("after-many")       // what a question of number goes on with
	questionVerbs  = language.Words("question-verbs")   // "how many cups are there"
	inSight        = language.Words("in-sight")         // what follows them
	seeingVerbs    = language.Words("seeing-verbs")
	elsewhere      = language.Words("elsewhere")
	ofOthers       = language.Phrases("questions-of-others")
	someoneInView  = language.Words("someone-in-view") // "who is that man"
	photoWords     = language.Words("photo-words")
)

// visionClause parses what the camera has to answer.
func (ps *parser) visionClause() bool {
	if v, n := sights.Match(ps.toks, ps.i); n > 0 && (n > 1 || v != "detectall" || ps.boundary(ps.i+1)) {
		return ps.sightClause(v, n)
	}
	n := seekers.Len(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	head, end := ps.word(ps.i), ps.word(ps.i+n-1)
	ps.i += n
	w := ps.word(ps.i)
	switch {
	case (head == "is" || head == "anyone" || head == "anybody") && persons[end]:
		return afterPersons[w] && ps.findPerson()
	case n == 1 && head == "is":
		return ps.thingThere()
	case head == "where" && (w == "your" || w == "you"):
		return false // about the robot, not the scene
	case persons[w] && (w != "people" || head != "find"):
		return ps.personClause(head)
	case w == "what" || w == "how":
		return false
	}
	many := head == "how" || head == "count" || end == "many"
	return ps.thingClause(head, many, !many && (head == "where" || soughtBehind[end]))
}

// sightClause parses a question of kind v about the scene, or about a photo; its opening has n tokens.
func (ps *parser) sightClause(v string, n int) bool {
	from := ps.i
	ps.i += n
	ps.restOfQuestion()
	f := frame{class: action, args: map[string]any{}}
	prompt := strings.TrimRight(ps.source(from, ps.i), ".!?")
	switch v {
	case "analyze":
		if first(ps.p.rules.unseen, unseen{ps, from}) != pass {
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

// unseen is a question from a token up to the current one that only sounds like one about the scene.
type unseen struct {
	*parser
	from int
}

func unseenRules() []rule[unseen] {
	return []rule[unseen]{
		{"unseen thing", "what is this song called", func(q unseen) step { return when(q.ahead(q.from, q.i, elsewhere)) }},
		{"unseen idiom", "what is that all about", func(q unseen) step { return when(ofOthers.Has(q.toks, q.from)) }},
		{"unseen somebody", "who is that actor", func(q unseen) step {
			that, w := q.word(q.from+2), q.word(q.from+3)
			return when(q.word(q.from) == "who" && (that == "that" || that == "this") && w != "" && !someoneInView[w])
		}},
	}
}

// findPerson puts a search for a person; the rest is the question.
func (ps *parser) findPerson() bool {
	ps.restOfQuestion()
	ps.put(frame{class: finding, tool: "detect_objects", word: "person"})
	return true
}

// personClause parses "where is everybody", "how many people are there", behind its opening.
func (ps *parser) personClause(head string) bool {
	ends := ps.boundary(ps.i+1) || tails.Has(ps.toks, ps.i+1)
	if head == "how" && (!ends && !countGoesOn[ps.word(ps.i+1)] || !ps.inView(ps.i+1)) {
		return false // "how many people live in Germany"
	}
	if w := ps.word(ps.i); (w == "me" || w == "us") && (head == "look" || head == "search" || !ends) {
		return false
	}
	ps.i++
	return ps.findPerson()
}

// thingThere parses "is the apple on the table", "is the duck there", behind "is".
func (ps *parser) thingThere() bool {
	if w := ps.word(ps.i); w != "the" && w != "my" && w != "a" {
		return false
	}
	name, n := ps.nounPhrase(ps.i, true)
	if n == 0 || !afterThings[ps.word(ps.i+n)] {
		return false
	}
	ps.i += n
	ps.restOfQuestion()
	if notSought[lastWord(name)] {
		return false
	}
	ps.put(frame{class: finding, tool: "detect_objects", word: name})
	return true
}

// sought is a thing that is asked for: its name stands at the current token, and the clause goes on at behind.
type sought struct {
	*parser
	head       string // first word of the question
	name, last string // of the thing, and its last word
	behind     int
	many       bool // how many are there
	definite   bool // it has an article or a number
}

// thingClause parses the thing that is asked for, and what follows it. seeks says that it is to be looked around for.
func (ps *parser) thingClause(head string, many, seeks bool) bool {
	w, next := ps.word(ps.i), ps.word(ps.i+1)
	definite := fillers[w] || someWords[w] || ps.tok(ps.i).Kind == language.Number || (w == "my" || w == "a") && next == "face"
	name, n := ps.nounPhrase(ps.i, true)
	if n == 0 || name == "" {
		return false
	}
	s := sought{ps, head, name, lastWord(name), ps.i + n, many, definite}
	if first(ps.p.rules.unsought, s) != pass {
		return false
	}
	if many || strings.HasPrefix(head, "are") || w == "any" || strings.HasPrefix(head, "count") {
		name = singularPhrase(name)
	}
	if persons[name] {
		name = "person"
	}
	ps.i = s.behind
	f := frame{class: finding, tool: "detect_objects", word: name, seeks: seeks}
	w = ps.word(ps.i)
	switch {
	case many && (w == "can" || w == "could"):
		ps.restOfQuestion() // "how many cups can you see", where "can you" is no tail
	case ps.finish(&f, true):
	case afterSought[ps.word(ps.i)]:
		ps.restOfQuestion()
	default:
		return false
	}
	ps.put(f)
	return true
}

// unsoughtRules are questions for things that no camera answers.
func unsoughtRules() []rule[sought] {
	return []rule[sought]{
		{"unsought television", "did you see the game last night", func(s sought) step {
			return when(s.head == "did" && (dayWords[s.last] || strings.Contains(s.name, " last ")))
		}},
		{"unsought place or idea", "where is the bathroom", func(s sought) step {
			opening, _, _ := strings.Cut(s.name, " ")
			return when(notSought[s.last] || notSought[s.name] || notSought[opening])
		}},
		{"unsought without article", "where is berlin", func(s sought) step {
			return when(definiteSeeker[s.head] && !s.definite && !s.p.objects[s.name])
		}},
		{"unsought bare", "tell me where they are", func(s sought) step {
			return when(!s.definite && !s.many && !bareSeekers[s.head] && !s.p.objects[language.Singular(s.last)])
		}},
		{"unsought clause", "can you see the apple that fell", func(s sought) step {
			return when((s.head == "can" || s.head == "do" || s.head == "did") && subclauses[s.word(s.behind)])
		}},
		{"unsought number of deeds", "how many please nod", func(s sought) step {
			goesOn := s.boundary(s.behind) || afterMany[s.word(s.behind)] || tails.Has(s.toks, s.behind)
			return when(s.many && !goesOn)
		}},
		{"unsought number out of view", "how many degrees are in a circle", func(s sought) step {
			return when(s.many && s.head == "how" && !s.inView(s.behind))
		}},
		{"unsought number of parts", "how many keys does a piano have", func(s sought) step {
			return when(s.many && slices.ContainsFunc(strings.Fields(s.name), func(w string) bool {
				return w == "does" || w == "did" || w == "has" || w == "have" || w == "had"
			}))
		}},
		{"unsought number of facts", "how many cups do people drink", sought.facts},
	}
}

// facts takes questions of number that are not about what is in view: "how many cups do you want".
func (s sought) facts() step {
	k := s.behind
	if !s.many || !questionVerbs[s.word(k)] {
		return pass
	}
	next := s.word(k + 1)
	inA := next == "there" && s.word(k+2) == "in" && s.word(k+3) == "a"
	return when(!inSight[next] || (next == "you" || inA) && !seeingVerbs[s.word(k+2)])
}

// inView reports whether the place that is named from token k on, if there is one, can be seen: "on the table", not "in a circle".
func (ps *parser) inView(k int) bool {
	for ; k < len(ps.toks) && !ps.isMark(k); k++ {
		if placeOpeners[ps.word(k)] {
			return ps.ahead(k+1, k+5, seenPlaces)
		}
	}
	return true
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
