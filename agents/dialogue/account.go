package dialogue

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// A sentence of which every word is accounted for is read clause by clause: what each names (a part, an axis, a direction, how far, and how
// that leans on what was done), and then where that brings each axis from where the clause before has left it. The words are in
// perception/language/en/accounts.txt. What such a sentence says is certain: nobody else is asked.

var (
	accountWords = language.Phrases("accounts")
	accountGoals = language.Words("account-goals")
	similes      = language.Phrases("similes")
)

// account is what one clause says.
type account struct {
	kinds map[string]bool // of the table accounts
	part  string
	it    bool // what was moved last
	verb  string
	axis  planner.Axis
	named bool // axis is named
	noun  bool // by what a movement is called: "the tilt"
	dirs  []string

	degs    float64
	hasDegs bool
	signed  bool
	to, by  bool
	size    string // little, far or max
	share   float64
	factor  float64
	pace    string
	kept    []planner.Axis
	keptAt  float64 // the axis that stands there is kept
	sharp   bool    // a mark stands before it that ends a sentence
	strange int     // words of which nothing is known
	but     bool    // "but" stands before it
}

func (c *account) is(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return c.kinds[k] })
}

// leanings are kinds that by themselves say what to do after a movement.
var leanings = []string{
	"more", "another", "on", "less", "back", "undo", "again", "same", "as-much", "otherway", "negate", "drop", "wrong-way", "toofar",
	"center", "straight", "level", "upright", "neutral", "other-side", "same-side", "start", "was", "last-2", "last-3", "before-last",
}

func (c *account) names() bool {
	return c.part != "" || c.named || c.it || c.is("other", "both", "turning", "left-one", "right-one", "first-one", "one-ear", "everything", "ear", "swap")
}

func (c *account) sized() bool { return c.hasDegs || c.size != "" || c.share != 0 || c.factor != 0 }

func (c *account) empty() bool {
	return len(c.kept) == 0 && c.keptAt == 0 && !c.names() && !c.is("stay") && len(c.dirs) == 0 && !c.sized() && c.verb == "" && !c.is(leanings...)
}

// says reports whether something is to be said at a place: "say hello", but not "say 20" and "20, say".
func says(toks language.Tokens, i int) bool {
	next := toks.At(i + 1)
	return toks.Word(i) == "say" && next.Word != "" && next.Kind != language.Number && !toks.IsMark(i+1)
}

// accounts reads a sentence; false when a word of it is not accounted for.
func (r *reader) accounts(most int) (all []account, ok bool) {
	toks := r.u.Tokens[r.u.Address.To:]
	c, whole, sharp := account{}, true, false
	end := func() {
		if c.kinds != nil {
			c.sharp, sharp = sharp, false
			whole = c.closes() && whole
			all = append(all, c)
		}
		c = account{}
	}
	for i := 0; i < len(toks); {
		if toks[i].Kind == language.Quote || says(toks, i) {
			return nil, false
		}
		if toks.IsMark(i) && toks[i].Word != "-" {
			end()
			sharp = sharp || toks[i].Word != ","
			i++
			continue
		}
		n := 1
		if similes.Has(toks, i) {
			for i < len(toks) && !toks.IsMark(i) {
				i++
			}
			continue
		}
		if m := c.denies(toks, i); m > 0 {
			i += m
			continue
		}
		if c.endsBefore(toks, i) {
			end()
		}
		if w := toks.Word(i); (w == "and" || w == "then" || w == "but") && accountWords.Len(toks, i) < 2 {
			end()
			c.but = w == "but"
		} else if n = c.reads(toks, i); n == 0 {
			if most--; most < 0 || !passable(toks, i) {
				return nil, false
			}
			n, c.strange = 1, c.strange+1
		}
		if c.kinds == nil {
			c.kinds = map[string]bool{}
		}
		i += n
	}
	end()
	return all, whole
}

// endsBefore reports whether another clause begins at a place without a mark.
func (c *account) endsBefore(toks language.Tokens, i int) bool {
	key, _ := accountWords.Match(toks, i)
	if key == "no" || key == "sorry" { // "turn to the right no hang on to the left"
		return !insteads.Has(toks, i) && !c.is("no", "sorry") && len(c.dirs) > 0 && (c.verb != "" || c.names())
	}
	return c.named && c.hasDegs && axisNames[key] // "yaw 10 pitch 5"
}

// axisNames are the keys of accounts that name an axis.
var axisNames = map[string]bool{"yaw": true, "pitch": true, "roll": true, "roll-verb": true, "head-yaw": true, "body-yaw": true}

// denies takes in what is not meant beside what is, "left, not right"; 0 where nothing such is denied.
func (c *account) denies(toks language.Tokens, i int) int {
	if toks.Word(i) != "not" || accountWords.Len(toks, i) > 0 {
		return 0
	}
	from := i + 1
	for w := toks.Word(from); w == "the" || w == "your" || w == "to" || w == "by"; w = toks.Word(from) {
		from++
	}
	_, n := language.QuantityAt(toks, from)
	key, m := accountWords.Match(toks, from)
	names := wholeParts[key] != nil || vertical(key) || horizontal(key) || key == "left-one" || key == "right-one"
	if m > 0 && names {
		n = m
	}
	if n == 0 {
		return 0
	}
	if c.kinds == nil {
		c.kinds = map[string]bool{}
	}
	c.kinds["no"] = true
	return from + n - i
}

// neverStrange are words that are never left out.
var neverStrange = language.Words("account-never")

// passable reports whether a word of which nothing is known may be left out: one that denies, asks, tells of others or is counted may not.
func passable(toks language.Tokens, i int) bool {
	w := toks.Word(i)
	return w != "" && !neverStrange[w] && !looseNever[w] && !looseOthers[w] && !looseAsks[w] && !language.IsVerb(w) &&
		toks.At(i-1).Kind != language.Number
}

// reads takes in what stands at a place; 0 where that is not known.
func (c *account) reads(toks language.Tokens, i int) int {
	if c.kinds == nil {
		c.kinds = map[string]bool{}
	}
	if toks.IsMark(i) {
		return 1
	}
	if n := c.scales(toks, i); n > 0 {
		return n
	}
	if isNumber(toks[i]) && !toks[i].Pronoun {
		return c.counts(toks, i)
	}
	if toks.Word(i) == "right" && toks.Word(i+1) == "angle" && !c.hasDegs {
		if c.degs, c.hasDegs = rightAngle, true; c.share != 0 { // "a third of a right angle"
			c.degs, c.share = language.Tidy(rightAngle*c.share), 0
		}
		return 2
	}
	key, n := accountWords.Match(toks, i)
	if m := paces.Len(toks, i); m >= n && m > 0 {
		if i > 1 && accountWords.Len(toks, i-2) == 2 && c.size == "little" { // "a bit slower"
			c.size = ""
		}
		c.pace, _ = paces.Match(toks, i)
		return m
	}
	if m := max(leadIns.Len(toks, i), tails.Len(toks, i), addresses.Len(toks, i)); m > n && (n == 0 || key == "nothing") {
		return m
	}
	if n == 0 {
		switch {
		case !toks[i].Pronoun:
			return 0
		case c.is("back") && i+1 == len(toks): // "go back one"
			c.backUndoes()
		case toks.Word(i+1) == "too" && toks.Word(i+2) == "many":
			return 3
		}
		return 1
	}
	if key, n = c.narrowed(key, toks, i, n); key != "" {
		c.takes(key)
	}
	return n
}

// narrowed is the key of a phrase by what stands around it, and its length; "" where it says nothing there.
func (c *account) narrowed(key string, toks language.Tokens, i, n int) (string, int) {
	next := toks.At(i + n)
	switch {
	case n > 1 && toks.Word(i)+"-one" == key && (!c.empty() || next.Word == "degree" || next.Word == "more"): // "left one degree"
		return toks.Word(i), 1
	case strings.HasPrefix(key, "keep-") && toks.Word(i) == "but" && i+n < len(toks) && !toks.IsMark(i+n): // "but the pitch 5 down"
		return key[len("keep-"):], n
	case key == "far" && n == 1 && toks.Word(i) == "way" && c.share != 0: // "a third of the way"
		return "", n
	case key != "roll-verb":
		return key, n
	case next.Kind == language.Number, toks.IsMark(i + 1), i+1 == len(toks), rollIsNoun[next.Word]: // "roll 5", "roll to 5"
		return "roll", n
	}
	return "tilt", n
}

// rollIsNoun are words behind "roll" that make it the name of an axis.
var rollIsNoun = language.Words("roll-is-noun")

// counts takes in a number; 0 where it counts something else.
func (c *account) counts(toks language.Tokens, i int) int {
	q, n := language.QuantityAt(toks, i)
	next := toks.Word(i + n)
	if n == 0 || next == "times" || next == "time" {
		return 0
	}
	if q.Value == 1 && q.Dim == language.NoUnit {
		if more, ok := c.countsOnce(toks, i+n); ok {
			return n + more
		}
	}
	switch {
	case c.is("scale") && q.Dim == language.NoUnit && q.Value > 0:
		if c.factor, c.kinds["whole"] = q.Value, true; q.Value < 1 {
			c.factor, c.share = 0, q.Value
		}
		return n
	case toks.Word(i) == "one" && q.Dim == language.NoUnit: // "the lowered one"
		return 0
	case q.Value == 2 && n == 1 && next == "the": // "look up 2 the right"
		return n
	case q.Dim == language.NoUnit && q.Value > 0 && q.Value < 1:
		c.share = q.Value
		return n
	case q.Dim == language.Percent && q.Value > 0 && q.Value <= 100:
		c.share = q.Value / 100
		return n
	case q.Dim != language.Angle && q.Dim != language.NoUnit && q.Dim != language.Turns, c.hasDegs && c.degs != q.Value:
		return 0
	}
	c.measures(q.Value, toks, i)
	if next == "it" && toks.Word(i+n+1) == "is" { // "thirty it is"
		c.kinds["no"] = true
		n += 2
	}
	return n
}

// Shares by their names, and what stands behind a number by which something is multiplied.
var (
	sharesOf  = map[string]float64{"thirds": 3, "quarters": 4, "fifths": 5, "tenths": 10}
	timesThat = language.Phrases("times-that")
)

// scales takes in what a number makes of what there is: "two thirds", "five times that", "times five"; 0 where it does not.
func (c *account) scales(toks language.Tokens, i int) int {
	if key, n := accountWords.Match(toks, i); key == "halfway" || key == "one-ear" {
		c.takes(key)
		return n
	}
	before := 0
	if toks.Word(i) == "times" {
		before = 1
	}
	q, n := language.QuantityAt(toks, i+before)
	if n == 0 || q.Dim != language.NoUnit || q.Value <= 0 {
		return 0
	}
	if part := sharesOf[toks.Word(i+n)]; before == 0 && q.Value < part && c.share == 0 {
		c.share = q.Value / part
		return n + 1
	}
	if n > 1 && toks.Word(i+n-1) == "times" {
		n--
	}
	times := timesThat.Len(toks, i+n)
	if q.Value <= 1 || c.factor != 0 || before == 0 && times == 0 {
		return 0
	}
	c.factor = q.Value
	return before + n + times*(1-before)
}

// countsOnce takes in a one that counts movements, and says how many words behind it belong to it.
func (c *account) countsOnce(toks language.Tokens, behind int) (words int, ok bool) {
	switch next := toks.Word(behind); {
	case next == "more": // "one more time"
		c.kinds["again"] = true
		if toks.Word(behind+1) == "time" {
			return 2, true
		}
		return 1, true
	case next == "too" && toks.Word(behind+1) == "many": // "one too many"
		return 2, true
	case c.is("back") && behind == len(toks): // "go back one"
		c.backUndoes()
		return 0, true
	}
	return 0, false
}

// backUndoes makes of "back" that a movement is taken back, not that the robot turns there.
func (c *account) backUndoes() {
	delete(c.kinds, "back")
	c.kinds["undo"] = true
}

// measures notes the angle that stands at a place; the word before it says whether the robot goes to it or by it.
func (c *account) measures(degs float64, toks language.Tokens, i int) {
	at := i - 1
	for at >= 0 && (angleFillers[toks.Word(at)] || toks.Word(at) == "the" || toks.Word(at) == "only" || toks.Word(at) == "exactly") {
		at--
	}
	before := toks.Word(at)
	if before == "plus" && accountGoals[toks.Word(at-1)] { // "yaw to plus 15"
		delete(c.kinds, "plus")
		c.to, c.degs, c.hasDegs, c.signed = true, degs, true, true
		return
	}
	c.to = c.to || accountGoals[before]
	c.by = c.by || before == "by"
	c.degs, c.hasDegs, c.signed = degs, true, degs < 0
}

const rightAngle = 90.0

// takes notes what a phrase names.
func (c *account) takes(key string) {
	dir := func(d string) {
		if !slices.Contains(c.dirs, d) {
			c.dirs = append(c.dirs, d)
		}
	}
	switch key {
	case "nothing":
	case "head", "body", "antennas", "leftAntenna", "rightAntenna":
		c.part = key
	case "shoulder":
		c.verb, c.kinds[key] = "tilt", true
	case "goal":
		c.to = true
	case "chin":
		c.part, c.axis, c.named, c.noun = "head", planner.Pitch, true, true
	case "it":
		c.it = true
	case "yaw", "pitch", "roll":
		c.axis, c.named = headAxes[key], true
	case "elevation": // which counts upwards
		c.part, c.axis, c.named, c.kinds[key] = "head", planner.Pitch, true, true
	case "body-yaw":
		c.part, c.axis, c.named = "body", planner.Yaw, true
	case "head-yaw":
		c.part, c.axis, c.named = "head", planner.Yaw, true
	case "turn", "look", "tilt", "raise", "lower", "face":
		if c.verb == "" || c.verb == "turn" && key != "face" || c.verb == "look" && (key == "raise" || key == "lower") {
			c.verb = key
		}
	case "keep-roll", "keep-pitch", "keep-yaw":
		c.kept = append(c.kept, headAxes[key[len("keep-"):]])
	case "left", "right", "up", "down":
		dir(key)
	case "shoulder-left", "shoulder-right":
		c.verb, c.kinds["to-shoulder"] = "tilt", true
		dir(key[len("shoulder-"):])
	case "up-of-centre", "down-of-centre":
		c.kinds["of-centre"] = true
		dir(strings.TrimSuffix(key, "-of-centre"))
	case "little", "far", "max":
		c.size = key
	case "max-up", "max-down", "max-left", "max-right":
		c.size, c.kinds["max-side"] = "max", true
		dir(key[len("max-"):])
	case "halve":
		c.share, c.kinds["whole"] = half, true
	case "halfway":
		c.share, c.kinds["back"], c.kinds[key] = half, true, true
	default:
		if share := sharesNamed[key]; share != 0 {
			c.share = share
			return
		}
		if f := factors[key]; f != 0 {
			c.factor, c.kinds["whole"], c.kinds["as-far"] = f, strings.HasSuffix(key, "-it"), key == "double-as"
			return
		}
		c.kinds[key] = true
		if also := alsoKinds[key]; also != "" {
			c.kinds[also] = true
		}
	}
}

// sharesNamed are the shares by their keys.
var sharesNamed = map[string]float64{"half": half, "third": 1.0 / 3, "quarter": 0.25}

// factors are what multiplies; with "it" all that there is.
var factors = map[string]float64{"double": 2, "double-it": 2, "double-as": 2, "triple": 3, "triple-it": 3}

// alsoKinds are kinds that are of another kind, too.
var alsoKinds = map[string]string{"reduce": "less", "shoulder-other": "other-side", "mirror": "negate", "increase": "more", "last": "again"}

// strong reports whether enough is named that words beside it may be left out.
func (c *account) strong(going bool) bool {
	where := len(c.dirs) > 0 || c.is(leanings...)
	switch {
	case c.hasDegs:
		return c.names() && (where || isAntenna(c.part)) || going && (c.is("more", "less", "another", "toofar") || len(c.dirs) > 0 && c.verb != "")
	case c.size != "" && going:
		return where && (c.names() || c.is("more", "less", "toofar"))
	}
	return c.names() && (!c.it || c.sharp && c.sized()) && where && going
}

// sayable reports whether what is said can only be meant for the robot.
func (r *reader) sayable(all []account, remarked bool) bool {
	going := r.hasMoved()
	for i := range all {
		c := &all[i]
		if (c.strange > 0 || remarked) && !c.strong(going) {
			return false
		}
		whole := (c.verb != "" || c.names()) && (len(c.dirs) > 0 || c.sized() || c.is(leanings...))
		switch {
		case !going && i == 0 && !whole && (len(c.dirs) == 0 || !c.hasDegs):
			return false
		case len(all) == 1 && !whole && !c.sized() && slices.Equal(c.dirs, []string{"right"}) && len(r.u.Tokens) < 3:
			return false
		}
	}
	return len(all) > 0
}
