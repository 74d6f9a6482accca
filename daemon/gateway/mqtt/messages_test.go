package mqtt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/daemon/config"
)

// lasting5 are the properties of a session that outlives its connection by an hour.
var lasting5 = []byte{0x11, 0, 0, 0x0e, 0x10}

// hears asserts that a client gets what is published now.
func (r *raw5) hears(b *Broker) {
	r.t.Helper()
	r.subscribe("x", 0)
	c := newClient(r.t, b.URL())
	c.must(c.c.Publish("x", 1, false, "hello"))
	if _, payload := r.message0(); payload != "hello" {
		r.t.Errorf("got %q", payload)
	}
}

// message0 reads a message of QoS 0 on the topic x.
func (r *raw5) message0() (kind byte, payload string) {
	r.t.Helper()
	kind, body := r.read()
	if kind>>4 != packets.Publish || len(body) < 4 {
		r.t.Fatalf("%x %x instead of a message", kind, body)
	}
	return kind, string(body[4:])
}

// ends asserts that the broker ends the connection, and returns the last packet before.
func (r *raw5) ends() (kind byte, body []byte) {
	r.t.Helper()
	for {
		next, err := r.in.ReadByte()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
				r.t.Errorf("the connection is still there: %v", err)
			}
			return kind, body
		}
		n, err := binary.ReadUvarint(r.in)
		if err != nil {
			r.t.Fatal(err)
		}
		kind, body = next, make([]byte, n)
		if _, err := io.ReadFull(r.in, body); err != nil {
			r.t.Fatal(err)
		}
	}
}

// A message that has become too large for its client is lost, not the client: the library ended every new connection over it.
func TestMessageTooLargeForItsClient(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.resume("small", lasting5...)
	r.subscribe("x", 1)
	_ = r.conn.Close()
	c := newClient(t, b.URL())
	for _, size := range []int{10, 1000, 20} {
		c.must(c.c.Publish("x", 1, false, strings.Repeat("m", size)))
	}
	limited := append(append([]byte{}, lasting5...), 0x27, 0, 0, 0, 100)
	for range 2 { // unacknowledged ones come again
		r = dial5(t, b)
		r.resume("small", limited...)
		for _, size := range []int{10, 20} {
			if _, payload := r.message(); len(payload) != size {
				t.Errorf("a message of %d bytes instead of %d", len(payload), size)
			}
		}
		c.must(c.c.Publish("x", 1, false, strings.Repeat("m", 1000)))
		r.quiet()
		_ = r.conn.Close()
	}
}

// A topic that makes clients end the connection is not passed on, nor kept as a last will.
func TestTopicsThatWouldEndConnections(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.connect("a")
	deep := strings.Repeat("a/", maxLevels) + "a"
	for i, topic := range []string{"x\u0085", "x\u0001", "x\ufffe", deep, strings.Repeat("x", maxTopic+1)} {
		r.send(0x33, text5(topic), []byte{0, byte(i + 1), 0}, []byte("payload"))
		if kind, body := r.read(); kind != 0x40 || !bytes.Equal(body[:3], []byte{0, byte(i + 1), packets.ErrTopicNameInvalid.Code}) {
			t.Errorf("%.20q: %x %x", topic, kind, body)
		}
	}
	property := append([]byte{0x26}, append(text5("k\u0085"), text5("v")...)...)
	r.send(0x33, text5("x"), []byte{0, 9, byte(len(property))}, property, []byte("payload"))
	if kind, body := r.read(); kind != 0x40 || body[2] != packets.ErrMalformedPacket.Code {
		t.Errorf("a property: %x %x", kind, body)
	}
	for _, topic := range []string{"#", "reachy/+/x", "x\u0085", "$SYS/x"} {
		w := dial5(t, b)
		w.send(0x10, text5("MQTT"), []byte{5, 2 | 4 | 32, 0, 60, 0}, text5("w"), []byte{0}, text5(topic), text5("gone"))
		if kind, body := w.read(); kind != 0x20 || body[1] < packets.ErrUnspecifiedError.Code {
			t.Errorf("will on %q: %x %x", topic, kind, body)
		}
		w.ends()
	}
	for topic := range b.server.Topics.Retained.GetAll() {
		if topic[0] != '$' {
			t.Errorf("%q is retained", topic)
		}
	}
	r.hears(b)
}

// An empty password is one, and an empty last will deletes what was retained.
func TestEmptyPasswordAndEmptyWill(t *testing.T) {
	b := openBroker(t, &Broker{Users: []config.User{{Name: "a", Password: ""}}})
	c := newClient(t, b.URL(), as("a", "")).subscribe("reachy/mini/#")
	c.publish("here", "yes", true)
	w := dial5(t, b)
	w.send(0x10, text5("MQTT"), []byte{5, 2 | 4 | 32 | 0xc0, 0, 60, 0}, text5("w"), []byte{0}, text5("reachy/mini/here"), text5(""), text5("a"), text5(""))
	if kind, body := w.read(); kind != 0x20 || body[1] != 0 {
		t.Fatalf("CONNACK: %x %x", kind, body)
	}
	_ = w.conn.Close()
	c.wait(0, "the will", is("here", ""))
	newClient(t, b.URL(), as("a", "")).publish("end", "x", true)
	late := newClient(t, b.URL(), as("a", "")).subscribe("reachy/mini/#")
	late.wait(0, "the end", on("end"))
	if got := late.all("here"); len(got) != 0 {
		t.Errorf("still retained: %v", got)
	}
}

// The library takes the keep-alive one and a half times in 16 bits: at 43 691 s the connection ended at once, always.
func TestLongKeepAlive(t *testing.T) {
	b := openBroker(t, &Broker{})
	for _, seconds := range []uint16{longestKeepAlive + 1, 65535} {
		r := dial5(t, b)
		r.send(0x10, text5("MQTT"), binary.BigEndian.AppendUint16([]byte{5, 2}, seconds), []byte{0}, text5("patient"))
		kind, body := r.read()
		pk := packets.Packet{ProtocolVersion: 5, FixedHeader: packets.FixedHeader{Type: packets.Connack, Remaining: len(body)}}
		if err := pk.ConnackDecode(body); kind != 0x20 || err != nil || pk.Properties.ServerKeepAlive != longestKeepAlive {
			t.Errorf("%d s: CONNACK %x %x, keep-alive %d, %v", seconds, kind, body, pk.Properties.ServerKeepAlive, err)
		}
		r.hears(b)
	}
}

// A client may subscribe with the packet ID of a message that it has not acknowledged.
func TestSubscriptionWithTheIDOfAMessage(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.connect("a")
	r.subscribe("x", 1)
	c := newClient(t, b.URL())
	c.must(c.c.Publish("x", 1, false, "unacknowledged"))
	id, _ := r.message()
	r.send(0x82, id, []byte{0}, text5("y"), []byte{1})
	if kind, body := r.read(); kind != 0x90 || !bytes.Equal(body, append(append([]byte{}, id...), 0, 1)) {
		t.Errorf("SUBACK: %x %x", kind, body)
	}
	r.send(0xa2, id, []byte{0}, text5("y"))
	if kind, body := r.read(); kind != 0xb0 || !bytes.Equal(body, append(append([]byte{}, id...), 0, 0)) {
		t.Errorf("UNSUBACK: %x %x", kind, body)
	}
}

// Messages of QoS 2 in both directions may have the same packet ID, and both are passed on once.
func TestQoS2WithTheSameIDInBothDirections(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.connect("a")
	r.subscribe("x", 1)
	c := newClient(t, b.URL()).subscribe("reachy/mini/y")
	for range 2 * maxInflight { // the library let each of these take one of the messages that it takes unreleased
		c.must(c.c.Publish("x", 1, false, "to a"))
		id, _ := r.message()
		r.send(0x34, text5("reachy/mini/y"), id, []byte{0}, []byte("from a"))
		if kind, body := r.read(); kind != 0x50 || len(body) > 2 && body[2] != 0 {
			t.Fatalf("PUBREC: %x %x", kind, body)
		}
		r.send(0x40, id)
		r.send(0x62, id)
		if kind, body := r.read(); kind != 0x70 || len(body) > 2 && body[2] != 0 {
			t.Fatalf("PUBCOMP: %x %x", kind, body)
		}
	}
	c.wait(2*maxInflight-1, "every message", on("y"))
	if n := len(c.all("y")); n != 2*maxInflight {
		t.Errorf("%d messages arrived, want %d", n, 2*maxInflight)
	}
}

// An alias of a former connection means nothing: a message that comes again has its topic.
func TestTopicAliases(t *testing.T) {
	b := openBroker(t, &Broker{Users: []config.User{{Name: "a", Password: "a", Publish: []string{"x"}}}})
	login := func(r *raw5, id string, flags byte, properties ...byte) {
		t.Helper()
		r.send(0x10, text5("MQTT"), []byte{5, flags | 0xc0, 0, 60, byte(len(properties))}, properties, text5(id), text5("a"), text5("a"))
		if kind, body := r.read(); kind != 0x20 || body[1] != 0 {
			t.Fatalf("CONNACK: %x %x", kind, body)
		}
	}
	with := append(append([]byte{}, lasting5...), 0x22, 0, 10)
	r := dial5(t, b)
	login(r, "a", 0, with...)
	r.subscribe("x", 1)
	from := dial5(t, b)
	login(from, "b", 2)
	for i, topic := range []string{"x", "", ""} { // the client's own alias stands for the topic, also where rules are asked
		from.send(0x32, text5(topic), []byte{0, byte(i + 1), 3, 0x23, 0, 1}, []byte(fmt.Sprint(i)))
		if kind, body := from.read(); kind != 0x40 || len(body) > 2 && body[2] >= packets.ErrUnspecifiedError.Code {
			t.Errorf("PUBACK: %x %x", kind, body)
		}
	}
	for range 2 {
		for i := range 3 {
			if _, payload := r.message(); payload != fmt.Sprint(i) { // message wants the topic
				t.Errorf("message %d is %q", i, payload)
			}
		}
		_ = r.conn.Close()
		r = dial5(t, b)
		login(r, "a", 0, with...)
	}
	from.send(0x32, text5(""), []byte{0, 9, 3, 0x23, 0, 2}, []byte("unknown"))
	if kind, body := from.ends(); kind != 0xe0 || body[0] != packets.ErrTopicAliasInvalid.Code {
		t.Errorf("an alias that stands for nothing: %x %x", kind, body)
	}
}

// Subscriptions and properties are limited by the memory that they take.
func TestLimitOfSubscriptionsAndProperties(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	r.connect("greedy")
	refused := 0
	for i := range 2 * maxSubscriptions / (maxLevels * perLevel) {
		r.send(0x82, []byte{0, 1, 0}, text5(fmt.Sprint(i)+strings.Repeat("/a", maxLevels-1)), []byte{0})
		if kind, body := r.read(); kind != 0x90 {
			t.Fatalf("%x %x", kind, body)
		} else if body[len(body)-1] == packets.ErrTopicFilterInvalid.Code {
			refused++
		}
	}
	if refused < maxSubscriptions/(maxLevels*perLevel) {
		t.Errorf("only %d were refused", refused)
	}
	for _, filter := range []string{"a+", "+a/b", "a#", "#/a", "a/#/b", strings.Repeat("/", maxLevels)} {
		r.send(0x82, []byte{0, 1, 0}, text5(filter), []byte{0})
		if _, body := r.read(); body[len(body)-1] != packets.ErrTopicFilterInvalid.Code {
			t.Errorf("%.20q: %x", filter, body)
		}
	}
	_ = r.conn.Close()
	r = dial5(t, b)
	r.connect("other") // what is free again may be had by others
	b.until(t, "the subscriptions of the client that is gone are forgotten", func() bool { return b.strict.subscriptions.size("greedy") == 0 })
	r.subscribe("x", 0)

	property := bytes.Repeat([]byte{0x26, 0, 0, 0, 0}, maxProperties/perProperty)
	length := binary.AppendUvarint(nil, uint64(len(property)))
	r.send(0x33, text5("y"), []byte{0, 7}, length, property, []byte("payload"))
	if kind, body := r.read(); kind != 0x40 || body[2] != packets.ErrQuotaExceeded.Code {
		t.Errorf("properties: %x %x", kind, body)
	}
	many := bytes.Repeat(append(text5("a"), 0), maxFilters+1)
	r.send(0x82, []byte{0, 8, 0}, many)
	if kind, body := r.ends(); kind != 0xe0 || body[0] != packets.ErrQuotaExceeded.Code {
		t.Errorf("filters: %x %x", kind, body)
	}
}

// However many clients are there, our own gateway comes in.
func TestGatewayHasAPlaceOfItsOwn(t *testing.T) {
	b := openBroker(t, &Broker{})
	for i := range MaxClients {
		dial5(t, b).connect(fmt.Sprint(i))
	}
	newGateway(t, b.Endpoint()).start().ready()
}

// A version before 5 cannot be told that it may not publish something: its message is acknowledged and dropped, as the connection
// would end again over the same message for ever.
func TestForbiddenMessageDoesNotComeAgain(t *testing.T) {
	b := openBroker(t, &Broker{Users: []config.User{{Name: "a", Password: "a", Publish: []string{"x"}}, {Name: "all", Password: "a"}}})
	listener := newClient(t, b.URL(), as("all", "a")).subscribe("reachy/mini/#")
	c := newClient(t, b.URL(), as("a", "a"), func(o *paho.ClientOptions) {
		o.SetConnectionLostHandler(func(_ paho.Client, err error) { t.Errorf("the connection ended: %v", err) })
	})
	c.must(c.c.Publish("reachy/mini/forbidden", 1, false, "x"))
	c.must(c.c.Publish("$other", 1, false, "x"))
	c.must(c.c.Publish("x", 1, false, "x"))
	newClient(t, b.URL(), as("all", "a")).publish("end", "x", false)
	listener.wait(0, "the end", on("end"))
	if got := listener.all("forbidden"); len(got) != 0 {
		t.Errorf("it was passed on: %v", got)
	}
}
