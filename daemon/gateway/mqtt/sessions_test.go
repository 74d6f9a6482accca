package mqtt

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/hal/waittest"
)

// Of many connections with the same client ID at the same time one stays, and that one gets messages.
func TestManyTakeOneAnothersPlace(t *testing.T) {
	b := openBroker(t, &Broker{})
	for range 20 {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				conn, err := net.Dial("tcp", b.Addr())
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				hello := bytes.Join([][]byte{text5("MQTT"), {5, 2, 0, 60, 0}, text5("same")}, nil)
				_, _ = conn.Write(append([]byte{0x10, byte(len(hello))}, hello...)) // it may be ended already
				_ = conn.SetReadDeadline(time.Now().Add(patience))
				_, _ = conn.Read(make([]byte, 1))
			})
		}
		r := dial5(t, b)
		wg.Wait()
		r.connect("same")
		r.hears(b)
	}
	connected := 0
	for _, cl := range b.server.Clients.GetAll() {
		if cl.ID == "same" && !cl.Closed() {
			connected++
		}
	}
	if connected != 1 {
		t.Errorf("%d connections have the ID", connected)
	}
}

// A client that comes as its session expires gets messages, whichever was first.
func TestClientComesAsItsSessionEnds(t *testing.T) {
	b := openBroker(t, &Broker{})
	for range 50 {
		r := dial5(t, b)
		r.resume("late", lasting5...)
		_ = r.conn.Close()
		b.until(t, "the client is absent", func() bool { return b.sessions.absent["late"] != nil })
		var wg sync.WaitGroup
		wg.Go(func() { b.sessions.end("late") })
		r = dial5(t, b)
		r.resume("late", lasting5...)
		wg.Wait()
		r.hears(b)
		r.send(0xe0, []byte{0, 5}, []byte{0x11, 0, 0, 0, 0})
		r.ends()
	}
}

func (b *Broker) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	waittest.Until(t, what, func() bool {
		b.sessions.mu.Lock()
		defer b.sessions.mu.Unlock()
		return ok()
	})
}

// Sessions of absent clients are limited in number; the oldest go, and nothing of them stays.
func TestLimitOfAbsentClients(t *testing.T) {
	b := openBroker(t, &Broker{})
	for i := range maxSessions + 10 {
		r := dial5(t, b)
		r.resume(fmt.Sprintf("absent-%d", i), lasting5...)
		r.subscribe(fmt.Sprintf("x/%d", i), 1)
		_ = r.conn.Close()
		b.until(t, "the client is absent", func() bool { return len(b.sessions.holders) == 0 })
	}
	b.until(t, "the oldest sessions end", func() bool { return len(b.sessions.absent) <= maxSessions && len(b.sessions.holders) == 0 })
	if n := b.server.Clients.Len(); n > maxSessions {
		t.Errorf("%d sessions are kept, at most %d may be", n, maxSessions)
	}
	if _, there := b.server.Clients.Get("absent-0"); there {
		t.Error("the oldest session is still there")
	}
	if size := b.server.Topics.Subscribers("x/0"); len(size.Subscriptions) != 0 {
		t.Error("the oldest session is still subscribed")
	}
}

// Many clients may leave before the first session has ended for them: each of them ends another one.
func TestManyLeaveAtOnce(t *testing.T) {
	b := openBroker(t, &Broker{})
	const more = 10
	b.sessions.mu.Lock() // no session ends meanwhile
	for i := range maxSessions + more {
		cl := b.server.NewClient(nil, networkListen, fmt.Sprintf("absent-%d", i), false)
		cl.Stop(packets.ErrServerShuttingDown)
		b.server.Clients.Add(cl)
		b.sessions.expiry[cl.ID] = maxSession
		b.sessions.leave(cl.ID)
	}
	b.sessions.mu.Unlock()
	b.until(t, "the oldest sessions end", func() bool { return len(b.sessions.absent) <= maxSessions && len(b.sessions.holders) == 0 })
	if n := b.server.Clients.Len(); n != maxSessions {
		t.Errorf("%d sessions are kept, want %d", n, maxSessions)
	}
	for i := range more {
		if _, there := b.server.Clients.Get(fmt.Sprintf("absent-%d", i)); there {
			t.Errorf("session %d is still there", i)
		}
	}
}

// A session expires when its client said, and is told the shorter time.
func TestSessionExpires(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	if pk := r.connect("a", 0x11, 0xff, 0xff, 0xff, 0xff); pk.Properties.SessionExpiryInterval != maxSession {
		t.Errorf("CONNACK says %d s, want %d", pk.Properties.SessionExpiryInterval, maxSession)
	}
	r.send(0xe0, []byte{0, 5}, []byte{0x11, 0, 0, 0, 1})
	r.ends()
	b.until(t, "the session ends", func() bool { _, there := b.server.Clients.Get("a"); return !there })
}
