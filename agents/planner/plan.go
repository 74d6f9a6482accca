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
}

// Plan is what a sentence asks for. Steps is never nil, and empty unless Outcome is OutcomePlan.
type Plan struct {
	Text    string  `json:"text"`
	Outcome Outcome `json:"outcome"`
	Steps   []Step  `json:"steps"`
	Message string  `json:"message"` // one sentence for a person; may be empty when Outcome is OutcomePlan
}
