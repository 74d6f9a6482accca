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
	watches  chan []body.Message
	followed chan func(body.Message) // what a Watch is to be told with; nil when it ends
}

func (b *bodies) Watch(ctx context.Context, _ float64, fn func(body.Message)) error {
	b.followed <- fn
	<-ctx.Done()
	b.followed <- nil
	return ctx.Err()
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

// TestWhoFollowsIsToldOfARestingRobot: all who follow share one watch, which ends with the last of them, or with the cache.
func TestWhoFollowsIsToldOfARestingRobot(t *testing.T) {
	b := &bodies{watches: make(chan []body.Message), followed: make(chan func(body.Message))}
	m := &Cache{Body: b, Events: make(stream, 32)}
	now := time.Unix(1000, 0)
	at := func(age time.Duration, yaw float64) body.Message {
		return body.Message{State: &hal.State{TS: now.Add(-age), BodyYaw: yaw}}
	}
	first, second := m.Follow(), m.Follow()
	tell := <-b.followed
	tell(at(0, 9))
	if m.State().BodyYaw == 9 {
		t.Error("a state was taken while the body is away for its owner")
	}
	m.take(at(0, 1))
	for _, c := range []struct {
		m    body.Message
		want float64
	}{
		{at(10*time.Millisecond, 2), 1},                                    // overtaken on its way
		{at(-10*time.Millisecond, 3), 3},                                   // newer
		{at(time.Hour, 4), 4},                                              // the clock was set
		{body.Message{Event: &hal.Event{Seq: 1, Type: hal.EventEStop}}, 4}, // Run takes events
	} {
		changed := m.Changed()
		tell(c.m)
		if got := m.State().BodyYaw; got != c.want {
			t.Errorf("%+v: state %v, want %v", c.m, got, c.want)
		}
		select {
		case <-changed:
		default:
			if c.m.State != nil && c.m.State.BodyYaw == c.want {
				t.Errorf("nobody is told of %+v", c.m.State)
			}
		}
	}
	first()
	first()
	select {
	case <-b.followed:
		t.Error("it ended before the last had left")
	default:
	}
	second()
	if <-b.followed != nil {
		t.Error("another watch")
	}
	m.Follow() // its done is never called
	if <-b.followed == nil {
		t.Error("no watch for who comes later")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	if <-b.followed != nil {
		t.Error("another watch")
	}
	<-ended
	m.Follow()() // nothing begins any more
}
