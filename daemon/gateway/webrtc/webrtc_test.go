package webrtc

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
)

const turned = `,"head":[0.9553,-0.2955,0,0, 0.2955,0.9553,0,0, 0,0,1,0, 0,0,0,1]` // by 0.3 rad to the left

func TestClientsMoveTheRobot(t *testing.T) {
	r := newRig(t)
	for name, by := range map[string]func() signaller{
		"python": func() signaller { return r.dial() }, "javascript": func() signaller { return r.page("any") },
	} {
		t.Run(name, func(t *testing.T) {
			c := r.connect(by())
			if m := c.ask("goto_target", turned+`,"duration":0.3`); m["completed"] != true || m["error"] != nil {
				t.Fatal(m)
			}
			r.soon("the head has turned", func() bool { return math.Abs(r.last().Head.Yaw-0.3) < 0.05 })
			if m := c.ask("set_full_target", `,"antennas":[0.4,-0.4]`); m["status"] != "ok" {
				t.Error(m)
			}
			r.soon("the antennas have turned", func() bool { return math.Abs(r.last().Antennas.Right-0.4) < 0.05 })
			state := c.ask("get_state", "")["state"].(map[string]any)
			if yaw := state["head_pose"].([]any)[1].([]any)[0].(float64); math.Abs(yaw-0.2955) > 0.05 || state["motor_mode"] != "enabled" {
				t.Error(state)
			}
			if m := c.ask("goto_target", `,"head":[0.955,-0.2955,0,0, 0.2955,0.955,0,0, 0,0,1,0, 0,0,0,1],"duration":-1`); m["error"] == nil {
				t.Error(m)
			}
			if m := c.ask("goto_target", `,"head":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],"antennas":[0,0],"duration":0.3`); m["completed"] != true {
				t.Error(m)
			}
			c.by.send(`{"type":"endSession","sessionId":"` + c.session + `"}`)
			r.soon("the session has ended", func() bool { return r.sessions() == 0 })
			c.by.close()
		})
	}
}

func (r *rig) sessions() int {
	r.gateway.mu.Lock()
	defer r.gateway.mu.Unlock()
	return len(r.gateway.sessions)
}

// A client that dies in the middle of a move leaves nothing moving; its session ends, and another one may begin.
func TestADeadClientLeavesNothingMoving(t *testing.T) {
	r := newRig(t)
	by := r.dial()
	c := r.connect(by)
	c.send(`{"type":"goto_target"` + turned + `,"duration":30}`)
	r.soon("the move has begun", func() bool { return r.last().Move != "" })
	by.close()
	r.soon("the session has ended", func() bool { return r.sessions() == 0 })
	r.soon("the move is held", func() bool { return r.last().Move == "" })
	again := r.connect(r.dial())
	again.pc.GracefulClose()
	r.soon("the session has ended", func() bool { return r.sessions() == 0 })
}

func TestNoMoreSessionsThanMayBe(t *testing.T) {
	r := newRig(t)
	for range maxSessions {
		r.connect(r.dial())
	}
	by := r.dial()
	by.next()
	by.send(`{"type":"startSession","peerId":"` + r.gateway.id + `"}`)
	if m := by.next(); m["type"] != "sessionRejected" || m["reason"] != "robot_busy" {
		t.Error(m)
	}
	page := r.page("any")
	if code, m := page.post(`{"type":"startSession","peerId":"` + r.gateway.id + `"}`); code != http.StatusOK || m["type"] != "sessionRejected" {
		t.Error(code, m)
	}
}

func TestNoMorePeersThanMayBe(t *testing.T) {
	r := newRig(t)
	for range maxPeers {
		r.dial().next()
	}
	page := &overHTTP{r: r}
	resp := page.do(t.Context(), http.MethodGet, "/events", "")
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Error(resp.Status)
	}
}

func TestWhoMayWhat(t *testing.T) {
	r := newRig(t)
	r.scopes(api.ScopeRead)
	page := r.page("any")
	if code, m := page.post(`{"type":"list"}`); code != http.StatusForbidden || !strings.Contains(m["detail"].(string), "move") {
		t.Error(code, m)
	}
	r.scopes(api.ScopeTalk)
	resp := (&overHTTP{r: r}).do(t.Context(), http.MethodGet, "/events", "")
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Error(resp.Status)
	}
	for header, value := range map[string]string{"Host": "example.org:8443", "Origin": "https://example.org"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.gateway.Listen, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(header, value)
		if header == "Host" {
			req.Host = value
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s: %s", header, value, resp.Status)
		}
	}
	for _, at := range []string{"0.0.0.0:0", "192.0.2.1:8443", "example.org:8443", "8443"} {
		g := &Gateway{Listen: at}
		if err := g.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "this host alone") {
			t.Errorf("%s: %v", at, err)
		}
		g.Close()
	}
}

// wrong are messages that are refused, and what is said of them.
var wrong = map[string]string{
	``: "not understood", `[]`: "not understood", `{"type":"dance"}`: "type is", `{"type":"startSession"}`: "peerId is missing",
	`{"type":"startSession","peerId":"x"}`: "peerId is", `{"type":"endSession"}`: "sessionId is missing",
	`{"type":"peer","sdp":{"type":"answer","sdp":"v=0"}}`:                              "sessionId is missing",
	`{"type":"peer","sessionId":"x"}`:                                                  "sdp or ice",
	`{"type":"peer","sessionId":"x","ice":{"candidate":"candidate:"},"sdp":{}}`:        "sdp or ice",
	`{"type":"peer","sessionId":"x","sdp":{"type":"offer","sdp":"v=0"}}`:               "sdp.type is",
	`{"type":"peer","sessionId":"x","sdp":{"type":"answer"}}`:                          "sdp.sdp has 0",
	`{"type":"peer","sessionId":"x","sdp":{"type":"answer","sdp":"v=0"}}`:              "no session of this client",
	`{"type":"peer","sessionId":"x","ice":{"candidate":"x"}}`:                          "is its beginning",
	`{"type":"startSession","peerId":"x","sdp":{"type":"offer","sdp":"v=0"}}`:          "makes the offer",
	`{"type":"peer","sessionId":"x","ice":{"candidate":"` + long(maxCandidate) + `"}}`: "ice.candidate has",
	`{"type":"list","meta":"` + long(maxMessage) + `"}`:                                "allowed are",
}

func long(n int) string { return strings.Repeat("x", n+1) }

func TestWrongMessagesAreRefused(t *testing.T) {
	r := newRig(t)
	page, by := r.page("any"), r.dial()
	by.next()
	for text, want := range wrong {
		if code, m := page.post(text); code < 400 || !strings.Contains(m["detail"].(string), want) {
			t.Errorf("%.80s: %d %v, wanted %q", text, code, m, want)
		}
		if len(text) > maxMessage {
			continue // over a WebSocket that is the end
		}
		by.send(text)
		if m := by.next(); m["type"] != "error" || !strings.Contains(m["details"].(string), want) {
			t.Errorf("%.80s: %v, wanted %q", text, m, want)
		}
	}
	for _, text := range []string{`{"type":"setPeerStatus","roles":["listener"],"meta":null}`, `{"type":"endSession","sessionId":"gone"}`} {
		if code, m := page.post(text); code != http.StatusOK {
			t.Error(text, code, m)
		}
	}
	if code, m := (&overHTTP{r: r, token: "another"}).post(`{"type":"list"}`); code != http.StatusConflict || m["detail"] != "Connect to /events first" {
		t.Error(code, m)
	}
}

// On the data channel, too, what is wrong is answered.
func TestWrongCommandsAreAnswered(t *testing.T) {
	r := newRig(t)
	c := r.connect(r.dial())
	for text, want := range map[string]string{
		`{`: "not understood", `{"type":"dance"}`: "not known", `{"type":"set_target","head":[1]}`: "16", `{"type":"set_volume"}`: "volume is missing",
		`{"type":"get_microphone_volume"}`: "no microphone", `{"type":"get_volume"}`: "no loudspeaker", `{"type":"start_update"}`: "package",
		`{"type":"set_microphone_volume","volume":50}`: "own host only",
	} {
		c.send(text)
		c.hear(text, func(m map[string]any) bool {
			why, _ := m["error"].(string)
			return strings.Contains(why, want)
		})
	}
	c.send(`{"jsonrpc":"2.0","id":"7","method":"apps.start","params":{}}`)
	c.hear("the answer of JSON-RPC", func(m map[string]any) bool { return m["id"] == "7" && m["error"] != nil })
	if m := c.ask("subscribe_pose", ""); m["status"] != "ok" {
		t.Error(m)
	}
	for seq := 0.0; seq < 3; seq++ {
		select {
		case m := <-c.pose:
			if m["state"] == nil || m["seq"] == nil {
				t.Fatal(m)
			}
		case <-time.After(wait):
			t.Fatal("no pose comes")
		}
	}
	if err := c.data.SendText(long(maxText)); err == nil {
		t.Error("the client has not been told how long a message may be")
	}
}

func FuzzParse(f *testing.F) {
	for text := range wrong {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"type":"peer","sessionId":"x","ice":{"candidate":"candidate:1 1 udp 1 127.0.0.1 1 typ host","sdpMLineIndex":0}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(data)
		if err == nil && !strings.Contains(types, m.Type) {
			t.Errorf("%q is taken", m.Type)
		}
		if err == nil && len(m.name()) > maxName {
			t.Errorf("a name of %d bytes", len(m.name()))
		}
	})
}
