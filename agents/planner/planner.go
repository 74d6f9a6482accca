package planner

import (
	"github.com/reachyd/reachyd/perception/language"
)

// Planner turns sentences into plans. It is immutable after New and safe for concurrent use.
type Planner struct {
	objects map[string]bool
	poses   map[string]string // by their plain spelling
	moves   map[string]string
	tools   map[string]string
	rules   *rulebook
}

// Option adds names that the planner knows beyond its own.
type Option func(*Planner)

// WithObjects adds objects that can be looked at; they are also found when misspelt.
func WithObjects(names ...string) Option { return func(p *Planner) { add(p.objects, names) } }

// WithPoses adds names for goto_pose.
func WithPoses(names ...string) Option { return func(p *Planner) { name(p.poses, names) } }

// WithMoves adds names of recorded moves for play_move.
func WithMoves(names ...string) Option { return func(p *Planner) { name(p.moves, names) } }

// WithTools adds tools without required arguments, such as generated ones; "run <name>" calls them.
func WithTools(names ...string) Option {
	return func(p *Planner) { name(p.tools, names) }
}

// New builds a planner.
func New(opts ...Option) *Planner {
	p := &Planner{objects: map[string]bool{}, poses: map[string]string{}, moves: map[string]string{}, tools: map[string]string{}, rules: newRulebook()}
	add(p.objects, []string{"apple", "croissant", "duck"})
	name(p.poses, []string{"init", "neutral", "home", "sleep"})
	for _, o := range opts {
		o(p)
	}
	language.Load()
	return p
}

// Plan says what text asks the robot to do. It moves nothing and keeps nothing.
func (p *Planner) Plan(text string) Plan { return p.PlanFor(language.Analyse(text)) }

// PlanFor is Plan for a text that was analysed before.
func (p *Planner) PlanFor(u *language.Utterance) Plan {
	if plan, ok := faces(u); ok {
		return plan
	}
	clear := u
	if text := clarify(u); text != u.Text {
		clear = language.Analyse(text)
	}
	out := p.read(clear)
	if out.Outcome == OutcomeNone && out.Message == NotUnderstood {
		other, reworded := reword(clear)
		if reworded {
			clear = language.Analyse(other)
			out = p.read(clear)
		}
		if out.Outcome == OutcomeNone && out.Message == NotUnderstood {
			if plan, ok := p.despiteRemarks(clear); ok {
				out = plan
			}
		}
	}
	if out.Outcome == OutcomeError { // what cannot be done may only be spoken of: "look left, chop chop"
		if plan, ok := p.despiteRemarks(clear); ok && plan.Outcome == OutcomePlan {
			out = plan
		}
	}
	if out.Outcome == OutcomePlan && (callsOthers(u) || language.TellsOfOther(u)) {
		out = Plan{Outcome: OutcomeNone, Steps: []Step{}, Message: NotUnderstood}
	}
	if why := Unmeasured(clear.Tokens, &out); why != "" {
		out = Plan{Outcome: OutcomeError, Steps: []Step{}, Message: why}
	}
	out.Text = u.Text
	return out
}

// tokens returns the tokens of a sentence, where the objects of this planner count as words that a misspelling may stand
// for. The parser mends them as it goes.
func (p *Planner) tokens(u *language.Utterance) language.Tokens { return u.Named(p.objects) }

// read understands a text as a whole.
func (p *Planner) read(u *language.Utterance) Plan {
	out := Plan{Text: u.Text, Outcome: OutcomeNone, Steps: []Step{}, Message: NotUnderstood}
	if u.TooLong {
		out.Message = "That is too long for me to be a command."
		return out
	}
	toks := p.tokens(u)
	ps := parser{p: p, text: u.Text, toks: toks, fuel: maxTrials, begins: make([]beginsAt, len(toks))}
	understood := ps.sentence()
	var c composer
	c.compose(ps.frames)
	if (!understood || c.outcome == OutcomeNone) && c.outcome != OutcomeRefuse && ps.tolerant(p.tokens(u)) {
		var second composer
		if second.compose(ps.frames); !understood || second.outcome != OutcomeNone {
			understood, c = true, second
		}
	}
	switch {
	case c.outcome == OutcomeRefuse:
		out.Outcome, out.Message = OutcomeRefuse, c.message
	case !understood:
	case c.outcome != OutcomePlan:
		out.Outcome, out.Message = c.outcome, c.message
	case len(c.steps) > 0 && refusal(c.steps) != "":
		out.Outcome, out.Message = OutcomeError, refusal(c.steps)
	case len(c.steps) > 0:
		out.Outcome, out.Steps, out.Message = OutcomePlan, c.steps, ""
	case c.prohibit:
		out.Message = "All right, I will not do that."
	}
	return out
}

// NotUnderstood is the message of a plan for a sentence in which nothing was recognised.
const NotUnderstood = "I did not understand this as something for my body to do."

func name(m map[string]string, names []string) {
	for _, n := range names {
		m[language.Plain(n)] = n
	}
}

func add(set map[string]bool, names []string) {
	for _, n := range names {
		set[language.Plain(n)] = true
	}
}
