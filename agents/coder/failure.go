package coder

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// MaxFailures is how many failures are looked at.
const MaxFailures = 200

// Outcome names how the making of a tool ended.
type Outcome string

// The outcomes.
const (
	OutcomePassed      Outcome = "tests passing"
	OutcomeRefined     Outcome = "tests passing after refinement"
	OutcomeCorrected   Outcome = "syntax error corrected"
	OutcomeOptimised   Outcome = "performance optimised"
	OutcomeStatic      Outcome = "sandbox unavailable: static only, review recommended"
	OutcomeRefused     Outcome = "refused" // it never passed
	OutcomeInterrupted Outcome = "interrupted"
)

// Failure is one attempt that did not succeed.
type Failure struct {
	At        time.Time `json:"at"`
	Request   string    `json:"request"`
	Name      string    `json:"name"`
	Spec      string    `json:"spec,omitempty"`
	Source    string    `json:"source,omitempty"`
	Diagnosis string    `json:"diagnosis"`
	Outcome   Outcome   `json:"outcome"`
	Model     string    `json:"model,omitempty"`
}

// Sizes of what is kept of a failure, bytes.
const (
	maxKeptSource    = 10_000
	maxKeptDiagnosis = 2_000
)

// remember keeps a failure.
func (c *Coder) remember(f Failure) {
	if c.o.Failures == nil {
		return
	}
	f.At = c.o.Now().UTC()
	f.Request, f.Spec = truncate.Runes(f.Request, maxKeptDiagnosis), truncate.Runes(f.Spec, maxKeptDiagnosis)
	f.Source, f.Diagnosis = truncate.Runes(f.Source, maxKeptSource), truncate.Runes(f.Diagnosis, maxKeptDiagnosis)
	if err := c.o.Failures.SaveFailure(f); err != nil {
		c.o.Failed(err)
	}
}

// alike is from where on a request is like another, by the share of their words that they have in common.
const alike = 0.4

// similar returns failures of requests that are like this one, the most alike first, at most most.
func (c *Coder) similar(request string, most int) []Failure {
	if c.o.Failures == nil {
		return nil
	}
	all, err := c.o.Failures.LoadFailures()
	if err != nil {
		c.o.Failed(err)
		return nil
	}
	type scored struct {
		f     Failure
		score float64
	}
	wanted := content(request)
	var found []scored
	for _, f := range all[:min(len(all), MaxFailures)] {
		if s := overlap(wanted, content(f.Request)); s >= alike {
			found = append(found, scored{f, s})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]Failure, 0, most)
	for _, s := range found[:min(len(found), most)] {
		out = append(out, s.f)
	}
	return out
}

var emptyWords = language.Words("stop-words", "request-stop-words")

// content are the words of a text that mean something, without their endings.
func content(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,.;:!?\"'()_-\n", r) }) {
		if !emptyWords[w] {
			out[language.Stem(w)] = true
		}
	}
	return out
}

// overlap is the share of words that two sets have in common.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
