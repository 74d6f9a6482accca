package coder

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/agents/trace"
)

// mended is the code that a model wrote, with what a program can put right put right.
func (w *writing) mended(ctx context.Context, source string) string {
	if source == "" || w.faster {
		return source
	}
	f := mend.Function{Name: w.spec.Name, Signature: w.spec.signature(), Summary: w.spec.Summary, Returns: "The result, " + w.spec.Returns + "."}
	for _, p := range w.spec.Parameters {
		f.Parameters = append(f.Parameters, mend.Parameter{Name: p.Name, Text: cmp.Or(p.Description, p.Type)})
	}
	source, changed := mend.Python(source, f)
	// The arguments' types are checked before the tool is called; a check of its own refuses 2 where 2.0 is meant.
	if free := mend.Unguarded(source, slices.Concat([]string{"ValueError"}, errorName.FindAllString(w.request+" "+w.spec.text(), -1))); free != source {
		source, changed = free, append(changed, "checks that nobody asked for are left out")
	}
	if len(changed) > 0 {
		trace.Note(ctx, trace.Code, "mended", strings.Join(changed, "; "))
	}
	return source
}

// signature is that of the Python function, from "(" on.
func (s *specification) signature() string {
	parts := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		parts[i] = p.Name + ": " + p.Type
	}
	return "(" + strings.Join(parts, ", ") + ") -> " + s.Returns
}
