package persist

import (
	"github.com/reachyd/reachyd/agents/memory/places"
	"github.com/reachyd/reachyd/daemon/store"
)

// Places keeps where things were seen, in one document: it is small.
type Places struct {
	bucket *store.Bucket[[]places.Sighting]
}

// NewPlaces returns the places in a store.
func NewPlaces(s *store.Store) *Places {
	return &Places{store.NewBucket[[]places.Sighting](s, "places", store.Keep{Count: 1})}
}

// SavePlaces implements places.Store.
func (p *Places) SavePlaces(all []places.Sighting) error { return p.bucket.Put(allPlaces, all) }

// LoadPlaces implements places.Store.
func (p *Places) LoadPlaces() ([]places.Sighting, error) {
	all, _, err := find(p.bucket, allPlaces)
	return all, err
}

// allPlaces is the id of that document.
const allPlaces = "all"

var _ places.Store = (*Places)(nil)
