package dialogue

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What neither the planner nor the rules take as a whole is read piece by piece: "The nurse says: head to the left. Fifteen." A piece
// is a command of its own, leans on what was before, names a movement without the grammar of a command, or is a remark. Only
// words of a few closed lists may stand before what a piece names, and nothing but small words behind.

// Bounds of what is read piece by piece.
const (
	maxPieces = 8
	maxBefore = 6 // words before what a piece names
	maxLoose  = 3 // words of which nothing is known before what a piece names with all that it takes
)

var (
	gistVerbs    = language.Map("gist-verbs")
	gistSmall    = language.Words("gist-small")
	gistTails    = language.Phrases("gist-tails")
	gistRemarks  = language.Phrases("gist-remarks")
	gistReasons  = language.Phrases("gist-reasons")
	wishes       = language.Words("gist-wishes")
	wants        = language.Words("gist-wants")
	persons      = language.Words("gist-persons")
	determiners  = language.Words("gist-determiners")
	prepositions = language.Words("gist-prepositions")
	neverBefore  = language.Words("gist-never-before")
	joints       = language.Phrases("gist-joints")
	angleFillers = language.Words("angle-fillers")
	asksWhat     = language.Words("gist-questions")
)

// piece is a part of a sentence between marks or connectives.
type piece struct {
	text  string
	toks  language.Tokens
	sharp bool // a mark stands before it that ends a sentence, or it is the first
	told  bool // a colon stands before it
	after bool // a connective of time stands before it: it is a movement of its own
	plan  planner.Plan
	said  slots
	kind  pieceKind
}

// pieceKind says what is made of a piece.
type pieceKind byte

const (
	isRemark pieceKind = iota
	isCommand
	isNamed // it names a movement, or leans on one
	isPart  // it names what may complete the piece beside it: a part, a number
)

// gist reads a sentence piece by piece.
func (r *reader) gist() (Reading, bool) {
	switch {
	case r.plan.Outcome == planner.OutcomeNone && (r.plan.Message == planner.NotUnderstood || strings.HasSuffix(r.plan.Message, "?")):
	case r.plan.Outcome == planner.OutcomeError && r.Last != nil:
	default:
		return Reading{}, false
	}
	return r.byPieces()
}

// byPieces reads the pieces of a sentence one after the other.
func (r *reader) byPieces() (Reading, bool) {
	whole := *r
	return whole.pieceByPiece()
}

func (r *reader) pieceByPiece() (Reading, bool) {
	pieces := r.pieces()
	if len(pieces) == 0 || len(pieces) > maxPieces {
		return Reading{}, false
	}
	remarked := false
	for i := range pieces {
		p := &pieces[i]
		if r.calls(p.toks) || !r.classify(p) {
			return Reading{}, false
		}
		if p.kind == isNamed && p.said.bare() && p.said.motion == "" && (slices.Equal(p.said.kinds, []string{"no"}) || slices.Equal(p.said.kinds, []string{"yes"})) {
			p.kind = isRemark
			continue
		}
		r.going = r.going || p.kind == isCommand && moves(p.plan.Steps) || p.kind == isNamed
		remarked = remarked || p.kind == isRemark && gistRemarks.Len(p.toks, 0) < len(p.toks)
	}
	pieces, ok := r.merged(pieces)
	if !ok || len(pieces) == 0 || remarked && slices.ContainsFunc(pieces, func(p piece) bool { return !p.plain() }) {
		return Reading{}, false
	}
	return r.together(pieces)
}

// plain reports whether a piece is surely meant for the robot although something stands beside it that is not.
func (p *piece) plain() bool {
	s := &p.said
	where := len(s.dirs) > 0 || s.hasDegs || s.amount != ""
	leans := slices.ContainsFunc(s.kinds, func(k string) bool { return !weakKinds[k] })
	switch {
	case p.kind == isCommand && moves(p.plan.Steps):
		return true
	case p.kind == isCommand:
		return false
	case s.hasDegs && s.has("back"): // "back at six"
		if at := slices.IndexFunc(p.toks, isNumber); at > 0 && (p.toks[at-1].Word == "at" || p.toks[at-1].Word == "by") {
			return false
		}
	}
	return where && (p.told || s.part != "" || s.axis != "" || s.motion != "") || len(s.dirs) > 0 && s.hasDegs || leans
}

// weakKinds are what people also say to each other.
var weakKinds = language.Words("gist-weak")

func isNumber(t language.Token) bool { return t.Kind == language.Number }

// pieces cuts the sentence at its marks, and at connectives where what stands on both sides can be read.
func (r *reader) pieces() (all []piece) {
	toks := r.u.Tokens
	from, sharp, told, after := r.u.Address.To, true, false, false
	cut := func(to int) {
		if to > from {
			text := r.u.Text[toks[from].Start:toks[to-1].End]
			all = append(all, piece{text: text, toks: toks[from:to], sharp: sharp, told: told, after: after})
			sharp, told, after = false, false, false
		}
	}
	for i := from; i <= len(toks); i++ {
		switch {
		case i == len(toks):
			cut(i)
		case toks[i].Kind == language.Quote:
			return nil
		case toks.IsMark(i) && toks[i].Word != "-":
			cut(i)
			sharp, told = sharp || toks[i].Word != ",", toks[i].Word == ":"
			from = i + 1
		default:
			key, n := joints.Match(toks, i)
			if n == 0 || i > from && !r.joins(toks[from:i], toks[i+n:]) {
				continue
			}
			cut(i)
			after = after || key == "then"
			from, i = i+n, i+n-1
		}
	}
	return all
}

// joins reports whether a connective between two runs of tokens joins two pieces rather than what belongs to one.
func (r *reader) joins(before, behind language.Tokens) bool {
	_, ok := island(before)
	ok = ok || gistRemarks.Len(before, 0) == len(before)
	if !ok && r.p.PlanFor(language.Analyse(r.u.Text[before[0].Start:before[len(before)-1].End])).Outcome != planner.OutcomePlan {
		return false
	}
	for i := range behind {
		if behind.IsMark(i) || i > 0 && joints.Len(behind, i) > 0 {
			behind = behind[:i]
			break
		}
	}
	if len(behind) == 0 {
		return false
	}
	said, ok := island(behind)
	return ok && !said.bare() || r.p.PlanFor(language.Analyse(r.u.Text[behind[0].Start:behind[len(behind)-1].End])).Outcome == planner.OutcomePlan
}

// classify says what a piece is; false when it forbids that anything is made of the sentence.
func (r *reader) classify(p *piece) bool {
	if p.plan = r.plan; p.text != r.u.Text || p.plan.Message != planner.NotUnderstood { // else it is the whole sentence, which was read
		p.plan = r.p.PlanFor(language.Analyse(p.text))
	}
	asks := asksWhat[p.toks.Word(0)] || p.toks.Word(0) == "do" && p.toks.Word(1) == "you" // "do you have three antennas?"
	said, ok := island(p.toks)
	p.said = said
	switch {
	case p.plan.Outcome == planner.OutcomeRefuse:
		return false
	case asks:
		return !ok || p.plan.Outcome != planner.OutcomePlan
	case p.plan.Outcome == planner.OutcomePlan:
		if stops(p.plan.Steps) || !moves(p.plan.Steps) && r.Last == nil && !p.sharp {
			return false
		}
		p.kind = isCommand
		return true
	case ok && r.certain(&said):
		p.kind = isNamed
		return true
	case ok && said.loose+said.behind == 0 && len(said.kinds) == 0 && (!said.bare() || said.motion != ""):
		p.kind = isPart
		return true
	}
	return r.remark(p)
}

func stops(steps []planner.Step) bool {
	return slices.ContainsFunc(steps, func(s planner.Step) bool { return s.Tool == "stop" })
}

// certain reports whether a piece says enough to be meant for the robot: with nothing before it a part or a verb with where or how
// far, else what leans on the movement before.
func (r *reader) certain(s *slots) bool {
	names, where, whole := s.says()
	switch {
	case s.loose > maxLoose, s.past && !s.hasDegs, s.behind > 0 && !r.sureBefore(s):
		return false
	case s.loose > 0:
		leans := slices.ContainsFunc(s.kinds, func(k string) bool { return !weakKinds[k] })
		return where && names && s.hasDegs || s.wish && (where && (names || whole || r.Last != nil && s.has("more")) || r.Last != nil && leans)
	case r.Last == nil && r.Question == nil && !r.going:
		return names && where || whole
	}
	return names && where || whole || s.hasDegs || len(s.kinds) > 0 && !slices.Equal(s.kinds, []string{"yes"}) && !s.has("praise") || len(s.dirs) > 0
}

// says reports whether something is named that moves, where or how far, and both a direction and a number.
func (s *slots) says() (names, where, whole bool) {
	sides := len(s.dirs) > 0
	return s.part != "" || s.axis != "" || s.motion != "", sides || s.hasDegs || s.amount != "", sides && s.hasDegs
}

// sureBefore reports whether enough is said before unknown words: "turn left at the lights" is no command.
func (r *reader) sureBefore(s *slots) bool {
	names, where, whole := s.says()
	switch {
	case s.person && !s.wants, s.bareDirections(), r.Last == nil && (s.part == "" || !s.hasDegs):
		return false
	}
	return names && where || whole
}

// bareDirections reports whether nothing is said but a verb and directions.
func (s *slots) bareDirections() bool {
	return !s.hasDegs && s.amount == "" && s.part == "" && s.axis == ""
}

// remark reports whether a piece may be left out. What names a part and where or how far is none: it was not understood.
func (r *reader) remark(p *piece) bool {
	if gistRemarks.Len(p.toks, 0) == len(p.toks) {
		return true
	}
	if gistReasons.Len(p.toks, 0) > 0 {
		return true
	}
	if len(p.toks) > maxRemark || namesMovement(p.toks) {
		return false
	}
	for _, t := range p.toks {
		if t.Kind == language.Quote || conditions[t.Word] || neverBefore[t.Word] && !wishes[t.Word] {
			return false
		}
	}
	return true
}

// namesMovement reports whether a part is named, and a direction or a number.
func namesMovement(toks language.Tokens) bool {
	part, where := false, false
	for i := range toks {
		part = part || parts.Has(toks, i)
		where = where || directions.Has(toks, i) || isNumber(toks[i])
	}
	return part && where
}

// island reads what a run of tokens names of a movement, where a few words may stand before it: "Pedro would like it ten further".
func island(toks language.Tokens) (s slots, ok bool) {
	s.text = toks.String()
	begun := false
	for i := 0; i < len(toks); {
		if toks.IsMark(i) {
			i++
			continue
		}
		w := toks.Word(i)
		r := longest(toks, i)
		if toks.At(i+1).Kind == language.Number && r.n == 1 && angleFillers[w] { // "about thirty"
			r = reading{}
		}
		verb, form := s.verbOf(w)
		switch n := max(gistTails.Len(toks, i), gistRemarks.Len(toks, i)); {
		case n > r.n:
			i += n
			continue
		case verb != "" && r.n <= 1 && (form == 0 || begun || s.loose > 0):
			s.does(verb, form)
			begun = true
			i++
			continue
		case r.n > 0:
			begun = s.takesIn(r) || begun
			i += r.n
			continue
		case gistSmall[w]:
			s.wish, s.wants, s.person = s.wish || wishes[w], s.wants || wants[w], s.person || persons[w]
			i++
			continue
		}
		if begun && s.bare() && s.motion == "" && s.loose < maxLoose { // "another" of something else
			begun, s.kinds = false, nil
		}
		if !s.stepsOver(toks, i, begun) {
			return s, false
		}
		i++
	}
	return s, begun
}

// stepsOver notes a word of which nothing is known; false when it makes the run something else.
func (s *slots) stepsOver(toks language.Tokens, i int, begun bool) bool {
	w := toks.Word(i)
	switch {
	case neverBefore[w], toks[i].Kind != language.Word:
		return false
	case begun:
		s.behind++
		return s.behind <= maxLoose && !takes(toks, i)
	}
	s.loose++
	s.wish = s.wish || wishes[w]
	return i < maxBefore
}

// does notes a verb of movement.
func (s *slots) does(verb string, form byte) {
	if s.motion == "" || s.motion == "move" {
		s.motion = verb
	}
	s.past = s.past || form == 'p' && !s.wish
}

// takesIn notes what is read, and reports whether that says something.
func (s *slots) takesIn(r reading) bool {
	kinds := len(s.kinds)
	if r.put != nil {
		r.put(s)
	}
	return len(s.kinds) > kinds || !s.bare()
}

// takes reports whether an unknown word is what a verb is done to, or what a number counts: "turn the heating down", "page nine".
func takes(toks language.Tokens, i int) bool {
	if toks.At(i+1).Kind == language.Number {
		return true
	}
	k := i - 1
	for k >= 0 && toks.Word(k) != "" && !determiners[toks.Word(k)] && !prepositions[toks.Word(k)] && gistVerbs[toks.Word(k)] == "" {
		k--
	}
	return k >= 0 && toks[k].Kind == language.Word && !prepositions[toks.Word(k)] && (gistVerbs[toks.Word(k)] != "" || !prepositions[toks.Word(k-1)])
}

// verbOf is the kind of the verb of movement that a word is a form of, and the form; empty for other words.
func (s *slots) verbOf(w string) (kind string, form byte) {
	in := language.InflectionOf(w)
	if kind = gistVerbs[w]; kind == "" && gistVerbs[in.Base] != "" && (in.Form == 'g' || (in.Form == 's' || in.Form == 'p') && s.part != "" || s.wish) {
		return gistVerbs[in.Base], in.Form
	}
	return kind, 0
}

// together reads pieces one after the other, each leaning on those before, as one command.
func (r *reader) together(pieces []piece) (Reading, bool) {
	state := r.Copy()
	whole := Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomePlan, Steps: []planner.Step{}}}
	for i := range pieces {
		p := &pieces[i]
		inner := reader{State: &state, p: r.p, u: language.Analyse(p.text), plan: p.plan, now: r.now, said: p.said}
		reading, ok := inner.piece(p)
		switch {
		case !ok:
			return Reading{}, false
		case len(pieces) == 1:
			reading.Plan.Text = r.u.Text
			return reading, true
		case reading.Plan.Outcome == planner.OutcomeError || reading.Ask != nil:
			return reading, true
		case reading.Base != nil && i > 0 || reading.Say != "" && len(reading.Plan.Steps) == 0:
			continue
		}
		if reading.Base != nil {
			whole.Base, whole.Restore = reading.Base, reading.Restore
		}
		whole.undone = max(whole.undone, reading.undone)
		whole.Plan.Steps = append(whole.Plan.Steps, reading.Plan.Steps...)
		whole.repeats = append(whole.repeats, reading.repeats...)
		whole.Text = strings.TrimPrefix(whole.Text+", then "+reading.Text, ", then ")
		if reading.repeats != nil {
			state.Last = &Command{Text: reading.Text, Steps: reading.repeats, Before: r.now.Pose}
		}
	}
	return whole, len(whole.Plan.Steps) > 0
}

// piece reads one piece.
func (r *reader) piece(p *piece) (Reading, bool) {
	if p.kind == isCommand {
		_, leans := slotsOf(p.toks)
		leans = leans || r.Last != nil && p.said.part == "" && len(p.said.dirs) > 0 && p.said.loose == 0 // "and 25 right to be even"
		if leans && p.said.motion == "" && p.said.axis == "" && (p.said.part == "" || p.said.has("same")) {
			if reading, ok := r.byRule(); ok {
				return reading, true
			}
		}
		return r.whole(p.text)
	}
	r.plan = r.silent()
	r.said.verb = false
	r.said.direct()
	if reading, ok := r.byRule(); ok {
		return reading, reading.Say == "" || len(reading.Plan.Steps) == 0
	}
	return Reading{}, false
}

// motionParts are the parts that verbs move when none is named.
var motionParts = map[string]string{"look": "head", "tilt": "head", "roll": "head", "turn": "body"}

// direct names the part that a verb moves.
func (s *slots) direct() {
	if s.motion == "tilt" || s.motion == "roll" {
		s.tilts = !slices.ContainsFunc(s.dirs, func(d string) bool { return !level[d] })
	}
	if s.part != "" || s.motion == "" || s.axis != "" {
		return
	}
	if s.motion == "turn" && slices.ContainsFunc(s.dirs, func(d string) bool { return !level[d] }) {
		s.part = "head"
		return
	}
	if len(s.dirs) > 0 || s.hasDegs && !s.has("more") && !s.has("less") {
		s.part = motionParts[s.motion]
	}
}
