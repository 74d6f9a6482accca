package planner

import "strings"

// heard are the words of a sentence as a recogniser wrote them.
type heard []token

// at returns word k, "" beyond the ends and for what is no word.
func (h heard) at(k int) string {
	if k >= 0 && k < len(h) && h[k].kind == word {
		return h[k].w
	}
	return ""
}

// in reports whether word k is in the set.
func (h heard) in(k int, s map[string]bool) bool { return s[h.at(k)] }

// starts reports whether a command may begin at k.
func (h heard) starts(k int) bool {
	return k == 0 || h[k-1].kind == punct || startWords[h.at(k-1)]
}

// closes reports whether the clause ends after word k.
func (h heard) closes(k int) bool {
	return k+1 >= len(h) || h[k+1].kind != word || h.at(k+1) == "and" || h.at(k+1) == "then"
}

// timed reports whether a number or "for" and a unit of time follow word k.
func (h heard) timed(k int) bool {
	next := k + 1
	counts := next < len(h) && h[next].kind == number || numberish(h.at(next)) || h.at(next) == "for" || h.at(next) == "a" || h.at(next) == "four"
	return counts && hasTimeUnit(h, k)
}

// mishearing says that any of words was to, where the words around leave no other reading.
type mishearing struct {
	to    string
	words map[string]bool
	when  func(h heard, i int) bool
}

var (
	// directionCues stand before a direction.
	directionCues = set(`look turn rotate face glance gaze tilt lean roll spin swivel peek peer pivot twist swing point the your far little degrees degree and then no mean slightly bit head body it slowly quickly to towards toward left but way actually
 antenna move peep first sorry or nope more over not up down`)
	// startWords may stand before the verb of a command.
	startWords = set("and then please you to now robot reachy just so ok okay next also first finally but by well hey um")
	// headVerbs take "your head".
	headVerbs = set("nod shake tilt turn move raise lower lift roll rotate drop swivel point bow lean cock bob keep hold put bring nodding shaking")

	sideWords     = set("left right up down")
	gazeWords     = set("left right up down at around straight ahead forward to over write rite lift a slightly wright")
	turnWords     = set("left right around straight ahead forward over write rite lift slightly wright")
	weakCues      = set("the your it and a then")
	notAfterWrite = set("a it this that my your him her an me down some something to his letter poem the")
	notAfterLift  = set("your the up it me us a")
	nodFollowers  = set("twice thrice once slowly yes")
	knotFollowers = set("and then three two")
	compared      = set("more less other rather else farther further same better worse sooner later")
	headNames     = set("head hat hed")
	surely        = set("write rite wright lift lef lefte")
)

// mishearingRules are tried in order; the first that holds mends the word.
var mishearingRules = []mishearing{
	{"right", set("write rite wright bright ride rice ripe rights rate riot"), func(h heard, i int) bool {
		if h.at(i+1) == "antenna" {
			return true
		}
		if !h.in(i-1, directionCues) || h.in(i+1, notAfterWrite) || !h.in(i, surely) && h.in(i-1, weakCues) {
			return false
		}
		joined := h.at(i-1) == "and" || h.at(i-1) == "then" // "and write …" may be a command of its own
		return !joined || h.closes(i) || h.at(i) != "write"
	}},
	{"left", set("lift lest laughed loft lefty leapt let lef lefts leaf lept lefte theft"), func(h heard, i int) bool {
		if !h.in(i-1, directionCues) && !h.in(i-1, headVerbs) || h.in(i+1, notAfterLift) || !h.in(i, surely) && h.in(i-1, weakCues) {
			return false
		}
		joined := h.at(i-1) == "and" || h.at(i-1) == "then"
		return !joined || h.closes(i)
	}},
	{"look", set("luke lick lok loo luck loop locke hook luc brook rook loot loog leek leak"), func(h heard, i int) bool {
		return h.starts(i) && h.in(i+1, gazeWords)
	}},
	{"look", set("lock cook"), func(h heard, i int) bool {
		return h.starts(i) && (h.in(i+1, sideWords) || h.at(i) == "lock" && h.at(i+1) == "at")
	}},
	{"look", set("book"), func(h heard, i int) bool {
		return h.starts(i) && h.in(i+1, gazeWords) && h.at(i+1) != "a"
	}},
	{"nod", set("not knot node nob gnawed mod nuts nought naught nord note"), func(h heard, i int) bool {
		if !h.starts(i) {
			return false
		}
		alone := i+1 >= len(h) || h[i+1].kind == punct
		return h.at(i+1) == "your" && h.in(i+2, headNames) || h.in(i+1, nodFollowers) || h.at(i+2) == "times" ||
			alone && h.at(i) != "not" && h.at(i) != "note" || h.at(i) == "knot" && h.in(i+1, knotFollowers)
	}},
	{"head", set("hat hed had heads hit heed bed heat held hide head's ahead hand heart"), func(h heard, i int) bool {
		if h.at(i-1) != "your" || i < 2 {
			return false
		}
		verb := h.at(i - 2)
		if verb == "the" || verb == "of" {
			verb = h.at(i - 3)
		}
		if w := h.at(i); w == "hand" || w == "heart" {
			return verb == "nod"
		}
		return headVerbs[verb] || h.at(i) == "hed"
	}},
	{"wait", set("weight wade weigh wheat wates waite wate way white wage"), func(h heard, i int) bool { return h.starts(i) && h.timed(i) }},
	{"pause", set("paws pores pours paul's pose pour cause pulse pas pawed"), func(h heard, i int) bool { return h.starts(i) && h.timed(i) }},
	{"raise", set("rays raze race raised rise res praise"), func(h heard, i int) bool {
		return h.starts(i) && (h.at(i+1) == "your" || h.at(i+1) == "the" || h.at(i+1) == "both") && bodyish(h, i+2)
	}},
	{"then", set("than"), func(h heard, i int) bool {
		if i == 0 || i+1 >= len(h) || compared[h.at(i-1)] || strings.HasSuffix(h.at(i-1), "er") && h.at(i-1) != "over" {
			return false
		}
		next := h.at(i + 1)
		return isVerb[next] || h.in(i+1, sideWords) || h.in(i+1, surely) || h.in(i+1, nodFollowers) || h.at(i-1) == "and" || h[i-1].kind == punct
	}},
	{"your", set("yor yr ur yur youre yoru yuor youe"), func(h heard, i int) bool { return bodyish(h, i+1) }},
	{"your", set("yore yours"), func(h heard, i int) bool { return h.at(i) == "yore" || bodyish(h, i+1) }},
	{"your", set("hour you our yo are york year"), func(h heard, i int) bool {
		if h.at(i) == "you" && h.at(i+1) == "are" && bodyish(h, i+2) && i > 0 {
			h[i+1].w = "the" // "turn you're head"
			return true
		}
		verb := h.at(i - 1)
		return bodyish(h, i+1) && i > 0 && (motionVerbs[verb] != "" || verb == "nod" || verb == "shake" || verb == "wiggle")
	}},
	{"tilt", set("tilled kilt till tilts built guilt hilt jilt tild tint silt"), func(h heard, i int) bool {
		return h.starts(i) && h.at(i+1) == "your" && bodyish(h, i+2)
	}},
	{"roll", set("role rule rolls rol rowl rolled"), func(h heard, i int) bool {
		number := h.at(i+1) == "to" || i+1 < len(h) && h[i+1].kind == number
		return h.at(i+1) == "your" && bodyish(h, i+2) || h.at(i+1) == "left" || h.at(i+1) == "right" || h.at(i-1) == "degrees" || number && (h.at(i-1) == "set" || h.at(i-1) == "head" || h.at(i-1) == "and")
	}},
	{"turn", set("tern torn"), heard.starts},
	{"turn", set("tone burn tune churn turned terms term town turns tarn ton stern tan"), func(h heard, i int) bool {
		return h.starts(i) && (h.in(i+1, turnWords) || h.at(i) != "burn" && h.at(i+1) == "your" && bodyish(h, i+2))
	}},
	{"shake", set("sheikh sheik shaik"), func(heard, int) bool { return true }},
	{"shake", set("shape shade shack chic jake shaky shakes sheck stake shave"), func(h heard, i int) bool {
		return h.starts(i) && h.at(i+1) == "your" && h.in(i+2, headNames)
	}},
	{"wiggle", set("giggle jiggle waggle wriggle wrinkle wobble whittle wiggles wiggly riddle widdle wickle wiggled juggle wrigley wheel signal"), func(h heard, i int) bool {
		return antennaish(h.at(i+1)) || h.at(i+1) == "your" && antennaish(h.at(i+2))
	}},
	{"see", set("sea c si seas"), func(h heard, i int) bool { return h.at(i-1) == "you" && i >= 2 }},
	{"where", set("wear ware were"), func(h heard, i int) bool {
		return h.starts(i) && h.at(i+1) == "is" && (h.at(i+2) == "the" || h.at(i+2) == "my")
	}},
	{"act", set("axe acts ax"), func(h heard, i int) bool { return h.starts(i) && emotionish(h.at(i+1)) }},
	{"be", set("bee b beep"), func(h heard, i int) bool { return h.starts(i) && emotionish(h.at(i+1)) }},
	{"dance", set("dans dants dens dents"), func(h heard, i int) bool {
		return h.starts(i) && (h.closes(i) || h.at(i+1) == "for" || h.at(i+1) == "with" || h.at(i+1) == "please")
	}},
	{"bow", set("bough bau beau bao bowl bout"), func(h heard, i int) bool {
		return h.at(i) == "bough" || h.at(i-1) == "a" && h.at(i-2) == "take"
	}},
	{"picture", set("pitcher picher picter fixture pitchers"), func(h heard, i int) bool {
		return h.at(i-1) == "a" && (h.at(i-2) == "take" || h.at(i-2) == "snap")
	}},
	{"no", set("know"), func(h heard, i int) bool {
		return i > 0 && h[i-1].kind == punct && (h.at(i+1) == "right" || h.at(i+1) == "left" || h.at(i+1) == "look" || i+1 < len(h) && h[i+1].kind == punct)
	}},
	{"set", set("said"), func(h heard, i int) bool {
		return h.starts(i) && (h.at(i+1) == "the" || h.at(i+1) == "your") && (h.at(i+2) == "volume" || bodyish(h, i+2))
	}},
	{"sleep", set("slip sheep leap"), func(h heard, i int) bool { return h.at(i-1) == "to" && h.at(i-2) == "go" }},
	{"stop", set("stopped stomp staap stahp"), func(h heard, i int) bool {
		return i == 0 && (len(h) == 1 || len(h) == 2 && h[1].w == "!")
	}},
	{"duck", set("duct doug duc"), func(h heard, i int) bool {
		return h.at(i-1) == "the" && (h.at(i-2) == "at" || h.at(i-2) == "is" || h.at(i-2) == "find")
	}},
	{"croissant", set("crescent crossaint krosan quassant crosson crossant kwasson"), func(h heard, i int) bool {
		return (h.at(i-1) == "the" || h.at(i-1) == "a") && (h.at(i) != "crescent" || h.at(i+1) != "moon")
	}},
}

// misheard finds the rules that may mend a word.
var misheard = func() map[string][]*mishearing {
	m := map[string][]*mishearing{}
	for k := range mishearingRules {
		r := &mishearingRules[k]
		for w := range r.words {
			m[w] = append(m[w], r)
		}
	}
	return m
}()

// mend repairs misspellings and words that sound like a word of the lexicon.
func (h heard) mend() {
	for i := range h {
		if h[i].kind == number && h.at(i-1) == "two" && h[i].num >= 10 {
			h[i-1].w = "to" // "volume two 50"
		}
		if h[i].kind != word {
			continue
		}
		if r, ok := respellings[h[i].w]; ok {
			h[i].w = r
		}
		for _, r := range misheard[h[i].w] {
			if r.when(h, i) {
				h[i].w = r.to
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
func hasTimeUnit(toks []token, i int) bool {
	for k := i; k < len(toks) && k < i+6; k++ {
		if u, ok := units[toks[k].w]; ok && u.dim == span || toks[k].w == "moment" || toks[k].w == "while" || toks[k].w == "bit" {
			return true
		}
	}
	return false
}

var bodyWords = set("head body neck eyes torso base hed gaze chin")

// bodyish reports whether a part of the robot is named at k.
func bodyish(h heard, k int) bool {
	if w := h.at(k); w == "left" || w == "right" {
		k++
		return antennaish(h.at(k))
	}
	return h.in(k, bodyWords) || antennaish(h.at(k))
}

func antennaish(w string) bool {
	return w == "antenna" || w == "antennas" || w == "antennae" || w == "ears" || w == "feelers"
}

func emotionish(w string) bool { return w != "" && emotionWords.root.next[w] != nil }
