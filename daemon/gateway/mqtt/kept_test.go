package mqtt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/hal/waittest"
)

// What was acknowledged to clients is there after a restart: retained messages, sessions, and the messages of these, in order.
func TestRestartOfTheBroker(t *testing.T) {
	s := openStore(t)
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
	b.kept.flush()
	if left, err := store.NewBucket[keptMessage](s, "mqttqueue", store.Keep{}).List("", unlimited); err != nil || len(left) != 0 {
		t.Errorf("acknowledged, but kept: %v, %v", left, err)
	}
	dial5(t, b).connect("tablet") // a clean start without a session
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := store.NewBucket[keptSession](s, "mqttsessions", store.Keep{}).Get(hashed("tablet"))
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an ended session is kept: %v", err)
	}
}

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(0); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The largest messages survive a restart, too.
func TestRestartWithLargeMessages(t *testing.T) {
	s := openStore(t)
	b := openBroker(t, &Broker{Store: s})
	r := dial5(t, b)
	r.resume("tablet", kept5...)
	r.subscribe("x", 1)
	_ = r.conn.Close()
	const size = maxMessage - len("reachy/mini/note")
	c := newClient(t, b.URL())
	c.publish("note", strings.Repeat("n", size), true)
	c.must(c.c.Publish("x", 1, false, strings.Repeat("x", size)))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = openBroker(t, &Broker{Store: s})
	if m, _ := newClient(t, b.URL()).subscribe("reachy/mini/#").wait(0, "what was retained", on("note")); len(m.payload) != size {
		t.Errorf("%d of %d bytes were retained", len(m.payload), size)
	}
	r = dial5(t, b)
	r.resume("tablet", kept5...)
	if _, payload := r.message(); len(payload) != size {
		t.Errorf("%d of %d bytes came after the restart", len(payload), size)
	}
}

// What is retained stays until somebody deletes it, or until the time that its sender gave it has passed.
func TestRetainedMessagesDoNotExpireByThemselves(t *testing.T) {
	b := openBroker(t, &Broker{})
	retain := func(topic string, created, expiry time.Time) {
		pk := packets.Packet{
			ProtocolVersion: 5, FixedHeader: packets.FixedHeader{Type: packets.Publish, Retain: true}, TopicName: topic, Payload: []byte("x"),
			Created: created.Unix(),
		}
		if !expiry.IsZero() {
			pk.Expiry = expiry.Unix()
		}
		b.server.Topics.RetainMessage(pk)
	}
	now := time.Now()
	retain("old", now.Add(-365*24*time.Hour), time.Time{})
	for _, expired := range []string{"first", "second"} { // once the second is gone, the look that found the first has ended
		retain(expired, now.Add(-time.Hour), now.Add(-time.Minute))
		waittest.Until(t, "the end of the "+expired, func() bool {
			_, there := b.server.Topics.Retained.Get(expired)
			return !there
		})
	}
	if _, there := b.server.Topics.Retained.Get("old"); !there {
		t.Error("a message without a time to expire is gone")
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

// TestRetainedOfQoS0IsWrittenLater publishes one topic many times: what is kept is the last one, and it is there after a restart.
func TestRetainedOfQoS0IsWrittenLater(t *testing.T) {
	s := openStore(t)
	b := openBroker(t, &Broker{Store: s})
	c := newClient(t, b.URL())
	for i := range 100 {
		c.must(c.c.Publish("sensor", 0, true, fmt.Sprint(i)))
	}
	c.must(c.c.Publish("alarm", 0, true, "old"))
	c.must(c.c.Publish("alarm", 1, true, "new")) // acknowledged, so written, and everything before it was taken
	if _, err := b.kept.messages.Get(hashed("sensor")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it was written at once: %v", err)
	}
	if m, err := b.kept.messages.Get(hashed("alarm")); err != nil || string(m.Payload) != "new" {
		t.Errorf("acknowledged, and kept is %q, %v", m.Payload, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = openBroker(t, &Broker{Store: s})
	c = newClient(t, b.URL()).subscribe("#")
	for topic, want := range map[string]string{"sensor": "99", "alarm": "new"} {
		if m, _ := c.wait(0, "what was retained", on(topic)); m.payload != want {
			t.Errorf("%s: kept is %q, want %q", topic, m.payload, want)
		}
	}
}

// leaveAway leaves a subscription behind, whose client is not there.
func leaveAway(t *testing.T, b *Broker, filter string) {
	absent := dial5(t, b)
	absent.resume("tablet", kept5...)
	absent.subscribe(filter, 1)
	_ = absent.conn.Close()
}

// occupyDisk lets no change of the queue be written until free is called, or the test ends.
func occupyDisk(t *testing.T, b *Broker) (free func()) {
	b.kept.writing.Lock()
	free = sync.OnceFunc(b.kept.writing.Unlock)
	t.Cleanup(free)
	return free
}

// The disk may take seconds for what absent clients miss. Whoever publishes goes on meanwhile: a stop, and the robot's reply to it,
// once waited for the acknowledgement of every message before them.
func TestNobodyWaitsForTheDisk(t *testing.T) {
	b := openBroker(t, &Broker{Store: openStore(t)})
	leaveAway(t, b, "reachy/mini/#")
	there := newClient(t, b.URL()).subscribe("reachy/mini/#")
	sender := newClient(t, b.URL())

	const messages = 5
	free := occupyDisk(t, b)
	var tokens []paho.Token
	for i := range messages {
		tokens = append(tokens, sender.c.Publish("reachy/mini/event", 1, false, fmt.Sprint(i)))
	}
	at := 0
	for i := range messages {
		var m message
		m, at = there.wait(at, fmt.Sprintf("message %d while the disk is busy", i), on("event"))
		if m.payload != fmt.Sprint(i) {
			t.Errorf("message %d is %q", i, m.payload)
		}
	}
	for i, token := range tokens {
		select {
		case <-token.Done():
			t.Errorf("message %d is acknowledged, and not kept for a client that is not there", i)
		default:
		}
	}
	free()
	for _, token := range tokens {
		sender.must(token)
	}
	if kept, err := b.kept.queue.List("", unlimited); err != nil || len(kept) != messages {
		t.Errorf("%d of %d messages are acknowledged and kept: %v", len(kept), messages, err)
	}
}

// A client that is far ahead of the disk waits for it, so that what waits has a limit.
func TestFarAheadOfTheDisk(t *testing.T) {
	b := openBroker(t, &Broker{Store: openStore(t)})
	leaveAway(t, b, "x")
	there := newClient(t, b.URL()).subscribe("#")
	r := dial5(t, b)
	r.connect("fast")
	free := occupyDisk(t, b)
	for i := range 2 * maxUnsettled {
		r.send(0x32, text5("x"), []byte{byte((i + 1) >> 8), byte(i + 1), 0}, []byte(fmt.Sprint(i)))
	}
	last := fmt.Sprint(maxUnsettled)
	there.wait(0, "as many messages as may wait for the disk", func(m message) bool { return m.payload == last })
	if n := len(there.all("x")); n != maxUnsettled+1 { // the one more has been passed on, and waits itself
		t.Errorf("%d messages were taken, allowed are %d", n, maxUnsettled+1)
	}
	free()
	for i := range 2 * maxUnsettled {
		if kind, body := r.read(); kind != 0x40 || int(body[0])<<8|int(body[1]) != i+1 {
			t.Fatalf("acknowledgement %d is %x %x", i, kind, body)
		}
	}
}
