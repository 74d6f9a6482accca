package mqtt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/daemon/store"
)

// What was acknowledged to clients is there after a restart: retained messages, sessions, and the messages of these, in order.
func TestRestartOfTheBroker(t *testing.T) {
	s, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(0); err != nil {
			t.Error(err)
		}
	})
	b := openBroker(t, &Broker{Store: s})
	r := dial5(t, b)
	r.resume("tablet", kept5...)
	r.subscribe("x", 1)
	c := newClient(t, b.URL())
	c.publish("note", "remember", true)
	c.publish("gone", "first", true)
	c.publish("gone", "", true)
	const messages = 5
	for i := range messages {
		c.must(c.c.Publish("x", 1, false, fmt.Sprint(i)))
		if there, err := b.kept.queue.List("", unlimited); err != nil || len(there) != i+1 {
			t.Fatalf("%d messages were acknowledged, %d are kept, %v", i+1, len(there), err)
		}
	}
	first, _ := r.message()
	r.send(0x40, first)
	for range messages - 1 {
		r.message()
	}
	r.quiet()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}

	b = openBroker(t, &Broker{Store: s})
	late := newClient(t, b.URL()).subscribe("reachy/mini/#")
	if m, _ := late.wait(0, "what was retained", on("note")); m.payload != "remember" || !m.retained {
		t.Errorf("%+v", m)
	}
	if gone := late.all("gone"); len(gone) != 0 {
		t.Errorf("deleted, but there: %+v", gone)
	}
	late.must(late.c.Publish("x", 1, false, fmt.Sprint(messages))) // the session is subscribed, though its client is not there
	r = dial5(t, b)
	r.resume("tablet", kept5...)
	var got []string
	for range messages {
		id, payload := r.message()
		got = append(got, payload)
		r.send(0x40, id)
	}
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(got, want) {
		t.Errorf("after the restart came %q, want %q", got, want)
	}
	r.quiet()
	if left, err := store.NewBucket[keptMessage](s, "mqttqueue", store.Keep{}).List("", unlimited); err != nil || len(left) != 0 {
		t.Errorf("acknowledged, but kept: %v, %v", left, err)
	}
	dial5(t, b).connect("tablet") // a clean start without a session
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = store.NewBucket[keptSession](s, "mqttsessions", store.Keep{}).Get(hashed("tablet"))
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an ended session is kept: %v", err)
	}
}

func TestLimitOfRetainedMessages(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.connect("a")
	retain := func(topic string, payload []byte) byte {
		t.Helper()
		r.send(0x33, text5(topic), []byte{0, 1, 0}, payload)
		kind, body := r.read()
		if kind != 0x40 {
			t.Fatalf("PUBACK: %x %x", kind, body)
		}
		return append(body, 0)[2]
	}
	payload := bytes.Repeat([]byte("x"), 1<<20)
	for i := range 7 {
		if code := retain(fmt.Sprint(i), payload); code >= packets.ErrUnspecifiedError.Code {
			t.Fatalf("message %d is refused: %x", i, code)
		}
	}
	retain("7", payload)
	if code := retain("8", payload); code != packets.ErrQuotaExceeded.Code {
		t.Errorf("above the limit: %x", code)
	}
	if code := retain("0", payload[:1]); code >= packets.ErrUnspecifiedError.Code {
		t.Errorf("a smaller message instead of another is refused: %x", code)
	}
	sum := 0
	for topic, pk := range b.server.Topics.Retained.GetAll() {
		if topic[0] != '$' {
			sum += len(pk.Payload) + len(topic)
		}
	}
	if sum > maxRetained {
		t.Errorf("%d bytes are retained, at most %d may be", sum, maxRetained)
	}
}

// The messages of an absent client are limited in bytes.
func TestLimitOfSessions(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.resume("absent", kept5...)
	r.subscribe("x", 1)
	_ = r.conn.Close()
	c := newClient(t, b.URL())
	for range 12 {
		c.must(c.c.Publish("x", 1, false, make([]byte, 1<<20)))
	}
	cl, there := b.server.Clients.Get("absent")
	if !there {
		t.Fatal("the session is gone")
	}
	if n := cl.State.Inflight.Len(); n != maxSessionBytes>>20-1 {
		t.Errorf("%d messages of 1 MiB are kept, want %d", n, maxSessionBytes>>20-1)
	}
}
