package tool

import (
	"context"
	"encoding/json"
)

// Func returns a tool that decodes its arguments into an A and runs fn.
func Func[A any](spec Spec, fn func(ctx context.Context, args A) Result) Tool {
	return function[A]{spec, fn}
}

type function[A any] struct {
	spec Spec
	fn   func(context.Context, A) Result
}

func (f function[A]) Spec() Spec { return f.spec }

func (f function[A]) Call(ctx context.Context, raw json.RawMessage) Result {
	var args A
	if err := json.Unmarshal(raw, &args); err != nil { // the schema and A do not fit together
		return Errorf(CodePanic, "%s is broken: %v", f.spec.Name, err)
	}
	return f.fn(ctx, args)
}

// CallValues implements ValueTool.
func (f function[A]) CallValues(ctx context.Context, values map[string]any) Result {
	var args A
	if err := Bind(values, &args); err != nil { // the schema and A do not fit together
		return Errorf(CodePanic, "%s is broken: %v", f.spec.Name, err)
	}
	return f.fn(ctx, args)
}

var _ ValueTool = function[struct{}]{}
