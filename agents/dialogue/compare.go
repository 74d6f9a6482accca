package dialogue

import (
	"fmt"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/frames"
)

// Readings are what several readers make of one sentence, for measurements (agents/eval/frames).
type Readings struct {
	Rules, Believed Reading
	Network         *Reading // nil where the network has none that can be said
	Sure            float64
	Frames          []frames.Frame
	Terse           bool   // the network is not asked
	Kind            string // what the rules know of it
}

// Readings reads a sentence in all ways.
func (s *State) Readings(p Planner, u *language.Utterance, plan planner.Plan, now Now) (all Readings) {
	all.Believed = s.Read(p, u, plan, now)
	unlearned := *s
	unlearned.unlearned = true
	all.Rules = unlearned.Read(p, u, plan, now)
	r := reader{State: s, p: p, u: u, plan: plan, now: now}
	r.reworded()
	got := frames.Read(r.u, r.before())
	all.Terse = r.terse()
	_, leans := slotsOf(r.u.Tokens)
	all.Kind = fmt.Sprintf("leans=%v fixes=%v corrects=%v plan=%v", leans, r.fixesWithin(), all.Rules.Base != nil || len(all.Rules.Restore) > 0, r.plan.Outcome)
	all.Sure, all.Frames = got.Sure, got.Frames
	if reading, ok := s.As(p, u, plan, now, got.Frames, got.Numbers); ok {
		all.Network = &reading
	}
	return all
}

// As is what a sentence means of which it is known what it asks for; false where that cannot be said.
func (s *State) As(p Planner, u *language.Utterance, plan planner.Plan, now Now, asked []frames.Frame, numbers []float64) (Reading, bool) {
	r := reader{State: s, p: p, u: u, plan: plan, now: now}
	return r.asked(asked, numbers)
}
