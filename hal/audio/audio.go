// Package audio is the robot's ears and loudspeaker: microphones and loudspeakers by miniaudio, WAV files in their place, and the direction a voice comes from.
//
// Everything is mono. A Source yields frames of FrameSize samples at Rate; a Player takes sound at any rate and says how
// much of it has been heard. Samples are float32 in −1…1; what lies outside is clipped.
package audio

import (
	"context"
	"errors"
	"time"
)

const (
	// Rate is the rate of every Source, in samples per second.
	Rate = 16000
	// FrameSize is the number of samples of a Frame: 32 ms.
	FrameSize = 512
	// FrameTime is how long a Frame is.
	FrameTime = FrameSize * time.Second / Rate

	// OpusFrame is the number of samples at Rate of a packet of Opus: 20 ms.
	OpusFrame = Rate / 50
	// MaxOpusPacket is the longest such packet, bytes.
	MaxOpusPacket = 1276
)

// Errors that callers tell apart.
var (
	// ErrNotBuilt is returned by what needs a sound card when the program was built without cgo or not for Linux.
	ErrNotBuilt = errors.New("this program was built without cgo and cannot use a sound card")
	// ErrNoDevice means that there is no such sound device now; it may come back.
	ErrNoDevice = errors.New("no sound device")
	// ErrNoOpus means that libopus is not installed on this host.
	ErrNoOpus = errors.New("libopus cannot be loaded")
	// ErrFlushed is returned by Write when Flush was called meanwhile: the rest of the sound was thrown away.
	ErrFlushed = errors.New("the sound was cut off")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the sound device is closed")
)

// Frame is a piece of recorded sound.
type Frame struct {
	Samples [FrameSize]float32
	At      time.Time // when the first sample was recorded, exact to a period of the device (10 ms)
	Lost    int       // samples that were lost just before this frame, since nobody read or the device was away
}

// Source is where sound comes from: a microphone or a file.
type Source interface {
	// Read fills f with the next FrameSize samples and waits for them. It returns io.EOF at the end of a file; a
	// microphone has no end: while it is unplugged, Read waits. One goroutine at a time may read.
	Read(ctx context.Context, f *Frame) error
	// Close ends a waiting Read with ErrClosed. It may be called twice.
	Close() error
}

// Status is how a Source or Player does.
type Status struct {
	Device    string `json:"device"`              // name of the device that is used now, empty when there is none
	Connected bool   `json:"connected"`           // sound flows
	Opened    uint64 `json:"opened"`              // how often a device was opened
	Losses    uint64 `json:"losses"`              // how often the device went away
	Lost      uint64 `json:"lost,omitempty"`      // source: samples that nobody read in time (over-run)
	Underruns uint64 `json:"underruns,omitempty"` // sink: gaps in the middle of a sound
	Err       string `json:"error,omitempty"`     // why it is not connected
}

// Clock tells the time and waits for it.
type Clock interface {
	Now() time.Time
	// Sleep returns nil at t, or the error of ctx when that ends before.
	Sleep(ctx context.Context, t time.Time) error
}

// systemClock is the real time.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func orSystem(c Clock) Clock {
	if c == nil {
		return systemClock{}
	}
	return c
}

// lengthOf is how long n samples at rate are.
func lengthOf(n int64, rate int) time.Duration {
	return time.Duration(n/int64(rate))*time.Second + time.Duration(n%int64(rate))*time.Second/time.Duration(rate)
}

// defaultSinkRate is the rate of sinks unless one is asked for: what most sound cards run at.
const defaultSinkRate = 48000
