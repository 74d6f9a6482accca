package persist

import (
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/daemon/store"
)

// maxMemories is how many sessions have a memory.
const maxMemories = 10_000

// Memories keeps what people ask the robot to remember. It is not pruned by age: a name is not forgotten.
type Memories struct{ bucket *store.Bucket[memory.Memory] }

// NewMemories returns the memories in a store.
func NewMemories(s *store.Store) *Memories {
	return &Memories{store.NewBucket[memory.Memory](s, "memories", store.Keep{Count: maxMemories})}
}

// SaveMemory implements memory.Store.
func (m *Memories) SaveMemory(v memory.Memory) error { return m.bucket.Put(v.Session, v) }

// DeleteMemory implements memory.Store.
func (m *Memories) DeleteMemory(session string) error { return m.bucket.Delete(session) }

// LoadMemory implements memory.Store.
func (m *Memories) LoadMemory(session string) (memory.Memory, bool, error) {
	return find(m.bucket, session)
}

var _ memory.Store = (*Memories)(nil)
