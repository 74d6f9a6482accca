package registry

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"
)

// Usage is what became of the calls of one version.
type Usage struct {
	Calls     uint64        `json:"calls"`
	Successes uint64        `json:"successes"`
	Total     time.Duration `json:"total"` // of all calls
	Max       time.Duration `json:"max"`
	Last      time.Time     `json:"last,omitzero"`
	// Buckets count calls by duration: bucket 0 less than 1 µs, bucket n less than 2ⁿ µs, the last all longer ones.
	Buckets [32]uint64 `json:"buckets"`
}

// Quantile returns a duration that the part q (0 to 1) of the calls did not exceed, at most twice the true one.
func (u *Usage) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(u.Calls)))
	seen := uint64(0)
	for i, n := range u.Buckets {
		if seen += n; n > 0 && seen >= rank {
			return min(u.Max, time.Microsecond<<i)
		}
	}
	return u.Max
}

// SuccessRate is the part of the calls that succeeded, 0 when there were none.
func (u *Usage) SuccessRate() float64 {
	if u.Calls == 0 {
		return 0
	}
	return float64(u.Successes) / float64(u.Calls)
}

func (u *Usage) add(ok bool, took time.Duration, at time.Time) {
	took = max(took, 0)
	u.Calls++
	if ok {
		u.Successes++
	}
	u.Total += took
	u.Max = max(u.Max, took)
	u.Last = at
	u.Buckets[min(bits.Len64(uint64(took.Microseconds())), len(u.Buckets)-1)]++
}

// counters are the Usage of all versions. They are written to the store in batches.
type counters struct {
	mu      sync.Mutex
	of      map[string]map[int]*Usage
	dirty   map[string]bool
	pending int // calls since the last flush
	full    chan struct{}
}

func (c *counters) load(s Store) error {
	c.of, c.dirty, c.full = map[string]map[int]*Usage{}, map[string]bool{}, make(chan struct{}, 1)
	return s.Scan(usagePrefix, func(key string, value []byte) bool {
		var m map[int]*Usage
		if unseal(value, &m) == nil { // counters that are damaged begin anew: no tool stays away because of them
			maps.DeleteFunc(m, func(_ int, u *Usage) bool { return u == nil })
			c.of[key[len(usagePrefix):]] = m
		}
		return true
	})
}

// Record counts a call of a version. It does not wait for the disk: a crash takes the calls since the last flush, at
// most those of Settings.FlushEvery or Settings.FlushCalls, whichever is less, and what a flush that is under way was
// about to write.
func (r *Registry) Record(name string, version int, ok bool, took time.Duration) {
	e := r.state.Load().tools[name]
	if e == nil || version < 1 || version > e.head.Latest {
		return
	}
	now := r.set.Clock.Now().UTC()
	c := &r.usage
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.of[name][version]
	if u == nil {
		if c.of[name] == nil {
			c.of[name] = map[int]*Usage{}
		}
		u = &Usage{}
		c.of[name][version] = u
	}
	u.add(ok, took, now)
	c.dirty[name] = true
	if c.pending++; c.pending >= r.set.FlushCalls {
		select {
		case c.full <- struct{}{}:
		default:
		}
	}
}

// Usage returns the counters of one version; number 0 is all versions together.
func (r *Registry) Usage(name string, number int) Usage {
	c := &r.usage
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum Usage
	for n, u := range c.of[name] {
		if number != 0 && n != number {
			continue
		}
		sum.Calls += u.Calls
		sum.Successes += u.Successes
		sum.Total += u.Total
		sum.Max = max(sum.Max, u.Max)
		if u.Last.After(sum.Last) {
			sum.Last = u.Last
		}
		for i, k := range u.Buckets {
			sum.Buckets[i] += k
		}
	}
	return sum
}

// flushing writes the counters now and then until the registry is closed.
func (r *Registry) flushing() {
	for {
		select {
		case <-r.stop:
			return
		case <-r.set.Clock.After(r.set.FlushEvery):
		case <-r.usage.full:
		}
		_ = r.flush() // what could not be written is written with the next flush, or Close says why not
	}
}

// flush writes the counters that changed.
func (r *Registry) flush() error {
	c := &r.usage
	c.mu.Lock()
	names := slices.Sorted(maps.Keys(c.dirty))
	var ops []Op
	for _, name := range names {
		value, err := seal(c.of[name])
		if err != nil {
			c.mu.Unlock()
			return fmt.Errorf("store counters of tool %s: %w", name, err)
		}
		ops = append(ops, Op{usagePrefix + name, value})
	}
	clear(c.dirty)
	c.pending = 0
	c.mu.Unlock()
	for part := range slices.Chunk(ops, 16) {
		if err := r.set.Store.Apply(part...); err != nil {
			c.mu.Lock()
			for _, name := range names {
				c.dirty[name] = true
			}
			c.mu.Unlock()
			return fmt.Errorf("store counters: %w", err)
		}
	}
	return nil
}
