package access

import (
	"context"
	"slices"

	"github.com/reachyd/reachyd/api"
)

// Grant is what whoever asks may do.
type Grant struct {
	By      string // the name of the token, or "loopback"
	TokenID string // empty without a token
	Address string // where the request comes from
	Scopes  []api.Scope
}

// Everything is the grant of who sits at the robot's own host.
func Everything(address string) Grant {
	return Grant{By: "loopback", Address: address, Scopes: []api.Scope{api.ScopeAdmin}}
}

// Allows says whether a scope is granted.
func (g Grant) Allows(s api.Scope) bool {
	return slices.Contains(g.Scopes, s) || slices.Contains(g.Scopes, api.ScopeAdmin)
}

type grantKey struct{}

// With returns a context of a request with this grant.
func With(ctx context.Context, g Grant) context.Context { return context.WithValue(ctx, grantKey{}, g) }

// Of returns the grant of a request; without one it allows nothing.
func Of(ctx context.Context) Grant {
	g, _ := ctx.Value(grantKey{}).(Grant)
	return g
}

// Note goes with a request, for those who keep a record of what was changed.
type Note struct{ Harmless bool } // it only reads, whatever its method

type noteKey struct{}

// In returns a context that carries the note.
func (n *Note) In(ctx context.Context) context.Context { return context.WithValue(ctx, noteKey{}, n) }

// Harmless notes that a request only reads. Only who answers the request may call it.
func Harmless(ctx context.Context) {
	if n, ok := ctx.Value(noteKey{}).(*Note); ok {
		n.Harmless = true
	}
}
