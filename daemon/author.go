package daemon

import (
	"context"
	"errors"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// author writes tools for those who ask by a command.
type author struct{ coder *coder.Coder }

// Generate implements command.Author.
func (a author) Generate(ctx context.Context, wish api.ToolGenerateArgs) (any, error) {
	cases, err := pipeline.ParseCases(wish.TestCases)
	if err != nil {
		return nil, &command.Error{
			Code: api.CodeInvalid, Message: "test_" + err.Error(),
			Fields: []api.FieldError{{Field: "test_cases", Value: truncate.Runes(string(wish.TestCases), 80), Allowed: "an array of cases as tools/test has them"}},
		}
	}
	made, err := a.coder.Generate(ctx, "author:"+wish.Author, wish.Description, cases)
	var refusal *registry.Refusal
	code := api.CodeFailed
	switch {
	case err == nil:
		return made, nil
	case ctx.Err() != nil:
		code = api.CodeInterrupted
	case errors.Is(err, coder.ErrForbidden):
		code = api.CodeRefuse
	case errors.Is(err, coder.ErrNoModel), errors.Is(err, guest.ErrUnavailable):
		code = api.CodeNotAvailable
	case errors.Is(err, registry.ErrNotApproved):
		code = api.CodeNotApproved
	case errors.As(err, &refusal):
		code = api.CodeRefused
	}
	return nil, &command.Error{Code: code, Message: err.Error()}
}

var _ command.Author = author{}
