package dialogue

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Questions about where the robot is, and what is only told: the words are in perception/language/en/refer.txt.

var (
	poseOpeners   = language.Phrases("pose-openers")
	poseNouns     = language.Words("pose-words")
	poseThings    = language.Words("pose-things")
	poseSmall     = language.Words("pose-small")
	poseAsks      = language.Words("pose-asks")
	poseTells     = language.Words("pose-tells")
	poseSides     = language.Words("pose-sides")
	unasked       = language.Phrases("unasked")
	idioms        = language.Phrases("idioms")
	unaskedWithin = language.Phrases("unasked-within")
	othersShall   = language.Words("others-shall")
	othersBegin   = language.Words("others-begin")
)

// maxPoseQuestion is how many words a question about where the robot is may have.
const maxPoseQuestion = 16

// asksPose reads a question about where the robot is, or where it has been turned to. What has no name in it leans on a movement.
func (r *reader) asksPose() (Reading, bool) {
	if len(r.u.Tokens) > maxPoseQuestion {
		return Reading{}, false
	}
	for i, c := range clausesOf(r.u.Tokens) {
		if i > 0 && poseOpeners.Len(c, 0) == 0 && !poseThings[c.Word(0)] && !r.beside(c) {
			return Reading{}, false
		}
		if asks, ok := r.asksPoseIn(c); asks {
			reading := r.poseTold()
			reading.settled, reading.about = true, partIn(c)
			reading.Known = r.hasMoved() || slices.ContainsFunc(c, func(t language.Token) bool { return t.Word == "now" })
			return reading, true
		} else if !ok && !r.beside(c) {
			return Reading{}, false
		}
	}
	return Reading{}, false
}

// poseTold says where the robot is.
func (r *reader) poseTold() Reading {
	step := planner.Step{Tool: "get_robot_state", Args: map[string]any{}}
	return Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomePlan, Steps: []planner.Step{step}}, Text: r.u.Text}
}

// asksOfPose reports whether a question that nobody could read has words of where the robot is, names the robot or a part of it, and
// nothing else: "where do you stand on politics" asks for no pose.
func (r *reader) asksOfPose() bool {
	for i, t := range r.u.Tokens {
		w := t.Word
		known := t.Kind != language.Word || poseNouns[w] || poseThings[w] || poseSmall[w] || openers[w] || askedSmall[w] || askedNouns[w]
		if !known && askedOpens.Len(r.u.Tokens, i) == 0 || askedNever.Has(r.u.Tokens, i) {
			return false
		}
	}
	noun := slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return poseNouns[t.Word] })
	return noun && slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return poseThings[t.Word] })
}

func (r *reader) hasMoved() bool { return r.Last != nil && moves(r.Last.Steps) || r.Moved != nil }

// partIn is the one part that is named.
func partIn(c language.Tokens) (part string) {
	for i := 0; i < len(c); i++ {
		if key, n := parts.Match(c, i); n > 0 && wholeParts[key] != nil {
			if part != "" {
				return ""
			}
			part = key
			i += n - 1
		}
	}
	return part
}

// beside reports whether a clause may stand beside a question: praise, a greeting, what the question is about.
func (r *reader) beside(c language.Tokens) bool {
	said, leans := slotsOf(c)
	return leans && said.bare() || gistRemarks.Len(c, 0) == len(c) || idle(c)
}

// idle reports whether a clause says nothing: "och", "well then".
func idle(c language.Tokens) bool {
	for i := 0; i < len(c); {
		key, n := accountWords.Match(c, i)
		if n == 0 || key != "nothing" {
			return false
		}
		i += n
	}
	return true
}

// asksPoseIn reports whether a clause asks where the robot is, and whether it may stand before one that does.
func (r *reader) asksPoseIn(c language.Tokens) (asks, beside bool) {
	from := 0
	for from < len(c) && (poseSmall[c.Word(from)] || openers[c.Word(from)]) && poseOpeners.Len(c, from) == 0 {
		from++
	}
	n := poseOpeners.Len(c, from)
	noun, thing := r.asksPlace(c, from), false
	for i, t := range c {
		within := i >= from && i < from+n
		noun = noun || poseNouns[t.Word] || poseOpeners.Len(c, i) > 1 && t.Word == "how" // "how far"
		thing = thing || poseThings[t.Word] && !within || t.Word == "your"
		if !within && !poseNouns[t.Word] && !poseThings[t.Word] && !poseSmall[t.Word] {
			return false, false
		}
	}
	where := slices.ContainsFunc(c, func(t language.Token) bool { return t.Word == "where" || t.Word == "which" })
	thing = thing || r.hasMoved()
	wish := r.plan.Outcome == planner.OutcomePlan && moves(r.plan.Steps)
	return n > 0 && thing && !wish && (noun || where), from == len(c)
}

// asksPlace reports whether a clause that begins at a word asks for a place without a word for that.
func (r *reader) asksPlace(c language.Tokens, from int) bool {
	sides, or, axis := 0, false, false
	for _, t := range c {
		_, isAxis := headAxes[t.Word]
		or, axis = or || t.Word == "or", axis || isAxis
		if poseSides[t.Word] {
			sides++
		}
	}
	part := partIn(c) != ""
	switch end := len(c) - 1; {
	case poseTells[c.Word(from)]: // "list pitch and roll"
		return part || axis
	case poseAsks[c.Word(from)] && (sides > 0 && part || sides > 1 && or): // "is your head up?", "is that left or right?"
		return true
	default: // "and what is it now?"
		return r.hasMoved() && c.Word(end) == "now" && (c.Word(end-1) == "it" || c.Word(end-1) == "that")
	}
}

// told reports whether the sentence tells something rather than asking for it: what somebody might say, what a book says, what need
// not be done, what another thing should do.
func (r *reader) told() bool {
	toks := r.u.Tokens
	begins, other := true, false
	for i := range toks {
		if toks.IsMark(i) {
			begins = true
			continue
		}
		from := i
		for begins && from < len(toks) && openers[toks.Word(from)] {
			from++
		}
		if begins && (unasked.Has(toks, from) || unasked.Has(toks, i) || idiomAt(toks, from)) || unaskedWithin.Has(toks, i) {
			return true
		}
		if begins {
			w := toks.Word(i)
			if other && (w == "it" || w == "he" || w == "she" || w == "they") && othersShall[toks.Word(i+1)] {
				return true
			}
			next := toks.Word(i + 1)
			other = othersBegin[w] && next != "" && parts.Len(toks, i) == 0 && parts.Len(toks, i+1) == 0 && directions.Len(toks, i+1) == 0 && !poseThings[next]
			verb := i + 1
			if other {
				verb++
			}
			if (other || w == "it" || otherPersons[w]) && r.moved(toks, verb) {
				return true
			}
		}
		begins = false
	}
	return false
}

// idiomAt reports whether nothing but an idiom is said at a place, up to the end of the clause or whom it is said to: "keep your chin up, mate".
func idiomAt(toks language.Tokens, at int) bool {
	n := idioms.Len(toks, at)
	return n > 0 && (at+n == len(toks) || toks.IsMark(at+n) || tails.Has(toks, at+n))
}

// moved reports whether a verb of movement stands at a place in the past, and no more is said of a movement of the robot: "it dropped to
// minus four", "the plane rolled left".
func (r *reader) moved(toks language.Tokens, at int) bool {
	if at >= len(toks) {
		return false
	}
	word := strings.ToLower(r.u.Text[toks[at].Start:toks[at].End]) // as it was said
	in := language.InflectionOf(word)
	if in.Form != 'p' || gistVerbs[in.Base] == "" || word == in.Base {
		return false
	}
	_, accounted := r.accounts(0)
	return !accounted && partIn(toks) == ""
}

// telling reads what is left of a sentence without what is only told in it.
func (r *reader) telling() (Reading, bool) {
	if !r.told() {
		return Reading{}, false
	}
	if steps := r.plan.Steps; r.plan.Outcome == planner.OutcomeRefuse || len(steps) > 0 && (steps[0].Tool == "stop" || steps[0].Tool == "track_face") {
		return Reading{}, false
	}
	silent := Reading{Plan: r.silent(), Text: r.u.Text, settled: true}
	toks := r.u.Tokens
	for i := len(toks) - 2; i > 0; i-- { // the last sentence may be meant
		if w := toks[i].Word; !toks.IsMark(i) || w != "." && w != "!" && w != ";" && w != "?" {
			continue
		}
		inner := *r
		inner.u = language.Analyse(strings.TrimSpace(r.u.Text[toks[i].End:]))
		inner.plan = r.p.PlanFor(inner.u)
		if reading := inner.considered(); len(reading.Steps()) > 0 || reading.Ask != nil {
			reading.settled = true
			return reading, true
		}
		break
	}
	if r.plan.Outcome == planner.OutcomeNone {
		silent.Plan = r.plan // which says why
	}
	return silent, true
}

// calculates reports whether numbers are reckoned with that belong to no movement: "take 48 away from 113".
func (r *reader) calculates() bool {
	numbers, sum := 0, false
	for i, t := range r.u.Tokens {
		switch {
		case parts.Has(r.u.Tokens, i), directions.Has(r.u.Tokens, i), poseNouns[t.Word], reckonNever[t.Word]:
			return false
		case isNumber(t) && !t.Pronoun:
			numbers++
		}
		sum = sum || reckonWords[t.Word] || t.Word == "from" && numbers > 0
	}
	return sum && numbers > 1
}

var (
	reckonWords = language.Words("reckoned-words")
	reckonNever = language.Words("reckoned-never")
)

var morning = language.Phrases("good-morning")

// greeted leaves a robot awake as it is that is only greeted: "good morning" wakes one that sleeps.
func (r *reader) greeted() (Reading, bool) {
	if !r.now.Awake || len(r.plan.Steps) != 1 || r.plan.Steps[0].Tool != "wake_up" {
		return Reading{}, false
	}
	greets, wakes := false, false
	for i, t := range r.u.Tokens {
		greets = greets || morning.Has(r.u.Tokens, i)
		wakes = wakes || strings.HasPrefix(t.Word, "wake") || strings.HasPrefix(t.Word, "wak") || t.Word == "up"
	}
	return Reading{Plan: r.silent(), Text: r.u.Text, settled: true}, greets && !wakes
}
