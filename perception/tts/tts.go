// Package tts is the robot's voice: text becomes sentences, sentences become sound by espeak-ng or Piper, and
// the head moves with the loudness of what is heard.
//
// A Speaker queues what is to be said, speaks it through a Sink sentence by sentence, and knows at any moment what has
// been heard. Voices are child processes. Nothing here needs cgo.
package tts

import (
	"context"
	"errors"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// Limits of what can be said.
const (
	MaxText  = 5000 // characters of one Say
	MaxQueue = 32   // texts that wait to be said
)

// MinRate and MaxRate are the slowest and the fastest speech, as parts of a voice's own rate.
const (
	MinRate = 0.5
	MaxRate = 2.0
)

type rateKey struct{}

// WithRate returns a context in which Speaker.Say and Voice.Synthesize speak at a rate, as a part of the voice's own; 0 is 1. A voice
// that has one rate only keeps to it.
func WithRate(ctx context.Context, rate float64) context.Context {
	return context.WithValue(ctx, rateKey{}, rate)
}

func rateOf(ctx context.Context) float64 {
	if rate, _ := ctx.Value(rateKey{}).(float64); rate > 0 {
		return rate
	}
	return 1
}

// Errors that callers tell apart.
var (
	ErrNothing     = errors.New("there is nothing in the text that can be said")
	ErrTooLong     = errors.New("the text is too long")
	ErrQueueFull   = errors.New("too many texts wait to be said")
	ErrInterrupted = errors.New("the speech was interrupted")
	ErrVoice       = errors.New("the voice failed") // a voice process that cannot be started, died or hangs
	ErrBusy        = errors.New("the robot is speaking")
	ErrClosed      = errors.New("the speaker has ended")
)

// Voice makes sound from sentences.
type Voice interface {
	// Synthesize speaks one sentence: it calls emit with pieces of mono sound, at rate samples per second, as soon as
	// it has them, until the sentence ends, emit fails or ctx ends. emit may wait; it does not keep pcm. Errors of the
	// voice itself wrap ErrVoice. One goroutine at a time may call it.
	Synthesize(ctx context.Context, sentence string, emit func(rate int, pcm []float32) error) error
	// Name is for people: "espeak-ng en-us".
	Name() string
	// Close ends the voice's processes and waits for them.
	Close() error
}

// Sink is the loudspeaker; an audio.Player is one.
type Sink interface {
	// Write queues sound and waits while the queue is full.
	Write(ctx context.Context, rate int, pcm []float32) error
	// Drain says that the sound is complete and waits until it has been heard.
	Drain(ctx context.Context) error
	// Flush means silence at once.
	Flush()
	// Progress is how much of all that was ever written has been heard, and how much is still to be heard; what was
	// flushed counts in neither.
	Progress() (heard, pending time.Duration)
}

// Volume sets the loudness, 0…100.
type Volume interface {
	SetVolume(level int) error
}

// Mover takes what talking adds to the head's pose, in the world frame, and to the antennas; hal/body takes it as hal.VerbOffset of the
// source "speech". It is told 50 times a second while the robot talks and once more when the offset is zero again.
type Mover interface {
	Offset(ctx context.Context, head hal.Head, antennas hal.Antennas) error
}

// EventType is what happened to a text.
type EventType string

// What happens to a text: started, then one of the others.
const (
	Started     EventType = "started"     // its first sound is being heard
	Finished    EventType = "finished"    // its last sound has been heard
	Interrupted EventType = "interrupted" // by Hush or by the end of Say's context, perhaps before it started
	Failed      EventType = "failed"      // by the voice or the loudspeaker: Err
)

// Event is told to Speaker.OnEvent.
type Event struct {
	Type EventType
	ID   uint64 // of the text, in the order of Say
	Text string // started: what will be said; otherwise what has been said, see Spoken
	Err  error  // failed: why
	At   time.Time
}

// Spoken is what has been heard of a text.
type Spoken struct {
	Text     string        // as it was said, cleaned; cut at the last word that was heard to its end, as far as can be estimated
	Complete bool          // all of it
	Heard    time.Duration // of sound
}
