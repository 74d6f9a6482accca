// Package voice cuts the sound of a microphone into sentences: when somebody begins, when he has finished, what he
// said, and whether it was meant to stop the robot.
//
// The Engine is a state machine that is driven by frames of sound. All its decisions count samples, none looks at a
// clock, so that a recording goes through it as fast as the host can, with the same result as in the room.
//
//	idle ──3 frames of speech──► speaking ──a frame without──► pause ──long enough──► sentence
//	                               ▲                            │ at 96 ms: the recogniser begins
//	                               └───────2 frames of speech───┘ and is thrown away if speech goes on
//
// How long is long enough depends on the words so far: after 'look left' a short pause ends the turn, after 'look left
// and' only a long one does.
package voice

import (
	"context"
	"time"
)

const (
	// Rate is the samples of a second, one channel.
	Rate = 16000
	// FrameSize is the samples of a frame, 32 ms.
	FrameSize = 512
	// FrameTime is the length of a frame.
	FrameTime = FrameSize * time.Second / Rate
)

// Detector tells speech from other sound.
type Detector interface {
	// Speech returns how likely somebody speaks in the next FrameSize samples, 0…1. It may remember the frames before.
	Speech(frame []float32) (float32, error)
	// Reset forgets them.
	Reset()
}

// Recognizer writes down what was said.
type Recognizer interface {
	// Transcribe returns the words in the samples. It returns early, with an error, when ctx ends.
	Transcribe(ctx context.Context, samples []float32) (Transcript, error)
}

// Transcript is what a Recognizer made of a sentence.
type Transcript struct {
	Text       string
	Language   string
	Confidence float64 // 0…1
	// Foreign is the code of the language that it surely was instead of the one that is understood, where the Text asks for nothing.
	Foreign string
	// Unsure says that it may have been something else: the robot has to ask before it does it.
	Unsure bool
	// Heard is everything that any recogniser wrote, also what it was not sure of. Only stops are looked for in it.
	Heard []string
	// Perhaps is a stop that may have been said: the robot brakes, and stops when there is another within FollowUp.
	Perhaps string
	// Reason, one of client's Reason constants, says why the text is none; Message says it to a person.
	Reason, Message string
}

// Loudspeaker is the robot's own voice.
type Loudspeaker interface {
	// Loudness returns the loudest that leaves the loudspeaker between two moments, dBFS of its samples, and false when
	// nothing does.
	Loudness(from, to time.Time) (dbfs float64, playing bool)
	// Hush silences it at once. It must not block.
	Hush()
}
