package mqtt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/hal"
)

// patience is how long a test waits for something that must happen.
const patience = 60 * time.Second

// The test binary is also a gateway that can be killed: TEST_GATEWAY is the URL of its broker.
func TestMain(m *testing.M) {
	url := os.Getenv("TEST_GATEWAY")
	if url == "" {
		goleak.VerifyTestMain(m)
	}
	e, err := External(config.MQTT{Broker: url})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	g := &Gateway{ID: "mini", Prefix: "reachy", Endpoint: e, Commander: &commander{}, Robot: &robot{}, Events: event.NewBus(0, nil), Log: zerolog.Nop()}
	_ = g.Run(context.Background())
}

// commander records commands and answers them.
type commander struct {
	mu    sync.Mutex
	calls []string
	block map[string]chan struct{} // by verb: wait for it
	large int                      // so many bytes has the reply to tools/export
}

func (c *commander) Do(ctx context.Context, verb string, payload []byte) (string, []byte) {
	var p struct{ ID any }
	_ = json.Unmarshal(payload, &p)
	c.mu.Lock()
	c.calls = append(c.calls, verb+" "+string(payload))
	block := c.block[verb]
	n := len(c.calls)
	c.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-ctx.Done():
		}
	}
	id := fmt.Sprint(p.ID)
	if p.ID == nil {
		id = fmt.Sprintf("auto-%d", n)
	}
	if verb == "tools/export" {
		return id, bytes.Repeat([]byte{'x'}, c.large)
	}
	return id, fmt.Appendf(nil, `{"id":%q,"ok":true}`, id)
}

func (c *commander) seen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.calls...)
}

// robot is a robot whose state can be set.
type robot struct {
	mu        sync.Mutex
	s         hal.State
	followers atomic.Int32
}

func (r *robot) Follow() (done func()) {
	r.followers.Add(1)
	return func() { r.followers.Add(-1) }
}

func (r *robot) State() hal.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.s
}

func (r *robot) set(mode hal.Mode) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.s.Mode = mode
}

func (r *robot) Telemetry() hal.Telemetry {
	return hal.Telemetry{TS: time.Unix(1, 0), LoopHz: 100, Servos: []hal.ServoHealth{{Joint: "stewart_1", Voltage: 7.2, Present: true}}}
}

// running is a gateway under test.
type running struct {
	*Gateway
	t         *testing.T
	bus       *event.Bus
	commander *commander
	robot     *robot
	cancel    context.CancelFunc
	done      chan struct{}
}

func newGateway(t *testing.T, e Endpoint) *running {
	t.Helper()
	r := &running{
		t: t, bus: event.NewBus(0, nil), commander: &commander{block: map[string]chan struct{}{}}, robot: &robot{s: hal.State{Mode: hal.ModeEnabled}},
		done: make(chan struct{}),
	}
	r.Gateway = &Gateway{
		ID: "mini", Name: "Reachy Mini", Prefix: "reachy", DiscoveryPrefix: "homeassistant", Version: "0.0.0", ConfigURL: "http://127.0.0.1:8000/",
		HasCamera: true, Volume: 70,
		Endpoint: e, Commander: r.commander, Robot: r.robot, Events: r.bus, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel),
		MinBackoff: 5 * time.Millisecond, MaxBackoff: 20 * time.Millisecond,
	}
	return r
}

func (r *running) start() *running {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.done)
		if err := r.Run(ctx); err != nil {
			r.t.Errorf("Run: %v", err)
		}
	}()
	r.t.Cleanup(r.stop)
	return r
}

func (r *running) ready() *running {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Ready(ctx); err != nil {
		r.t.Fatal(err)
	}
	return r
}

func (r *running) stop() {
	r.cancel()
	select {
	case <-r.done:
	case <-time.After(patience):
		r.t.Fatal("Run does not end")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = r.bus.Close(ctx)
}

// client is another client of the broker that remembers what it hears.
type client struct {
	t    *testing.T
	c    paho.Client
	mu   sync.Mutex
	cond *sync.Cond
	got  []message
}

type message struct {
	topic    string // below reachy/mini/, if it is
	payload  string
	retained bool
}

func (m message) String() string { return m.topic + " " + m.payload }

func newClient(t *testing.T, url string, change ...func(*paho.ClientOptions)) *client {
	t.Helper()
	c := &client{t: t}
	c.cond = sync.NewCond(&c.mu)
	opts := paho.NewClientOptions().AddBroker(url).SetClientID(fmt.Sprintf("test-%d", time.Now().UnixNano())).SetConnectTimeout(patience).
		SetAutoReconnect(false).SetConnectRetry(false).SetProtocolVersion(4)
	opts.SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got = append(c.got, message{strings.TrimPrefix(m.Topic(), "reachy/mini/"), string(m.Payload()), m.Retained()})
		c.cond.Broadcast()
	})
	for _, f := range change {
		f(opts)
	}
	c.c = paho.NewClient(opts)
	c.must(c.c.Connect())
	t.Cleanup(func() { c.c.Disconnect(100) })
	return c
}

func (c *client) must(tok paho.Token) {
	c.t.Helper()
	if !tok.WaitTimeout(patience) {
		c.t.Fatal("the broker does not answer")
	}
	if err := tok.Error(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) subscribe(filters ...string) *client {
	c.t.Helper()
	for _, f := range filters {
		c.must(c.c.Subscribe(f, 1, nil))
	}
	return c
}

func (c *client) publish(topic, payload string, retained bool) {
	c.t.Helper()
	c.must(c.c.Publish("reachy/mini/"+topic, 1, retained, payload))
}

// wait returns the first message from number from on for which ok holds, and the number after it.
func (c *client) wait(from int, what string, ok func(message) bool) (message, int) {
	c.t.Helper()
	timer := time.AfterFunc(patience, c.cond.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(patience)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := from; ; {
		for ; i < len(c.got); i++ {
			if ok(c.got[i]) {
				return c.got[i], i + 1
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("waited in vain for %s; last messages: %v", what, c.got[max(0, len(c.got)-8):])
		}
		c.cond.Wait()
	}
}

func (c *client) mark() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got)
}

func (c *client) all(topic string) []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []message
	for _, m := range c.got {
		if m.topic == topic {
			found = append(found, m)
		}
	}
	return found
}

func is(topic, payload string) func(message) bool {
	return func(m message) bool { return m.topic == topic && m.payload == payload }
}

func on(topic string) func(message) bool { return func(m message) bool { return m.topic == topic } }

// TestNobodyIsToldNothing: without a client the state is not published, and to one that comes it is.
func TestNobodyIsToldNothing(t *testing.T) {
	b := openBroker(t, &Broker{Gateway: ClientID("mini")})
	r := newGateway(t, b.Endpoint())
	unwatched := make(chan struct{})
	var somebody atomic.Bool
	r.Watched = func() bool {
		if b.Watched() {
			if !somebody.Load() {
				t.Error("nobody is there, and it is watched")
			}
			return true
		}
		select {
		case unwatched <- struct{}{}:
		default:
		}
		return false
	}
	r.StateInterval, r.TelemetryInterval = 5*time.Millisecond, 20*time.Millisecond
	r.start()
	for range 5 {
		<-unwatched
	}
	if n := r.robot.followers.Load(); n != 0 {
		t.Errorf("%d follow a robot whom nobody watches", n)
	}
	somebody.Store(true)
	c := newClient(t, b.URL()).subscribe("reachy/mini/#")
	c.wait(0, "the state", on("state"))
	if n := r.robot.followers.Load(); n != 1 {
		t.Errorf("%d follow a robot that is watched", n)
	}
	c.c.Disconnect(100)
	<-unwatched
	<-unwatched // the one before has been dealt with
	if n := r.robot.followers.Load(); n != 0 {
		t.Errorf("%d follow a robot whom nobody watches any more", n)
	}
}

// TestWhoeverComesIsToldAtOnce: where nobody watches nothing is looked at either, until the broker says that a client has come.
func TestWhoeverComesIsToldAtOnce(t *testing.T) {
	r := newGateway(t, Endpoint{})
	b := openBroker(t, &Broker{Gateway: ClientID("mini"), OnClient: r.StateChanged})
	r.Endpoint, r.Watched, r.TelemetryInterval = b.Endpoint(), b.Watched, time.Hour
	r.start()
	c := newClient(t, b.URL()).subscribe("reachy/mini/state")
	_, next := c.wait(0, "the state", on("state"))
	c.wait(next, "the next state", on("state"))
}
