package persist

import (
	"encoding/json"
	"time"

	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
)

// maxReplies is how many replies survive a restart.
const maxReplies = 1024

// Replies keeps the replies to commands, so that an id acts once also over a restart.
type Replies struct{ bucket *store.Bucket[reply] }

type reply struct {
	For   time.Duration   `json:"for"` // it is remembered, by the clock of the store's retention: the other one may be set
	Reply json.RawMessage `json:"reply"`
}

// NewReplies returns the replies in a store.
func NewReplies(s *store.Store) *Replies {
	return &Replies{store.NewBucket[reply](s, "replies", store.Keep{Age: time.Hour, Count: maxReplies})}
}

// Get implements command.Replies.
func (r *Replies) Get(id string) ([]byte, bool, error) {
	v, ok, err := find(r.bucket, id)
	if !ok {
		return nil, false, err
	}
	if age, err := r.bucket.Age(id); err != nil || age > v.For {
		return nil, false, err
	}
	return v.Reply, true, nil
}

// Put implements command.Replies.
func (r *Replies) Put(id string, data []byte, ttl time.Duration) error {
	return r.bucket.Put(id, reply{ttl, data})
}

var _ command.Replies = (*Replies)(nil)
