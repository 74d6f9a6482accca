package planner

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// Outcome says what became of a sentence.
type Outcome string

// The four outcomes of a plan.
const (
	OutcomePlan   Outcome = "plan"   // steps to run
	OutcomeError  Outcome = "error"  // understood but impossible; the message says the limit
	OutcomeRefuse Outcome = "refuse" // understood and not allowed
	OutcomeNone   Outcome = "none"   // not a command for the body
)

// Step is one tool call. Angles are degrees, times seconds, lengths metres. The steps inside a repeat are a []Step
// under Args["steps"]; every other number is a float64.
type Step struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
	// As is the tool that does it, with the same arguments, where that does more than Tool says: it looks around for what is
	// sought, or follows what is looked at. It is not part of the plan as it is shown.
	As string `json:"-"`
	// Axes says which angles of a movement were named, and whether from the middle or from where the robot is. It is zero
	// for what is no movement, and in a repeat.
	Axes Axes `json:"-"`
	// Change is how much louder (or quieter, below 0) than now a volume shall at least be that was asked for without a number. Its
	// level is for a robot whose volume is not known.
	Change int `json:"-"`
}

// Louder returns a step with the level that a wish for a change comes to, when the volume is now. Other steps stay as they are.
func (s Step) Louder(now int) Step {
	level, ok := s.Args["level"].(float64)
	if s.Change == 0 || !ok {
		return s
	}
	if changed := float64(now + s.Change); s.Change > 0 {
		level = min(max(level, changed), catalog.Volume.Max)
	} else {
		level = max(min(level, changed), catalog.Volume.Min)
	}
	s.Args = map[string]any{"level": level}
	return s
}

// Doing returns the steps with the tools that do them.
func Doing(steps []Step) []Step {
	for i := range steps {
		if steps[i].As != "" {
			steps[i].Tool, steps[i].As = steps[i].As, ""
		}
	}
	return steps
}

// Axis is an angle that a movement can name.
type Axis uint8

// The axes; pitch, yaw and roll are the head's.
const (
	Pitch Axis = iota
	Yaw
	Roll
	BodyYaw
	LeftAntenna
	RightAntenna
	NumAxes
)

// Way says how the value of an axis in a step is meant.
type Way uint8

// The ways of an axis.
const (
	Unnamed Way = iota // the sentence does not name it: it stays as it is
	To                 // it goes to the value
	Apart              // it goes to the value, which a word says: the other antenna would go to the mirrored one
	From               // it goes by the value from where the sentence found the robot: "look left"
	By                 // it goes by the value from where it is when the step begins: "turn left 20 degrees"
	Rise               // an antenna goes by the value towards upright
	Sink               // an antenna goes by the value away from upright
	Back               // it goes to where the sentence found it
)

// Relative reports whether the value counts from where the robot is.
func (w Way) Relative() bool { return w == From || w == By || w == Rise || w == Sink }

// Axes are the ways of the axes.
type Axes [NumAxes]Way

// Named reports whether any axis is named.
func (a Axes) Named() bool { return a != Axes{} }

// Plan is what a sentence asks for. Steps is never nil, and empty unless Outcome is OutcomePlan.
type Plan struct {
	Text    string  `json:"text"`
	Outcome Outcome `json:"outcome"`
	Steps   []Step  `json:"steps"`
	Message string  `json:"message"` // one sentence for a person; may be empty when Outcome is OutcomePlan
}

// Clone returns a plan that shares nothing with p which can be changed.
func (p *Plan) Clone() Plan {
	c := *p
	c.Steps = cloned(p.Steps)
	return c
}

func cloned(steps []Step) []Step {
	all := slices.Clone(steps)
	for i := range all {
		all[i].Args = maps.Clone(all[i].Args)
		for name, v := range all[i].Args {
			switch v := v.(type) {
			case []Step:
				all[i].Args[name] = cloned(v)
			case map[string]any:
				all[i].Args[name] = maps.Clone(v)
			}
		}
	}
	return all
}

// Deed is what the plan does, the same for all plans that do the same; empty when it does nothing. Words that are passed on count
// without marks and capitals.
func (p *Plan) Deed() string {
	if p.Outcome != OutcomePlan || len(p.Steps) == 0 {
		return ""
	}
	b, err := json.Marshal(p.Steps)
	if err != nil { // a step that cannot be written equals itself only
		return p.Text
	}
	var steps any
	if json.Unmarshal(b, &steps) == nil {
		b, _ = json.Marshal(plainWords(steps)) // it came from JSON
	}
	return string(b)
}

// plainWords replaces each text in a JSON value by its words.
func plainWords(v any) any {
	switch v := v.(type) {
	case string:
		return strings.Join(language.HeardWords(v), " ")
	case []any:
		for i := range v {
			v[i] = plainWords(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainWords(v[k])
		}
	}
	return v
}
