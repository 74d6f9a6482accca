package audio

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// How a device that is away is brought back.
const (
	minRetry = 250 * time.Millisecond
	maxRetry = 5 * time.Second
	silence  = 2 * time.Second // a device that has not called for so long is gone, whatever it says
)

// stream is an open device that calls back until it is closed or lost.
type stream interface {
	Name() string
	Close()
}

// opener opens a device and starts it; lost is called, perhaps from the device's own thread, when it stops by itself.
type opener func(lost func()) (stream, error)

// keeper keeps one device open: opens it, notices that it is gone, and tries again with a growing pause.
type keeper struct {
	clock Clock
	open  opener
	lost  func(away time.Duration) // called after each loss, when the device is back
	stop  context.CancelFunc
	ended chan struct{}

	mu     sync.Mutex
	status Status
	called time.Time // when the device called last
	first  chan struct{}
}

func newKeeper(clock Clock, open opener, lost func(time.Duration)) *keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &keeper{clock: clock, open: open, lost: lost, stop: stop, ended: make(chan struct{}), first: make(chan struct{})}
	k.status.Err = "is being opened"
	go k.run(ctx)
	return k
}

// beat notes that the device called.
func (k *keeper) beat(now time.Time) {
	k.mu.Lock()
	k.called = now
	k.mu.Unlock()
}

func (k *keeper) run(ctx context.Context) {
	defer close(k.ended)
	var gone time.Time
	for tries := 0; ctx.Err() == nil; tries++ {
		stopped := make(chan struct{}, 1)
		k.beat(k.clock.Now())
		s, err := k.open(func() {
			select {
			case stopped <- struct{}{}:
			default:
			}
		})
		if err == nil {
			if !gone.IsZero() && k.lost != nil {
				k.lost(k.clock.Now().Sub(gone))
			}
			opened := k.clock.Now()
			k.beat(opened) // opening may take its time
			k.connected(s.Name())
			reason := k.watch(ctx, stopped)
			s.Close()
			if ctx.Err() != nil {
				break
			}
			gone = k.clock.Now()
			if gone.Sub(opened) > maxRetry {
				tries = 0
			}
			k.disconnected(reason, true)
		} else {
			k.disconnected(err.Error(), false)
		}
		if k.clock.Sleep(ctx, k.clock.Now().Add(retry(tries))) != nil {
			break
		}
	}
	k.disconnected(ErrClosed.Error(), false)
}

// retry is the pause before the next try after so many.
func retry(tries int) time.Duration { return min(maxRetry, minRetry<<min(tries, 8)) }

// watch returns why the device is gone.
func (k *keeper) watch(ctx context.Context, stopped <-chan struct{}) string {
	// The clock's Sleep cannot wait for stopped as well; a goroutine looks after the silence.
	watchCtx, cancel := context.WithCancel(ctx)
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		for {
			k.mu.Lock()
			due := k.called.Add(silence)
			k.mu.Unlock()
			if !due.After(k.clock.Now()) || k.clock.Sleep(watchCtx, due) != nil {
				return
			}
		}
	}()
	defer func() { cancel(); <-silent }()
	select {
	case <-stopped:
		return "the device stopped"
	case <-silent:
		return fmt.Sprintf("the device was silent for %v", silence)
	case <-ctx.Done():
		return ""
	}
}

func (k *keeper) connected(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status.Device, k.status.Connected, k.status.Err = name, true, ""
	k.status.Opened++
	k.tried()
}

func (k *keeper) disconnected(reason string, loss bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status.Device, k.status.Connected, k.status.Err = "", false, reason
	if loss {
		k.status.Losses++
	}
	k.tried()
}

// tried lets await go on.
func (k *keeper) tried() {
	select {
	case <-k.first:
	default:
		close(k.first)
	}
}

// await waits until the device was tried once.
func (k *keeper) await(ctx context.Context) error {
	select {
	case <-k.first:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *keeper) get() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

// away returns nil or why the device cannot be used now.
func (k *keeper) away() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.status.Connected {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNoDevice, k.status.Err)
}

func (k *keeper) close() {
	k.stop()
	<-k.ended
}
