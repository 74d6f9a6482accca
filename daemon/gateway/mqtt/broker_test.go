package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/config"
)

func as(user, password string) func(*paho.ClientOptions) {
	return func(o *paho.ClientOptions) { o.SetUsername(user).SetPassword(password) }
}

// refused checks that a connection is not made.
func refused(t *testing.T, url string, change ...func(*paho.ClientOptions)) error {
	t.Helper()
	opts := paho.NewClientOptions().AddBroker(url).SetClientID("refused").SetConnectTimeout(patience).SetProtocolVersion(4).SetAutoReconnect(false)
	for _, f := range change {
		f(opts)
	}
	c := paho.NewClient(opts)
	tok := c.Connect()
	if !tok.WaitTimeout(patience) {
		t.Fatal("the broker does not answer")
	}
	if tok.Error() == nil {
		c.Disconnect(100)
		t.Error("was let in")
	}
	return tok.Error()
}

func TestNextFreePort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	b := openBroker(t, &Broker{Listen: taken.Addr().String()})
	if b.Addr() == taken.Addr().String() || !strings.HasPrefix(b.URL(), "mqtt://127.0.0.1:") {
		t.Errorf("address %s, URL %s", b.Addr(), b.URL())
	}
	newClient(t, b.URL())

	everywhere, err := net.Listen("tcp", "0.0.0.0:0") // somebody may rely on just this port
	if err != nil {
		t.Fatal(err)
	}
	defer everywhere.Close()
	other := Broker{Listen: everywhere.Addr().String()}
	other.Listen = "0.0.0.0" + other.Listen[strings.LastIndex(other.Listen, ":"):]
	if err := other.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "mqtt.listen") {
		t.Errorf("a taken port that is not of the loopback interface: %v", err)
		_ = other.Close()
	}
}

func TestUsersAndTheirTopics(t *testing.T) {
	b := openBroker(t, &Broker{Users: []config.User{
		{Name: "alice", Password: "a"},
		{Name: "wall", Password: "w", Publish: []string{"reachy/mini/cmd/stop"}, Subscribe: []string{"reachy/mini/state", "reachy/+/event/#"}},
		{Name: "eye", Password: "e", Publish: []string{}},
	}})
	for _, x := range []struct{ user, password string }{{"alice", "b"}, {"alice", ""}, {"bob", ""}, {"", ""}, {"bob", "a"}} {
		if err := refused(t, b.URL(), as(x.user, x.password)); err == nil || !strings.Contains(err.Error(), "not Authorized") {
			t.Errorf("%v: %v", x, err)
		}
	}
	alice := newClient(t, b.URL(), as("alice", "a")).subscribe("#")
	wall := newClient(t, b.URL(), as("wall", "w")).subscribe("#")
	for _, topic := range []string{"cmd/goto", "state", "event/reply", "reply/1", "event"} {
		alice.publish(topic, "from alice", false)
	}
	alice.wait(0, "the last message", on("event"))
	wall.publish("cmd/stop", "from wall", false)
	alice.wait(0, "what wall may say", is("cmd/stop", "from wall"))
	alice.publish("state", "end", false)
	wall.wait(0, "what wall may hear", is("state", "end"))
	var heard []string
	for _, m := range wall.got {
		heard = append(heard, m.topic)
	}
	if fmt.Sprint(heard) != "[state event/reply event state]" {
		t.Errorf("wall heard %v", heard)
	}

	// What one may not publish is not delivered, and one may not leave it as a last will either.
	_ = wall.c.Publish("reachy/mini/cmd/goto", 0, false, "forbidden").WaitTimeout(patience)
	wall.publish("cmd/stop", "after it", false)
	alice.wait(0, "the next message", is("cmd/stop", "after it"))
	if len(alice.all("cmd/goto")) != 1 {
		t.Error("wall could publish cmd/goto")
	}
	_ = refused(t, b.URL(), as("wall", "w"), func(o *paho.ClientOptions) { o.SetWill("reachy/mini/cmd/goto", "x", 0, false) })
	_ = refused(t, b.URL(), as("eye", "e"), func(o *paho.ClientOptions) { o.SetWill("reachy/mini/cmd/stop", "x", 0, false) })
}

func TestNobodyTakesTheGatewaysPlace(t *testing.T) {
	b := openBroker(t, &Broker{})
	g := newGateway(t, b.Endpoint()).start().ready()
	_ = refused(t, b.URL(), func(o *paho.ClientOptions) { o.SetClientID(ClientID("mini")) })
	if c := g.Connection(); !c.Connected {
		t.Errorf("connection %+v", c)
	}
}

func TestSystemTopicsAreTheBrokers(t *testing.T) {
	b := openBroker(t, &Broker{})
	c := newClient(t, b.URL()).subscribe("$SYS/forged", "end")
	_ = c.c.Publish("$SYS/forged", 0, false, "x").WaitTimeout(patience)
	c.must(c.c.Publish("end", 1, false, "x"))
	c.wait(0, "the end", on("end"))
	if len(c.all("$SYS/forged")) != 0 {
		t.Error("a client could publish below $SYS")
	}
}

// At the embedded broker a command that is published with retain while we listen is refused as well, but for a stop.
func TestLiveRetainedCommands(t *testing.T) {
	b := openBroker(t, &Broker{})
	g := newGateway(t, b.Endpoint())
	b.Retained = g.Retained
	g.start().ready()
	c := newClient(t, b.URL()).subscribe("reachy/mini/reply/#")
	c.publish("cmd/goto", `{"id":"1"}`, true)
	if m, _ := c.wait(0, "the refusal", on("reply/1")); !strings.Contains(m.payload, CodeRetained) {
		t.Errorf("reply %s", m.payload)
	}
	c.publish("cmd/reset", ``, true)
	c.publish("cmd/stop", `{"id":"2"}`, true)
	if m, _ := c.wait(0, "the reply to the stop", on("reply/2")); !strings.Contains(m.payload, `"ok":true`) {
		t.Errorf("reply %s", m.payload)
	}
	if seen := g.commander.seen(); len(seen) != 1 {
		t.Errorf("carried out: %q", seen)
	}
	c.publish("note", "kept", true) // what is no command may be retained
	late := newClient(t, b.URL()).subscribe("reachy/mini/#")
	late.wait(0, "what was retained", is("note", "kept"))
	if kept := append(late.all("cmd/stop"), late.all("cmd/goto")...); len(kept) != 0 {
		t.Errorf("retained: %v", kept)
	}
}

func TestClientLimit(t *testing.T) {
	b := openBroker(t, &Broker{})
	for range MaxClients {
		newClient(t, b.URL())
	}
	if err := refused(t, b.URL()); err == nil || !strings.Contains(strings.ToLower(err.Error()), "unavailable") {
		t.Errorf("one client too many: %v", err)
	}
}

// Whoever connects and says nothing may neither use up the broker nor keep it from ending.
func TestSilentClients(t *testing.T) {
	b := openBroker(t, &Broker{})
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	for range MaxClients + maxStrangers + 1 {
		c, err := net.Dial("tcp", b.Addr())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	last := conns[len(conns)-1]
	_ = last.SetReadDeadline(time.Now().Add(patience))
	if _, err := last.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection above the limit: %v", err)
	}
	began := time.Now()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took >= helloTimeout {
		t.Errorf("closing took %v", took)
	}
}

func TestPacketLimit(t *testing.T) {
	b := openBroker(t, &Broker{})
	lost := make(chan error, 1)
	c := newClient(t, b.URL(), func(o *paho.ClientOptions) {
		o.SetConnectionLostHandler(func(_ paho.Client, err error) { lost <- err })
	})
	c.subscribe("reachy/mini/x")
	c.publish("x", strings.Repeat("x", MaxPacket-100), false)
	c.wait(0, "the largest message", on("x"))
	c.c.Publish("reachy/mini/x", 1, false, strings.Repeat("x", MaxPacket))
	select {
	case <-lost:
	case <-time.After(patience):
		t.Error("a packet above the limit was taken")
	}
}

// Whoever subscribes with wildcards gets what was retained, at the right quality of service, however busy the topics are.
func TestRetainedMessagesAndWildcards(t *testing.T) {
	b := openBroker(t, &Broker{})
	c := newClient(t, b.URL())
	var wg sync.WaitGroup
	const many = 200
	wg.Go(func() {
		for i := range many {
			_ = c.c.Publish(fmt.Sprintf("reachy/mini/kept/%d", i), byte(i%2), true, "x").WaitTimeout(patience)
		}
	})
	for range 10 { // while topics are retained for the first time
		newClient(t, b.URL()).subscribe("#")
	}
	wg.Wait()
	c.publish("kept/end", "x", true)
	late := newClient(t, b.URL())
	var qos [2]atomic.Int32
	late.must(late.c.Subscribe("reachy/+/kept/#", 1, func(_ paho.Client, m paho.Message) {
		if !m.Retained() {
			t.Errorf("%s is not marked as retained", m.Topic())
		}
		qos[m.Qos()].Add(1)
		late.mu.Lock()
		defer late.mu.Unlock()
		late.got = append(late.got, message{topic: m.Topic()})
		late.cond.Broadcast()
	}))
	late.wait(many, "all that was retained", func(message) bool { return true })
	if qos[0].Load() != many/2 || qos[1].Load() != many/2+1 {
		t.Errorf("%d with QoS 0, %d with QoS 1", qos[0].Load(), qos[1].Load())
	}
	if n := len(newClient(t, b.URL()).subscribe("reachy/mini/kept/7").all("kept/7")); n > 1 {
		t.Errorf("a filter without wildcards got %d", n)
	}
}

func TestMatches(t *testing.T) {
	for _, x := range []struct {
		filter, topic string
		want          bool
	}{
		{"a/b", "a/b", true},
		{"a/b", "a/b/c", false},
		{"a/b/c", "a/b", false},
		{"a/+", "a/b", true},
		{"a/+", "a", false},
		{"a/+/c", "a/b/c", true},
		{"+", "a/b", false},
		{"#", "a/b", true},
		{"a/#", "a", true},
		{"a/#", "a/b/c", true},
		{"a/#", "ab", false},
		{"#", "$SYS/x", false},
		{"+/x", "$SYS/x", false},
		{"$SYS/#", "$SYS/x", true},
		{"a//b", "a//b", true},
		{"a/+/b", "a//b", true},
	} {
		if got := matches(x.filter, x.topic); got != x.want {
			t.Errorf("matches(%q, %q) = %v", x.filter, x.topic, got)
		}
	}
}

func TestLoginAtAnotherBroker(t *testing.T) {
	dir := t.TempDir()
	passwords := filepath.Join(dir, "passwords")
	if out, err := exec.Command("mosquitto_passwd", "-b", "-c", passwords, "robot", "secret").CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_passwd: %v %s", err, out)
	}
	m := newMosquitto(t, "allow_anonymous false", "password_file "+passwords)

	for name, cfg := range map[string]config.MQTT{
		"wrong password": {Broker: m.url(), User: "robot", Password: "wrong"},
		"no login":       {Broker: m.url()},
	} {
		g := newGateway(t, outside(t, cfg)).start()
		g.waitFor("a refusal", func() bool { return g.Connection().Attempts > 1 })
		if r := g.Connection().Reason; !strings.Contains(r, "mqtt.user") || strings.Contains(r, "wrong") {
			t.Errorf("%s: reason %q", name, r)
		}
		g.stop()
	}
	file := filepath.Join(dir, "password")
	g := newGateway(t, outside(t, config.MQTT{Broker: m.url(), User: "robot", Password: "wrong", PasswordFile: file})).start()
	g.waitFor("a missing file", func() bool { return strings.Contains(g.Connection().Reason, "mqtt.password_file") })
	write(t, file, "secret\r\n") // read again at each attempt
	g.ready()
}

// A broker that takes the login but not the topics must not look like success.
func TestAnotherBrokersAccessRules(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "acl")
	write(t, rules, "topic read other/#\n")
	m := newMosquitto(t, "allow_anonymous true", "acl_file "+rules)
	g := newGateway(t, outside(t, config.MQTT{Broker: m.url()}))
	g.echoTimeout = 50 * time.Millisecond
	g.start()
	g.waitFor("a reason", func() bool { return g.Connection().Attempts > 1 })
	if r := g.Connection().Reason; !strings.Contains(r, "reachy/mini/") {
		t.Errorf("reason %q", r)
	}
}

// A broker that accepts the connection and then says nothing must not keep reachyd from ending.
func TestSilentBroker(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	g := newGateway(t, outside(t, config.MQTT{Broker: "mqtt://" + l.Addr().String()})).start()
	c := <-accepted
	defer c.Close()
	began := time.Now()
	g.stop()
	if took := time.Since(began); took >= connectTimeout {
		t.Errorf("took %v", took)
	}
	_ = l.Close()
	for c := range accepted {
		_ = c.Close()
	}
}

func TestEagerDeliversWhatWasWrittenBeforeClose(t *testing.T) {
	ours, theirs := net.Pipe()
	e := newEager(ours)
	want := bytes.Repeat([]byte("x"), 1<<16)
	for range 4 {
		if _, err := e.Write(want); err != nil { // nobody reads yet
			t.Fatal(err)
		}
	}
	_ = e.Close()
	if _, err := e.Write(want); err == nil {
		t.Error("wrote after Close")
	}
	if _, err := e.Read(make([]byte, 1)); err == nil {
		t.Error("read after Close")
	}
	var got bytes.Buffer
	if _, err := got.ReadFrom(theirs); err != nil || got.Len() != 4*len(want) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
}

func TestClosedBroker(t *testing.T) {
	b := openBroker(t, &Broker{})
	e := b.Endpoint()
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.open(context.Background()); err == nil {
		t.Error("a closed broker was reached")
	}
	if err := (&Broker{}).Close(); err != nil {
		t.Error(err)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"id":"1"}`, `{"id":7,"id":"x"}`, `{"ID":"1"}`, `{}`, ``, `null`, `{"id":1e400}`, `{"id":"\u0000"}`, "{\"id\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		id, code, wrong := check(payload)
		switch {
		case code != "" && (wrong == "" || id != ""):
			t.Fatalf("%q: id %q, code %q, %q", payload, id, code, wrong)
		case code == "" && id != "" && !command.ValidID(id):
			t.Fatalf("%q: id %q", payload, id)
		}
	})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Numbers of packets in the two directions have nothing to do with each other; when they meet, nothing may be lost.
func TestPacketNumbersThatMeet(t *testing.T) {
	for offset := range 4 { // one of them makes the numbers run side by side
		b := openBroker(t, &Broker{})
		from, to := newClient(t, b.URL()), newClient(t, b.URL())
		arrived := make(chan struct{}, 1)
		to.must(to.c.Subscribe("in", 1, func(c paho.Client, _ paho.Message) {
			c.Publish("out", 1, false, "x") // before the message is acknowledged
			arrived <- struct{}{}
		}))
		to.must(to.c.Subscribe("skip", 1, func(paho.Client, paho.Message) { arrived <- struct{}{} }))
		send := func(topic string, n int) {
			from.c.Publish(topic, 1, false, "x")
			select {
			case <-arrived:
			case <-time.After(patience):
				t.Fatalf("offset %d: message %d was not delivered", offset, n)
			}
		}
		for i := range offset {
			send("skip", i)
		}
		for i := range maxInflight + 100 {
			send("in", i)
		}
		_ = b.Close()
	}
}
