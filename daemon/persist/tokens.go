package persist

import (
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/store"
)

// NewTokens returns the tokens of HTTP that a store keeps, for ever.
func NewTokens(s *store.Store) access.Store {
	return store.NewBucket[access.Token](s, "tokens", store.Keep{Count: access.MaxTokens + 1})
}

var _ access.Store = (*store.Bucket[access.Token])(nil)
