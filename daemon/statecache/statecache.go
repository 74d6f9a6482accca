// Package statecache keeps reachyd's copy of the robot: the newest state and telemetry of the body, and its events on the stream.
package statecache

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

// Body is what the mirror needs of the body's client.
type Body interface {
	Own(ctx context.Context, hz float64, fn func(body.Message)) error
	Watch(ctx context.Context, hz float64, fn func(body.Message)) error
}

// Publisher takes the body's events.
type Publisher interface {
	Publish(trace string, data api.Payload)
}

// Cache follows one body as its owner. Fill in the exported fields, then Run it.
type Cache struct {
	Body   Body
	Events Publisher
	// Rate is how many states a second are asked for; 10 when zero. Of a robot that rests there is one a second, unless somebody follows.
	Rate float64
	// OnTelemetry is called with every telemetry that shows progress of the control loop (more ticks than the one
	// before). It feeds the watchdog.
	OnTelemetry func(hal.Telemetry)
	// Motion returns the newest reading of the motion sensor, which goes with the telemetry; nil when nobody reads one.
	Motion func() *hal.Motion
	// Link returns how the host is connected, which goes with it, too; nil when nobody looks.
	Link func() *hal.Link
	// Retry is the pause between two tries to reach the body; 50 ms when zero.
	Retry time.Duration
	// Now is the clock; time.Now when nil.
	Now func() time.Time

	mu        sync.Mutex
	state     hal.State
	telemetry hal.Telemetry
	seq       uint64 // of the last event taken over
	seen      bool   // a state has ever come
	connected bool
	lostAt    time.Time
	ready     chan struct{}
	changed   chan struct{} // closed at the next state
	ours      []hal.Fault   // of reachyd itself
	once      sync.Once

	followers int
	unfollow  context.CancelFunc // nil: nobody follows
	ended     bool
	work      sync.WaitGroup
}

func (m *Cache) init() {
	m.once.Do(func() {
		m.ready, m.changed = make(chan struct{}), make(chan struct{})
		if m.Rate == 0 {
			m.Rate = 10
		}
		if m.Retry == 0 {
			m.Retry = 50 * time.Millisecond
		}
		if m.Now == nil {
			m.Now = time.Now
		}
	})
}

// Run follows the body until ctx ends, through every restart of it.
func (m *Cache) Run(ctx context.Context) error {
	m.init()
	defer m.end()
	for {
		err := m.Body.Own(ctx, m.Rate, m.take)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.lost(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(m.Retry):
		}
	}
}

// Follow asks for states at the Rate, also of a robot that rests, until done is called: somebody looks at them.
func (m *Cache) Follow() (done func()) {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.followers++; m.followers == 1 && !m.ended {
		var ctx context.Context
		ctx, m.unfollow = context.WithCancel(context.Background())
		m.work.Go(func() { m.follow(ctx) })
	}
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.followers--; m.followers == 0 && m.unfollow != nil {
			m.unfollow()
		}
	})
}

// end ends what Follow began.
func (m *Cache) end() {
	m.mu.Lock()
	m.ended = true
	if m.unfollow != nil {
		m.unfollow()
	}
	m.mu.Unlock()
	m.work.Wait()
}

// follow takes states beside those that Run takes.
func (m *Cache) follow(ctx context.Context) {
	for ctx.Err() == nil {
		_ = m.Body.Watch(ctx, m.Rate, func(msg body.Message) { // a body that is gone comes again, which Run tells
			if msg.State != nil {
				m.takeMore(*msg.State)
			}
		})
		select {
		case <-ctx.Done():
		case <-time.After(m.Retry):
		}
	}
}

// sameTime is by how much a state that was overtaken on its way can be older; one that is older by more shows that the clock was set.
const sameTime = time.Second

// takeMore takes a state from one who follows: it says nothing of the body's being there.
func (m *Cache) takeMore(s hal.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if age := m.state.TS.Sub(s.TS); !m.connected || age > 0 && age < sameTime {
		return
	}
	m.renew(s)
}

// renew makes s the newest state. The caller holds mu.
func (m *Cache) renew(s hal.State) {
	m.state = s
	close(m.changed)
	m.changed = make(chan struct{})
}

// Ready waits for the first state of the body.
func (m *Cache) Ready(ctx context.Context) error {
	m.init()
	select {
	case <-m.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Online waits until the body has the servo bus.
func (m *Cache) Online(ctx context.Context) error {
	m.init()
	for {
		m.mu.Lock()
		online, changed := m.connected && m.state.Mode != hal.ModeOffline, m.changed
		m.mu.Unlock()
		if online {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// State returns the newest state. While the body cannot be reached the mode is offline, the fault "unreached" is
// listed, and the rest is what was last known. Faults of reachyd itself come last.
func (m *Cache) State() hal.State {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.state
	if !m.connected {
		s.Mode, s.Moving, s.Move, s.MoveName = hal.ModeOffline, false, "", ""
		s.Faults = append(append([]hal.Fault(nil), s.Faults...), m.unreached())
		s.TS = m.Now()
	}
	if len(m.ours) > 0 {
		s.Faults = slices.Concat(s.Faults, m.ours)
	}
	return s
}

// Report lists a fault of reachyd itself among the robot's, or with an empty detail takes it out again, and publishes what has
// changed. The detail is for a person.
func (m *Cache) Report(name hal.FaultName, detail string) {
	m.init()
	m.mu.Lock()
	at := slices.IndexFunc(m.ours, func(f hal.Fault) bool { return f.Name == name })
	active := detail != ""
	var fault hal.Fault
	switch {
	case active == (at >= 0):
		m.mu.Unlock()
		return
	case active:
		fault = hal.Fault{Name: name, Detail: detail, Since: m.Now()}
		m.ours = append(slices.Clip(m.ours), fault)
	default:
		fault = m.ours[at]
		m.ours = slices.Delete(slices.Clone(m.ours), at, at+1)
	}
	m.mu.Unlock()
	m.publishFault(fault, active)
}

// Changed returns a channel that is closed when there is a newer state than that of now.
func (m *Cache) Changed() <-chan struct{} {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// Telemetry returns the newest telemetry; zero before the first.
func (m *Cache) Telemetry() hal.Telemetry {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.telemetry
	if m.Motion != nil {
		t.Motion = m.Motion()
	}
	if m.Link != nil {
		t.Link = m.Link()
	}
	return t
}

func (m *Cache) unreached() hal.Fault {
	return hal.Fault{Name: hal.FaultUnreachable, Detail: "reachy-body does not answer; it is restarted", Since: m.lostAt}
}

func (m *Cache) take(msg body.Message) {
	switch {
	case msg.State != nil:
		m.takeState(*msg.State)
	case msg.Event != nil:
		m.takeEvent(*msg.Event)
	case msg.Telemetry != nil:
		m.mu.Lock()
		// Ticks start again at zero when the body was restarted: any change is progress.
		progress := msg.Telemetry.Ticks != m.telemetry.Ticks
		m.telemetry = *msg.Telemetry
		m.mu.Unlock()
		if progress && m.OnTelemetry != nil {
			m.OnTelemetry(*msg.Telemetry)
		}
	}
}

func (m *Cache) takeState(s hal.State) {
	m.mu.Lock()
	back := m.seen && !m.connected
	fault := m.unreached()
	first := !m.seen
	m.seen, m.connected = true, true
	m.renew(s)
	m.mu.Unlock()
	if first {
		close(m.ready)
	}
	if back {
		m.publishFault(fault, false)
	}
}

func (m *Cache) lost(err error) {
	m.mu.Lock()
	was := m.connected
	m.connected = false
	m.seq = 0 // the next body may be another process, which counts from the beginning
	if was || m.lostAt.IsZero() {
		m.lostAt = m.Now()
	}
	fault := m.unreached()
	m.mu.Unlock()
	if was {
		if err != nil && !errors.Is(err, body.ErrUnavailable) {
			fault.Detail = err.Error()
		}
		m.publishFault(fault, true)
	}
}

func (m *Cache) takeEvent(e hal.Event) {
	m.mu.Lock()
	again := e.Seq != 0 && e.Seq <= m.seq
	if !again {
		m.seq = e.Seq
	}
	m.mu.Unlock()
	if again {
		return
	}
	switch e.Type {
	case hal.EventFault:
		if e.Fault != nil {
			m.publishFault(*e.Fault, e.Active)
		}
	case hal.EventEStop:
		m.Events.Publish("", api.EStop{Active: e.Active, Reason: e.Reason, By: e.By})
	case hal.EventMoveStarted:
		m.Events.Publish("", api.MoveStarted{Move: e.Move, Name: e.Name})
	case hal.EventMoveDone:
		m.Events.Publish("", api.MoveDone{Move: e.Move, Name: e.Name, End: e.End, Reason: e.Reason})
	}
}

func (m *Cache) publishFault(f hal.Fault, active bool) {
	m.Events.Publish("", api.Fault{Name: string(f.Name), Active: active, Detail: f.Detail, Joint: f.Joint, Since: api.Time(f.Since)})
}
