package http

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
	"github.com/reachyd/reachyd/hal"
)

// tokenStore keeps tokens in memory.
type tokenStore map[string]access.Token

func (s tokenStore) Put(id string, t access.Token) error { s[id] = t; return nil }

func (s tokenStore) Delete(id string) error { delete(s, id); return nil }

func (s tokenStore) List(string, int) ([]access.Token, error) { return nil, nil }

func (c *counting) Do(_ context.Context, verb string, _ []byte) (string, []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verbs = append(c.verbs, verb)
	return "1", []byte(`{"id":"1","ok":true,"result":{"outcome":"accepted"}}`)
}

// counting counts what gets through.
type counting struct {
	mu    sync.Mutex
	verbs []string
}

// acted says what that was not only reading was carried out.
func (c *counting) acted() (verbs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.verbs {
		if api.ScopeOf(api.Verb(v)) != api.ScopeRead {
			verbs = append(verbs, v)
		}
	}
	c.verbs = nil
	return verbs
}

// fortress is a gateway with tokens of some scopes.
type fortress struct {
	*Gateway
	got    *counting
	events *event.Bus
	secret map[api.Scope]string
}

func newFortress(t *testing.T, listen string) *fortress {
	t.Helper()
	tokens, err := access.Open(tokenStore{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &fortress{got: &counting{}, events: event.NewBus(0, nil), secret: map[api.Scope]string{}}
	for _, s := range api.Scopes() {
		if f.secret[s], _, err = tokens.Add("the "+string(s)+" token", []api.Scope{s}, 0); err != nil {
			t.Fatal(err)
		}
	}
	state := func() []byte { return []byte(`{}`) }
	trace := func() string { return "0123456789abcdef" }
	f.Gateway = &Gateway{
		Listen: listen, Commander: f.got, Tokens: tokens, NewTrace: trace, Publish: f.events.Publish, Origins: []string{"https://home.example"},
		Hosts: []string{"robot.local"}, State: func() hal.State { return hal.State{} }, Telemetry: func() hal.Telemetry { return hal.Telemetry{} }, StateJSON: state,
		API: &rest.API{
			Commander: f.got, Events: f.events, State: state, Telemetry: state, Changed: func() <-chan struct{} { return nil },
			Health: func() api.Health { return api.Health{} }, Tools: func() []tool.Spec { return []tool.Spec{{Name: "move_head", Moves: true}} },
		},
	}
	if listen != "127.0.0.1:0" {
		own, err := access.Certificate(t.TempDir(), "robot", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		f.TLS = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	}
	if err := f.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := f.events.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return f
}

// raw sends bytes as they are and returns the first answer's status, 0 when there is none, and all that came.
func (f *fortress) raw(t *testing.T, request string) (status int, answer string) {
	t.Helper()
	c, err := net.Dial("tcp", f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		return 0, ""
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	data, _ := io.ReadAll(c)
	_, _ = fmt.Sscanf(string(data), "HTTP/1.1 %d", &status)
	return status, string(data)
}

// asks is a request with a body of JSON.
func asks(method, path, body string, headers ...string) string {
	head := ""
	if !strings.Contains(strings.Join(headers, "\n"), "Host:") {
		head = "Host: 127.0.0.1\r\n"
	}
	for _, h := range headers {
		head += h + "\r\n"
	}
	if body != "" && !strings.Contains(head, "Content-Type:") {
		head += "Content-Type: application/json\r\n"
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, path, head, len(body), body)
}

const (
	outside = "X-Forwarded-For: 192.0.2.7" // what a proxy passes on is not of this host
	upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
	stopIt  = "/api/v1/robot/stop"
	goThere = "/api/v1/robot/goto"
	home    = `{"head":{"yaw":10}}`
	loud    = `{"values":{"sense.volume":100}}`
)

// attack is a request that must be refused, and how.
type attack struct {
	name, request string
	want          []int // status; 0: no answer
}

func is(status ...int) []int { return status }

func bearerOf(secret string) string { return "Authorization: Bearer " + secret }

//nolint:funlen // a table
func attacks(f *fortress) []attack {
	read, talk := bearerOf(f.secret[api.ScopeRead]), bearerOf(f.secret[api.ScopeTalk])
	move, tools := bearerOf(f.secret[api.ScopeMove]), bearerOf(f.secret[api.ScopeTools])
	all := []attack{
		// From elsewhere, without a token or with a wrong one.
		{"no token", asks("POST", goThere, home, outside), is(401)},
		{"no token, state", asks("GET", "/api/v1/robot/state", "", outside), is(401)},
		{"no token, old state", asks("GET", "/api/state", "", outside), is(401)},
		{"no token, page", asks("GET", "/", "", outside, "Accept: text/html"), is(401)},
		{"no token, openapi", asks("GET", "/openapi.json", "", outside), is(401)},
		{"no token, metrics", asks("GET", "/metrics", "", outside), is(401)},
		{"no token, health", asks("GET", "/healthz", "", outside), is(401)},
		{"no token, unknown path", asks("GET", "/nowhere", "", outside), is(401)},
		{"no token, tokens", asks("POST", "/api/v1/tokens", `{"name":"x","scopes":["admin"]}`, outside), is(401)},
		{"no token, WebSocket", asks("GET", "/api/v1/ws/live", "", outside, upgrade), is(401)},
		{"no token, live feedback", asks("GET", "/ws/live_feedback", "", outside, upgrade), is(401)},
		{"no token, stop", asks("POST", stopIt, "{}", outside), is(401)},
		{"no token, settings", asks("PATCH", "/api/v1/config", loud, outside), is(401)},
		{"no token, list of settings", asks("GET", "/api/v1/config/list", "", outside), is(401)},
		{"no token, old command", asks("POST", "/api/cmd/stop", "{}", outside), is(401)},
		{"no token, Forwarded", asks("POST", goThere, home, "Forwarded: for=192.0.2.7"), is(401)},
		{"no token, X-Real-IP", asks("POST", goThere, home, "X-Real-IP: 192.0.2.7"), is(401)},
		{"no token, Via", asks("POST", goThere, home, "Via: 1.1 proxy"), is(401)},
		{"pretended loopback", asks("POST", goThere, home, "X-Forwarded-For: 127.0.0.1"), is(401)},
		{"wrong token", asks("POST", goThere, home, bearerOf("reachy_aaaaaaaa_"+strings.Repeat("a", 40))), is(401)},
		{"wrong token on this host", asks("GET", "/api/v1/robot/state", "", bearerOf("guess")), is(401)},
		{"right id, wrong key", asks("POST", goThere, home, bearerOf(f.secret[api.ScopeMove][:15]+strings.Repeat("b", 40))), is(401)},
		{"token as Basic", asks("POST", goThere, home, outside, "Authorization: Basic "+f.secret[api.ScopeMove]), is(401)},
		{"token in the URL", asks("POST", goThere+"?token="+f.secret[api.ScopeMove], home, outside), is(401)},
		{"token in the body", asks("POST", goThere, `{"token":"`+f.secret[api.ScopeMove]+`"}`, outside), is(401)},
		{"hash as token", asks("POST", goThere, home, bearerOf(strings.Repeat("0", 64))), is(401, 429)},
		{"invented cookie", asks("POST", goThere, home, outside, "Cookie: reachyd=abc"), is(401)},
		{"token as cookie", asks("POST", goThere, home, outside, "Cookie: reachyd="+f.secret[api.ScopeMove]), is(401)},
		// With a token that allows less.
		{"read moves", asks("POST", goThere, home, read), is(403)},
		{"read streams", asks("GET", "/api/v1/ws/target", "", read, upgrade), is(403)},
		{"read praises", asks("GET", "/ws/live_feedback", "", read, upgrade), is(403)},
		{"read talks", asks("POST", "/api/v1/chat", `{"message":"look left"}`, read), is(403)},
		{"read stops", asks("POST", stopIt, "{}", read), is(403)},
		{"read resets", asks("POST", "/api/v1/robot/reset", "{}", read), is(403)},
		{"read calls a tool", asks("POST", "/api/v1/tools/execute", `{"tool_name":"move_head","parameters":{"yaw":9}}`, read), is(403)},
		{"read changes settings", asks("PATCH", "/api/v1/config", loud, read), is(403)},
		{"read changes settings by the old way", asks("POST", "/api/cmd/config/set", loud, read), is(403)},
		{"read by the old way", asks("POST", "/api/cmd/goto", home, read), is(403)},
		{"read by the old tool", asks("POST", "/api/cmd/tool", `{"name":"move_head"}`, read), is(403)},
		{"read forgets", asks("DELETE", "/api/v1/session/x", "", read), is(403)},
		{"read deletes a photo", asks("DELETE", "/api/v1/photos/photo-1", "", read), is(403)},
		{"read approves", asks("POST", "/api/v1/tools/review", `{"action":"approve","name":"x"}`, read), is(403)},
		{"read makes a token", asks("POST", "/api/v1/tokens", `{"name":"x","scopes":["admin"]}`, read), is(403)},
		{"talk moves directly", asks("POST", goThere, home, talk), is(403)},
		{"talk calls a tool that moves", asks("POST", "/api/v1/tools/execute", `{"tool_name":"move_head"}`, talk), is(403)},
		{"move writes a tool", asks("POST", "/api/v1/tools/add", `{"source":"x"}`, move), is(403)},
		{"move trains", asks("POST", "/api/v1/training/start", "{}", move), is(403)},
		{"tools approves its own", asks("POST", "/api/v1/tools/review", `{"action":"approve","name":"x"}`, tools), is(403)},
		{"tools moves", asks("POST", goThere, home, tools), is(403)},
		{"tools lists tokens", asks("GET", "/api/v1/tokens", "", tools), is(403)},
		// Pages of others in a browser on this host.
		{"DNS rebinding", asks("POST", goThere, home, "Host: evil.example"), is(403)},
		{"DNS rebinding with port", asks("POST", goThere, home, "Host: evil.example:8000"), is(403)},
		{"rebinding by a similar name", asks("POST", goThere, home, "Host: robot.local.evil.example"), is(403)},
		{"rebinding by localhost below", asks("POST", goThere, home, "Host: localhost.evil.example"), is(403)},
		{"no Host", "POST " + goThere + " HTTP/1.1\r\nContent-Length: 0\r\n\r\n", is(400)},
		{"two Hosts", asks("POST", goThere, home, "Host: 127.0.0.1", "Host: evil.example"), is(400)},
		{"foreign Host in the target", strings.Replace(asks("POST", goThere, home), goThere, "http://evil.example"+goThere, 1), is(403)},
		{"another site", asks("POST", goThere, home, "Origin: http://evil.example"), is(403)},
		{"another site changes settings", asks("PATCH", "/api/v1/config", loud, "Origin: http://evil.example"), is(403)},
		{"another site asks whether it may", asks("OPTIONS", "/api/v1/config", "", "Origin: http://evil.example", "Access-Control-Request-Method: PATCH"), is(403)},
		{"talk changes settings", asks("PATCH", "/api/v1/config", loud, talk), is(403)},
		{"tools changes settings", asks("PATCH", "/api/v1/config", loud, tools), is(403)},
		{"another site reads", asks("GET", "/api/v1/robot/state", "", "Origin: http://evil.example"), is(403)},
		{"another port", asks("POST", goThere, home, "Origin: http://127.0.0.1:9"), is(403)},
		{"Origin null", asks("POST", goThere, home, "Origin: null"), is(403)},
		{"two Origins", asks("POST", goThere, home, "Origin: http://127.0.0.1", "Origin: http://evil.example"), is(403)},
		{"Origin https of http", asks("POST", goThere, home, "Origin: https://127.0.0.1"), is(403)},
		{"Origin like a listed one", asks("POST", goThere, home, "Origin: https://home.example.evil.example"), is(403)},
		{"cross-site without Origin", asks("POST", goThere, home, "Sec-Fetch-Site: cross-site"), is(403)},
		{"same site, other host", asks("GET", "/api/camera.jpg", "", "Sec-Fetch-Site: same-site"), is(403)},
		{"cross-site WebSocket", asks("GET", "/api/v1/ws/target", "", "Origin: http://evil.example", upgrade), is(403)},
		{"preflight of another site", asks("OPTIONS", goThere, "", "Origin: http://evil.example", "Access-Control-Request-Method: POST"), is(403)},
		{"form of a page", asks("POST", goThere, "head=1", "Content-Type: application/x-www-form-urlencoded"), is(415)},
		{"text of a page", asks("POST", goThere, home, "Content-Type: text/plain"), is(415)},
		{"no type", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", is(415)},
		{"login form without Origin", asks("POST", "/login", "token="+f.secret[api.ScopeMove], outside, "Content-Type: application/x-www-form-urlencoded"), is(400)},
		{
			"login form of another site",
			asks("POST", "/login", "token=x", outside, "Origin: http://evil.example", "Content-Type: application/x-www-form-urlencoded"), is(403),
		},
		// Paths.
		{"traversal", asks("GET", "/page/../../../etc/passwd", ""), is(301, 307, 404)},
		{"encoded traversal", asks("GET", "/page/..%2f..%2fetc%2fpasswd", ""), is(404)},
		{"traversal of photos", asks("GET", "/api/v1/photos/..%2f..%2fstore", ""), is(200, 404)}, // the verb refuses it: see perception.Photos
		{"double slash", asks("POST", "//api//v1//robot//goto", home), is(301, 307, 404, 405)},
		{"backslash", asks("GET", `/page/..\..\secret`, ""), is(404)},
		{"null byte", asks("GET", "/page/%00", ""), is(404)},
		{"other method", asks("PUT", goThere, home), is(405)},
		{"method override", asks("GET", goThere, "", "X-HTTP-Method-Override: POST"), is(405)},
		{"TRACE", asks("TRACE", "/", ""), is(404, 405)},
		{"CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", is(403)},
		// Requests in requests.
		{"both lengths", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
			"Content-Length: 4\r\nContent-Length: 40\r\n\r\n{}", is(400)},
		{"bad chunks", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
			"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", is(400)},
		{"unknown coding", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: xchunked\r\n\r\n", is(400, 501)},
		{"two codings", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", is(400, 501)},
		{"space before colon", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length : 2\r\n\r\n{}", is(400)},
		{"negative length", "POST " + goThere + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n", is(400)},
		{"line in a header", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: a\x00b\r\n\r\n", is(400)},
		{"no HTTP", "\x16\x03\x01\x00\x05hello\r\n\r\n", is(0, 400)},
		// Too much.
		{"long body", asks("POST", goThere, `{"x":"`+strings.Repeat("a", 2<<20)+`"}`), is(413, 0)},
		{"long header", asks("GET", "/", "", "X-Long: "+strings.Repeat("a", 64<<10)), is(431, 0)},
		{"long path", asks("GET", "/"+strings.Repeat("a", 64<<10), ""), is(431, 414, 0)},
		{"deep JSON", asks("POST", goThere, strings.Repeat(`{"head":`, 5000)+"1"+strings.Repeat("}", 5000)), is(400)},
		{"two objects", asks("POST", goThere, home+home), is(400)},
		{"list for an object", asks("POST", goThere, `[`+home+`]`), is(400)},
		{"huge number", asks("GET", "/api/v1/events/list?after=1e999", ""), is(400)},
		{"parameter twice", asks("GET", "/api/v1/events/list?limit=1&limit=2", ""), is(400)},
		{"empty body", asks("POST", "/api/v1/chat", "", "Content-Type: application/json"), is(400)},
	}
	return all
}

// Nobody gets in who should not, and what is refused does nothing.
func TestAttacks(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	list := attacks(f)
	if len(list) < 60 {
		t.Fatalf("%d attacks, want 60", len(list))
	}
	for _, a := range list {
		f.door.failures = access.Rate{PerSecond: failuresPerSecond, Burst: failuresBurst}
		status, answer := f.raw(t, a.request)
		ok := false
		for _, w := range a.want {
			ok = ok || w == status
		}
		if !ok {
			t.Errorf("%s: %d, want %v\n%.300s", a.name, status, a.want, answer)
		}
		if got := f.got.acted(); len(got) > 0 {
			t.Errorf("%s: carried out %v", a.name, got)
		}
		for scope, secret := range f.secret {
			if strings.Contains(answer, secret) {
				t.Errorf("%s: the answer has the %s token in it", a.name, scope)
			}
		}
	}
	t.Logf("%d attacks", len(list))
}

// A request that hides a second one in its body is one request.
func TestNoRequestIsSmuggled(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	hidden := asks("POST", stopIt, "{}")
	for _, head := range []string{
		fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(hidden)+5), "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
	} {
		_, answer := f.raw(t, "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"+head+"\r\n0\r\n\r\n"+hidden)
		if n := strings.Count(answer, "HTTP/1.1 200"); n > 1 {
			t.Errorf("%q: %d answers\n%s", head, n, answer)
		}
		f.got.acted()
	}
}

// What is allowed works: else the attacks above would prove nothing.
func TestTokensOpenWhatTheyAllow(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	for _, c := range []struct{ name, request string }{
		{"this host", asks("POST", goThere, home)},
		{"move", asks("POST", goThere, home, outside, bearerOf(f.secret[api.ScopeMove]))},
		{"admin", asks("POST", goThere, home, outside, bearerOf(f.secret[api.ScopeAdmin]))},
		{"talk stops", asks("POST", stopIt, "{}", outside, bearerOf(f.secret[api.ScopeTalk]))},
		{"our name", asks("POST", goThere, home, "Host: Robot.local:8000")},
		{"our page", asks("POST", goThere, home, "Host: 127.0.0.1:8000", "Origin: http://127.0.0.1:8000")},
		{"listed page", asks("POST", goThere, home, "Origin: https://home.example")},
	} {
		if status, answer := f.raw(t, c.request); status != 200 || len(f.got.acted()) != 1 {
			t.Errorf("%s: %d\n%s", c.name, status, answer)
		}
	}
	if status, _ := f.raw(t, asks("GET", "/api/v1/robot/state", "", outside, bearerOf(f.secret[api.ScopeRead]))); status != 200 {
		t.Errorf("read reads: %d", status)
	}
}

// Whoever asks too often waits, and is told how long; a stop does not wait. So does whoever guesses.
func TestRatesAreLimited(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	read, move := bearerOf(f.secret[api.ScopeRead]), bearerOf(f.secret[api.ScopeAdmin])
	f.door.rate = access.Rate{PerSecond: 0.001, Burst: 3}
	for i := range 4 {
		status, answer := f.raw(t, asks("GET", "/api/v1/health", "", outside, read))
		if want := map[bool]int{true: 200, false: 429}[i < 3]; status != want || want == 429 && !strings.Contains(answer, "Retry-After: ") {
			t.Errorf("request %d: %d\n%s", i, status, answer)
		}
	}
	for range 5 {
		if status, _ := f.raw(t, asks("POST", stopIt, "{}", outside, move)); status != 200 {
			t.Errorf("a stop waits: %d", status)
		}
	}
	last := 0
	for range failuresBurst + 2 {
		last, _ = f.raw(t, asks("GET", "/api/v1/health", "", outside, bearerOf("reachy_x_y")))
	}
	if last != 429 {
		t.Errorf("after %d wrong tokens: %d", failuresBurst+2, last)
	}
}

// A login gives a cookie that scripts and other sites do not get, and that changes nothing without our own page.
func TestLogin(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	own := "Origin: http://127.0.0.1"
	_, answer := f.raw(t, asks("POST", "/login", "token="+f.secret[api.ScopeMove], outside, own, "Content-Type: application/x-www-form-urlencoded"))
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil) //nolint:bodyclose // it is of a string
	if err != nil || resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("%v\n%s", err, answer)
	}
	c := resp.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Value == f.secret[api.ScopeMove] {
		t.Errorf("cookie %+v", c)
	}
	cookie := "Cookie: " + cookieName + "=" + c.Value
	for _, x := range []struct {
		name, request string
		want          int
	}{
		{"looks", asks("GET", "/api/v1/health", "", outside, cookie), 403}, // move alone does not look
		{"moves from our page", asks("POST", goThere, home, outside, own, cookie), 200},
		{"moves without an Origin", asks("POST", goThere, home, outside, cookie), 401},
		{"moves from another page", asks("POST", goThere, home, outside, cookie, "Origin: http://evil.example"), 403},
		{"streams from another page", asks("GET", "/api/v1/ws/target", "", outside, cookie, upgrade), 401},
		{"ends", asks("POST", "/logout", "{}", outside, own, cookie), 303},
		{"moves after its end", asks("POST", goThere, home, outside, own, cookie), 401},
	} {
		if status, answer := f.raw(t, x.request); status != x.want {
			t.Errorf("%s: %d, want %d\n%s", x.name, status, x.want, answer)
		}
	}
}

// A token that is revoked opens nothing from that moment on, nor does the login that was made with it.
func TestRevokedToken(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	ask := asks("GET", "/api/v1/health", "", outside, bearerOf(f.secret[api.ScopeRead]))
	if status, _ := f.raw(t, ask); status != 200 {
		t.Fatal(status)
	}
	if status, answer := f.raw(t, asks("DELETE", "/api/v1/tokens/the%20read%20token", "")); status != 200 || strings.Contains(answer, "hash") {
		t.Errorf("revoke: %d %s", status, answer)
	}
	if status, _ := f.raw(t, ask); status != 401 {
		t.Errorf("after that: %d", status)
	}
}

// What moves, writes or changes is told as an event, without the token; what only reads is not.
func TestAudit(t *testing.T) {
	f := newFortress(t, "127.0.0.1:0")
	sub := f.events.Subscribe("test", 16, api.TypeAudit)
	defer sub.Close()
	f.raw(t, asks("POST", "/api/v1/plan", `{"text":"look left"}`, outside, bearerOf(f.secret[api.ScopeRead])))
	f.raw(t, asks("POST", goThere, home, outside, bearerOf(f.secret[api.ScopeMove])))
	e := <-sub.Events()
	if a, ok := e.Data.(api.Audit); !ok || a.Path != goThere || a.By != "the move token" || a.Status != 200 || e.Trace == "" {
		t.Errorf("%+v", e)
	}
}
