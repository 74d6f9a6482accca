package persist

import (
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/learner/feedback"
)

// maxFeedback is how many pieces of feedback are kept; the oldest go first.
const maxFeedback = 5000

// Feedback keeps what people think of the robot's doing.
type Feedback struct{ bucket *store.Bucket[feedback.Piece] }

// NewFeedback returns the feedback in a store.
func NewFeedback(s *store.Store) *Feedback {
	return &Feedback{store.NewBucket[feedback.Piece](s, "feedback", store.Keep{Count: maxFeedback})}
}

// Put implements feedback.Store.
func (f *Feedback) Put(p feedback.Piece) error { return f.bucket.Put(p.ID, p) }

// Delete implements feedback.Store.
func (f *Feedback) Delete(id string) error { return f.bucket.Delete(id) }

// All implements feedback.Store.
func (f *Feedback) All() ([]feedback.Piece, error) { return f.bucket.List("", maxFeedback) }

var _ feedback.Store = (*Feedback)(nil)
