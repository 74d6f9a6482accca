package mqtt

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/daemon/config"
)

// raw5 speaks MQTT 5 packet by packet.
type raw5 struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func dial5(t *testing.T, b *Broker) *raw5 {
	t.Helper()
	conn, err := net.Dial("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &raw5{t, conn, bufio.NewReader(conn)}
}

func (r *raw5) send(kind byte, parts ...[]byte) {
	r.t.Helper()
	body := bytes.Join(parts, nil)
	if _, err := r.conn.Write(append(binary.AppendUvarint([]byte{kind}, uint64(len(body))), body...)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw5) read() (kind byte, body []byte) {
	r.t.Helper()
	kind, err := r.in.ReadByte()
	if err != nil {
		r.t.Fatal(err)
	}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		r.t.Fatal(err)
	}
	body = make([]byte, n)
	if _, err := io.ReadFull(r.in, body); err != nil {
		r.t.Fatal(err)
	}
	return kind, body
}

func text5(s string) []byte { return append(binary.BigEndian.AppendUint16(nil, uint16(len(s))), s...) }

// connect says who we are and returns the CONNACK.
func (r *raw5) connect(id string, properties ...byte) packets.Packet {
	r.t.Helper()
	r.send(0x10, text5("MQTT"), []byte{5, 2, 0, 60, byte(len(properties))}, properties, text5(id))
	kind, body := r.read()
	pk := packets.Packet{ProtocolVersion: 5, FixedHeader: packets.FixedHeader{Type: packets.Connack, Remaining: len(body)}}
	if err := pk.ConnackDecode(body); err != nil || kind != 0x20 || pk.ReasonCode != 0 {
		r.t.Fatalf("CONNACK: %x %x, %v", kind, body, err)
	}
	return pk
}

func TestPacketLimitIsTold(t *testing.T) {
	if pk := dial5(t, openBroker(t, &Broker{})).connect("a"); pk.Properties.MaximumPacketSize != MaxPacket {
		t.Errorf("CONNACK says %d, want %d", pk.Properties.MaximumPacketSize, MaxPacket)
	}
}

// A PUBACK that carries the user properties of the message has a reason code, which clients took for a failure.
func TestAcknowledgementOfUserPropertiesIsASuccess(t *testing.T) {
	r := dial5(t, openBroker(t, &Broker{}))
	r.connect("a")
	property := append([]byte{0x26}, append(text5("k"), text5("v")...)...)
	r.send(0x32, text5("x"), []byte{0, 1, byte(len(property))}, property, []byte("payload"))
	kind, body := r.read()
	if kind != 0x40 || len(body) < 2 || len(body) > 2 && body[2] != 0 && body[2] != 0x10 {
		t.Errorf("PUBACK: %x %x", kind, body)
	}
}

// A client with a receive maximum gets all messages, in order, as it acknowledges them.
func TestReceiveMaximum(t *testing.T) {
	b := openBroker(t, &Broker{})
	r := dial5(t, b)
	const most, messages = 20, 60
	r.connect("slow", 0x21, 0, most)
	r.send(0x82, []byte{0, 1, 0}, text5("x"), []byte{1})
	if kind, body := r.read(); kind != 0x90 || body[len(body)-1] != 1 {
		t.Fatalf("SUBACK: %x %x", kind, body)
	}
	c := newClient(t, b.URL())
	for i := range messages {
		c.must(c.c.Publish("x", 1, false, fmt.Sprint(i)))
	}
	c.subscribe("reachy/mini/end").publish("end", "", false) // the library acknowledges a message before it passes it on
	c.wait(0, "the end of what was published", on("end"))
	for i := range messages {
		kind, body := r.read()
		topic := 2 + len("x")
		if got := string(body[topic+3+int(body[topic+2]):]); kind&0xf6 != 0x32 || got != fmt.Sprint(i) {
			t.Fatalf("message %d: %x %q", i, kind, got)
		}
		r.send(0x40, body[topic:topic+2])
	}
}

func TestSessionOfAnotherUserIsNotTakenOver(t *testing.T) {
	b := openBroker(t, &Broker{Users: []config.User{{Name: "alice", Password: "a"}, {Name: "bob", Password: "b"}}})
	kept := func(o *paho.ClientOptions) { o.SetClientID("tablet").SetCleanSession(false) }
	alice := newClient(t, b.URL(), as("alice", "a"), kept).subscribe("reachy/mini/secret")
	alice.c.Disconnect(100)
	newClient(t, b.URL(), as("alice", "a")).publish("secret", "for alice", false)
	if err := refused(t, b.URL(), as("bob", "b"), kept); err == nil || !strings.Contains(err.Error(), "not Authorized") {
		t.Errorf("bob came in as alice's tablet: %v", err)
	}
	newClient(t, b.URL(), as("alice", "a"), kept) // she may come back
}

// A group may be subscribed to by whoever may have its topics, and its messages go to those: who joins it with a wildcard takes none.
func TestSharedSubscriptions(t *testing.T) {
	b := openBroker(t, &Broker{Users: []config.User{
		{Name: "alice", Password: "a", Subscribe: []string{"reachy/mini/work"}}, {Name: "eve", Password: "e", Subscribe: []string{"other"}},
	}})
	newClient(t, b.URL(), as("alice", "a")).subscribe("$share/g/reachy/mini/work") // she may, in another client
	alice := newClient(t, b.URL(), as("alice", "a")).subscribe("$share/h/reachy/mini/+")
	newClient(t, b.URL(), as("eve", "e")).subscribe("$share/h/reachy/mini/+")
	from := newClient(t, b.URL(), as("alice", "a"))
	const messages = 40
	for i := range messages {
		from.publish("work", fmt.Sprint(i), false)
	}
	alice.wait(0, "the last message", is("work", fmt.Sprint(messages-1)))
	if n := len(alice.all("work")); n != messages {
		t.Errorf("alice got %d of %d messages", n, messages)
	}
}
