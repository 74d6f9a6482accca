package calling

import (
	"context"
	"slices"

	"github.com/reachyd/reachyd/agents/llm"
)

// Warm has the server load a small model and read what every prompt begins with, so that the first who speaks does not wait for
// that. A server that is away, or has a large model, is left alone. The error is that of ctx.
func (m *Model) Warm(ctx context.Context) error {
	if c, ok := m.Model.(interface {
		Models(ctx context.Context) ([]llm.Info, error)
	}); ok {
		if _, err := c.Models(ctx); err != nil {
			return ctx.Err()
		}
	}
	if m.Ready(llm.RoleCall) != nil || !m.Small(llm.RoleCall) {
		return ctx.Err()
	}
	all := shown(catalogued())
	first := slices.IndexFunc(all, func(f face) bool { return f.Name == faces().Faces[0].Name })
	req := m.request(&llm.Request{Role: llm.RoleCall, Messages: []llm.Message{{Who: llm.User, Text: "Hello."}}}, all[first:first+1], 0)
	req.MaxTokens, req.Format = 1, nil
	_, _ = m.Model.Chat(ctx, req, nil) // what it says does not matter, and who is in need of it is told why it fails
	return ctx.Err()
}
