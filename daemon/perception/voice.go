package perception

import (
	"context"
	"errors"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/client"
)

// setEndpoint tells the worker whether the sentence is complete as it stands, so that it knows how long to wait for more.
func (s *Service) setEndpoint(ctx context.Context, e client.Event) {
	endpoint := s.Conversation.Complete(e.Text)
	s.begin(func() {
		ctx, cancel := context.WithTimeout(ctx, endpointTime)
		defer cancel()
		if err := s.Worker.SetEndpoint(ctx, e.Turn, e.Revision, endpoint); err != nil {
			s.Log.Debug().Err(err).Msg("the endpoint about a sentence came too late")
		}
	})
}

// hear answers a sentence that was said to the robot. Its words are in the log only where log.level is debug.
func (s *Service) hear(ctx context.Context, u client.Utterance) {
	s.Log.Info().Int("words", len(strings.Fields(u.Text))).Float64("latency_s", u.Latency).Float64("confidence", u.Confidence).Msg("heard")
	s.Log.Debug().Str("text", u.Text).Msg("what was heard")
	s.sounded.Add(1)
	if !s.begin(func() { s.answer(ctx, u) }) {
		s.Log.Warn().Int("limit", maxTurns).Msg("not answered: too many sentences are at work")
	}
}

func (s *Service) answer(ctx context.Context, u client.Utterance) {
	ctx = tool.WithSession(ctx, Session)
	before := s.sounded.Load()
	m := s.newMouth(ctx)
	defer m.close()
	if u.Unsure {
		ctx = coordinator.WithUnsure(ctx)
	}
	a, err := s.Conversation.Turn(ctx, Session, u.Text, m)
	if err != nil {
		s.Log.Warn().Err(err).Msg("not answered")
		a = Answer{Text: "I cannot do that now: " + err.Error() + ".", Aloud: true}
	}
	if ctx.Err() != nil {
		return
	}
	if !a.Aloud || a.Interrupted && s.sounded.Load() != before { // whoever interrupts is answered for what they said then
		a.Text = ""
	}
	if heard, cut := m.finish(a.Text); cut && a.Trace != "" {
		s.Conversation.Heard(Session, a.Trace, heard)
	}
	if err := s.Worker.Replied(ctx); err != nil {
		s.Log.Debug().Err(err).Msg("reachy-sense was not told of the reply")
	}
}

// say says a text; a robot without a voice has written it already. It returns what was heard of it, and whether it was cut off.
func (s *Service) say(ctx context.Context, text string) (heard string, cut bool) {
	if state, connected := s.State(); !connected || state.Speech.Off != "" {
		return text, false
	}
	said, err := s.Worker.Speak(ctx, text)
	var refused *client.Error
	if err != nil && ctx.Err() == nil && !errors.As(err, &refused) {
		s.Log.Warn().Err(err).Msg("the reply was not said")
	}
	switch {
	case ctx.Err() != nil:
		return "", true
	case err == nil && said.Reason == client.ReasonInterrupted:
		return said.Text, true
	}
	return text, false
}

// begin runs work in a goroutine of its own if there is room for it.
func (s *Service) begin(work func()) bool {
	select {
	case s.slots <- struct{}{}:
	default:
		return false
	}
	s.turns.Add(1)
	go func() {
		defer s.turns.Done()
		defer func() { <-s.slots }()
		work()
	}()
	return true
}
