package coder

import (
	"cmp"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/mend"
)

// function is what the source must define, as a program can put it right; of a tool that is only to become faster nothing but the name.
func (w *writing) function() mend.Function {
	f := mend.Function{Name: w.spec.Name}
	if w.faster {
		return f
	}
	f.Signature, f.Summary, f.Returns = w.spec.signature(), w.spec.Summary, "The result, "+w.spec.Returns+"."
	for _, p := range w.spec.Parameters {
		f.Parameters = append(f.Parameters, mend.Parameter{Name: p.Name, Text: cmp.Or(p.Description, p.Type)})
	}
	return f
}

// signature is that of the Python function, from "(" on.
func (s *specification) signature() string {
	parts := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		parts[i] = p.Name + ": " + p.Type
	}
	return "(" + strings.Join(parts, ", ") + ") -> " + s.Returns
}
