package language

import "strings"

// starts reports whether a command may begin at k.
func (h Tokens) starts(k int) bool {
	return k == 0 || h[k-1].Kind == Mark || startWords[h.Word(k-1)]
}

// closes reports whether the clause ends after word k.
func (h Tokens) closes(k int) bool {
	return k+1 >= len(h) || h[k+1].Kind != Word || h.Word(k+1) == "and" || h.Word(k+1) == "then"
}

// movesBefore reports whether a movement or a part of the robot stands before word k: "more rice" alone is no direction.
func (h Tokens) movesBefore(k int) bool {
	for i := range k {
		if motionVerb[h.Word(i)] != "" || bodyish(h, i) {
			return true
		}
	}
	return false
}

// timed reports whether a number or "for" and a unit of time follow word k.
func (h Tokens) timed(k int) bool {
	next := k + 1
	counts := next < len(h) && h[next].Kind == Number || numberish(h.Word(next)) || h.Word(next) == "for" || h.Word(next) == "a" || h.Word(next) == "four"
	return counts && hasTimeUnit(h, k)
}

// mishearing says that a word was meant where the words around leave no other reading.
type mishearing struct {
	rule string // its list of misheard words; up to the hyphen the word that was said
	when func(h Tokens, i int) bool
}

var (
	// directionCues stand before a direction.
	directionCues = Words("direction-cues")
	// startWords may stand before the verb of a command.
	startWords = Words("start-words")
	// headVerbs take "your head".
	headVerbs = Words("head-verbs")

	sideWords     = Words("side-words")
	gazeWords     = Words("gaze-words")
	turnWords     = Words("turn-words")
	weakCues      = Words("weak-cues")
	notAfterWrite = Words("not-after-write")
	notAfterLift  = Words("not-after-lift")
	nodFollowers  = Words("nod-followers")
	knotFollowers = Words("knot-followers")
	compared      = Words("compared")
	headNames     = Words("head-names")
	surely        = Words("surely")
	waits         = Words("waits")
)

// mishearingRules are tried in order; the first that holds mends the word.
var mishearingRules = []mishearing{
	{"right", func(h Tokens, i int) bool {
		if h.Word(i+1) == "antenna" {
			return true
		}
		if !directionCues[h.Word(i-1)] || notAfterWrite[h.Word(i+1)] || !surely[h.Word(i)] && (weakCues[h.Word(i-1)] || !h.movesBefore(i)) {
			return false
		}
		joined := h.Word(i-1) == "and" || h.Word(i-1) == "then" // "and write …" may be a command of its own
		return !joined || h.closes(i) || h.Word(i) != "write"
	}},
	{"left", func(h Tokens, i int) bool {
		if !directionCues[h.Word(i-1)] && !headVerbs[h.Word(i-1)] || notAfterLift[h.Word(i+1)] || !surely[h.Word(i)] && weakCues[h.Word(i-1)] {
			return false
		}
		joined := h.Word(i-1) == "and" || h.Word(i-1) == "then"
		return !joined || h.closes(i)
	}},
	{"look", func(h Tokens, i int) bool {
		return h.starts(i) && gazeWords[h.Word(i+1)]
	}},
	{"look-lock", func(h Tokens, i int) bool {
		return h.starts(i) && (sideWords[h.Word(i+1)] || h.Word(i) == "lock" && h.Word(i+1) == "at")
	}},
	{"look-book", func(h Tokens, i int) bool {
		return h.starts(i) && gazeWords[h.Word(i+1)] && h.Word(i+1) != "a"
	}},
	{"nod", func(h Tokens, i int) bool {
		if !h.starts(i) {
			return false
		}
		alone := i+1 >= len(h) || h[i+1].Kind == Mark
		return h.Word(i+1) == "your" && headNames[h.Word(i+2)] || nodFollowers[h.Word(i+1)] || h.Word(i+2) == "times" ||
			alone && h.Word(i) != "not" && h.Word(i) != "note" || h.Word(i) == "knot" && knotFollowers[h.Word(i+1)]
	}},
	{"head", func(h Tokens, i int) bool {
		if h.Word(i-1) != "your" || i < 2 {
			return false
		}
		verb := h.Word(i - 2)
		if verb == "the" || verb == "of" {
			verb = h.Word(i - 3)
		}
		if w := h.Word(i); w == "hand" || w == "heart" {
			return verb == "nod"
		}
		return headVerbs[verb] || h.Word(i) == "hed"
	}},
	{"wait", func(h Tokens, i int) bool { return h.starts(i) && h.timed(i) }},
	{"pause", func(h Tokens, i int) bool { return h.starts(i) && h.timed(i) }},
	{"raise", func(h Tokens, i int) bool {
		return h.starts(i) && (h.Word(i+1) == "your" || h.Word(i+1) == "the" || h.Word(i+1) == "both") && bodyish(h, i+2)
	}},
	{"then", func(h Tokens, i int) bool {
		if i == 0 || i+1 >= len(h) || compared[h.Word(i-1)] || strings.HasSuffix(h.Word(i-1), "er") && h.Word(i-1) != "over" {
			return false
		}
		next := h.Word(i + 1)
		return verbs[next] || sideWords[h.Word(i+1)] || surely[h.Word(i+1)] || nodFollowers[h.Word(i+1)] || h.Word(i-1) == "and" || h[i-1].Kind == Mark
	}},
	{"your", func(h Tokens, i int) bool { return bodyish(h, i+1) }},
	{"your-yore", func(h Tokens, i int) bool { return h.Word(i) == "yore" || bodyish(h, i+1) }},
	{"your-hour", func(h Tokens, i int) bool {
		if h.Word(i) == "you" && h.Word(i+1) == "are" && bodyish(h, i+2) && i > 0 {
			h[i+1].Word = "the" // "turn you're head"
			return true
		}
		verb := h.Word(i - 1)
		return bodyish(h, i+1) && i > 0 && (motionVerb[verb] != "" || verb == "nod" || verb == "shake" || verb == "wiggle")
	}},
	{"tilt", func(h Tokens, i int) bool {
		return h.starts(i) && h.Word(i+1) == "your" && bodyish(h, i+2)
	}},
	{"roll", func(h Tokens, i int) bool {
		number := h.Word(i+1) == "to" || i+1 < len(h) && h[i+1].Kind == Number
		before, next := h.Word(i-1), h.Word(i+1)
		return next == "your" && bodyish(h, i+2) || next == "left" || next == "right" || before == "degrees" ||
			number && (before == "set" || before == "head" || before == "and")
	}},
	{"turn", Tokens.starts},
	{"turn-tone", func(h Tokens, i int) bool {
		return h.starts(i) && (turnWords[h.Word(i+1)] || h.Word(i) != "burn" && h.Word(i+1) == "your" && bodyish(h, i+2))
	}},
	{"shake", func(Tokens, int) bool { return true }},
	{"shake-shape", func(h Tokens, i int) bool {
		return h.starts(i) && h.Word(i+1) == "your" && headNames[h.Word(i+2)]
	}},
	{"wiggle", func(h Tokens, i int) bool {
		return antennaish(h.Word(i+1)) || h.Word(i+1) == "your" && antennaish(h.Word(i+2))
	}},
	{"see", func(h Tokens, i int) bool { return h.Word(i-1) == "you" && i >= 2 }},
	{"where", func(h Tokens, i int) bool {
		return h.starts(i) && h.Word(i+1) == "is" && (h.Word(i+2) == "the" || h.Word(i+2) == "my")
	}},
	{"act", func(h Tokens, i int) bool { return h.starts(i) && emotionish(h.Word(i+1)) }},
	{"be", func(h Tokens, i int) bool { return h.starts(i) && emotionish(h.Word(i+1)) }},
	{"dance", func(h Tokens, i int) bool {
		return h.starts(i) && (h.closes(i) || h.Word(i+1) == "for" || h.Word(i+1) == "with" || h.Word(i+1) == "please")
	}},
	{"bow", func(h Tokens, i int) bool {
		return h.Word(i) == "bough" || h.Word(i-1) == "a" && h.Word(i-2) == "take"
	}},
	{"picture", func(h Tokens, i int) bool {
		return h.Word(i-1) == "a" && (h.Word(i-2) == "take" || h.Word(i-2) == "snap")
	}},
	{"no", func(h Tokens, i int) bool {
		return i > 0 && h[i-1].Kind == Mark && (h.Word(i+1) == "right" || h.Word(i+1) == "left" || h.Word(i+1) == "look" || i+1 < len(h) && h[i+1].Kind == Mark)
	}},
	{"set", func(h Tokens, i int) bool {
		return h.starts(i) && (h.Word(i+1) == "the" || h.Word(i+1) == "your") && (h.Word(i+2) == "volume" || bodyish(h, i+2))
	}},
	{"sleep", func(h Tokens, i int) bool { return h.Word(i-1) == "to" && h.Word(i-2) == "go" }},
	{"stop", func(h Tokens, i int) bool {
		return i == 0 && (len(h) == 1 || len(h) == 2 && h[1].Word == "!")
	}},
	{"face", func(h Tokens, i int) bool {
		return h.Word(i+1) == "tracking" || h.Word(i-1) == "my" && (h.Word(i-2) == "tracking" || h.Word(i-2) == "track" || h.Word(i-2) == "follow")
	}},
	{"tracking", func(h Tokens, i int) bool { // "stop dreading my face"
		return i > 0 && h.Word(i+1) == "my" && h.Word(i+2) == "face"
	}},
	{"seconds", func(h Tokens, i int) bool { // "wait for five sessions"
		return i > 1 && (h[i-1].Kind == Number || numberish(h.Word(i-1))) && waits[h.Word(i-2)] || i > 2 && numberish(h.Word(i-1)) && waits[h.Word(i-3)]
	}},
	{"duck", func(h Tokens, i int) bool {
		return h.Word(i-1) == "the" && (h.Word(i-2) == "at" || h.Word(i-2) == "is" || h.Word(i-2) == "find")
	}},
	{"croissant", func(h Tokens, i int) bool {
		return (h.Word(i-1) == "the" || h.Word(i-1) == "a") && (h.Word(i) != "crescent" || h.Word(i+1) != "moon")
	}},
}

// misheard finds the rules that may mend a word.
var misheard = func() map[string][]*mishearing {
	words := Lists("misheard")
	m := map[string][]*mishearing{}
	for k := range mishearingRules {
		r := &mishearingRules[k]
		for _, w := range words[r.rule] {
			m[w] = append(m[w], r)
		}
	}
	return m
}()

// respellings are always mended, wherever they stand: no other reading matters here.
var respellings = Map("misspellings")

// mend repairs misspellings and words that sound like a word of the tables.
func (h Tokens) mend() {
	for i := range h {
		if h[i].Kind == Number && h.Word(i-1) == "two" && h[i].Num >= 10 {
			h[i-1].Word = "to" // "volume two 50"
		}
		if h[i].Kind != Word {
			continue
		}
		if r, ok := respellings[h[i].Word]; ok {
			h[i].Word = r
		}
		for _, r := range misheard[h[i].Word] {
			if r.when(h, i) {
				h[i].Word, _, _ = strings.Cut(r.rule, "-")
				break
			}
		}
	}
}

func numberish(w string) bool {
	_, d := digitWords[w]
	_, t := tensWords[w]
	return d || t || w == "half" || w == "too" || w == "to"
}

// hasTimeUnit reports whether a unit of time stands shortly behind i.
func hasTimeUnit(toks Tokens, i int) bool {
	for k := i; k < len(toks) && k < i+6; k++ {
		if u, ok := units[toks[k].Word]; ok && u.Dim == Time || toks[k].Word == "moment" || toks[k].Word == "while" || toks[k].Word == "bit" {
			return true
		}
	}
	return false
}

var (
	emotionWords = Phrases("emotion-words")
	motionVerb   = Map("motion-verbs")
)

var bodyWords = Words("body-words")

// bodyish reports whether a part of the robot is named at k.
func bodyish(h Tokens, k int) bool {
	if w := h.Word(k); w == "left" || w == "right" {
		k++
		return antennaish(h.Word(k))
	}
	return bodyWords[h.Word(k)] || antennaish(h.Word(k))
}

func antennaish(w string) bool {
	return w == "antenna" || w == "antennas" || w == "antennae" || w == "ears" || w == "feelers"
}

func emotionish(w string) bool { return w != "" && emotionWords.Begins(w) }
