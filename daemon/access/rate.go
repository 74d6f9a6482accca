package access

import (
	"sync"
	"time"
)

// maxBuckets is how many askers are remembered; the one that asked longest ago is forgotten first.
const maxBuckets = 1024

// Rate limits how often each asker may ask: a bucket of tokens that fills up.
type Rate struct {
	PerSecond float64
	Burst     float64
	Now       func() time.Time // time.Now when nil

	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// Take counts a request of an asker. When it is one too many, wait is how long the asker has to wait.
func (r *Rate) Take(asker string) (wait time.Duration, ok bool) {
	wait = r.take(asker, 1)
	return wait, wait == 0
}

// Full says whether an asker has nothing left, without counting a request.
func (r *Rate) Full(asker string) (wait time.Duration, full bool) {
	wait = r.take(asker, 0)
	return wait, wait > 0
}

// take takes so many requests of an asker who has one left, or returns how long it takes until there is one.
func (r *Rate) take(asker string, requests float64) (wait time.Duration) {
	now := time.Now()
	if r.Now != nil {
		now = r.Now()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.of(asker, now)
	b.left = min(r.Burst, b.left+now.Sub(b.at).Seconds()*r.PerSecond)
	b.at = now
	if b.left < 1 {
		return max(1, time.Duration((1-b.left)/r.PerSecond*float64(time.Second)))
	}
	b.left -= requests
	return 0
}

func (r *Rate) of(asker string, now time.Time) *bucket {
	if b, known := r.buckets[asker]; known {
		return b
	}
	if r.buckets == nil {
		r.buckets = map[string]*bucket{}
	}
	if len(r.buckets) >= maxBuckets {
		var oldest string
		for name, b := range r.buckets {
			if o := r.buckets[oldest]; o == nil || b.at.Before(o.at) {
				oldest = name
			}
		}
		delete(r.buckets, oldest)
	}
	b := &bucket{left: r.Burst, at: now}
	r.buckets[asker] = b
	return b
}
