// Package client is how a program talks to reachy-sense, the worker that hears, speaks and sees: the words of the wire,
// and a caller of its unix socket.
//
// Everything can be tried with curl:
//
//	curl --unix-socket sense.sock http://sense/state
//	curl --unix-socket sense.sock -N http://sense/watch
//	curl --unix-socket sense.sock http://sense/speak -d '{"text":"Hello."}'
//	curl --unix-socket sense.sock http://sense/listen --data-binary @sentence.wav
//
// Times are RFC 3339, durations are seconds, angles are degrees (+ is left, + is down, world frame), loudness is
// dBFS of the effective value (0 is the loudest square wave).
package client

import (
	"time"

	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
)

// Message is one line of a watch: exactly one of the two is set.
type Message struct {
	State *State `json:"state,omitempty"` // at once, then once a second
	Event *Event `json:"event,omitempty"`
}

// EventType says what happened.
type EventType string

// The types of an Event, and which of its fields they use besides Seq, Time and Type.
const (
	SpeechStarted   EventType = "speech_started"   // Turn; somebody began to speak
	Called          EventType = "called"           // Turn, Direction; the wake phrase was heard, while more may be said
	Partial         EventType = "partial"          // Turn, Revision, Text, Endpoint; the sentence as it stands at a short pause
	Heard           EventType = "utterance"        // Turn, Utterance; a whole sentence
	Rejected        EventType = "rejected"         // Turn, Reason, Message; speech that became no sentence
	StopWord        EventType = "stop_word"        // Turn, Text, Message; the body was told to stop, and Message says if that failed
	Woken           EventType = "woken"            // Turn; the wake phrase alone was said, the next sentence needs none
	SpeakingStarted EventType = "speaking_started" // Text; the first sound leaves the loudspeaker
	SpeakingDone    EventType = "speaking_done"    // Text, Reason: finished, interrupted or failed; Message says why it failed
	Detected        EventType = "detection"        // Detections; what is in view has changed
	Lost            EventType = "lost"             // Text; the thing of that name that is followed is out of view
	DeviceLost      EventType = "device_lost"      // Device, Message
	DeviceFound     EventType = "device_found"     // Device, Message
	MuteChanged     EventType = "mute"             // On
)

// Event is something that happened. Seq counts without gaps as long as the worker lives; a gap in what a watcher reads
// means that it was too slow.
type Event struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"ts"`
	Type EventType `json:"type"`

	Turn     uint64   `json:"turn,omitempty"`     // number of the sentence, from 1
	Revision int      `json:"revision,omitempty"` // number of the partial text within the turn, from 1
	Text     string   `json:"text,omitempty"`
	Endpoint Endpoint `json:"verdict,omitempty"`
	Reason   string   `json:"reason,omitempty"`  // one of the Reason constants
	Message  string   `json:"message,omitempty"` // for a person
	Device   string   `json:"device,omitempty"`  // microphone, speaker or camera
	On       bool     `json:"on,omitempty"`
	// Direction is where a voice came from, degrees in the head's frame; nil when unknown.
	Direction *float64 `json:"direction,omitempty"`

	Utterance  *Utterance        `json:"utterance,omitempty"`
	Detections []scene.Detection `json:"detections,omitempty"`
}

// Endpoint is whether a sentence is complete as far as it was said. It decides how long a pause ends the turn.
type Endpoint string

// The values of an Endpoint.
const (
	Unknown    Endpoint = "unknown"  // a medium pause ends it
	Complete   Endpoint = "complete" // "look left": a short pause ends it
	Incomplete Endpoint = "hanging"  // "look left and": only a long pause ends it
)

// Reasons of rejected events, and of speaking_done.
const (
	ReasonTooShort      = "too_short"      // a click, a cough
	ReasonTooQuiet      = "too_quiet"      // far away, or not meant for the robot
	ReasonTooLong       = "too_long"       // longer than the longest sentence, while the recogniser was busy with the one before
	ReasonNoSpeech      = "no_speech"      // the recogniser found no words in it
	ReasonNotUnderstood = "not_understood" // words that the recogniser does not know, or is not sure of
	ReasonHallucination = "hallucination"  // words that recognisers make up from noise
	ReasonNoWakePhrase  = "no_wake_phrase"
	ReasonNotAddressed  = "not_addressed" // it was said, but not to the robot
	ReasonFailed        = "failed"        // the recogniser or the voice failed; the message says how
	ReasonMuted         = "muted"         // the microphone was muted in the middle of the sentence

	ReasonFinished    = "finished"    // the words were said
	ReasonInterrupted = "interrupted" // by speech, by Hush, or by newer words
)

// Utterance is a sentence that was heard.
type Utterance struct {
	Turn       uint64   `json:"turn"`
	Text       string   `json:"text"`
	Confidence float64  `json:"confidence"`       // 0…1
	Unsure     bool     `json:"unsure,omitempty"` // it may have been something else: the robot asks before it does it
	Language   string   `json:"language,omitempty"`
	Foreign    string   `json:"foreign,omitempty"` // code of the language that it was said in, which is not understood: the text is a guess
	Endpoint   Endpoint `json:"verdict"`
	Level      float64  `json:"level"`               // loudest frame, dBFS
	Direction  *float64 `json:"direction,omitempty"` // where the voice came from, degrees in the head's frame; nil when unknown
	BargedIn   bool     `json:"barged_in,omitempty"` // it interrupted the robot's own voice

	// Start and End are the first and the last moment with speech in it. Decided is when the turn was found to be over,
	// Ready when the text was there, which may be earlier.
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Decided time.Time `json:"decided"`
	Ready   time.Time `json:"ready"`
	// Latency is from End to the later of Decided and Ready, Recognition the recogniser's own time, both seconds. Speculated says that the
	// recogniser had begun before the turn was over, so that part or all of its time was hidden.
	Latency     float64 `json:"latency"`
	Recognition float64 `json:"recognition"`
	Speculated  bool    `json:"speculated"`
}

// State is how the worker is.
type State struct {
	TS    time.Time `json:"ts"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"` // of its start

	Hearing  Hearing  `json:"hearing"`
	Speech   Speech   `json:"speech"`
	Sight    Sight    `json:"sight"`
	Counters Counters `json:"counters"`

	RSSBytes   int64   `json:"rss_bytes"`
	CPUPercent float64 `json:"cpu_percent"` // of one core
}

// Hearing is the state of the ear. Off says why there is none and what to do about it; it is empty while it works.
type Hearing struct {
	Off        string  `json:"off,omitempty"`
	Microphone string  `json:"microphone,omitempty"`
	Model      string  `json:"model,omitempty"`    // that writes the words
	Tuned      bool    `json:"tuned,omitempty"`    // … with the changes by which tiny.en understands commands in noise
	Detector   string  `json:"detector,omitempty"` // of speech: silero or energy
	Language   string  `json:"language,omitempty"`
	WakePhrase string  `json:"wake_phrase,omitempty"`
	NoSpotter  string  `json:"no_spotter,omitempty"` // why the wake phrase is not found in the sound, only in what Model writes; empty while it is
	Threads    int     `json:"threads,omitempty"`
	Muted      bool    `json:"muted"` // nothing is heard, not even a stop word
	Talking    bool    `json:"talking"`
	Level      float64 `json:"level"`             // of the last frame, dBFS
	Noise      float64 `json:"noise"`             // floor, dBFS
	NoOpus     string  `json:"no_opus,omitempty"` // why MicrophoneOpus has no packets; empty while it has
}

// Speech is the state of the robot's voice.
type Speech struct {
	Off      string `json:"off,omitempty"`
	Speaker  string `json:"speaker,omitempty"`
	Engine   string `json:"engine,omitempty"` // espeak-ng, piper
	Voice    string `json:"voice,omitempty"`
	Volume   int    `json:"volume"` // 0…100
	Speaking bool   `json:"speaking"`
	Queued   int    `json:"queued"` // texts that wait
}

// Sight is the state of the eye.
type Sight struct {
	Off       string   `json:"off,omitempty"`
	Camera    string   `json:"camera,omitempty"`
	Detectors []string `json:"detectors,omitempty"`
	Tracking  bool     `json:"tracking"` // the head follows a face
	// Face is where the face that is followed is; nil while none is followed, or none was looked for yet.
	Face *scene.Followed `json:"face,omitempty"`
}

// Counters count since the start of the worker.
type Counters struct {
	Frames       uint64            `json:"frames"` // of audio, 32 ms each
	Utterances   uint64            `json:"utterances"`
	Rejected     map[string]uint64 `json:"rejected"` // by reason
	StopWords    uint64            `json:"stop_words"`
	BargeIns     uint64            `json:"barge_ins"`
	Speculations uint64            `json:"speculations"` // recognitions begun before the end of a turn
	Hits         uint64            `json:"hits"`         // of these, whose text was used
	Spoken       uint64            `json:"spoken"`       // texts
	Pictures     uint64            `json:"pictures"`     // looked at
	Overruns     uint64            `json:"overruns"`     // times that audio was lost
	Dropped      uint64            `json:"dropped"`      // events that watchers were too slow for
}

// Hearings is what became of a recording.
type Hearings struct {
	Utterances []Utterance `json:"utterances"`
	Rejected   []Event     `json:"rejected"`  // with reason and message
	StopWord   string      `json:"stop_word"` // the stop word that was heard; nothing is stopped by a recording
	Duration   float64     `json:"duration"`  // of the recording, seconds
	Took       float64     `json:"took"`      // to work through it, seconds
	Message    string      `json:"message"`   // one sentence for a person
}

// Spoken is the end of a text that was said.
type Spoken struct {
	Reason string  `json:"reason"` // ReasonFinished or ReasonInterrupted
	Text   string  `json:"text"`   // as far as it was heard
	Heard  float64 `json:"heard"`  // seconds of sound
}

// Photo is a picture that was taken and kept.
type Photo struct {
	Name string     `json:"name"`
	View scene.View `json:"view"` // what was found in it
}

// Target is what to look at: a thing by its name.
type Target struct {
	Name string `json:"name"`
}

// Seen is what was found in a picture.
type Seen struct {
	View        scene.View `json:"view"`
	Description string     `json:"description"` // in words
	Took        float64    `json:"took"`        // seconds
}

// Portraits are the faces in pictures that were taken one after the other.
type Portraits struct {
	Pictures [][]recognize.Portrait `json:"pictures"`
}
