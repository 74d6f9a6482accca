// Package perception brings what reachy-sense hears and sees to the robot's mind, and the mind's words to its voice.
package perception

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/client"
)

// Session is the conversation to which everything belongs that is said to the robot.
const Session = "voice"

// Worker is reachy-sense; *client.Client is one.
type Worker interface {
	// Own calls fn with the worker's state and events until ctx ends or the connection breaks.
	Own(ctx context.Context, fn func(client.Message)) error
	// SetEndpoint tells whether a partial sentence is complete.
	SetEndpoint(ctx context.Context, turn uint64, revision int, v client.Endpoint) error
	// Speak says text and returns when it has been said.
	Speak(ctx context.Context, text string) (client.Spoken, error)
	// Replied says that the robot has answered.
	Replied(ctx context.Context) error
}

// Conversation answers what is said to the robot.
type Conversation interface {
	// Turn does what text asks for. l hears of the reply while it comes.
	Turn(ctx context.Context, session, text string, l coordinator.Listener) (Answer, error)
	// Heard notes how much of a reply was heard when it was interrupted.
	Heard(session, trace, text string)
	// Complete says whether text is a complete sentence as it stands.
	Complete(text string) client.Endpoint
	// Interrupt ends everything that acts.
	Interrupt(why error)
}

// Answer is a turn's reply.
type Answer struct {
	Text  string
	Aloud bool   // it is to be said; false when the turn has said itself what there was to say
	Trace string // of the turn

	Interrupted bool // the turn was, before it was done
}

// Publisher takes events.
type Publisher interface {
	Publish(trace string, data api.Payload)
}

// Service follows one reachy-sense as its owner. Fill in the fields, then Run it.
type Service struct {
	Worker       Worker
	Conversation Conversation
	Events       Publisher
	Log          zerolog.Logger
	// Changed is called when a sense has come or gone, from Run's goroutine; it may be nil.
	Changed func(client.State)
	// Called is called when somebody has said the wake phrase, maybe of a sentence that goes on; it must be quick, and may be nil.
	Called func()
	// Heading returns how far the head is turned to the left, degrees; nil is straight ahead.
	Heading func() float64
	// Retry is the pause between two tries to reach the worker; 100 ms when zero.
	Retry time.Duration

	mu        sync.Mutex
	state     client.State
	connected bool
	reported  bool // the loss of the worker was told
	faults    map[string]bool
	voice     Arrival
	spoke     time.Time // when a sentence was heard last, in any language
	told      bool      // in this conversation it was said that only English is understood

	turns   sync.WaitGroup
	slots   chan struct{}
	fillers atomic.Uint32 // that were said, so that they take turns
	sounded atomic.Uint32 // sentences and stop words that were heard
}

const (
	// maxTurns is how many spoken sentences may be at work or wait; more are dropped, and that is told.
	maxTurns = 8
	// endpointTime is how long telling it may take: later it is of no use.
	endpointTime = 300 * time.Millisecond
)

// Run follows the worker until ctx ends, through every restart of it, and waits for the turns it began.
func (s *Service) Run(ctx context.Context) error {
	if s.Retry == 0 {
		s.Retry = 100 * time.Millisecond
	}
	s.slots, s.faults = make(chan struct{}, maxTurns), map[string]bool{}
	defer s.turns.Wait()
	for {
		err := s.Worker.Own(ctx, func(m client.Message) { s.take(ctx, m) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.lost(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.Retry):
		}
	}
}

// State returns the newest state of the worker and whether it can be reached.
func (s *Service) State() (state client.State, connected bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.connected
}

// Arrival is where the newest voice came from.
type Arrival struct {
	Yaw      float64   // where it came from, degrees to the left of where the head looked
	Toward   float64   // the same as seen from the robot's front
	At       time.Time // when it was heard; zero for never
	Speaking bool      // somebody speaks now
}

// Voice returns the newest voice whose direction is known.
func (s *Service) Voice() Arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.voice
}

// listen keeps where a voice comes from.
func (s *Service) listen(e *client.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Type {
	case client.SpeechStarted:
		s.voice.Speaking = true
	case client.Heard, client.StopWord, client.Rejected:
		s.voice.Speaking = false
	}
	from := e.Direction
	if u := e.Utterance; u != nil {
		from = u.Direction
	}
	if from != nil {
		s.voice.Yaw, s.voice.Toward, s.voice.At = *from, *from, time.Now()
		if s.Heading != nil {
			s.voice.Toward += s.Heading()
		}
	}
}

func (s *Service) take(ctx context.Context, m client.Message) {
	switch {
	case m.State != nil:
		s.takeState(*m.State)
	case m.Event != nil:
		s.takeEvent(ctx, *m.Event)
	}
}

// takeState tells when the worker is back, and when a sense has come or gone.
func (s *Service) takeState(now client.State) {
	s.mu.Lock()
	before, connected, reported := s.state, s.connected, s.reported
	s.state, s.connected, s.reported = now, true, false
	s.mu.Unlock()
	if reported {
		s.fault("sense", false, "reachy-sense is back")
	}
	if s.Changed != nil && (!connected || before.Hearing.Off != now.Hearing.Off || before.Speech.Off != now.Speech.Off || before.Sight.Off != now.Sight.Off) {
		s.Changed(now)
	}
}

// lost tells once that the worker is gone.
func (s *Service) lost(err error) {
	s.mu.Lock()
	tell := s.connected && !s.reported
	s.connected = false
	s.reported = s.reported || tell
	s.mu.Unlock()
	if tell {
		s.Log.Warn().Err(err).Msg("reachy-sense is gone; it is restarted")
		s.fault("sense", true, "reachy-sense ended and is restarted: for a moment the robot neither hears nor sees nor speaks")
	}
}

func (s *Service) fault(name string, active bool, detail string) {
	s.Events.Publish("", api.Fault{Name: name, Active: active, Detail: detail})
}

func (s *Service) takeEvent(ctx context.Context, e client.Event) {
	s.listen(&e)
	switch e.Type {
	case client.Called:
		if s.Called != nil {
			s.Called()
		}
	case client.Partial:
		s.Events.Publish("", api.Partial{Session: Session, Speaker: api.SpeakerHuman, Turn: e.Turn, Text: e.Text})
		s.setEndpoint(ctx, e)
	case client.Heard:
		if e.Utterance != nil && !s.foreign(ctx, e.Utterance) {
			s.hear(ctx, *e.Utterance)
		}
	case client.StopWord:
		// The worker has told the body already; what is left is what would move it next.
		s.Conversation.Interrupt(errStopWord)
		if e.Message != "" {
			s.Log.Error().Str("reason", e.Message).Msg("the spoken stop did not reach the body")
		}
		if e.Utterance != nil { // the conversation says how it goes on
			s.hear(ctx, *e.Utterance)
		}
	case client.Detected:
		s.Events.Publish("", api.Detection{Objects: objects(e.Detections)})
	case client.Lost:
		text := "I lost sight of the " + e.Text + "."
		s.Events.Publish("", api.Notification{Kind: "lost", Session: Session, Text: text})
		s.begin(func() { s.say(ctx, text) })
	case client.DeviceLost:
		s.faults[e.Device] = true
		s.fault(e.Device, true, e.Message)
	case client.DeviceFound:
		if s.faults[e.Device] {
			delete(s.faults, e.Device)
			s.fault(e.Device, false, e.Message)
		}
	case client.Rejected:
		s.Log.Debug().Str("reason", e.Reason).Msg("heard no sentence: " + e.Message)
	}
}

var errStopWord = errors.New("stop was said")
