// Package halt says what a sentence wants to end: everything at once, one thing, or a stop that was spoken before. The
// words are in perception/language/en/stop.txt.
package halt

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Kind is what a sentence is about.
type Kind uint8

// The kinds of sentences.
const (
	None    Kind = iota
	Latch        // nothing but a stop: the robot brakes and stays still until it is released
	End          // What ends; nothing is latched, and the other steps of the plan follow
	Later        // what is done later or regularly is to end: whoever keeps it knows which
	Release      // a stop that was spoken is over
	Resume       // as Release while the robot is stopped, and something else when it is not
	Listen       // the robot hears again
	Foreign      // what is not the robot's is to end: that is nothing to it
)

// The things that End, besides gestures by their names.
const (
	Motion    = "motion"    // whatever moves
	Following = "following" // a face or a thing
	Speech    = "speech"
	Idle      = "idle"
	Hearing   = "hearing"
	schedule  = "schedule"
)

// Reading is what was read in a sentence.
type Reading struct {
	Kind Kind
	What string // of End: a value of the argument "only" of the tool stop
}

// The tables of stop.txt.
var (
	bare     = language.Sentences("stop-bare")
	asked    = language.Sentences("stop-asked")
	chatter  = language.Sentences("stop-chatter")
	things   = language.Patterns("stop-things")
	that     = language.Sentences("stop-that")
	releases = language.Sentences("stop-release")
	listens  = language.Sentences("listen-again")
	keeps    = language.Sentences("stop-keep")
	foreign  = language.Sentences("stop-foreign")
	own      = language.Words("stop-own")
	leave    = language.Patterns("stop-release-within")
	doubts   = language.Words("release-doubt")
	hearsay  = language.Words("release-hearsay")
	exclaims = language.Sentences("release-exclaims")
	reports  = language.Words("stop-reported")
)

// The tools that a plan ends something with.
const (
	stopTool = "stop"
	muteTool = "set_volume"
)

// Read says what a sentence, of which the planner has made p, wants to end.
func Read(u *language.Utterance, p planner.Plan) Reading {
	text := plain(u.Text)
	said := template.Split(text)
	switch {
	case !u.TooLong && unquoted(u.Text) == u.Text && bare.Find(said) != nil && !goesOn(p): // whatever else it is taken for
		return Reading{Kind: Latch}
	case p.Outcome == planner.OutcomeRefuse || u.TooLong:
		return Reading{}
	case releases.Find(said) != nil:
		if releases.Rule("sure").Find(said) != nil {
			return Reading{Kind: Release}
		}
		return Reading{Kind: Resume}
	case listens.Find(said) != nil:
		return Reading{Kind: Listen}
	}
	only, first := clauses(u.Text)
	switch {
	case only, first && !goesOn(p):
		return Reading{Kind: Latch}
	case first, that.Find(said) != nil:
		return Reading{End, Motion}
	case allows(u.Text, said) && goesOn(p): // more than a release for a robot that may move
		return Reading{Kind: Resume}
	case allows(u.Text, said):
		return Reading{Kind: Release}
	case keeps.Find(template.Split(opening(u.Text))) != nil && !acts(p):
		return Reading{End, Motion}
	}
	if warned(u.Text) && !goesOn(p) {
		return Reading{Kind: Latch}
	}
	return ends(u, p, said)
}

// ends says what a sentence that is neither a stop nor a release wants to end.
func ends(u *language.Utterance, p planner.Plan, said *template.Sentence) Reading {
	begins := len(p.Steps) > 0 && p.Steps[0].Tool == stopTool
	r := thing(said)
	if mutes(p) && r.What == Speech { // "stop talking" ends what is said now; the voice stays
		return r
	}
	if !begins && p.Outcome != planner.OutcomeNone {
		return Reading{}
	}
	if r.Kind != None {
		return r
	}
	switch {
	case !begins:
		return Reading{}
	case !goesOn(p) && others(u.Text):
		return Reading{Kind: Foreign}
	case bare.Find(template.Split(lastStop(plain(u.Text)))) != nil && !goesOn(p): // "turn left no turn right no stop"
		return Reading{Kind: Latch}
	}
	return Reading{End, Motion}
}

// mutes reports whether a plan does nothing but turn the voice off.
func mutes(p planner.Plan) bool {
	if len(p.Steps) != 1 || p.Steps[0].Tool != muteTool {
		return false
	}
	level, ok := p.Steps[0].Args["level"].(float64)
	return ok && level == 0
}

// maxWarning is how many words may stand before the stop of a warning: "mind the cup, stop!".
const maxWarning = 4

// warned reports whether a text ends with a clause that is nothing but a stop, behind short ones that report nothing.
func warned(text string) bool {
	text = strings.TrimSpace(unquoted(text))
	clauses := strings.FieldsFunc(text, isMark)
	if len(clauses) < 2 || strings.HasSuffix(text, "?") || bare.Find(template.Split(plain(clauses[len(clauses)-1]))) == nil {
		return false
	}
	for _, c := range clauses[:len(clauses)-1] {
		words := strings.Fields(plain(c))
		if len(words) > maxWarning || slices.ContainsFunc(words, func(w string) bool { return reports[w] || doubts[w] }) {
			return false
		}
	}
	return true
}

// thing finds the one thing that a sentence ends.
func thing(said *template.Sentence) Reading {
	m := things.Find(said)
	if m == nil || m.Before() != "" && asked.Find(template.Split(m.Before())) == nil {
		return Reading{}
	}
	switch m.Rule.Name {
	case schedule:
		return Reading{Later, schedule}
	case "sleep":
		return Reading{}
	}
	return Reading{End, m.Rule.Name}
}

// maxLeave is how many words a sentence has at most that releases a stop among remarks.
const maxLeave = 20

// allows reports whether a sentence releases a stop with remarks around it, without doubt, and says no stop itself.
func allows(text string, said *template.Sentence) bool {
	words := strings.Fields(plain(text))
	if len(words) > maxLeave || strings.HasSuffix(strings.TrimSpace(text), "?") || unquoted(text) != text {
		return false
	}
	clauses := strings.FieldsFunc(text, isMark)
	for i, c := range clauses {
		clauses[i] = plain(c)
	}
	alone := slices.ContainsFunc(clauses, func(c string) bool { return releases.Rule("sure").Find(template.Split(c)) != nil })
	if !alone && leave.Find(said) == nil {
		return false
	}
	for _, c := range clauses {
		words := strings.Fields(c)
		if exclaims.Find(template.Split(c)) != nil {
			continue
		}
		for i, w := range words {
			// "She says it is safe, you may move" is her word for it being safe; "she says, you may move" is not a person's leave.
			told := alone && hearsay[w] && i < len(words)-1
			if doubts[w] && !told || strings.HasSuffix(w, "n't") {
				return false
			}
		}
		if bare.Find(template.Split(c)) != nil {
			return false
		}
	}
	return true
}

// opening is the first clause of a text.
func opening(text string) string {
	for _, c := range strings.FieldsFunc(unquoted(text), isMark) {
		if c = plain(c); c != "" && chatter.Find(template.Split(c)) == nil {
			return c
		}
	}
	return ""
}

// others reports whether what a sentence stops is not the robot's: its last word tells.
func others(text string) bool {
	clause := opening(text)
	words := strings.Fields(clause)
	if foreign.Find(template.Split(clause)) == nil {
		return false
	}
	for len(words) > 0 && chatter.Find(template.Split(words[len(words)-1])) != nil {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return !own[last] && !strings.HasSuffix(last, "ing")
}

// acts reports whether a plan does more than stop and wait.
func acts(p planner.Plan) bool {
	return slices.ContainsFunc(p.Steps, func(s planner.Step) bool { return s.Tool != stopTool && s.Tool != "wait" })
}

// goesOn reports whether a plan has more than stops.
func goesOn(p planner.Plan) bool {
	for _, s := range p.Steps {
		if s.Tool != stopTool {
			return true
		}
	}
	return false
}

// clauses says whether all clauses of a text are stops, and whether the first is one, those left out that say nothing.
func clauses(text string) (only, first bool) {
	found := false
	for _, c := range strings.FieldsFunc(strings.ToLower(unquoted(text)), isMark) {
		c = plain(c)
		said := template.Split(c)
		stops := bare.Find(said) != nil
		switch {
		case stops && !found:
			only, first, found = true, true, true
		case stops, c == "", chatter.Find(said) != nil:
		default:
			only, found = false, true
		}
	}
	return only, first
}

// lastStop is the end of a text from its last stop word on.
func lastStop(text string) string {
	at := -1
	for w := range language.Words("stop-verbs") {
		at = max(at, strings.LastIndex(" "+text, " "+w))
	}
	return text[max(at, 0):]
}

func isMark(r rune) bool { return strings.ContainsRune(",.;:!?…–—-\n\t()", r) }

// unquoted cuts off a text where a quotation begins: what is quoted is nobody's order.
func unquoted(text string) string {
	if i := strings.IndexAny(text, "\"“„«"); i >= 0 {
		return text[:i] + " quotation"
	}
	return text
}

// plain is a text in small letters without marks, with the apostrophes of keyboards.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if isMark(r) && r != '-' {
			return ' '
		}
		return r
	}, text)), " ")
}

// Apply returns a plan with its stops as they are meant: in a sequence they end what moves, and a stop of one thing says
// which. The steps of a plan that is nothing but a stop of one thing are that stop.
func (r Reading) Apply(p planner.Plan) planner.Plan {
	stop := func(what string) planner.Step {
		switch what {
		case Following:
			return planner.Step{Tool: "track_face", Args: map[string]any{"enabled": false}}
		case Hearing:
			return planner.Step{Tool: "listen", Args: map[string]any{"enabled": false}}
		}
		s := planner.Step{Tool: stopTool, Args: map[string]any{}}
		if what != "" {
			s.Args["only"] = what
		}
		return s
	}
	switch r.Kind {
	case Latch:
		p.Outcome, p.Message, p.Steps = planner.OutcomePlan, "", []planner.Step{stop("")}
		return p
	case Listen:
		p.Outcome, p.Message = planner.OutcomePlan, ""
		p.Steps = []planner.Step{{Tool: "listen", Args: map[string]any{"enabled": true}}}
		return p
	case Foreign:
		p.Outcome, p.Message, p.Steps = planner.OutcomeNone, "", []planner.Step{}
		return p
	case Later:
		p.Outcome, p.Message, p.Steps = planner.OutcomeNone, "I am doing nothing of that kind.", []planner.Step{}
		return p
	case End:
		steps := []planner.Step{stop(r.What)}
		for i, s := range p.Steps {
			if (i > 0 || s.Tool != stopTool) && (s.Tool != muteTool || r.What != Speech) {
				steps = append(steps, s)
			}
		}
		p.Outcome, p.Message, p.Steps = planner.OutcomePlan, "", steps
	}
	for i, s := range p.Steps {
		if s.Tool == stopTool && len(s.Args) == 0 {
			p.Steps[i] = stop(Motion)
		}
	}
	return p
}
