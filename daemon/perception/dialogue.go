package perception

import (
	"context"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/voice"
)

// Turns runs turns of conversation; *coordinator.Coordinator does.
type Turns interface {
	Turn(ctx context.Context, session, text string) (coordinator.Reply, error)
	Interrupt(why error)
	Heard(session, trace, text string)
}

// Planner says what a sentence asks for.
type Planner interface {
	Plan(text string) planner.Plan
}

// Dialogue answers what is said aloud: by the coordinator, and by the planner as to whether a sentence is complete.
type Dialogue struct {
	Turns   Turns
	Planner Planner
}

// Turn implements Conversation. What the turn has said itself is not said again.
func (d Dialogue) Turn(ctx context.Context, session, text string, l coordinator.Listener) (Answer, error) {
	r, err := d.Turns.Turn(coordinator.WithListener(ctx, l), session, text)
	if err != nil {
		return Answer{}, err
	}
	spoken := len(r.Trace.Steps) > 0
	for _, s := range r.Trace.Steps {
		spoken = spoken && s.Tool == "speak" && s.Result.OK()
	}
	return Answer{Text: r.Text, Aloud: !spoken, Trace: r.Trace.ID, Interrupted: r.Trace.Outcome == coordinator.OutcomeInterrupted}, nil
}

// Heard implements Conversation.
func (d Dialogue) Heard(session, trace, text string) { d.Turns.Heard(session, trace, text) }

// Complete implements Conversation: what the planner can carry out is a whole sentence, unless its last word waits for more.
func (d Dialogue) Complete(text string) client.Endpoint {
	endpoint := voice.Endpoint(text)
	if endpoint != client.Unknown {
		return endpoint
	}
	if o := d.Planner.Plan(text).Outcome; o != planner.OutcomeNone {
		return client.Complete
	}
	return client.Unknown
}

// Interrupt implements Conversation.
func (d Dialogue) Interrupt(why error) { d.Turns.Interrupt(why) }

var _ Conversation = Dialogue{}
