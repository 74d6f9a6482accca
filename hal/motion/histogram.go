package motion

import (
	"math"
	"time"
)

// histogram counts durations in steps of 9 % between 1 µs and 20 s; adding to it allocates nothing.
type histogram struct {
	n       uint64
	max     time.Duration
	buckets [buckets]uint64
}

const buckets = 196

func (h *histogram) add(d time.Duration) {
	h.n++
	h.max = max(h.max, d)
	h.buckets[bucketOf(d)]++
}

func bucketOf(d time.Duration) int {
	us := float64(d) / float64(time.Microsecond)
	if us <= 1 {
		return 0
	}
	return min(buckets-1, 1+int(math.Log2(us)*8))
}

// quantile returns the upper edge of the bucket in which the q-th part ends, but not more than the maximum.
func (h *histogram) quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := uint64(math.Ceil(q * float64(h.n)))
	seen := uint64(0)
	for i, c := range h.buckets {
		if seen += c; seen >= rank {
			edge := time.Duration(math.Exp2(float64(i)/8) * float64(time.Microsecond))
			return min(edge, h.max)
		}
	}
	return h.max
}

func (h *histogram) reset() { *h = histogram{} }

// linear counts durations in steps of 5 µs up to 40 ms: a period is told to a thousandth.
type linear struct {
	n       uint64
	max     time.Duration
	buckets [8192]uint32
}

const linearStep = 5 * time.Microsecond

func (h *linear) add(d time.Duration) {
	h.n++
	h.max = max(h.max, d)
	h.buckets[min(len(h.buckets)-1, int(d/linearStep))]++
}

func (h *linear) quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(h.n)))
	seen := uint64(0)
	for i, c := range h.buckets {
		if seen += uint64(c); seen >= rank && i < len(h.buckets)-1 {
			return min(time.Duration(i+1)*linearStep, h.max)
		}
	}
	return h.max
}
