package persist

import (
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/daemon/store"
)

// Texts keeps a few short texts by their names: what the robot is called, since when it lives.
type Texts struct{ bucket *store.Bucket[string] }

// NewTexts returns the texts in a store.
func NewTexts(s *store.Store) *Texts {
	const most = 100
	return &Texts{store.NewBucket[string](s, "texts", store.Keep{Count: most})}
}

// SaveText implements smalltalk.Keep.
func (t *Texts) SaveText(key, text string) error { return t.bucket.Put(key, text) }

// LoadText implements smalltalk.Keep.
func (t *Texts) LoadText(key string) (string, error) {
	text, _, err := find(t.bucket, key)
	return text, err
}

var _ smalltalk.Keep = (*Texts)(nil)
