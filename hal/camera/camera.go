// Package camera gives the newest picture of the robot's eye, and the directions that its pixels look in.
//
// A Camera opens its source when somebody asks for a picture and closes it when nobody has asked for a while: a camera
// that runs all the time costs 40 % of a core on the robot's computer. Pictures are JPEG as the camera compressed
// them; nobody pays for pixels that only pass through. Everything here is plain Go, V4L2 included: VideoCapture of
// OpenCV cannot be told to give up on a camera that has stalled, unpacks what viewers want packed, and would bring
// 260 libraries into whatever shows a picture.
package camera

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Frame is one picture. Its bytes are shared by all who asked for it: they must not be changed.
type Frame struct {
	JPEG          []byte
	Width, Height int
	Time          time.Time // when it was taken, as exactly as the source knows
	Seq           uint64    // rises by one with every picture that the source gave
}

// Source is where pictures come from.
type Source interface {
	// Open begins to take pictures.
	Open(ctx context.Context) (Stream, error)
	// Intrinsics tells how pixels and directions belong together in pictures of a size.
	Intrinsics(width, height int) Intrinsics
	// String names it, for people.
	String() string
}

// Stream is an open source.
type Stream interface {
	// Next returns the next picture as soon as there is one; Seq is left to the caller. Any error ends the stream.
	Next() (Frame, error)
	// Close ends the stream, also while Next waits in another goroutine. It is called once.
	Close() error
}

// ErrClosed is returned by a Camera that was closed.
var ErrClosed = errors.New("the camera is closed")

// ErrStalled is wrapped by the error for a camera that is open and gives no picture.
var ErrStalled = errors.New("the camera gives no picture")

// What Camera's settings are when they are 0.
const (
	DefaultIdle     = 5 * time.Second
	DefaultPatience = 3 * time.Second
)

// simPatience stands for DefaultPatience with the simulated eye, which draws when the rest of a busy machine lets it.
const simPatience = 15 * time.Second

// Back-off of a source that fails.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
	// maxFailures of the source while somebody waits for a picture end the wait before its time.
	maxFailures = 3
)

// Camera hands out the newest picture of its source. Set the fields before the first use; its methods may then be
// called from any goroutine. The zero Idle and Patience are the defaults.
type Camera struct {
	Source Source
	// Idle is how long the source stays open after the last question.
	Idle time.Duration
	// Patience is how long a picture may be waited for, and how long a source may be silent before it is opened anew.
	Patience time.Duration

	mu      sync.Mutex
	stats   Stats
	latest  Frame // its Seq is 0 when there is none
	seq     uint64
	err     error         // why there is no stream
	change  chan struct{} // closed when latest or err change; nil when nobody waits
	asked   time.Time     // when somebody last waited for, or got, a picture
	waiting int
	cancel  context.CancelFunc // ends the goroutine; nil when there is none
	stopped chan struct{}
	closed  bool
}

// Stats count what a Camera did.
type Stats struct {
	Open    bool   `json:"open"`
	Opened  uint64 `json:"opened"` // times that the source was opened
	Failed  uint64 `json:"failed"` // times that it could not be opened, broke off or stalled
	Frames  uint64 `json:"frames"`
	Dropped uint64 `json:"dropped"` // pictures that nobody looked at
}

// Stats returns the counters.
func (c *Camera) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Frame returns the newest picture. When there is none yet it waits for one, for as long as ctx and Patience allow;
// the error then wraps ErrStalled and says what is wrong with the source.
func (c *Camera) Frame(ctx context.Context) (Frame, error) { return c.Next(ctx, 0) }

// Next returns the newest picture that came after the one numbered after, which it waits for like Frame.
func (c *Camera) Next(ctx context.Context, after uint64) (Frame, error) {
	return c.wait(ctx, func(f *Frame) bool { return f.Seq > after })
}

// Since returns the newest picture that was taken at a time or later, which it waits for like Frame: what is seen
// after a movement.
func (c *Camera) Since(ctx context.Context, t time.Time) (Frame, error) {
	return c.wait(ctx, func(f *Frame) bool { return f.Seq > 0 && !f.Time.Before(t) })
}

func (c *Camera) wait(ctx context.Context, good func(*Frame) bool) (Frame, error) {
	patience := c.patience()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	failed := c.stats.Failed
	defer func() {
		c.waiting--
		c.asked = time.Now()
	}()
	for {
		if c.closed {
			return Frame{}, ErrClosed
		}
		c.start()
		if good(&c.latest) {
			return c.latest, nil
		}
		if c.stats.Failed-failed >= maxFailures {
			return Frame{}, fmt.Errorf("%s: %w", c.Source, c.err)
		}
		if c.change == nil {
			c.change = make(chan struct{})
		}
		change := c.change
		c.mu.Unlock()
		var err error
		select {
		case <-change:
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-limit.C:
			err = ErrStalled
		}
		c.mu.Lock()
		switch {
		case err == nil:
		case c.err != nil:
			return Frame{}, fmt.Errorf("%s: %w (waited %v): %w", c.Source, err, patience, c.err)
		default:
			return Frame{}, fmt.Errorf("%s: %w (waited %v)", c.Source, err, patience)
		}
	}
}

// Close closes the source and waits for that. It may be called more than once.
func (c *Camera) Close() error {
	c.mu.Lock()
	c.closed = true
	c.announce()
	cancel, stopped := c.cancel, c.stopped
	c.mu.Unlock()
	if cancel != nil {
		cancel()
		<-stopped
	}
	return nil
}

// start begins to take pictures, if that is not going on. mu is held.
func (c *Camera) start() {
	if c.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, c.stopped = cancel, make(chan struct{})
	c.err = nil
	go c.run(ctx, c.stopped)
}

// announce wakes those who wait. mu is held.
func (c *Camera) announce() {
	if c.change != nil {
		close(c.change)
		c.change = nil
	}
}

// run takes pictures until ctx ends or nobody has asked for one for a while.
func (c *Camera) run(ctx context.Context, stopped chan struct{}) {
	defer close(stopped)
	pause := firstPause
	for {
		frames, err := c.session(ctx)
		if c.settle(ctx, err) {
			return
		}
		if frames > 0 {
			pause = firstPause
		}
		if err == nil {
			continue // somebody asked again in the moment in which it was closed
		}
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
		case <-t.C:
		}
		pause = min(2*pause, lastPause)
	}
}

// settle keeps the error of a session, nil when nobody wanted more, and reports whether the goroutine has to end, which it then can without anybody
// waiting for a picture that will not come.
func (c *Camera) settle(ctx context.Context, err error) (end bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Open = false
	c.latest = Frame{} // nobody takes an old picture for what is there now
	if ctx.Err() == nil && !c.idle() {
		if err != nil {
			c.stats.Failed++
			c.err = err
			c.announce()
		}
		return false
	}
	c.cancel()
	c.cancel = nil
	return true
}

// idle says whether nobody has asked for a picture for a while. mu is held.
func (c *Camera) idle() bool {
	return c.waiting == 0 && time.Since(c.asked) >= orDefault(c.Idle, DefaultIdle)
}

// session opens the source and takes pictures until the source fails or is not needed any more.
func (c *Camera) session(ctx context.Context) (frames int, err error) {
	patience := c.patience()
	opening, cancel := context.WithTimeout(ctx, patience)
	stream, err := c.Source.Open(opening)
	cancel()
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	c.stats.Opened++
	c.stats.Open = true
	c.mu.Unlock()
	var once sync.Once
	closeStream := func() { once.Do(func() { stream.Close() }) } //nolint:errcheck // its end is known from Next
	defer closeStream()
	defer context.AfterFunc(ctx, closeStream)()
	stall := time.AfterFunc(patience, closeStream)
	defer stall.Stop()
	last := time.Now()
	for {
		f, err := stream.Next()
		switch {
		case ctx.Err() != nil:
			return frames, ctx.Err()
		case err != nil && time.Since(last) >= patience:
			return frames, fmt.Errorf("nothing came for %v", patience)
		case err != nil:
			return frames, err
		}
		frames++
		last = time.Now()
		stall.Reset(patience)
		if c.publish(f) {
			return frames, nil
		}
	}
}

// publish makes a picture the newest one and reports whether nobody wants more.
func (c *Camera) publish(f Frame) (idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle() {
		return true
	}
	c.stats.Frames++
	if c.waiting == 0 {
		c.stats.Dropped++
	}
	c.seq++
	f.Seq = c.seq
	c.latest, c.err = f, nil
	c.announce()
	return false
}

// patience is how long the source may take. A simulator that has gone does not make anybody wait for it: it refuses at once.
func (c *Camera) patience() time.Duration {
	if _, drawn := c.Source.(Sim); drawn {
		return orDefault(c.Patience, simPatience)
	}
	return orDefault(c.Patience, DefaultPatience)
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
