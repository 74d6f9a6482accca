package audio

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// FileOptions say how a WAV file is played into a Source.
type FileOptions struct {
	// RealTime yields each frame when it would have been recorded; otherwise frames come as fast as they are read.
	RealTime bool
	// Lead and Tail are silence before and after the sound: a listener needs some to notice where speech begins and ends.
	Lead, Tail time.Duration
	Clock      Clock // nil: the real time
}

// File is a Source that reads a WAV file of any rate and any number of channels.
type File struct {
	clock    Clock
	realTime bool
	wav      *WAVReader
	resample *Resampler
	close    io.Closer

	once   sync.Once
	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	in      []float32
	ready   []float32 // converted, not yet yielded
	over    bool      // ready holds all there is
	tail    int       // samples of silence still to come
	started time.Time
	frames  int64
}

// OpenWAV opens a file. See NewWAVReader for its errors.
func OpenWAV(path string, o FileOptions) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := NewFile(f, o)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	s.close = f
	return s, nil
}

// NewFile reads a WAV file from r, which may be a pipe.
func NewFile(r io.Reader, o FileOptions) (*File, error) {
	wav, err := NewWAVReader(r)
	if err != nil {
		return nil, err
	}
	resample, err := NewResampler(wav.Rate, Rate)
	if err != nil {
		return nil, err
	}
	f := &File{
		clock: orSystem(o.Clock), realTime: o.RealTime, wav: wav, resample: resample,
		in:    make([]float32, 1024),
		ready: make([]float32, samplesIn(o.Lead)),
		tail:  samplesIn(o.Tail),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f, nil
}

func samplesIn(d time.Duration) int { return int(max(0, d) * Rate / time.Second) }

// Read implements Source. The last frame is filled up with silence. At counts from the first Read in the speed of the
// recording, however fast it is read.
func (f *File) Read(ctx context.Context, frame *Frame) error {
	if f.ctx.Err() != nil {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.fill(); err != nil {
		return err
	}
	if len(f.ready) == 0 {
		return io.EOF
	}
	if f.started.IsZero() {
		f.started = f.clock.Now()
	}
	n := copy(frame.Samples[:], f.ready)
	clear(frame.Samples[n:])
	f.ready = f.ready[:copy(f.ready, f.ready[n:])]
	frame.At, frame.Lost = f.started.Add(time.Duration(f.frames)*FrameTime), 0
	f.frames++
	if !f.realTime {
		return nil
	}
	return f.pace(ctx, frame.At.Add(FrameTime))
}

// pace waits for a moment, for ctx or for Close.
func (f *File) pace(ctx context.Context, t time.Time) error {
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	err := f.clock.Sleep(both, t)
	if f.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// fill reads until a frame is ready or there is no more.
func (f *File) fill() error {
	for len(f.ready) < FrameSize && !f.over {
		n, err := f.wav.Read(f.in)
		f.ready = f.resample.Process(f.ready, f.in[:n])
		switch {
		case errors.Is(err, io.EOF):
			f.ready = f.resample.Flush(f.ready)
			f.ready = append(f.ready, make([]float32, f.tail)...)
			f.over = true
		case err != nil:
			return err
		}
	}
	return nil
}

// Close implements Source.
func (f *File) Close() (err error) {
	f.once.Do(func() {
		f.cancel()
		if f.close != nil {
			err = f.close.Close()
		}
	})
	return err
}

var _ Source = (*File)(nil)
