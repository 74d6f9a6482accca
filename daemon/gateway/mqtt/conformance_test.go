package mqtt

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/hal"
)

var update = flag.Bool("update", false, "write the golden files anew")

// underTest is a running broker, its address for others, and our way in.
type underTest struct {
	url      string
	endpoint Endpoint
	attach   func(*Gateway) // what daemon.go does besides
}

func embedded(t *testing.T) underTest {
	t.Helper()
	b := openBroker(t, &Broker{})
	return underTest{b.URL(), b.Endpoint(), func(g *Gateway) { b.Retained = g.Retained }}
}

func openBroker(tb testing.TB, b *Broker) *Broker {
	tb.Helper()
	if b.Listen == "" {
		b.Listen = "127.0.0.1:0"
	}
	b.Log = zerolog.Nop()
	b.Gateway = ClientID("mini")
	if err := b.Open(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	b.Admit()
	tb.Cleanup(func() { _ = b.Close() })
	return b
}

func external(t *testing.T) underTest {
	t.Helper()
	m := newMosquitto(t)
	return underTest{m.url(), outside(t, config.MQTT{Broker: m.url()}), func(*Gateway) {}}
}

func outside(tb testing.TB, cfg config.MQTT) Endpoint {
	tb.Helper()
	e, err := External(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// Every broker must carry all topics of docs/topics.md.
func TestConformance(t *testing.T) {
	for name, start := range map[string]func(*testing.T) underTest{"embedded": embedded, "mosquitto": external} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				name string
				run  func(*testing.T, underTest)
			}{
				{"StateBeforeOnline", stateBeforeOnline},
				{"StateOnChange", stateOnChange},
				{"Events", events},
				{"Commands", commands},
				{"BadCommands", badCommands},
				{"StopPassesEverything", stopPassesEverything},
				{"MotionsKeepTheirOrder", motionsKeepTheirOrder},
				{"RetainedCommands", retainedCommands},
				{"HomeAssistant", homeAssistant},
				{"FalseOffline", falseOffline},
				{"Goodbye", goodbye},
				{"LastWill", lastWill},
				{"Camera", camera},
			} {
				t.Run(c.name, func(t *testing.T) { c.run(t, start(t)) })
			}
		})
	}
}

func (u underTest) gateway(t *testing.T) *running {
	t.Helper()
	g := newGateway(t, u.endpoint)
	u.attach(g.Gateway)
	return g
}

func stateBeforeOnline(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/#")
	u.gateway(t).start()
	_, n := c.wait(0, "online", is("status", "online"))
	if len(c.all("state")) == 0 {
		t.Error("online before the first state")
	}
	s, _ := c.wait(0, "state", on("state"))
	var state map[string]any
	if err := json.Unmarshal([]byte(s.payload), &state); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"ts", "mode", "moving", "move", "head", "body_yaw", "antennas", "joints", "estop", "faults"} {
		if _, ok := state[field]; !ok {
			t.Errorf("state has no %s: %s", field, s.payload)
		}
	}
	for range 3 { // and it goes on by itself
		_, n = c.wait(n, "another state", on("state"))
	}
	if m, _ := c.wait(n, "telemetry", on("telemetry")); !strings.Contains(m.payload, `"loop_hz":100`) {
		t.Errorf("telemetry %s", m.payload)
	}
	if m, _ := newClient(t, u.url).subscribe("reachy/mini/status").wait(0, "status for late comers", on("status")); m.payload != online || !m.retained {
		t.Errorf("status %+v", m)
	}
}

func stateOnChange(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/state")
	g := u.gateway(t)
	g.StateInterval = time.Hour
	g.start().ready()
	n := c.mark()
	g.robot.set(hal.ModeDisabled)
	g.StateChanged()
	_, n = c.wait(n, "the new mode", func(m message) bool { return strings.Contains(m.payload, "disabled") })
	g.robot.set(hal.ModePartial)
	g.bus.Publish("", api.EStop{})
	c.wait(n, "the state after an event", func(m message) bool { return strings.Contains(m.payload, "partial") })
}

func events(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/event/#")
	g := u.gateway(t).start().ready()
	const many = 500
	for i := range many {
		g.bus.Publish("t1", api.ToolCall{Call: uint64(i)})
		if i%100 == 99 { // no faster than the reader's buffer
			c.wait(0, "event", func(m message) bool { return strings.Contains(m.payload, fmt.Sprintf(`"call":%d,`, i)) })
		}
	}
	got := c.all("event/tool_call")
	if len(got) != many {
		t.Fatalf("%d events, want %d", len(got), many)
	}
	for i, m := range got {
		if !strings.Contains(m.payload, fmt.Sprintf(`"call":%d,`, i)) || !strings.Contains(m.payload, `"trace":"t1"`) {
			t.Fatalf("event %d: %s", i, m.payload)
		}
	}
}

func commands(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/reply/#")
	g := u.gateway(t).start().ready()
	for _, x := range []struct{ verb, payload, reply string }{
		{"chat", `{"id":"a1","text":"hi"}`, "a1"},
		{"tools/list", `{"id":"a2"}`, "a2"},
		{"goto", `{"id":42}`, "42"},
		{"chat", `{"id":"` + strings.Repeat("x", MaxID) + `"}`, strings.Repeat("x", MaxID)},
		{"chat", `{"id":"ä-ö.1:2"}`, "ä-ö.1:2"},
	} {
		c.publish("cmd/"+x.verb, x.payload, false)
		c.wait(0, "the reply to "+x.payload, func(m message) bool { return m.topic == "reply/"+x.reply && strings.Contains(m.payload, `"ok":true`) })
		if seen := g.commander.seen(); seen[len(seen)-1] != x.verb+" "+x.payload {
			t.Errorf("carried out %q, want %s %s", seen, x.verb, x.payload)
		}
	}
	for _, payload := range []string{`{"on":true}`, ``} { // Home Assistant cannot make up ids
		n := c.mark()
		c.publish("cmd/motors", payload, false)
		c.wait(n, "the reply to a command without an id", func(m message) bool { return strings.HasPrefix(m.topic, "reply/auto-") })
	}
}

func badCommands(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/reply/#")
	g := u.gateway(t).start().ready()
	for _, x := range []struct{ payload, code, says string }{
		{`{`, CodeBadJSON, "not a JSON object"},
		{`[1]`, CodeBadJSON, "[1]"},
		{`null`, CodeBadJSON, "not a JSON object"},
		{"\x00\xff", CodeBadJSON, "not a JSON object"},
		{`{"id":"1"} {}`, CodeBadJSON, "not a JSON object"},
		{`{"id":""}`, CodeInvalid, "1 to 128 bytes"},
		{`{"id":null}`, CodeInvalid, "null"},
		{`{"id":{}}`, CodeInvalid, "{}"},
		{`{"id":"a/b"}`, CodeInvalid, "a/b"},
		{`{"id":"a b"}`, CodeInvalid, "a b"},
		{`{"id":"#"}`, CodeInvalid, "#"},
		{`{"id":"` + strings.Repeat("x", MaxID+1) + `"}`, CodeInvalid, "128"},
		{`{"id":"1","text":"` + strings.Repeat("x", MaxPayload) + `"}`, CodeTooLarge, "262144"},
	} {
		n := c.mark()
		c.publish("cmd/chat", x.payload, false)
		m, _ := c.wait(n, "a refusal", on("reply/invalid"))
		var r struct {
			OK    *bool
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(m.payload), &r); err != nil || r.OK == nil || *r.OK || r.Error.Code != x.code || !strings.Contains(r.Error.Message, x.says) {
			t.Errorf("%.40q: reply %s, want code %s and %q", x.payload, m.payload, x.code, x.says)
		}
	}
	if seen := g.commander.seen(); len(seen) != 0 {
		t.Errorf("carried out: %q", seen)
	}
}

// However many commands hang, a stop is carried out at once; what is too much is refused, with the limit.
func stopPassesEverything(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/reply/#")
	g := u.gateway(t)
	g.commander.block["chat"], g.commander.block["goto"], g.commander.block["stop"] = make(chan struct{}), make(chan struct{}), make(chan struct{})
	g.start().ready()
	for i := range maxOthers + 1 {
		c.publish("cmd/chat", fmt.Sprintf(`{"id":"c%d"}`, i), false)
	}
	m, _ := c.wait(0, "busy", on(fmt.Sprintf("reply/c%d", maxOthers)))
	if !strings.Contains(m.payload, CodeBusy) || !strings.Contains(m.payload, fmt.Sprint(maxOthers)) {
		t.Errorf("reply %s", m.payload)
	}
	for i := range maxMotions + 2 { // one is under way, the others wait; the last is too much, whatever the timing
		c.publish("cmd/goto", fmt.Sprintf(`{"id":"g%d"}`, i), false)
	}
	c.wait(0, "busy", func(m message) bool {
		return m.topic == fmt.Sprintf("reply/g%d", maxMotions+1) && strings.Contains(m.payload, CodeBusy) && strings.Contains(m.payload, fmt.Sprint(maxMotions))
	})
	for i := range maxStops + 1 {
		c.publish("cmd/stop", fmt.Sprintf(`{"id":"s%d"}`, i), false)
	}
	c.wait(0, "busy", func(m message) bool {
		return m.topic == fmt.Sprintf("reply/s%d", maxStops) && strings.Contains(m.payload, CodeBusy)
	})
	close(g.commander.block["stop"]) // all of the stops have begun, though everything else hangs
	for i := range maxStops {
		c.wait(0, "the stop", func(m message) bool {
			return m.topic == fmt.Sprintf("reply/s%d", i) && strings.Contains(m.payload, `"ok":true`)
		})
	}
}

func motionsKeepTheirOrder(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/reply/#")
	g := u.gateway(t).start().ready()
	var want []string
	for i := range maxMotions {
		verb := []string{"goto", "set_target", "motors", "reset"}[i%4]
		payload := fmt.Sprintf(`{"id":"m%d"}`, i)
		c.publish("cmd/"+verb, payload, false)
		want = append(want, verb+" "+payload)
	}
	c.wait(0, "the last reply", on(fmt.Sprintf("reply/m%d", maxMotions-1)))
	if got := g.commander.seen(); !slices.Equal(got, want) {
		t.Errorf("carried out in the order %q", got)
	}
}

func retainedCommands(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/reply/#")
	g := u.gateway(t)
	c.publish("cmd/goto", `{"id":"r1"}`, true) // while nobody is there
	g.start().ready()
	m, _ := c.wait(0, "the refusal", on("reply/r1"))
	if !strings.Contains(m.payload, CodeRetained) {
		t.Errorf("reply %s", m.payload)
	}
	c.publish("cmd/chat", `{"id":"r2"}`, false) // and the commands after it are served
	c.wait(0, "the reply", on("reply/r2"))
	if seen := g.commander.seen(); len(seen) != 1 {
		t.Errorf("carried out: %q", seen)
	}
}

func homeAssistant(t *testing.T, u underTest) {
	g := u.gateway(t).start().ready()
	c := newClient(t, u.url).subscribe("homeassistant/#")
	m, n := c.wait(0, "the announcement", on("homeassistant/device/reachy_mini/config"))
	if !m.retained {
		t.Error("the announcement is not retained")
	}
	var indented any
	if err := json.Unmarshal([]byte(m.payload), &indented); err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(indented, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/discovery.json"
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("announcement differs from %s:\n%s", golden, got)
	}
	c.must(c.c.Publish("homeassistant/status", 1, false, "online"))
	c.wait(n, "the announcement again", on("homeassistant/device/reachy_mini/config"))
	g.stop()
}

// A last will that comes late must not leave the robot offline for everybody.
func falseOffline(t *testing.T, u underTest) {
	u.gateway(t).start().ready()
	c := newClient(t, u.url).subscribe("reachy/mini/status")
	_, n := c.wait(0, "online", is("status", online))
	c.publish("status", offline, true)
	_, n = c.wait(n, "offline", is("status", offline))
	c.wait(n, "online again", is("status", online))
}

func goodbye(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/#")
	g := u.gateway(t).start().ready()
	_, n := c.wait(0, "online", is("status", online))
	g.bus.Publish("", api.MoveDone{Reason: "last words"})
	c.wait(n, "the event", on("event/move_done"))
	g.stop()
	c.wait(n, "offline", is("status", offline))
	if m, _ := newClient(t, u.url).subscribe("reachy/mini/status").wait(0, "status", on("status")); m.payload != offline || !m.retained {
		t.Errorf("status %+v", m)
	}
}

// A process that was killed cannot say goodbye: its broker does.
func lastWill(t *testing.T, u underTest) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(u.endpoint.Name, "inside") { // the embedded broker dies with its gateway, so another one stands in
		b := openBroker(t, &Broker{})
		b.Gateway = ""
		u.url = b.URL()
	}
	c := newClient(t, u.url).subscribe("reachy/mini/#")
	child := exec.Command(self)
	child.Env = append(os.Environ(), "TEST_GATEWAY="+u.url)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	_, n := c.wait(0, "online", is("status", online))
	_ = child.Process.Kill()
	_ = child.Wait()
	c.wait(n, "the last will", is("status", offline))
	if m, _ := newClient(t, u.url).subscribe("reachy/mini/status").wait(0, "status", on("status")); m.payload != offline || !m.retained {
		t.Errorf("status %+v", m)
	}
}

func camera(t *testing.T, u underTest) {
	c := newClient(t, u.url).subscribe("reachy/mini/camera/jpeg")
	g := u.gateway(t).start().ready()
	g.Camera([]byte{0xff, 0xd8, 1})
	c.wait(0, "the picture", is("camera/jpeg", "\xff\xd8\x01"))
}
