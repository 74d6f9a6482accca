// Package mqtt connects the robot to a broker, its own or another: state, telemetry and events out, commands in, replies out.
package mqtt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/payload"
	"github.com/reachyd/reachyd/hal"
)

const (
	connectTimeout = 5 * time.Second
	ackTimeout     = 10 * time.Second // for the broker's answer to what the start of a session needs
	outboxTimeout  = 30 * time.Second // for its acknowledgement of the oldest event or reply
	writeTimeout   = 5 * time.Second
	keepAlive      = 15 * time.Second
	leaveTimeout   = time.Second // for saying goodbye
	eventBuffer    = 256
)

// Commander carries out a command; it is daemon/command's Dispatcher.
type Commander interface {
	Do(ctx context.Context, verb string, payload []byte) (id string, reply []byte)
}

// Robot tells the newest that is known of the robot.
type Robot interface {
	State() hal.State
	Telemetry() hal.Telemetry // its TS is zero before the first
	// Follow keeps the state new at every StateInterval, also while the robot rests, until done is called.
	Follow() (done func())
}

// Subscriber is the stream of events.
type Subscriber interface {
	Subscribe(name string, buffer int, types ...api.Type) *event.Subscription
}

// Connection says how the gateway stands with its broker.
type Connection struct {
	Broker    string    `json:"broker"`
	Connected bool      `json:"connected"`
	Reason    string    `json:"reason,omitempty"` // why it is not connected, and what can be done
	Since     time.Time `json:"since"`
	Attempts  int       `json:"attempts"` // in vain, since the connection was lost
	Dropped   uint64    `json:"dropped"`  // events and replies that were lost because the broker was away too long
}

// Gateway speaks for one robot at one broker. Fill in the exported fields, then Run it. Zero durations and sizes take
// their defaults. The same code serves the embedded broker and an external one.
type Gateway struct {
	ID              string // of the robot, a level of all topics
	Name            string // shown to people
	Prefix          string // all topics begin with <Prefix>/<ID>
	DiscoveryPrefix string // where Home Assistant looks for devices; "": it is told nothing
	Version         string // of reachyd
	ConfigURL       string // page about the robot, for Home Assistant; may be empty
	HasCamera       bool   // pictures can be asked for
	Volume          int    // of the voice when it is not muted, 1…100; 0: it has none

	Endpoint  Endpoint
	Commander Commander
	Robot     Robot
	Events    Subscriber
	Log       zerolog.Logger
	// OnConnection is called when the connection is made or lost, from Run's goroutine. It may be nil.
	OnConnection func(Connection)

	// Watched reports whether anybody but us is at the broker: to nobody no state is published. nil: always. When that becomes
	// true StateChanged is to be called: until then it is looked at every TelemetryInterval only.
	Watched func() bool

	StateInterval     time.Duration // 100 ms
	TelemetryInterval time.Duration // 1 s
	MinBackoff        time.Duration // pause before the first attempt to connect again, 100 ms
	MaxBackoff        time.Duration // longest pause, 5 s
	MaxQueue          int           // events and replies kept while the broker is away, 1000
	MaxQueueBytes     int           // their size, 4 MiB

	echoTimeout, outboxTimeout time.Duration

	once   sync.Once
	meter  payload.Meter
	outbox *outbox
	poke   chan struct{}
	camera chan []byte
	inbox  *inbox

	mu      sync.Mutex
	conn    Connection
	changed chan struct{}
}

func (g *Gateway) init() {
	g.once.Do(func() {
		duration := func(d *time.Duration, v time.Duration) {
			if *d == 0 {
				*d = v
			}
		}
		duration(&g.StateInterval, 100*time.Millisecond)
		duration(&g.TelemetryInterval, time.Second)
		duration(&g.MinBackoff, 100*time.Millisecond)
		duration(&g.MaxBackoff, 5*time.Second)
		duration(&g.echoTimeout, ackTimeout)
		duration(&g.outboxTimeout, outboxTimeout)
		if g.MaxQueue == 0 {
			g.MaxQueue = 1000
		}
		if g.MaxQueueBytes == 0 {
			g.MaxQueueBytes = 4 << 20
		}
		g.outbox = newOutbox(g.MaxQueue, g.MaxQueueBytes)
		g.poke = make(chan struct{}, 1)
		g.camera = make(chan []byte, 1)
		g.inbox = newInbox(g.Commander, g.reply)
		g.conn = Connection{Broker: g.Endpoint.Name, Since: time.Now()}
		g.changed = make(chan struct{})
	})
}

// ClientID is the name under which the gateway connects. It is fixed, so that a broker that still holds a broken
// connection of ours ends that one, with its last will, before it lets us in anew.
func ClientID(robot string) string { return "reachyd-" + robot }

// Run connects, and connects again whenever that is lost, until ctx ends. Then it says goodbye and returns nil.
func (g *Gateway) Run(ctx context.Context) error {
	g.init()
	sub := g.Events.Subscribe("mqtt", eventBuffer)
	work, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { g.collect(sub) })
	g.inbox.open(work)
	defer func() {
		sub.Close()
		cancel()
		wg.Wait()
		g.inbox.close()
	}()

	for failures := 0; ; failures++ {
		connected, err := g.session(ctx)
		if ctx.Err() != nil {
			g.set(false, told)
			return nil
		}
		if connected >= g.MaxBackoff { // a broker that lets us in only to throw us out is left alone, too
			failures = 0
		}
		g.set(false, err.Error())
		select {
		case <-time.After(backoff(failures, g.MinBackoff, g.MaxBackoff, rand.Float64())):
		case <-ctx.Done():
			return nil
		}
	}
}

// backoff is the pause before another attempt: least, doubling up to most, each shortened by up to a quarter.
func backoff(failures int, least, most time.Duration, random float64) time.Duration {
	d := most
	if failures < 30 && least<<failures < most {
		d = least << failures
	}
	return d - time.Duration(random*float64(d)/4)
}

// collect moves events into the outbox.
func (g *Gateway) collect(sub *event.Subscription) {
	for e := range sub.Events() {
		if e.Lost > 0 {
			g.Log.Warn().Uint64("lost", e.Lost).Msg("events came faster than they could be queued for MQTT")
		}
		data, err := e.MarshalJSON()
		if err != nil {
			g.Log.Error().Err(err).Str("type", string(e.Type)).Msg("an event cannot be written")
			continue
		}
		topic := g.topic("event/" + string(e.Type))
		if size := len(topic) + len(data); size > maxMessage { // the broker would end the connection over it
			g.Log.Warn().Str("topic", topic).Int("bytes", size).Int("allowed", maxMessage).Msg("an event is too large for MQTT")
			continue
		}
		g.outbox.push(topic, data)
		switch e.Type {
		case api.TypeMoveStarted, api.TypeMoveDone, api.TypeFault, api.TypeEStop:
			g.StateChanged()
		}
	}
}

// StateChanged makes the gateway publish the state now rather than at its next turn. It never waits.
func (g *Gateway) StateChanged() {
	g.init()
	select {
	case g.poke <- struct{}{}:
	default:
	}
}

// Camera publishes a JPEG if the broker is there; of pictures that come too fast only the newest is. It never waits.
func (g *Gateway) Camera(jpeg []byte) {
	g.init()
	if len(g.topic("camera/jpeg"))+len(jpeg) > maxMessage { // the broker would end the connection over it
		return
	}
	for {
		select {
		case g.camera <- jpeg:
			return
		default:
		}
		select {
		case <-g.camera:
		default:
		}
	}
}

// Connection tells how the gateway stands with its broker now.
func (g *Gateway) Connection() Connection {
	g.init()
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.conn
	c.Dropped = g.outbox.lost()
	return c
}

// Ready waits until the robot is online at its broker.
func (g *Gateway) Ready(ctx context.Context) error {
	g.init()
	for {
		g.mu.Lock()
		c, changed := g.conn, g.changed
		g.mu.Unlock()
		if c.Connected {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("not connected to %s (%s): %w", c.Broker, c.Reason, ctx.Err())
		}
	}
}

// set notes and tells a change; the same failure again is only counted.
func (g *Gateway) set(connected bool, reason string) {
	g.mu.Lock()
	same := g.conn.Connected == connected && g.conn.Reason == reason && !connected
	if connected || g.conn.Connected {
		g.conn.Attempts = 0
	} else {
		g.conn.Attempts++
	}
	if !same {
		g.conn.Connected, g.conn.Reason, g.conn.Since = connected, reason, time.Now()
		close(g.changed)
		g.changed = make(chan struct{})
	}
	c := g.conn
	g.mu.Unlock()
	if same {
		return
	}
	c.Dropped = g.outbox.lost()
	switch {
	case connected:
		g.Log.Info().Str("broker", c.Broker).Uint64("dropped", c.Dropped).Msg("connected to the broker")
	case reason == told:
		g.Log.Info().Str("broker", c.Broker).Msg("left the broker")
	default:
		g.Log.Warn().Str("broker", c.Broker).Str("reason", reason).Msg("not connected to the broker")
	}
	if g.OnConnection != nil {
		g.OnConnection(c)
	}
}

func (g *Gateway) base() string { return g.Prefix + "/" + g.ID + "/" }

func (g *Gateway) topic(name string) string { return g.base() + name }

// reply answers a command. A broker ends the connection over a message that is too large for it, so that such a reply is
// replaced by one that says so.
func (g *Gateway) reply(id string, data []byte, urgent bool) {
	topic := g.topic("reply/" + id)
	if size := len(topic) + len(data); size > maxMessage {
		g.refuse(id, CodeTooLarge, fmt.Sprintf("the reply has %d bytes; allowed over MQTT: %d; ask for less at once, or by HTTP", size, maxMessage))
		return
	}
	if urgent {
		g.outbox.overtake(topic, data)
		return
	}
	g.outbox.push(topic, data)
}

// tellGivenUp tells of a message that the broker does not take.
func (g *Gateway) tellGivenUp(e *entry) {
	g.Log.Error().Str("topic", e.topic).Int("bytes", len(e.payload)).Int("lost", e.lost).
		Msg("the broker ends the connection whenever this message is sent; it is given up")
	if name, ok := strings.CutPrefix(e.topic, g.topic("reply/")); ok && name != invalidID {
		g.refuse(invalidID, CodeRefused, fmt.Sprintf("the broker does not take the reply to %+q of %d bytes", name, len(e.payload)))
	}
}

const told = "told to stop"

var errLost = errors.New("the connection was lost")
