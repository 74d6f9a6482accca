package audio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// period is how often a device without hardware takes sound.
const period = 10 * time.Millisecond

// PumpOptions are the settings of a Null or a WAVSink.
type PumpOptions struct {
	Rate  int   // samples per second, 48000
	Clock Clock // nil: the real time
	// Fast takes sound as fast as it comes and not in real time; then what was written has been heard.
	Fast bool
}

// Null is a Sink that plays to nobody, in real time.
type Null struct {
	*playout
	stop  context.CancelFunc
	ended chan struct{}

	mu  sync.Mutex
	err error
}

// NewNull opens a sink to nowhere.
func NewNull(o PumpOptions) (*Null, error) { return newPump(o, nil) }

// newPump opens a sink whose sound goes to write, if that is not nil, in pieces of a period.
func newPump(o PumpOptions, write func([]float32) error) (*Null, error) {
	if o.Rate == 0 {
		o.Rate = defaultSinkRate
	}
	if o.Rate < MinRate || o.Rate > MaxRate {
		return nil, fmt.Errorf("rate %d is not within %d…%d samples per second", o.Rate, MinRate, MaxRate)
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &Null{playout: newPlayout(orSystem(o.Clock), o.Rate), stop: stop, ended: make(chan struct{})}
	n.device = n.failed
	work := make(chan struct{}, 1)
	n.kick = func() {
		select {
		case work <- struct{}{}:
		default:
		}
	}
	go n.run(ctx, work, o.Fast, write)
	return n, nil
}

func (n *Null) failed() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// run takes a period of sound each period while there is some, and sleeps otherwise.
func (n *Null) run(ctx context.Context, work <-chan struct{}, fast bool, write func([]float32) error) {
	defer close(n.ended)
	buf := make([]float32, int(period*time.Duration(n.rate)/time.Second))
	for {
		select {
		case <-work:
		case <-ctx.Done():
			return
		}
		for at := n.clock.Now(); ; at = at.Add(period) {
			count := n.busy(fast)
			if count == 0 {
				break
			}
			if fast {
				n.pull(buf[:min(count, len(buf))], at.Add(-time.Hour))
			} else {
				n.pull(buf, at)
			}
			if write != nil {
				out := buf
				if fast {
					out = buf[:min(count, len(buf))]
				}
				if err := write(out); err != nil {
					n.mu.Lock()
					n.err = err
					n.mu.Unlock()
					return
				}
			}
			if !fast && n.clock.Sleep(ctx, at.Add(period)) != nil {
				return
			}
		}
	}
}

// busy is how much is queued, not 0 at the beginning of a gap in the middle of a sound: it must be noticed once.
func (n *Null) busy(fast bool) int {
	n.playout.mu.Lock()
	defer n.playout.mu.Unlock()
	if n.len == 0 && n.unended && !n.starved && !fast {
		return 1
	}
	return n.len
}

// Status tells how the sink does.
func (n *Null) Status() Status {
	n.playout.mu.Lock()
	defer n.playout.mu.Unlock()
	return Status{Device: "none", Connected: !n.closed, Opened: 1, Underruns: n.underruns}
}

// Close implements Sink.
func (n *Null) Close() error {
	n.shut()
	n.stop()
	<-n.ended
	return nil
}

// WAVSink is a Sink that writes what would be heard, with volume and cut-offs, to a WAV file; pauses are left out.
type WAVSink struct {
	*Null
	file *WAVWriter
	once sync.Once
	err  error
}

// NewWAVSink opens a sink to a file. Close completes the file but does not close it.
func NewWAVSink(w io.WriteSeeker, o PumpOptions) (*WAVSink, error) {
	if o.Rate == 0 {
		o.Rate = defaultSinkRate
	}
	file, err := NewWAVWriter(w, o.Rate)
	if err != nil {
		return nil, err
	}
	pump, err := newPump(o, file.Write)
	if err != nil {
		return nil, err
	}
	return &WAVSink{Null: pump, file: file}, nil
}

// Close implements Sink.
func (s *WAVSink) Close() error {
	s.once.Do(func() {
		s.err = errors.Join(s.Null.Close(), s.file.Close())
	})
	return s.err
}

var (
	_ Sink = (*Null)(nil)
	_ Sink = (*WAVSink)(nil)
)
