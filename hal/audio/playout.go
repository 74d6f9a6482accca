package audio

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// Queue is how much sound a Player takes ahead of what is being heard.
	Queue = 2 * time.Second

	fadeTime  = 3 * time.Millisecond // of a flush, so that it does not click
	fadeVol   = 5 * time.Millisecond // for the volume to go from 0 to 100
	pieces    = 64                   // pieces of sound on their way through the device, a period each
	maxVolume = 100
	maxDrift  = 200 * time.Millisecond // between the device's clock and ours before ours wins
)

// piece is some sound that was handed to the device.
type piece struct {
	from int64 // its first sample, counted since the sink was opened
	n    int64
	at   time.Time // when its first sample is heard
}

func (p *piece) end(rate int) time.Time { return p.at.Add(lengthOf(p.n, rate)) }

// playout is the heart of every sink: a queue between those who write and the device that pulls. It keeps account of
// what was handed out when, and so of what is heard.
type playout struct {
	clock  Clock
	rate   int
	slack  time.Duration // a call that is late by less than this leaves no gap
	device func() error  // nil or why nothing can be played now
	kick   func()        // called after new sound was queued; may be nil

	writing  sync.Mutex // held by Write and Drain: resample and scratch
	resample *Resampler // from rateIn
	rateIn   int
	era      uint64 // the epoch whose sound the converter holds
	scratch  []float32
	took     chan struct{} // has an item when there is something new for a waiting writer

	mu        sync.Mutex
	ring      []float32
	head, len int   // of what is queued
	taken     int64 // samples handed out since the beginning
	heard     int64 // the most that Progress ever said
	latest    [pieces]piece
	newest    int    // index in latest
	epoch     uint64 // number of flushes
	unended   bool   // more of this sound is to come, as far as we know
	starved   bool   // in a gap in the middle of a sound
	underruns uint64
	gain      float32
	goal      float32
	closed    bool
}

func newPlayout(clock Clock, rate int) *playout {
	n := int(Queue * time.Duration(rate) / time.Second)
	return &playout{
		clock: clock, rate: rate, ring: make([]float32, n), took: make(chan struct{}, 1), gain: 1, goal: 1,
		device: func() error { return nil },
	}
}

// Write queues sound at rate samples per second and returns when all of it is queued, which takes as long as the
// sound is longer than the free part of the queue (Queue).
func (p *playout) Write(ctx context.Context, rate int, pcm []float32) error {
	p.mu.Lock()
	epoch := p.epoch
	p.mu.Unlock()
	p.writing.Lock()
	defer p.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.resample == nil || p.rateIn != rate {
		if err := p.rest(ctx, epoch); err != nil {
			return err
		}
		r, err := NewResampler(rate, p.rate)
		if err != nil {
			return fmt.Errorf("play sound: %w", err)
		}
		p.resample, p.rateIn = r, rate
	}
	if p.era != epoch {
		p.resample.Reset()
		p.era = epoch
	}
	p.scratch = p.resample.Process(p.scratch[:0], pcm)
	return p.put(ctx, epoch, p.scratch)
}

// rest queues what the converter still holds.
func (p *playout) rest(ctx context.Context, epoch uint64) error {
	if p.resample == nil || p.era != epoch {
		return nil
	}
	p.scratch = p.resample.Flush(p.scratch[:0])
	return p.put(ctx, epoch, p.scratch)
}

// put queues samples of the sink's own rate and waits while there is no room.
func (p *playout) put(ctx context.Context, epoch uint64, samples []float32) error {
	for {
		if err := p.device(); err != nil {
			return err
		}
		p.mu.Lock()
		switch {
		case p.closed:
			p.mu.Unlock()
			return ErrClosed
		case p.epoch != epoch:
			p.mu.Unlock()
			return ErrFlushed
		}
		n := min(len(p.ring)-p.len, len(samples))
		for i := range n {
			p.ring[(p.head+p.len+i)%len(p.ring)] = clip(float64(samples[i]))
		}
		p.len += n
		p.unended = p.unended || n > 0
		p.mu.Unlock()
		samples = samples[n:]
		if n > 0 && p.kick != nil {
			p.kick()
		}
		if len(samples) == 0 {
			return nil
		}
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
}

// patience is how long a writer sleeps at most before it looks again whether the device is still there.
const patience = 100 * time.Millisecond

// wait returns when the device took something, or after a while.
func (p *playout) wait(ctx context.Context) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.took:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// Drain says that the sound is complete, so that its end is no under-run, and waits until it has been heard.
func (p *playout) Drain(ctx context.Context) error {
	p.mu.Lock()
	epoch := p.epoch
	p.mu.Unlock()
	p.writing.Lock()
	err := p.rest(ctx, epoch)
	p.writing.Unlock()
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.unended = false
	p.mu.Unlock()
	for {
		if err := p.device(); err != nil {
			return err
		}
		p.mu.Lock()
		now := p.clock.Now()
		closed, flushed, queued := p.closed, p.epoch != epoch, p.len > 0
		left := p.latest[p.newest].end(p.rate).Sub(now)
		p.mu.Unlock()
		switch {
		case closed:
			return ErrClosed
		case flushed:
			return ErrFlushed
		case queued:
			err = p.wait(ctx)
		case left > 0:
			err = p.clock.Sleep(ctx, now.Add(left))
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Flush throws away what has not reached the device: silence within a period (10 ms) and a fade of 3 ms.
func (p *playout) Flush() {
	p.mu.Lock()
	p.flush()
	p.mu.Unlock()
	p.wake()
}

func (p *playout) flush() {
	n := min(p.len, int(fadeTime*time.Duration(p.rate)/time.Second))
	for i := range n {
		p.ring[(p.head+i)%len(p.ring)] *= 1 - float32(i+1)/float32(n)
	}
	p.len = n
	p.unended, p.starved = false, false
	p.epoch++
}

// SetVolume sets the loudness from now on: 0 is silent, 100 as it was written.
func (p *playout) SetVolume(level int) error {
	if level < 0 || level > maxVolume {
		return fmt.Errorf("volume %d is not within 0…%d", level, maxVolume)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.goal = gainOf(level)
	return nil
}

// gainOf makes equal steps of the level sound about equally large.
func gainOf(level int) float32 {
	g := float32(level) / maxVolume
	return g * g
}

// Progress tells what can be heard now: of all that was written since the player was opened, so much has been heard,
// and so much is still to be heard. Silence of under-runs and what was flushed count in neither.
func (p *playout) Progress() (heard, pending time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = max(p.heard, p.heardAt(p.clock.Now()))
	return lengthOf(p.heard, p.rate), lengthOf(p.taken+int64(p.len)-p.heard, p.rate)
}

// heardAt counts the samples that have been heard at a moment.
func (p *playout) heardAt(now time.Time) int64 {
	for i := range pieces {
		c := &p.latest[(p.newest-i+pieces)%pieces]
		if c.n == 0 {
			break
		}
		if since := now.Sub(c.at); since >= 0 {
			return c.from + min(c.n, int64(since*time.Duration(p.rate)/time.Second))
		}
	}
	return p.heard
}

// pull fills out for the device; its first sample will be heard at the given moment. It is called from the device's
// own thread, does not allocate and holds the lock for as long as the copying takes.
func (p *playout) pull(out []float32, at time.Time) {
	p.mu.Lock()
	n := min(p.len, len(out))
	first := copy(out[:n], p.ring[p.head:])
	copy(out[first:n], p.ring)
	clear(out[n:])
	p.head = (p.head + n) % len(p.ring)
	p.len -= n
	p.louder(out[:n])
	if n > 0 {
		p.handed(int64(n), at)
	}
	short := n < len(out) && p.unended
	if short && !p.starved {
		p.underruns++
	}
	p.starved = short
	p.mu.Unlock()
	if n > 0 {
		p.wake()
	}
}

// drop throws away what was meant for a device that has been away for a while: it is old by now.
func (p *playout) drop(time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
	p.len = 0
}

// wake lets a waiting writer look again.
func (p *playout) wake() {
	select {
	case p.took <- struct{}{}:
	default:
	}
}

// handed notes that n samples were handed out that will be heard from at on.
func (p *playout) handed(n int64, at time.Time) {
	last := &p.latest[p.newest]
	// A device calls at once for several periods, or late, within what it still has; the sound itself has no gaps.
	if early := last.end(p.rate).Sub(at); last.n > 0 && early < maxDrift && early > -p.slack {
		at = at.Add(early)
	}
	p.newest = (p.newest + 1) % pieces
	p.latest[p.newest] = piece{from: p.taken, n: n, at: at}
	p.taken += n
}

// louder applies the volume, gliding to a new one.
func (p *playout) louder(s []float32) {
	step := float32(time.Second) / float32(fadeVol) / float32(p.rate)
	for i := range s {
		if p.gain < p.goal {
			p.gain = min(p.goal, p.gain+step)
		} else if p.gain > p.goal {
			p.gain = max(p.goal, p.gain-step)
		}
		s[i] *= p.gain
	}
}

// shut ends every Write and Drain.
func (p *playout) shut() {
	p.mu.Lock()
	p.flush()
	p.len, p.closed = 0, true
	p.mu.Unlock()
	p.wake()
}
