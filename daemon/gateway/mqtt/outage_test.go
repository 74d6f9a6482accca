package mqtt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/hal/waittest"
)

// The broker is killed and comes back. What happened meanwhile arrives, in order; the oldest of what was too much does not,
// and that is counted.
func TestBrokerIsKilledAndComesBack(t *testing.T) {
	m := newMosquitto(t)
	g := newGateway(t, outside(t, config.MQTT{Broker: m.url()}))
	const limit = 20
	g.MaxQueue = limit
	g.start().ready()
	m.kill()
	g.disconnected()
	for i := range limit + 5 {
		g.bus.Publish("", api.ToolCall{Call: uint64(i)})
	}
	g.waitFor("the dropped events", func() bool { return g.Connection().Dropped == 5 })
	reason := g.Connection().Reason
	if !strings.Contains(reason, "refused") && !strings.Contains(reason, errLost.Error()) {
		t.Errorf("reason %q", reason)
	}
	m.start()
	c := newClient(t, m.url()).subscribe("reachy/mini/#")
	g.ready()
	// Whoever subscribes after the broker's restart may come too late for what was kept, so nothing is said about that
	// here; the next test holds the gateway back until the client is there.
	c.wait(0, "online", is("status", online))
	c.publish("cmd/chat", `{"id":"1"}`, false)
	c.wait(0, "a reply as before", on("reply/1"))
}

func TestQueueIsDeliveredInOrder(t *testing.T) {
	m := newMosquitto(t)
	e := outside(t, config.MQTT{Broker: m.url()})
	real, away := e.open, atomic.Bool{}
	away.Store(true)
	e.open = func(ctx context.Context) (net.Conn, error) {
		if away.Load() {
			return nil, errors.New("the cable is out")
		}
		return real(ctx)
	}
	g := newGateway(t, e)
	const limit = 200
	g.MaxQueue = limit
	g.start()
	g.waitFor("attempts in vain", func() bool { return g.Connection().Attempts > 2 })
	if r := g.Connection().Reason; !strings.Contains(r, "the cable is out") || !strings.Contains(r, m.url()) {
		t.Errorf("reason %q", r)
	}
	for i := range limit + 5 {
		g.bus.Publish("", api.ToolCall{Call: uint64(i)})
	}
	g.waitFor("the dropped events", func() bool { return g.Connection().Dropped == 5 })
	c := newClient(t, m.url()).subscribe("reachy/mini/#")
	away.Store(false)
	_, n := c.wait(0, "online", is("status", online))
	c.wait(n, "the newest event", func(m message) bool { return strings.Contains(m.payload, fmt.Sprintf(`"call":%d,`, limit+4)) })
	got := c.all("event/tool_call")
	if len(got) != limit {
		t.Fatalf("%d events, want %d", len(got), limit)
	}
	for i, m := range got {
		if !strings.Contains(m.payload, fmt.Sprintf(`"call":%d,`, i+5)) {
			t.Fatalf("event %d is %s", i, m.payload)
		}
	}
}

// An id becomes a level of the reply's topic. mosquitto ends the connection over some characters there, again and again.
func TestIDsThatBrokersRefuseAreRefused(t *testing.T) {
	m := newMosquitto(t)
	newGateway(t, outside(t, config.MQTT{Broker: m.url()})).start().ready()
	c := newClient(t, m.url()).subscribe("reachy/mini/reply/#")
	n := 0
	for _, bad := range []string{`a\u0085b`, `\u0001`, `\u007f`, `\u009f`, `\ufdd0`, `\uffff`, `\ud83f\udffe`, `a\u0000`} {
		var answer message
		c.publish("cmd/chat", `{"id":"`+bad+`"}`, false)
		answer, n = c.wait(n, "the refusal of "+bad, on("reply/invalid"))
		if !strings.Contains(answer.payload, "control characters") {
			t.Errorf("%s: %s", bad, answer.payload)
		}
	}
	c.publish("cmd/chat", `{"id":"é–漢"}`, false)
	c.wait(n, "a reply with unusual letters", on("reply/é–漢"))
}

// A reply that is larger than a packet of the broker may be is replaced by one that says so.
func TestReplyThatIsTooLargeSaysSo(t *testing.T) {
	b := openBroker(t, &Broker{})
	g := newGateway(t, b.Endpoint())
	g.commander.large = MaxPacket
	g.start().ready()
	c := newClient(t, b.URL()).subscribe("reachy/mini/reply/#")
	c.publish("cmd/tools/export", `{"id":"1"}`, false)
	answer, _ := c.wait(0, "an answer", on("reply/1"))
	if !strings.Contains(answer.payload, CodeTooLarge) || !strings.Contains(answer.payload, fmt.Sprint(maxMessage)) {
		t.Errorf("%.300s", answer.payload)
	}
	if conn := g.Connection(); !conn.Connected || conn.Attempts > 0 || conn.Dropped > 0 {
		t.Errorf("%+v", conn)
	}
}

// A broker with a smaller limit than ours ends the connection over a message. That one is given up and told, after a few
// attempts with pauses that grow; what comes after it arrives.
func TestMessageThatTheBrokerDoesNotTakeIsGivenUp(t *testing.T) {
	m := newMosquitto(t, "allow_anonymous true", "max_packet_size 30000")
	e := outside(t, config.MQTT{Broker: m.url()})
	real, attempts := e.open, atomic.Int32{}
	e.open = func(ctx context.Context) (net.Conn, error) { attempts.Add(1); return real(ctx) }
	g := newGateway(t, e)
	g.Log = zerolog.Nop() // it complains
	g.commander.large = 100_000
	g.start().ready()
	c := newClient(t, m.url()).subscribe("reachy/mini/reply/#")
	c.publish("cmd/tools/export", `{"id":"1"}`, false)
	told, n := c.wait(0, "that it was given up", on("reply/invalid"))
	if !strings.Contains(told.payload, `\"1\"`) || !strings.Contains(told.payload, "100000 bytes") {
		t.Error(told.payload)
	}
	c.publish("cmd/chat", `{"id":"2"}`, false)
	c.wait(n, "the next reply", on("reply/2"))
	if n := attempts.Load(); n > maxFailures+2 || g.Connection().Dropped != 1 {
		t.Errorf("%d connections, %+v", n, g.Connection())
	}
}

// A broker that lets us in and throws us out again is left alone for longer and longer.
func TestPausesGrowAlthoughConnectionsSucceed(t *testing.T) {
	b := openBroker(t, &Broker{})
	e := b.Endpoint()
	real, attempts := e.open, make(chan time.Time, 100)
	e.open = func(ctx context.Context) (net.Conn, error) {
		conn, err := real(ctx)
		if err != nil {
			return nil, err
		}
		attempts <- time.Now()
		return &cutOff{Conn: conn}, nil
	}
	g := newGateway(t, e)
	g.MinBackoff, g.MaxBackoff = 20*time.Millisecond, time.Minute
	g.start()
	first := <-attempts
	for range 3 {
		<-attempts
	}
	// 20, 40 and 80 ms, each up to a quarter shorter
	if took := (<-attempts).Sub(first); took < 225*time.Millisecond {
		t.Errorf("five connections within %v", took)
	}
}

// cutOff is a connection that breaks as soon as the gateway has said that the robot is online and heard it.
type cutOff struct {
	net.Conn
	heard atomic.Bool
}

func (c *cutOff) Read(p []byte) (int, error) {
	if c.heard.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Conn.Read(p)
	if bytes.Contains(p[:n], []byte("/status")) && bytes.Contains(p[:n], []byte(online)) {
		c.heard.Store(true)
	}
	return n, err
}

// disconnected waits until the gateway knows that the broker is gone.
func (r *running) disconnected() {
	r.t.Helper()
	r.waitFor("the loss of the connection", func() bool { c := r.Connection(); return !c.Connected && c.Attempts > 0 })
}

func (r *running) waitFor(what string, ok func() bool) {
	r.t.Helper()
	if !waittest.Within(patience, ok) {
		r.t.Fatalf("waited in vain for %s: %+v", what, r.Connection())
	}
}

// forgetful is a connection over which some acknowledgements do not come.
type forgetful struct {
	net.Conn
	in     *bufio.Reader
	left   int // bytes of the packet that is being read
	silent *atomic.Bool
}

func (f *forgetful) Read(p []byte) (int, error) {
	for f.left == 0 {
		var length int
		for n, complete := 2, false; !complete; n++ {
			header, err := f.in.Peek(n)
			if err != nil {
				return 0, err
			}
			length, complete = remaining(header[1:])
			f.left = n + length
		}
		if kind, err := f.in.Peek(1); err == nil && kind[0] == 0x40 && f.silent.Load() {
			if _, err := f.in.Discard(f.left); err != nil {
				return 0, err
			}
			f.left = 0
		}
	}
	n, err := f.in.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// A broker that takes an event and never acknowledges it must not keep all later ones waiting for ever.
func TestBrokerThatForgetsToAcknowledge(t *testing.T) {
	b := openBroker(t, &Broker{})
	e := b.Endpoint()
	open := e.open
	var silent atomic.Bool
	var opened atomic.Int32
	e.open = func(ctx context.Context) (net.Conn, error) {
		conn, err := open(ctx)
		if opened.Add(1) > 1 {
			return conn, err
		}
		return &forgetful{Conn: conn, in: bufio.NewReader(conn), silent: &silent}, err
	}
	g := newGateway(t, e)
	g.outboxTimeout = 50 * time.Millisecond
	g.start().ready()
	c := newClient(t, b.URL()).subscribe("reachy/mini/event/#")
	silent.Store(true)
	g.bus.Publish("", api.ToolCall{Call: 1})
	is1 := func(m message) bool { return strings.Contains(m.payload, `"call":1,`) }
	_, n := c.wait(0, "the event", is1)
	c.wait(n, "the event once more, over another connection", is1)
	g.bus.Publish("", api.ToolCall{Call: 2})
	c.wait(n, "the next event", func(m message) bool { return strings.Contains(m.payload, `"call":2,`) })
}

// An event that is larger than a packet of the broker may be is left out, and the connection stays.
func TestEventThatIsTooLargeIsLeftOut(t *testing.T) {
	b := openBroker(t, &Broker{})
	g := newGateway(t, b.Endpoint())
	g.Log = zerolog.Nop()
	g.start().ready()
	c := newClient(t, b.URL()).subscribe("reachy/mini/#")
	since := g.Connection().Since
	g.bus.Publish("", api.Photo{Name: strings.Repeat("x", MaxPacket)})
	g.Camera(make([]byte, MaxPacket))
	g.bus.Publish("", api.ToolCall{Call: 1})
	c.wait(0, "the next event", on("event/tool_call"))
	if now := g.Connection(); !now.Connected || !now.Since.Equal(since) {
		t.Errorf("the connection was lost: %+v", now)
	}
}

// A command that is acknowledged as the port opens is carried out, at every start.
func TestCommandsAsThePortOpens(t *testing.T) {
	for range 40 {
		port := freePort(t)
		acknowledged := make(chan struct{})
		go func() {
			defer close(acknowledged)
			for {
				conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
				if err != nil {
					continue // the port is not open yet
				}
				topic := "reachy/mini/cmd/goto"
				_, _ = conn.Write([]byte{0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 1, 'a'})
				_, _ = conn.Write(append(append([]byte{0x32, byte(2 + len(topic) + 2 + 2), 0, byte(len(topic))}, topic...), 0, 1, '{', '}'))
				_ = conn.SetReadDeadline(time.Now().Add(patience))
				answer := make([]byte, 8) // CONNACK and PUBACK
				_, err = io.ReadFull(conn, answer)
				_ = conn.Close()
				if err != nil || answer[4] != 0x40 {
					t.Errorf("%x %v", answer, err)
				}
				return
			}
		}()
		b := &Broker{Listen: fmt.Sprintf("127.0.0.1:%d", port), Log: zerolog.Nop(), Gateway: ClientID("mini")}
		if err := b.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := newGateway(t, b.Endpoint())
		b.Command = g.IsCommand
		g.start().ready()
		b.Admit()
		<-acknowledged
		g.waitFor("the command to be carried out", func() bool { return len(g.commander.seen()) == 1 })
		g.stop()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// While our own gateway is not there, a command is not acknowledged: its sender is to send it again.
func TestCommandThatNobodyHearsIsNotAcknowledged(t *testing.T) {
	b := openBroker(t, &Broker{})
	g := newGateway(t, b.Endpoint())
	b.Command = g.IsCommand
	r := dial5(t, b)
	r.connect("early")
	r.send(0x32, text5("reachy/mini/cmd/goto"), []byte{0, 1, 0}, []byte("{}"))
	if kind, body := r.ends(); kind != 0xe0 {
		t.Errorf("%x %x instead of a goodbye", kind, body)
	}
	g.start().ready()
	r = dial5(t, b)
	r.connect("early")
	r.send(0x32, text5("reachy/mini/cmd/goto"), []byte{0, 1, 0}, []byte("{}"))
	if kind, body := r.read(); kind != 0x40 {
		t.Errorf("%x %x instead of a PUBACK", kind, body)
	}
	g.waitFor("the command to be carried out", func() bool { return len(g.commander.seen()) == 1 })
}
