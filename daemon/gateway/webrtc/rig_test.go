package webrtc

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	pion "github.com/pion/webrtc/v4"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/gateway/sdk"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wait is how long a test waits for what will surely come.
const wait = 60 * time.Second

// rig is a robot with a real control loop whose clients come over WebRTC.
type rig struct {
	t       *testing.T
	body    *bodytest.Robot
	gateway *Gateway
	web     *httptest.Server
	grant   access.Grant                  // what the web server lets whoever asks do
	codecs  func(*pion.MediaEngine) error // what clients understand; nil: everything
	only    func(net.IP) bool             // at which addresses clients are; nil: all
	silent  bool                          // clients do not say in their answers what they will send, as GStreamer's
	last    func() hal.State
}

func newRig(t *testing.T, change ...func(*Gateway)) *rig {
	t.Helper()
	r := &rig{t: t, grant: access.Everything("127.0.0.1")}
	r.body = bodytest.New(t, t.TempDir(), motion.Config{}, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l, Log: zerolog.Nop()} })
	ctx, cancel := context.WithCancel(context.Background())
	r.last = r.body.Latest(t)
	log := zerolog.New(zerolog.NewTestWriter(t))
	commands := &sdk.Gateway{
		Body: r.body.Client, State: r.last, Telemetry: func() hal.Telemetry { return hal.Telemetry{LoopHz: 100} }, Simulated: true, Log: log,
	}
	commands.Open(ctx)
	r.gateway = &Gateway{Commands: commands, Name: "kitchen", Listen: "127.0.0.1:0", Log: log}
	for _, c := range change {
		c(r.gateway)
	}
	if err := r.gateway.Open(ctx); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	r.gateway.Mount(mux)
	r.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mux.ServeHTTP(w, req.WithContext(access.With(req.Context(), r.grant)))
	}))
	t.Cleanup(func() {
		r.gateway.Close()
		commands.Close()
		r.web.Close()
		cancel()
		http.DefaultClient.CloseIdleConnections()
	})
	r.soon("the first state", func() bool { return r.last().Mode == hal.ModeEnabled })
	return r
}

// soon waits until something is so.
func (r *rig) soon(what string, is func() bool) {
	r.t.Helper()
	if !waittest.Within(wait, is) {
		r.t.Fatalf("%s does not come: %+v", what, r.last())
	}
}

// signaller is how a client tells the robot of itself: a WebSocket, or HTTP.
type signaller interface {
	send(text string) map[string]any
	next() map[string]any
	close()
}

// overSocket signals as the Python SDK does.
type overSocket struct {
	r    *rig
	conn *websocket.Conn
}

func (r *rig) dial() *overSocket {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+r.gateway.Listen, nil) //nolint:bodyclose // the connection closes it
	if err != nil {
		r.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	r.t.Cleanup(func() { conn.CloseNow() })
	return &overSocket{r, conn}
}

func (o *overSocket) send(text string) map[string]any {
	o.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	if err := o.conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		o.r.t.Fatal(err)
	}
	return nil
}

func (o *overSocket) next() map[string]any {
	o.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	_, data, err := o.conn.Read(ctx)
	if err != nil {
		o.r.t.Error(err)
		return nil
	}
	return o.r.object(data)
}

func (o *overSocket) close() { o.conn.CloseNow() }

func (r *rig) object(data []byte) (m map[string]any) {
	r.t.Helper()
	if err := json.Unmarshal(data, &m); err != nil {
		r.t.Errorf("%q: %v", data, err)
	}
	return m
}

// overHTTP signals as the JavaScript SDK does.
type overHTTP struct {
	r      *rig
	token  string
	body   io.Closer
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

func (r *rig) page(token string) *overHTTP {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o := &overHTTP{r: r, token: token, cancel: cancel}
	resp := o.do(ctx, http.MethodGet, "/events", "") //nolint:bodyclose // close does
	if resp.StatusCode != http.StatusOK {
		r.t.Fatal(resp.Status)
	}
	o.body, o.lines = resp.Body, bufio.NewScanner(resp.Body)
	o.lines.Buffer(nil, 1<<20)
	r.t.Cleanup(o.close)
	return o
}

func (o *overHTTP) do(ctx context.Context, method, path, body string) *http.Response {
	o.r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, o.r.web.URL+Base+path, strings.NewReader(body))
	if err != nil {
		o.r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+o.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.r.t.Fatal(err)
	}
	return resp
}

func (o *overHTTP) send(text string) map[string]any {
	o.r.t.Helper()
	_, m := o.post(text)
	return m
}

// post sends a message and returns the answer.
func (o *overHTTP) post(text string) (int, map[string]any) {
	o.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	resp := o.do(ctx, http.MethodPost, "/send", text)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		o.r.t.Fatal(err)
	}
	return resp.StatusCode, o.r.object(data)
}

func (o *overHTTP) next() map[string]any {
	o.r.t.Helper()
	for o.lines.Scan() {
		if data, is := strings.CutPrefix(o.lines.Text(), "data: "); is {
			return o.r.object([]byte(data))
		}
	}
	o.r.t.Errorf("the stream has ended: %v", o.lines.Err())
	return nil
}

func (o *overHTTP) close() {
	o.cancel()
	o.body.Close()
}

// client is one with a session.
type client struct {
	r       *rig
	by      signaller
	pc      *pion.PeerConnection
	session string
	data    *pion.DataChannel
	said    chan map[string]any
	pose    chan map[string]any
}

// connect begins a session; before is called before the answer is made.
func (r *rig) connect(by signaller, before ...func(*pion.PeerConnection)) *client {
	r.t.Helper()
	c := r.begin(by, before...)
	select {
	case <-c.said: // it answers what it is asked at once
	case <-time.After(wait):
		r.t.Fatal("the data channel does not open")
	}
	return c
}

func (r *rig) begin(by signaller, before ...func(*pion.PeerConnection)) *client {
	r.t.Helper()
	c := &client{r: r, by: by, said: make(chan map[string]any, 4096), pose: make(chan map[string]any, 4096)}
	var settings pion.SettingEngine
	settings.SetIncludeLoopbackCandidate(true)
	if r.only != nil {
		settings.SetIPFilter(r.only)
	}
	var codecs pion.MediaEngine
	register := r.codecs
	if register == nil {
		register = (*pion.MediaEngine).RegisterDefaultCodecs
	}
	err := register(&codecs)
	if err != nil {
		r.t.Fatal(err)
	}
	c.pc, err = pion.NewAPI(pion.WithSettingEngine(settings), pion.WithMediaEngine(&codecs)).NewPeerConnection(pion.Configuration{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.pc.GracefulClose() })
	opened := make(chan struct{})
	c.pc.OnDataChannel(func(d *pion.DataChannel) {
		to := c.said
		if d.Label() == "pose" {
			to = c.pose
		} else {
			c.data = d
			d.OnOpen(func() {
				close(opened)
				d.SendText(`{"type":"get_state"}`)
			})
		}
		d.OnMessage(func(m pion.DataChannelMessage) { to <- r.object(m.Data) })
	})
	for _, b := range before {
		b(c.pc)
	}
	by.send(`{"type":"setPeerStatus","roles":["listener"],"meta":{"name":"a test"}}`)
	robot := ""
	if _, is := by.(*overSocket); is {
		by.next()
		by.send(`{"type":"list"}`)
	}
	for robot == "" {
		m := by.next()
		if m["type"] == "list" {
			robot = m["producers"].([]any)[0].(map[string]any)["id"].(string)
		}
	}
	by.send(`{"type":"startSession","peerId":"` + robot + `"}`)
	started := by.next()
	c.session, _ = started["sessionId"].(string)
	offer := by.next()
	if started["type"] != "sessionStarted" || c.session == "" || offer["sessionId"] != c.session {
		r.t.Fatal(started, offer)
	}
	sdp := offer["sdp"].(map[string]any)
	if err := c.pc.SetRemoteDescription(pion.SessionDescription{Type: pion.SDPTypeOffer, SDP: sdp["sdp"].(string)}); err != nil {
		r.t.Fatal(err)
	}
	answer, err := c.pc.CreateAnswer(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	gathered := pion.GatheringCompletePromise(c.pc)
	if err := c.pc.SetLocalDescription(answer); err != nil {
		r.t.Fatal(err)
	}
	<-gathered
	said := c.pc.LocalDescription().SDP
	if r.silent {
		said = regexp.MustCompile("(?m)^a=(ssrc|msid|extmap)[:-].*\r\n").ReplaceAllString(said, "")
	}
	by.send(string(encode(map[string]any{"type": "peer", "sessionId": c.session, "sdp": map[string]string{"type": "answer", "sdp": said}})))
	return c
}

// send says something on the data channel.
func (c *client) send(text string) {
	c.r.t.Helper()
	if err := c.data.SendText(text); err != nil {
		c.r.t.Fatal(err)
	}
}

// hear waits for what ok accepts.
func (c *client) hear(what string, ok func(map[string]any) bool) map[string]any {
	c.r.t.Helper()
	end := time.After(wait)
	for {
		select {
		case m := <-c.said:
			if ok(m) {
				return m
			}
		case <-end:
			c.r.t.Fatalf("%s is not heard", what)
		}
	}
}

// ask sends a message and waits for the answer to it.
func (c *client) ask(kind, fields string) map[string]any {
	c.r.t.Helper()
	c.send(`{"type":"` + kind + `"` + fields + `}`)
	return c.hear(kind, func(m map[string]any) bool { return m["command"] == kind })
}

// scopes limits what whoever asks may do.
func (r *rig) scopes(list ...api.Scope) {
	r.grant = access.Grant{By: "a test", TokenID: "1", Scopes: list}
}
