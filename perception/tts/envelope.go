package tts

import (
	"math"
	"sync"
	"time"
)

const (
	hop      = 10 * time.Millisecond
	hops     = 1024 // more than a Sink queues: 10 s
	quietest = -45.0
	loudest  = -15.0 // dB relative to full scale: what counts as no and as full loudness
)

// envelope remembers how loud the sound is that was handed to the sink, by its place in the sound.
type envelope struct {
	mu    sync.Mutex
	base  time.Duration // what the sink had heard when the sound began
	count int64         // hops of this sound
	sum   float64       // of squares in the hop that is being filled
	n     int           // samples in it
	ring  [hops]float32
}

// begin starts a new sound at a place in what the sink has heard.
func (e *envelope) begin(base time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.base, e.count, e.sum, e.n = base, 0, 0, 0
}

// add appends what is being written to the sink.
func (e *envelope) add(rate int, pcm []float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	size := max(1, int(hop*time.Duration(rate)/time.Second))
	for _, v := range pcm {
		e.sum += float64(v) * float64(v)
		if e.n++; e.n >= size {
			e.ring[e.count%hops] = loudness(e.sum / float64(e.n))
			e.count++
			e.sum, e.n = 0, 0
		}
	}
}

// at is the loudness, 0…1, of what is heard when the sink has heard so much.
func (e *envelope) at(heard time.Duration) float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := int64((heard - e.base) / hop)
	if heard < e.base || i >= e.count || i < e.count-hops {
		return 0
	}
	return float64(e.ring[i%hops])
}

// loudness maps a mean square to 0…1, evenly in dB.
func loudness(square float64) float32 {
	if !(square > 0) {
		return 0
	}
	return float32(max(0, min(1, (10*math.Log10(square)-quietest)/(loudest-quietest))))
}
