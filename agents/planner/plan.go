package planner

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

// Plan is what a sentence asks for. Steps is never nil, and empty unless Outcome is OutcomePlan.
type Plan struct {
	Text    string  `json:"text"`
	Outcome Outcome `json:"outcome"`
	Steps   []Step  `json:"steps"`
	Message string  `json:"message"` // one sentence for a person; may be empty when Outcome is OutcomePlan
}
