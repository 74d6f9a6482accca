package voice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/perception/client"
)

// Config is how an Engine hears. Detector, Recognizer and Event must be there; zero values of the rest take their
// defaults. Durations are rounded to frames.
type Config struct {
	Detector   Detector
	Recognizer Recognizer
	// Loudspeaker may be nil: then nothing is ever taken for the robot's own voice.
	Loudspeaker Loudspeaker
	// EchoCancelled says that the microphone removes the robot's own voice by itself.
	EchoCancelled bool

	// Event is called with everything that happens, in order. It must be quick and must not call the Engine.
	Event func(client.Event)
	// Brake ends what the robot does at once, on what may be a stop or the beginning of 'stop following me'. It may be nil.
	Brake func(context.Context) error
	// Stop stops the robot until it is released, when nothing followed what was said. It may be nil.
	Stop func(ctx context.Context, said string) error
	// Meant reports whether a sentence that nobody has addressed to the robot, and that answers nothing it has said, is for it
	// all the same. When nil every sentence is. It must be quick.
	Meant func(Said) bool
	// Complete judges a sentence as far as it was said; Completeness when nil.
	Complete func(text string) client.Endpoint

	// WakePhrase, if not empty, must begin every sentence, but for those that begin within FollowUp (8 s) of Invite.
	WakePhrase string
	FollowUp   time.Duration
	// Spotter finds the WakePhrase in the sound itself; nil: it is looked for in the words alone.
	Spotter Spotter

	PreRoll   time.Duration // kept from before the first frame of speech, 300 ms
	Start     time.Duration // of speech that begins a turn, 96 ms
	BargeIn   time.Duration // of speech that silences the robot, 160 ms
	MinSpeech time.Duration // less speech in a turn is no sentence, 160 ms
	Speculate time.Duration // pause after which recognition begins, 96 ms
	Short     time.Duration // pause that ends a complete sentence, 320 ms: a comma is shorter
	Medium    time.Duration // pause that ends any other, 608 ms
	Long      time.Duration // pause that ends a hanging one, 896 ms
	Interim   time.Duration // speech without a pause after which it is recognised all the same, up to 5 s, 1 s; negative is never
	Longest   time.Duration // sentence, 15 s; a longer one is cut there
	Timeout   time.Duration // of one recognition, 20 s

	MinLevel      float64 // a sentence whose loudest frames stay below is too quiet, −55 dBFS
	MinConfidence float64 // a less confident transcript is no sentence, 0

	// Synchronous has the recogniser work within Hear, so that the result does not depend on how fast it is: for
	// recordings.
	Synchronous bool
	// Now is the clock that the recogniser's work is measured with; time.Now when nil.
	Now func() time.Time
}

// Said is a sentence of which it is to be found out for whom it is.
type Said struct {
	Text       string
	Confidence float64
	Foreign    bool      // Text is only what it sounds like
	Start      time.Time // of its speech, in the time of the samples
	// Alone says that nobody said anything else in the three seconds before that was not for the robot.
	Alone bool
	// Aside says that the voice is known to have come from where the head does not look.
	Aside bool
}

// aloneAfter is how long after other talk a sentence is none of it.
const aloneAfter = 3 * time.Second

// frames are the durations of a Config in frames.
type frames struct {
	preRoll, start, bargeIn, minSpeech, speculate, short, medium, long, interim, longest int
}

func (c *Config) fill() (frames, error) {
	var f frames
	if c.Detector == nil || c.Recognizer == nil || c.Event == nil {
		return f, errors.New("voice: a detector, a recogniser and a receiver of events are needed")
	}
	if c.Complete == nil {
		c.Complete = Endpoint
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.FollowUp == 0 {
		c.FollowUp = 8 * time.Second
	}
	if c.Timeout == 0 {
		c.Timeout = 20 * time.Second
	}
	if c.MinLevel == 0 {
		c.MinLevel = -55
	}
	if c.Interim < 0 {
		c.Interim = time.Hour
	}
	for _, d := range []struct {
		name      string
		value     time.Duration
		otherwise time.Duration
		frames    *int
	}{
		{"pre-roll", c.PreRoll, 300 * time.Millisecond, &f.preRoll},
		{"start", c.Start, 96 * time.Millisecond, &f.start},
		{"barge-in", c.BargeIn, 160 * time.Millisecond, &f.bargeIn},
		{"shortest speech", c.MinSpeech, 160 * time.Millisecond, &f.minSpeech},
		{"pause before speculation", c.Speculate, 96 * time.Millisecond, &f.speculate},
		{"short pause", c.Short, 320 * time.Millisecond, &f.short},
		{"medium pause", c.Medium, 608 * time.Millisecond, &f.medium},
		{"long pause", c.Long, 896 * time.Millisecond, &f.long},
		{"interim", c.Interim, time.Second, &f.interim},
		{"longest sentence", c.Longest, 15 * time.Second, &f.longest},
	} {
		if d.value == 0 {
			d.value = d.otherwise
		}
		if d.value < FrameTime || d.value > time.Hour {
			return f, fmt.Errorf("voice: %s is %v; allowed is %v…1h", d.name, d.value, FrameTime)
		}
		*d.frames = int((d.value + FrameTime/2) / FrameTime)
	}
	if f.speculate > f.short || f.short > f.medium || f.medium > f.long {
		return f, fmt.Errorf("voice: pauses are %v, %v, %v, %v; they must not fall from speculation over short and medium to long",
			frameTimes(f.speculate), frameTimes(f.short), frameTimes(f.medium), frameTimes(f.long))
	}
	if most := 60 * time.Second; frameTimes(f.longest) > most {
		return f, fmt.Errorf("voice: longest sentence is %v; allowed is %v", frameTimes(f.longest), most)
	}
	return f, nil
}

func frameTimes(n int) time.Duration { return time.Duration(n) * FrameTime }
