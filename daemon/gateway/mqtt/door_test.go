package mqtt

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/waittest"
)

// failing is a listener whose first connections cannot be accepted.
type failing struct {
	net.Listener
	left int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.left > 0 {
		f.left--
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// Too many open files do not close the door for ever.
func TestDoorStaysOpen(t *testing.T) {
	b := openBroker(t, &Broker{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := b.newDoor("other", &failing{l, 3}, 2, 1)
	d.admit()
	done := make(chan struct{})
	go func() { defer close(done); d.Serve(b.server.EstablishConnection) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write([]byte{0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 1, 'a'})
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := conn.Read(make([]byte, 4)); err != nil {
		t.Errorf("no CONNACK: %v", err)
	}
	d.closeAll()
	<-done
}

// Other hosts may have so many connections each; this host is not limited but by all.
func TestConnectionsOfOneHost(t *testing.T) {
	b := openBroker(t, &Broker{})
	d := b.newDoor("other", nil, 10, 2)
	add := func(host string) bool {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { _ = theirs.Close() })
		c := d.add(&fromHost{ours, host})
		if c != nil {
			t.Cleanup(func() { _ = c.Close() })
		}
		return c != nil
	}
	for i, want := range []bool{true, true, false} {
		if add("192.0.2.1") != want {
			t.Errorf("connection %d of another host: want %v", i+1, want)
		}
	}
	if !add("192.0.2.2") {
		t.Error("a second host is refused")
	}
	for range 7 {
		if !add("127.0.0.1") {
			t.Error("this host may have as many as there are")
		}
	}
	if add("127.0.0.1") {
		t.Error("one more than there may be")
	}
}

type fromHost struct {
	net.Conn
	host string
}

func (f *fromHost) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.host), Port: 1} }

// Clients that stop in the middle of large packets keep others from sending large ones only until they are ended.
func TestLargePacketsThatDoNotEnd(t *testing.T) {
	b := openBroker(t, &Broker{})
	var stalled []*raw5
	for i := range largeAtOnce {
		r := dial5(t, b)
		r.connect(fmt.Sprint("stalled-", i))
		if _, err := r.conn.Write(append(binary.AppendUvarint([]byte{0x30}, MaxPacket-1), text5("x")...)); err != nil {
			t.Fatal(err)
		}
		stalled = append(stalled, r)
	}
	waittest.Until(t, "large packets that have entered", func() bool { return len(b.room.slots) == largeAtOnce })
	r := dial5(t, b)
	r.connect("small")
	r.hears(b) // small ones pass
	c := newClient(t, b.URL())
	large := c.c.Publish("y", 1, false, make([]byte, 1<<20))
	if large.WaitTimeout(50 * time.Millisecond) {
		t.Error("a large one passed, though there was no room")
	}
	_ = stalled[0].conn.Close()
	c.must(large)

	r.send(0x82, make([]byte, smallPacket+1))
	r.ends()
}

// A few at a time begin sessions and subscribe; who ends waits for nobody, as somebody may wait for its end.
func TestTurns(t *testing.T) {
	turns := make(chan struct{}, maxTurns)
	stranger := func() *trackedConn {
		ctx, cancel := context.WithCancel(t.Context())
		return &trackedConn{ctx: ctx, cancel: cancel, turns: turns}
	}
	var first []*trackedConn
	for range maxTurns {
		c := stranger()
		c.take()
		c.take() // the second costs no other turn
		first = append(first, c)
	}
	next, leaving := stranger(), stranger()
	had := make(chan struct{})
	go func() {
		next.take()
		close(had)
	}()
	leaving.cancel()
	leaving.take()
	if leaving.turn || next.turn {
		t.Fatal("a turn was given that nobody had given back")
	}
	leaving.give()
	if len(turns) != maxTurns {
		t.Fatal("who had no turn gave one back")
	}
	first[0].give()
	<-had
	if !next.turn || first[0].turn || len(turns) != maxTurns {
		t.Error("the next one has no turn")
	}
}

// With every turn taken those that are there are served, and who comes then waits and is served in the end.
func TestClientsBesideTakenTurns(t *testing.T) {
	b := openBroker(t, &Broker{})
	there := dial5(t, b)
	there.connect("there")
	there.subscribe("x", 0)
	speaks := newClient(t, b.URL())
	for range maxTurns {
		b.turns <- struct{}{}
	}
	speaks.must(speaks.c.Publish("x", 1, false, "hello"))
	if _, payload := there.message0(); payload != "hello" {
		t.Errorf("got %q", payload)
	}
	late := dial5(t, b)
	go func() {
		for range maxTurns {
			<-b.turns
		}
	}()
	late.connect("late")
	late.hears(b)
}
