package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Severity says whether a finding keeps a tool out.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Finding is one thing that is wrong with a tool.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Line     int      `json:"line,omitempty"` // from 1; 0: the whole tool
	Column   int      `json:"column,omitempty"`
	Fix      string   `json:"fix,omitempty"` // how to mend it
}

// Validation is what is known of a source without running it.
type Validation struct {
	Findings []Finding
	Schema   json.RawMessage // JSON schema of the parameters
	Returns  json.RawMessage // JSON schema of what it returns
	Doc      Doc
	Needs    []string // host calls that the source makes, as far as can be seen
	Metrics  Metrics
}

// Metrics are the figures of a source that the score is made of.
type Metrics struct {
	Lines      int `json:"lines"`      // of code, without comments and blank lines
	Complexity int `json:"complexity"` // the highest cyclomatic complexity of a function
	// Documented of the Documentable items are: the summary, every parameter and what is returned.
	Documented   int `json:"documented"`
	Documentable int `json:"documentable"`
}

// Report is what came of the tests of a tool.
type Report struct {
	Total    int             `json:"total"`
	Passed   int             `json:"passed"`
	Coverage float64         `json:"coverage"` // part of the lines that ran, 0 to 1
	Median   time.Duration   `json:"median"`   // processor time of a case
	Cases    []CaseResult    `json:"cases,omitempty"`
	Details  json.RawMessage `json:"details,omitempty"` // whatever else there is to be told
}

// CaseResult is how one case ended.
type CaseResult struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Message string `json:"message,omitempty"`
}

// Refusal is why a tool was not registered.
type Refusal struct {
	Name     string
	Findings []Finding // at least one of SeverityError
	Report   *Report   // when it got as far as being tested
}

// Codes of the findings of the registry itself.
const (
	CodeName       = "name"       // not a name for a tool
	CodeSize       = "size"       // too large, or too many
	CodeText       = "text"       // not UTF-8, not JSON, not an allowed value
	CodeUnchanged  = "unchanged"  // there is such a version already
	CodeDuplicate  = "duplicate"  // nearly the same as another tool
	CodeCapability = "capability" // needs what was not granted
	CodeUses       = "uses"       // calls a tool that is not there or not approved
	CodeCycle      = "cycle"      // calls itself by way of others
	CodeDepth      = "depth"      // chain of calls too long
	CodeTests      = "tests"      // failed a test, or there was none
	CodeUntested   = "untested"   // kept without a sandbox: nothing of it ran
)

// Error says the first reasons in one line.
func (r *Refusal) Error() string {
	var reasons []string
	more := 0
	for _, f := range r.Findings {
		switch {
		case f.Severity != SeverityError:
		case len(reasons) == 3:
			more++
		case f.Line > 0:
			reasons = append(reasons, fmt.Sprintf("line %d: %s", f.Line, f.Message))
		default:
			reasons = append(reasons, f.Message)
		}
	}
	text := fmt.Sprintf("tool %.80q was refused: %s", r.Name, strings.Join(reasons, "; "))
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// refuse makes a Refusal with one finding.
func refuse(name, code, fix, format string, args ...any) *Refusal {
	return &Refusal{Name: name, Findings: []Finding{{
		Code: code, Severity: SeverityError, Message: fmt.Sprintf(format, args...), Fix: fix,
	}}}
}

func hasErrors(findings []Finding) bool {
	for _, f := range findings {
		if f.Severity != SeverityWarning { // an unknown severity keeps a tool out
			return true
		}
	}
	return false
}
