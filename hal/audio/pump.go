package audio

import (
	"context"
	"io"
	"sync"
	"time"
)

// period is how often a device without hardware takes sound.
const period = 10 * time.Millisecond

// PumpOptions are the settings of a Player without a loudspeaker.
type PumpOptions struct {
	Rate  int   // samples per second, 48000
	Clock Clock // nil: the real time
	// Fast takes sound as fast as it comes and not in real time; then what was written has been heard.
	Fast bool
}

// pump takes the place of a device.
type pump struct {
	*playout
	fast  bool
	write func([]float32) error // may be nil
	work  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}

	mu  sync.Mutex
	err error // of write
}

// NewNull makes a player to nobody.
func NewNull(o PumpOptions) (*Player, error) {
	return newPump("none", o, nil, func() error { return nil })
}

// NewWAVPlayer makes a player that writes what would be heard, with volume and cut-offs, to a WAV file; pauses are
// left out. Close completes the file but does not close it.
func NewWAVPlayer(w io.WriteSeeker, o PumpOptions) (*Player, error) {
	set(&o.Rate, defaultSinkRate)
	file, err := NewWAVWriter(w, o.Rate)
	if err != nil {
		return nil, err
	}
	return newPump("file", o, file.Write, file.Close)
}

func newPump(name string, o PumpOptions, write func([]float32) error, end func() error) (*Player, error) {
	set(&o.Rate, defaultSinkRate)
	if err := checkRate(o.Rate); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &pump{
		playout: newPlayout(orSystem(o.Clock), o.Rate), fast: o.Fast, write: write,
		work: make(chan struct{}, 1), stop: stop, ended: make(chan struct{}),
	}
	n.device = n.failed
	n.kick = func() {
		select {
		case n.work <- struct{}{}:
		default:
		}
	}
	go n.run(ctx)
	return &Player{
		playout: n.playout,
		status:  func() Status { return Status{Device: name, Connected: n.failed() == nil, Opened: 1} },
		close: func() error {
			n.stop()
			<-n.ended
			return end()
		},
	}, nil
}

func (n *pump) failed() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// run takes a period of sound each period while there is some, and sleeps otherwise.
func (n *pump) run(ctx context.Context) {
	defer close(n.ended)
	buf := make([]float32, int(period*time.Duration(n.rate)/time.Second))
	for {
		select {
		case <-n.work:
		case <-ctx.Done():
			return
		}
		for at := n.clock.Now(); ; at = at.Add(period) {
			count := n.busy()
			if count == 0 {
				break
			}
			if n.fast {
				n.pull(buf[:min(count, len(buf))], at.Add(-time.Hour))
			} else {
				n.pull(buf, at)
			}
			if n.write != nil {
				out := buf
				if n.fast {
					out = buf[:min(count, len(buf))]
				}
				if err := n.write(out); err != nil {
					n.mu.Lock()
					n.err = err
					n.mu.Unlock()
					return
				}
			}
			if !n.fast && n.clock.Sleep(ctx, at.Add(period)) != nil {
				return
			}
		}
	}
}

// busy is how much is queued, not 0 at the beginning of a gap in the middle of a sound: it must be noticed once.
func (n *pump) busy() int {
	n.playout.mu.Lock()
	defer n.playout.mu.Unlock()
	if n.len == 0 && n.unended && !n.starved && !n.fast {
		return 1
	}
	return n.len
}
