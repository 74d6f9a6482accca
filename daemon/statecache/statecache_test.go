package statecache

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bodies plays one watch after another: each is a list of messages, after which the connection breaks.
type bodies struct {
	watches chan []body.Message
}

func (b *bodies) Own(ctx context.Context, _ float64, fn func(body.Message)) error {
	select {
	case msgs := <-b.watches:
		for _, m := range msgs {
			fn(m)
		}
		return body.ErrUnavailable
	case <-ctx.Done():
		return ctx.Err()
	}
}

type stream chan api.Event

func (s stream) Publish(_ string, data api.Payload) {
	s <- api.Event{Type: data.EventType(), Data: data}
}

func state(yaw float64) body.Message {
	return body.Message{State: &hal.State{Mode: hal.ModeEnabled, BodyYaw: yaw}}
}

func ev(e hal.Event) body.Message { return body.Message{Event: &e} }

func next(t *testing.T, s stream) api.Event {
	t.Helper()
	select {
	case e := <-s:
		return e
	case <-time.After(10 * time.Second):
		t.Fatal("no event came")
		return api.Event{}
	}
}

func TestFollowsTheBodyThroughARestart(t *testing.T) {
	b, s := &bodies{watches: make(chan []body.Message)}, make(stream, 32)
	var alive []uint64
	m := &Cache{Body: b, Events: s, Retry: time.Millisecond, OnTelemetry: func(t hal.Telemetry) { alive = append(alive, t.Ticks) }}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()

	if got := m.State(); got.Mode != hal.ModeOffline || len(got.Faults) != 1 || got.Faults[0].Name != hal.FaultUnreachable {
		t.Errorf("before the first state: %+v", got)
	}
	tick := func(n uint64) body.Message { return body.Message{Telemetry: &hal.Telemetry{Ticks: n}} }
	b.watches <- []body.Message{
		state(0.5),
		ev(hal.Event{Seq: 1, Type: hal.EventMoveStarted, Move: "m1", Name: "goto"}),
		ev(hal.Event{Seq: 1, Type: hal.EventMoveStarted, Move: "m1", Name: "goto"}), // told twice
		ev(hal.Event{Seq: 2, Type: hal.EventMoveDone, Move: "m1", Name: "goto", End: hal.EndDone}),
		ev(hal.Event{Seq: 3, Type: hal.EventFault, Active: true, Fault: &hal.Fault{Name: hal.FaultServoMissing, Joint: "stewart_2"}}),
		ev(hal.Event{Seq: 4, Type: hal.EventEStop, Active: true, Reason: "asked"}),
		tick(1), tick(2), tick(2),
	}
	if err := m.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		typ  api.Type
		key  string
		is   any
		what string
	}{
		{api.TypeMoveStarted, "move", "m1", "start"},
		{api.TypeMoveDone, "end", hal.EndDone, "end, with no second start before it"},
		{api.TypeFault, "joint", "stewart_2", "fault"},
		{api.TypeEStop, "active", true, "stop"},
		{api.TypeFault, "name", string(hal.FaultUnreachable), "connection lost"},
	} {
		if e := next(t, s); e.Type != want.typ || api.Fields(e.Data)[want.key] != want.is {
			t.Errorf("%s: got %+v", want.what, e)
		}
	}
	if got := m.State(); got.Mode != hal.ModeOffline || got.BodyYaw != 0.5 {
		t.Errorf("while away: %+v", got)
	}
	if len(alive) != 2 {
		t.Errorf("progress was told %d times for ticks 1, 2, 2", len(alive))
	}

	over, cancelOver := context.WithCancel(t.Context())
	cancelOver()
	if err := m.Online(over); err == nil {
		t.Error("online while the body is away")
	}
	b.watches <- []body.Message{state(0.7), ev(hal.Event{Seq: 1, Type: hal.EventMoveStarted, Move: "m2"})}
	if e := next(t, s); e.Type != api.TypeFault || api.Fields(e.Data)["active"] != false {
		t.Errorf("return: %+v", e)
	}
	if e := next(t, s); e.Type != api.TypeMoveStarted || api.Fields(e.Data)["move"] != "m2" {
		t.Errorf("the events of the new body are taken for old ones: %+v", e)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
}
