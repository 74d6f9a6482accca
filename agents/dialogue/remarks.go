package dialogue

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Within a conversation what leans on it may stand between remarks: "Just like him! Now the same again", "a bit more, dear, he
// likes it". The clauses around it are left out where they are few, short, and neither take back, ask for a condition nor report.
const (
	maxClauses = 6
	maxRemark  = 9 // words
)

var (
	takesBack  = language.Words("takes-back")
	denies     = language.Words("denies")
	conditions = language.Words("remark-conditions")
)

// besideRemarks reads what leans on the conversation, or is a command, between remarks.
func (r *reader) besideRemarks() (Reading, bool) {
	if r.Last == nil && r.Question == nil || r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	clauses := clausesOf(r.u.Tokens)
	n := len(clauses)
	if n < 2 || n > maxClauses || slices.ContainsFunc(clauses, func(c language.Tokens) bool { return r.calls(c) || callsAll(c) }) {
		return Reading{}, false
	}
	for size := n - 1; size > 0; size-- {
		for from := n - size; from >= 0; from-- {
			if !remarks(clauses[:from], conditions) || !remarks(clauses[from+size:], takesBack, denies, conditions) {
				continue
			}
			if from == 0 && size == 1 && len(clauses[0]) == 1 && clauses[0][0].Word == "right" { // "Right, let's have some tea"
				continue
			}
			first, last := clauses[from][0], clauses[from+size-1]
			if reading, ok := r.between(r.u.Text[first.Start:last[len(last)-1].End], from == 0); ok {
				return reading, true
			}
		}
	}
	return Reading{}, false
}

// ownNames are what the robot is called.
var ownNames = language.Words("own-names")

// calls reports whether a clause is nothing but the name of somebody: what is said is said to them.
func (r *reader) calls(clause language.Tokens) bool {
	first := clause[0]
	name, _ := utf8.DecodeRuneInString(r.u.Text[first.Start:])
	return len(clause) == 1 && first.Start > 0 && first.Kind == language.Word && unicode.IsUpper(name) && !ownNames[first.Word] &&
		!openers[first.Word] && followUps.Len(clause, 0) == 0 && !language.IsVerb(first.Word) && r.afterComma(first.Start)
}

// givenNames are what people are called, kin by whom they are family.
var (
	givenNames = language.Words("given-names")
	kin        = language.Words("kin-called")
)

// forOthers reports whether somebody else is spoken to by name: "Ana, raise your chin", "chin up, Sally". What the robot is called comes first.
func (r *reader) forOthers() bool {
	own := strings.Fields(strings.ToLower(r.now.Name))
	if slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return ownNames[t.Word] || slices.Contains(own, t.Word) }) {
		return false
	}
	clauses := clausesOf(r.u.Tokens)
	for i, c := range clauses {
		if leads := openers[c.Word(0)] || callers[c.Word(0)]; leads && len(c) == 2 { // "hey Tom", "no Lina"
			c = c[1:]
		}
		ends := i == 0 || i == len(clauses)-1
		if len(c) == 1 && len(clauses) > 1 && (givenNames[c.Word(0)] || kin[c.Word(0)] || ends && r.calls(c) && !language.Known(c.Word(0))) {
			return true
		}
		if i == 0 && len(clauses) > 1 && callees.Len(c, 0) == len(c) { // "Camera two, pan right"
			return true
		}
		if len(clauses) > 1 && callsAll(c) && r.plan.Outcome != planner.OutcomePlan { // "breathe in, everybody, and out again"
			return true
		}
	}
	return givenNames[r.u.Tokens.Word(0)] && language.IsVerb(r.u.Tokens.Word(1)) // "Tom turn around"
}

// turnedTo is what is said to the robot behind what was said to somebody else: "Mum, put the light on. Robot, look up"; "" where nothing is.
func (r *reader) turnedTo() string {
	clauses := clausesOf(r.u.Tokens)
	if len(clauses) < len("abc") || len(clauses[0]) != 1 || r.u.TooLong ||
		!givenNames[clauses[0].Word(0)] && callees.Len(clauses[0], 0) == 0 {
		return ""
	}
	for i := len(clauses) - 2; i > 0; i-- {
		if c := clauses[i]; len(c) == 1 && ownNames[c.Word(0)] && r.sharpBefore(c) {
			return strings.TrimSpace(r.u.Text[clauses[i+1][0].Start:])
		}
	}
	return ""
}

// toWhom says that a sentence is for somebody else; of a whole command with a name behind it, "look left, Oskar", the robot asks
// whether it is meant, for people name their robots.
func (r *reader) toWhom() Reading {
	clauses := clausesOf(r.u.Tokens)
	if n := len(clauses) - 1; n > 0 && len(clauses[n]) == 1 && language.IsVerb(clauses[0].Word(0)) {
		command := strings.TrimRight(r.u.Text[:clauses[n][0].Start], " ,")
		if plan := r.p.PlanFor(language.Analyse(command)); plan.Outcome == planner.OutcomePlan && moves(plan.Steps) {
			return r.asksWhom(command)
		}
	}
	reading, _ := say(r, "for-others")
	return reading
}

// asksWhom asks whether the robot is meant by a command.
func (r *reader) asksWhom(command string) Reading {
	q := Question{Text: command, Say: questions["to-whom"], Whether: true}
	return Reading{Plan: r.silent(), Text: command, Say: q.Say, Ask: &q}
}

// callsFirst reports whether a sentence begins with a name that nobody knows: "Minka, get down at once". It may be what the robot is called.
func (r *reader) callsFirst() bool {
	toks := r.u.Tokens
	if len(toks) < len("a,b") || toks[1].Word != "," || toks[0].Kind != language.Word {
		return false
	}
	own := strings.Fields(strings.ToLower(r.now.Name))
	name, _ := utf8.DecodeRuneInString(r.u.Text[toks[0].Start:])
	return unicode.IsUpper(name) && !language.Known(toks[0].Word) && !slices.Contains(own, toks[0].Word)
}

var (
	// callers stand before the name of who is called.
	callers = language.Words("callers")
	// callees are called by what they are or do.
	callees = language.Phrases("callees")
)

// groups are those of whom several are spoken to.
var groups = language.Words("groups")

// callsAll reports whether a clause is nothing but a word for several people.
func callsAll(clause language.Tokens) bool { return len(clause) == 1 && groups[clause[0].Word] }

// afterComma reports whether what stands at a byte of the text goes on from a comma, so that its capital is that of a name.
func (r *reader) afterComma(at int) bool {
	return strings.HasSuffix(strings.TrimSpace(r.u.Text[:at]), ",")
}

// between reads a part of the sentence by itself.
func (r *reader) between(text string, begins bool) (Reading, bool) {
	inner := *r
	inner.u = language.Analyse(text)
	inner.plan = r.p.PlanFor(inner.u)
	said, leans := slotsOf(inner.u.Tokens)
	inner.said = said
	certain := len(said.kinds) > 0 && !slices.Equal(said.kinds, []string{"yes"}) && !said.has("praise") || said.to || said.part != "" && !said.bare()
	if leans && (certain || begins && !said.bare()) {
		if reading, ok := inner.byRule(); ok {
			return reading, true
		}
	}
	if inner.plan.Outcome == planner.OutcomePlan && moves(inner.plan.Steps) {
		return inner.whole(text)
	}
	return Reading{}, false
}

// clausesOf are the parts of a sentence between its marks.
func clausesOf(toks language.Tokens) (clauses []language.Tokens) {
	from := 0
	for i := 0; i <= len(toks); i++ {
		if i < len(toks) && (!toks.IsMark(i) || toks[i].Word == "-") {
			continue
		}
		if i > from {
			clauses = append(clauses, toks[from:i])
		}
		from = i + 1
	}
	return clauses
}

// remarks reports whether clauses are short and have none of the words.
func remarks(clauses []language.Tokens, but ...map[string]bool) bool {
	for _, c := range clauses {
		if said, leans := slotsOf(c); len(c) > maxRemark || leans && (said.hasDegs || len(said.dirs) > 0) { // "twelve degrees" says how far
			return false
		}
		for _, t := range c {
			if t.Kind == language.Quote || slices.ContainsFunc(but, func(words map[string]bool) bool { return words[strings.ToLower(t.Word)] }) {
				return false
			}
		}
	}
	return true
}
