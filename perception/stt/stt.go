// Package stt turns recorded speech into text with whisper.cpp.
//
// It needs the build tag whisper and the library that cross/whisper.sh builds; without the tag Open says so, and
// everything here that is not the recogniser itself (the guards) works all the same.
package stt

import (
	"errors"
	"time"
)

// SampleRate is that of all audio here, in samples a second; one channel, −1…1.
const SampleRate = 16000

// MinLength is the shortest audio that is listened to; less holds no word.
const MinLength = 150 * time.Millisecond

// MaxLength is the longest audio that Transcribe takes.
const MaxLength = 10 * time.Minute

var (
	// ErrNotBuilt is returned by Open in a program that was built without the tag whisper.
	ErrNotBuilt = errors.New("this program was built without whisper.cpp: run 'make whisper' and build it with -tags whisper")
	// ErrClosed is returned by a recogniser after Close.
	ErrClosed = errors.New("the recogniser is closed")
	// ErrTooLong is returned for audio beyond MaxLength.
	ErrTooLong = errors.New("too long")
)

// Options says how audio is understood. The zero value is right for short commands.
type Options struct {
	// Language is a code like "en", or "auto" to detect it. Empty is "en". Models for English alone know no other.
	Language string
	// Prompt is text that could stand before what is said: it biases the spelling of names and rare words. Every token of
	// it costs about as much time as a token of the answer, so a few words are better than many.
	Prompt string
	// Spoken are sentences that are said where this is used, those of Settings only: where two readings sound nearly alike, the one
	// whose words follow one another in them is taken.
	Spoken []Spoken
	// MaxTokens ends a text that does not end by itself; 0 means as many as a fast speaker needs for the audio's length.
	MaxTokens int
	// Meaning returns what a text asks for where it is said, the same for all texts that ask for the same, and nothing for a text
	// that asks for nothing. Where the likeliest text is not certain, others that are nearly as likely are looked for. Those that
	// ask for the same count together; the Text is one of the likeliest, the rest are Alternatives. Nil: the likeliest is taken.
	Meaning func(text string) string
	// FullWindow encodes the model's whole window (30 s for Whisper), however short the audio is.
	FullWindow bool
	// Detect finds out which language it is, too, and understands it in Language all the same. Models for English alone cannot.
	Detect bool
	// Unguarded keeps text that looks invented.
	Unguarded bool
}

// Settings are those of a recogniser.
type Settings struct {
	// Threads that compute; 0 means one less than the machine has cores, at least 1 and at most 3.
	Threads int
	// Untuned leaves tiny.en as it was published.
	Untuned bool
	// Defaults are the options of Transcribe.
	Defaults Options
}

// Info is what a model says about itself.
type Info struct {
	Name         string        // the file's name
	Multilingual bool          // it knows more than English
	Window       time.Duration // what it listens to at once; longer audio is cut in pauses
	Threads      int           // that compute
	Size         int64         // bytes of weights
	Empty        bool          // the file holds no weights: it says nothing
	Tuned        bool          // it is tiny.en with the changes of package tuning
}

// Result is what was understood.
type Result struct {
	// Text is what was said; empty when nothing was.
	Text string
	// Segments are the parts of the text with their times. Audio that fits into the model's window has one.
	Segments []Segment
	// Confidence is the geometric mean of the probabilities of the text's tokens, 0…1.
	Confidence float64
	// Share is how much of the probability of all readings that ask for something is for those that ask for the same as Text,
	// 0…1; 1 where there is no other.
	Share float64
	// Behind is by how much Text is less likely than another reading by the sound alone, a logarithm; 0 where none is likelier.
	Behind float64
	// Doubt is how much of the probability of all readings by the sound alone is for those that ask for something else than Text, or
	// for nothing, 0…1; 0 where Text asks for nothing.
	Doubt float64
	// NoSpeech is the model's own probability that nobody spoke, 0…1: the highest of all segments.
	NoSpeech float64
	// Language is the code of the language that was used or detected.
	Language string
	// Detected is the code of the language that it sounds like, and DetectedSure how probable that is, 0…1; of audio in several pieces
	// those of the first. Empty without Options.Detect.
	Detected     string
	DetectedSure float64
	// Alternatives are other readings that are nearly as likely, the likeliest first; of audio in several pieces there are none.
	Alternatives []Reading
	// Discarded says why there is no text although audio was given, or is empty.
	Discarded Discard
	// Raw is what the model wrote before it was found to be invented.
	Raw string
	// Tokens is how many the decoder made.
	Tokens int
	// Took says where the time went.
	Took Timings
}

// Reading is what may have been said.
type Reading struct {
	Text       string
	Confidence float64 // 0…1
}

// Segment is a part of the text.
type Segment struct {
	Start, End time.Duration // within the audio
	Text       string
	Confidence float64 // 0…1
	NoSpeech   float64 // 0…1
}

// Timings says where the time of a recognition went.
type Timings struct {
	Wait   time.Duration // until the model was free
	Mel    time.Duration // spectrogram
	Encode time.Duration // encoder, prompt and the first token
	Decode time.Duration // the other tokens
	Total  time.Duration // all of it
}

// Discard is a reason for which a text was thrown away.
type Discard string

// The reasons.
const (
	TooShort   Discard = "too short"       // less audio than MinLength
	Silence    Discard = "silence"         // nothing in it is louder than a quiet room
	NoSpeech   Discard = "no speech"       // the model itself says that nobody spoke
	Phantom    Discard = "phantom phrase"  // one of those that models write for noise
	Repetition Discard = "repetition"      // the same again and again
	Babble     Discard = "too much text"   // more than anybody can say in that time
	Unsure     Discard = "low probability" // the model guessed
)
