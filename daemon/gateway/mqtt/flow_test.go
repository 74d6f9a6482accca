package mqtt

import (
	"bytes"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/hal/waittest"
)

// kept5 are the properties of a session that outlives its connection, with a receive maximum of 20.
var kept5 = []byte{0x11, 0, 0, 0x0e, 0x10, 0x21, 0, 20}

// resume connects without a clean start.
func (r *raw5) resume(id string, properties ...byte) {
	r.t.Helper()
	r.send(0x10, text5("MQTT"), []byte{5, 0, 0, 60, byte(len(properties))}, properties, text5(id))
	if kind, body := r.read(); kind != 0x20 || body[1] != 0 {
		r.t.Fatalf("CONNACK: %x %x", kind, body)
	}
}

func (r *raw5) subscribe(filter string, qos byte) {
	r.t.Helper()
	r.send(0x82, []byte{0, 1, 0}, text5(filter), []byte{qos})
	if kind, body := r.read(); kind != 0x90 || body[len(body)-1] != qos {
		r.t.Fatalf("SUBACK: %x %x", kind, body)
	}
}

// message reads a message on the topic x.
func (r *raw5) message() (id []byte, payload string) {
	r.t.Helper()
	kind, body := r.read()
	if kind>>4 != packets.Publish {
		r.t.Fatalf("%x %x instead of a message", kind, body)
	}
	at := 2 + len("x")
	return body[at : at+2], string(body[at+3+int(body[at+2]):])
}

// quiet asserts that the next packet is the answer to a ping.
func (r *raw5) quiet() {
	r.t.Helper()
	r.send(0xc0)
	if kind, body := r.read(); kind != 0xd0 {
		r.t.Fatalf("more than the receive maximum: %x %x", kind, body)
	}
}

// What a client has not acknowledged comes again in order, and no more at a time than it takes; none of it is counted twice.
func TestReceiveMaximumAfterReconnection(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	const most, messages = 20, 60
	r.resume("slow", kept5...)
	r.subscribe("x", 1)
	c := newClient(t, b.URL())
	for i := range messages {
		c.must(c.c.Publish("x", 1, false, fmt.Sprint(i)))
	}
	for range most {
		r.message()
	}
	r.quiet()
	_ = r.conn.Close()
	r = dial5(t, b)
	r.resume("slow", kept5...)
	var ids [][]byte
	for i := range most {
		id, payload := r.message()
		if payload != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, payload)
		}
		ids = append(ids, id)
	}
	r.quiet()
	for i := range messages {
		r.send(0x40, ids[i])
		if i+most < messages {
			id, payload := r.message()
			if payload != fmt.Sprint(i+most) {
				t.Fatalf("message %d is %q", i+most, payload)
			}
			ids = append(ids, id)
		}
	}
	r.quiet()
	if n := atomic.LoadInt64(&b.server.Info.Inflight); n != 0 {
		t.Errorf("%d messages are in flight", n)
	}
}

// A client publishes with the packet ID of a message to it, which it has not acknowledged: that comes again nevertheless.
func TestSamePacketIDInBothDirections(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.resume("a", kept5...)
	r.subscribe("x", 1)
	c := newClient(t, b.URL())
	c.must(c.c.Publish("x", 1, false, "hello"))
	id, _ := r.message()
	r.send(0x32, text5("y"), id, []byte{0}, []byte("payload"))
	if kind, body := r.read(); kind != 0x40 || !bytes.Equal(body[:2], id) {
		t.Fatalf("PUBACK: %x %x", kind, body)
	}
	_ = r.conn.Close()
	r = dial5(t, b)
	r.resume("a", kept5...)
	if _, payload := r.message(); payload != "hello" {
		t.Errorf("%q came again", payload)
	}
}

// A message to $SYS is refused, not ignored: its sender would wait, and send it again after every reconnection.
func TestPublishToSystemTopicIsAnswered(t *testing.T) {
	r := dial5(t, openBroker(t, &Broker{}))
	r.connect("a")
	r.send(0x32, text5("$SYS/x"), []byte{0, 7, 0}, []byte("payload"))
	if kind, body := r.read(); kind != 0x40 || !bytes.Equal(body[:3], []byte{0, 7, packets.ErrNotAuthorized.Code}) {
		t.Errorf("PUBACK: %x %x", kind, body)
	}
	r.send(0x34, text5("$SYS/x"), []byte{0, 8, 0}, []byte("payload"))
	if kind, body := r.read(); kind != 0x50 || !bytes.Equal(body[:3], []byte{0, 8, packets.ErrNotAuthorized.Code}) {
		t.Errorf("PUBREC: %x %x", kind, body)
	}
}

// Who subscribes and does not read is disconnected before the broker holds more than its limit for it.
func TestClientThatDoesNotReadIsDisconnected(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.connect("slow")
	r.subscribe("x", 1)
	c := newClient(t, b.URL())
	payload := make([]byte, 1<<20)
	for range 64 {
		c.must(c.c.Publish("x", 0, false, payload))
		c.must(c.c.Publish("x", 1, false, payload))
		b.backlog.mu.Lock()
		if sum := b.backlog.sum; sum > maxOutgoing+2*len(payload) {
			t.Errorf("%d bytes wait, at most %d may", sum, maxOutgoing)
		}
		b.backlog.mu.Unlock()
	}
	waittest.Until(t, "the end of the client", func() bool {
		cl, there := b.server.Clients.Get("slow")
		return !there || cl.Closed()
	})
}

// What nobody must acknowledge is dropped for a client that is slow; it is disconnected once it has taken nothing for a while.
func TestSlowClientLosesUnacknowledgedMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		all := &backlog{sizes: map[*outgoing]int{}}
		o := newOutgoing(ours, all, func() {})
		packet := make([]byte, 1<<20)
		packet[0] = packets.Publish << 4
		for range 64 {
			if err := o.write(packet); err != nil {
				t.Fatal(err)
			}
		}
		if all.sum > maxOutgoing/2+len(packet) {
			t.Errorf("%d bytes wait, at most %d may", all.sum, maxOutgoing/2)
		}
		time.Sleep(slowTimeout + time.Second)
		if err := o.write(packet); err == nil {
			t.Error("a client that takes nothing is kept")
		}
		all.writers.Wait()
		if all.sum != 0 {
			t.Errorf("%d bytes wait for nobody", all.sum)
		}
		_ = theirs.Close()
	})
}

// Together clients may have no more than maxAllOutgoing; the one with the most goes.
func TestAllClientsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := &backlog{sizes: map[*outgoing]int{}}
		var outs []*outgoing
		var peers []net.Conn
		packet := append([]byte{packets.Publish<<4 | 2, 0x80, 0x80, 0x40, 0, 1, 'x', 0, 1}, make([]byte, 1<<20)...)
		for i := range 4 {
			ours, theirs := net.Pipe()
			outs, peers = append(outs, newOutgoing(ours, all, func() {})), append(peers, theirs)
			for range 9 + i/3 { // the last has the most
				_ = outs[i].write(packet)
			}
		}
		synctest.Wait()
		if all.sum > maxAllOutgoing {
			t.Errorf("%d bytes wait, at most %d may", all.sum, maxAllOutgoing)
		}
		gone := 0
		for _, o := range outs {
			o.mu.Lock()
			if o.closed {
				gone++
			}
			o.mu.Unlock()
		}
		if gone != 1 {
			t.Errorf("%d clients were disconnected, want 1", gone)
		}
		for i, o := range outs {
			o.close()
			_ = peers[i].Close()
		}
		all.writers.Wait()
	})
}
