package perception

import (
	"context"
	"sync"
	"time"
)

// Viewer publishes pictures of the camera for as long as somebody asked for them. The camera is open only meanwhile.
type Viewer struct {
	Frame   func(ctx context.Context) ([]byte, error)
	Publish func(jpeg []byte)

	mu    sync.Mutex
	until time.Time
	every time.Duration
	wake  chan struct{}
	once  sync.Once
}

// Limits of a request for pictures.
const (
	MaxViewTime = 10 * time.Minute
	MaxViewRate = 15 // pictures a second
)

func (v *Viewer) init() { v.once.Do(func() { v.wake = make(chan struct{}, 1) }) }

// Watch publishes pictures from now on for a time, at a rate a second; zero time ends it. Asking again extends it.
func (v *Viewer) Watch(duration time.Duration, rate int) {
	v.init()
	v.mu.Lock()
	v.until = time.Now().Add(min(duration, MaxViewTime))
	v.every = time.Second / time.Duration(min(max(rate, 1), MaxViewRate))
	v.mu.Unlock()
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// Run publishes until ctx ends.
func (v *Viewer) Run(ctx context.Context) error {
	v.init()
	for {
		select {
		case <-v.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		v.show(ctx)
	}
}

// show publishes pictures until nobody wants them any more. One that cannot be had is left out: the next may come.
func (v *Viewer) show(ctx context.Context) {
	for {
		v.mu.Lock()
		until, every := v.until, v.every
		v.mu.Unlock()
		next := time.Now().Add(every)
		if !time.Now().Before(until) || ctx.Err() != nil {
			return
		}
		if picture, err := v.Frame(ctx); err == nil {
			v.Publish(picture)
		}
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			return
		}
	}
}
