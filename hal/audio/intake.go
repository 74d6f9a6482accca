package audio

import (
	"context"
	"sync"
	"time"
)

// waiting is how many frames wait for a reader at most: 2 s.
const waiting = 64

// intake is the heart of a microphone: it cuts what the device delivers into frames and keeps them for the reader.
type intake struct {
	clock Clock
	news  chan struct{} // has an item when a frame was finished
	ended chan struct{} // closed by shut

	mu     sync.Mutex
	frames [waiting]Frame // a ring; the one after the last is being filled
	head   int            // the oldest
	len    int
	fill   int       // samples in the one that is being filled
	lost   int       // samples to be told with the next frame
	start  time.Time // when the first sample since the last gap was recorded, as far as we know
	taken  int64     // samples since then
	total  uint64    // lost samples
	closed bool
}

func newIntake(clock Clock) *intake {
	return &intake{clock: clock, news: make(chan struct{}, 1), ended: make(chan struct{})}
}

// push takes samples of so many interleaved channels, of which it keeps one, or the mean of all when keep is negative.
// The last of them was recorded at end. It is called from the device's own thread and does not allocate.
func (t *intake) push(in []float32, channels, keep int, end time.Time) {
	n := len(in) / channels
	finished := false
	t.mu.Lock()
	t.align(end.Add(-lengthOf(t.taken+int64(n), Rate)), int64(n))
	for i := range n {
		f := &t.frames[(t.head+t.len)%waiting]
		if t.fill == 0 {
			f.At, f.Lost = t.start.Add(lengthOf(t.taken+int64(i), Rate)), 0
		}
		f.Samples[t.fill] = mix(in[i*channels:(i+1)*channels], keep)
		if t.fill++; t.fill < FrameSize {
			continue
		}
		t.fill, finished = 0, true
		f.Lost, t.lost = t.lost, 0
		if t.len++; t.len == waiting { // nobody reads: the oldest goes
			gone := &t.frames[t.head]
			t.head = (t.head + 1) % waiting
			t.len--
			t.total += FrameSize
			t.frames[t.head].Lost += gone.Lost + FrameSize
		}
	}
	t.taken += int64(n)
	t.mu.Unlock()
	if finished {
		select {
		case t.news <- struct{}{}:
		default:
		}
	}
}

// align corrects start by another estimate of it. A device calls late or at once for several periods, never early:
// the earliest estimate is the best. Later ones pull it slowly, for the two clocks differ a little, or at once when
// the device has left something out.
func (t *intake) align(start time.Time, n int64) {
	switch late := start.Sub(t.start); {
	case t.start.IsZero(), late < 0, late > maxDrift:
		t.start = start
	default:
		t.start = t.start.Add(min(late, lengthOf(n, Rate)/2000))
	}
}

func mix(in []float32, keep int) float32 {
	if keep >= 0 && keep < len(in) {
		return clip(float64(in[keep]))
	}
	sum := 0.0
	for _, v := range in {
		sum += float64(v)
	}
	return clip(sum / float64(len(in)))
}

// gap says that the device was away for a while: what is half full is thrown away.
func (t *intake) gap(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost += t.fill + samplesIn(d)
	t.fill = 0
	t.start, t.taken = time.Time{}, 0
}

// Read implements Source.
func (t *intake) Read(ctx context.Context, f *Frame) error {
	for {
		t.mu.Lock()
		if t.closed {
			t.mu.Unlock()
			return ErrClosed
		}
		if t.len > 0 {
			*f = t.frames[t.head]
			t.head = (t.head + 1) % waiting
			t.len--
			t.mu.Unlock()
			return nil
		}
		t.mu.Unlock()
		select {
		case <-t.news:
		case <-t.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *intake) shut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		close(t.ended)
	}
}
