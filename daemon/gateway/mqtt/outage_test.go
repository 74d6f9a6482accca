package mqtt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
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

// disconnected waits until the gateway knows that the broker is gone.
func (r *running) disconnected() {
	r.t.Helper()
	r.waitFor("the loss of the connection", func() bool { c := r.Connection(); return !c.Connected && c.Attempts > 0 })
}

func (r *running) waitFor(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			r.t.Fatalf("waited in vain for %s: %+v", what, r.Connection())
		}
		time.Sleep(2 * time.Millisecond) // between two looks at a goroutine that tells nobody
	}
}
