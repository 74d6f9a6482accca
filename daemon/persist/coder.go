package persist

import (
	"errors"
	"fmt"
	"slices"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/daemon/store"
)

// Failures keeps attempts to write a tool that did not succeed.
type Failures struct{ bucket *store.Bucket[coder.Failure] }

// NewFailures returns the failures in a store.
func NewFailures(s *store.Store) *Failures {
	return &Failures{store.NewBucket[coder.Failure](s, "failures", store.Keep{Count: coder.MaxFailures})}
}

// SaveFailure implements coder.Failures.
func (f *Failures) SaveFailure(v coder.Failure) error {
	return f.bucket.Put(fmt.Sprintf("%016x", v.At.UnixNano()), v)
}

// LoadFailures implements coder.Failures.
func (f *Failures) LoadFailures() ([]coder.Failure, error) {
	return f.bucket.Newest("", coder.MaxFailures)
}

// Schedules keeps what is done regularly, in one document: it changes as a whole.
type Schedules struct {
	bucket *store.Bucket[[]coder.Schedule]
}

// allSchedules is the id of that document.
const allSchedules = "all"

// NewSchedules returns the schedules in a store.
func NewSchedules(s *store.Store) *Schedules {
	return &Schedules{store.NewBucket[[]coder.Schedule](s, "schedules", store.Keep{Count: 1})}
}

// SaveSchedules implements coder.Schedules.
func (s *Schedules) SaveSchedules(all []coder.Schedule) error {
	err := s.bucket.Put(allSchedules, slices.Clone(all))
	if errors.Is(err, store.ErrDiskFull) {
		err = fmt.Errorf("%w: %w", coder.ErrNoRoom, err)
	}
	return err
}

// LoadSchedules implements coder.Schedules.
func (s *Schedules) LoadSchedules() ([]coder.Schedule, error) {
	all, _, err := find(s.bucket, allSchedules)
	return all, err
}

var (
	_ coder.Failures  = (*Failures)(nil)
	_ coder.Schedules = (*Schedules)(nil)
)
