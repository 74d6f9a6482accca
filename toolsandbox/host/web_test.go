package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// dialled counts connections that were made to the test server, whatever address they were meant for.
type dialled struct {
	server *httptest.Server
	to     []netip.AddrPort
}

func (d *dialled) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d.to = append(d.to, to)
	return (&net.Dialer{}).DialContext(ctx, "tcp", d.server.Listener.Addr().String())
}

func newWeb(t *testing.T, c WebConfig) *Web {
	t.Helper()
	w, err := NewWeb(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func newServer(t *testing.T, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func get(url string) string { return fmt.Sprintf(`{"method":"GET","url":%q}`, url) }

func TestOnlyAllowedHosts(t *testing.T) {
	d := &dialled{server: newServer(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Host)) })}
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	web := newWeb(t, WebConfig{Allow: []string{"api.example.org", "*.sub.example.org", "nas.example.org:8080"}, Resolve: resolve, Dial: d.dial})
	s := New(Config{HTTP: web, Limits: Limits{Requests: 1000}})
	for _, url := range []string{"http://api.example.org/", "http://API.example.org./x", "http://a.sub.example.org", "http://nas.example.org:8080/"} {
		expect(t, s, CapHTTP, get(url), `{"status":200`)
	}
	before := len(d.to)
	for _, url := range []string{
		"http://example.org/", "http://evil.org/", "http://api.example.org.evil.org/", "http://sub.example.org/", "http://xsub.example.org/",
		"http://api.example.org:22/",
		"http://nas.example.org/", "http://127.0.0.1/", "http://[::1]/", "http://0x7f000001/", "http://api.example.org%2eevil.org/", "http:///x",
		"http://evil.org#api.example.org",
	} {
		if got := ask(t, s, CapHTTP, get(url)); !strings.HasPrefix(got, CodeForbidden) && !strings.HasPrefix(got, CodeInvalid) {
			t.Errorf("%s: %s", url, got)
		}
	}
	expect(t, s, CapHTTP, get("http://api.example.org@evil.org/"), "invalid: url: a user name")
	expect(t, s, CapHTTP, get("file:///etc/passwd"), "invalid: url: scheme")
	if len(d.to) != before {
		t.Errorf("connections were made to %v", d.to[before:])
	}
}

func TestEveryPublicHost(t *testing.T) {
	d := &dialled{server: newServer(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Host)) })}
	resolve := func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "nas.home.example.org" || host == "search.lan" {
			return []netip.Addr{netip.MustParseAddr("192.168.1.5")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	web := newWeb(t, WebConfig{AllowPublic: true, Allow: []string{"search.lan:8888"}, AllowPrivate: []string{"search.lan:8888"}, Resolve: resolve, Dial: d.dial})
	s := New(Config{HTTP: web, Limits: Limits{Requests: 1000}})
	expect(t, s, CapHTTP, get("http://example.org/"), `{"status":200`)
	expect(t, s, CapHTTP, get("http://search.lan:8888/search"), `{"status":200`)
	before := len(d.to)
	for _, url := range []string{
		"http://nas.home.example.org/", "http://127.0.0.1/", "http://example.org:22/", "http://search.lan/", "http://search.lan:9999/",
		"http://[::ffff:10.0.0.1]/",
	} {
		if got := ask(t, s, CapHTTP, get(url)); !strings.HasPrefix(got, CodeForbidden) {
			t.Errorf("%s: %s", url, got)
		}
	}
	if len(d.to) != before {
		t.Errorf("connections were made to %v", d.to[before:])
	}
}

// The name that was looked up is not looked up again: a second answer, a private one, is never used.
func TestRebinding(t *testing.T) {
	d := &dialled{server: newServer(t, func(http.ResponseWriter, *http.Request) {})}
	var lookups atomic.Int32
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::ffff:192.168.1.1"), netip.MustParseAddr("fe80::1%eth0")}, nil
	}
	web := newWeb(t, WebConfig{Allow: []string{"a.example.org"}, Resolve: resolve, Dial: d.dial})
	s := New(Config{HTTP: web})
	expect(t, s, CapHTTP, get("http://a.example.org/"), `{"status":200`)
	if lookups.Load() != 1 || len(d.to) != 1 || d.to[0] != netip.MustParseAddrPort("93.184.215.14:80") {
		t.Errorf("%d look-ups, connections to %v", lookups.Load(), d.to)
	}
	web.Close() // so that the next request needs a new connection
	expect(t, s, CapHTTP, get("http://a.example.org/"), "forbidden: a.example.org has the private address 127.0.0.1")
	if len(d.to) != 1 {
		t.Errorf("connections to %v", d.to)
	}
}

func TestPrivateAddresses(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "240.0.0.1", "192.0.0.1",
		"198.18.0.1",
		"::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1",
		"fec0::1",
	} {
		if Public(netip.MustParseAddr(a)) {
			t.Errorf("%s passes for public", a)
		}
	}
	for _, a := range []string{"93.184.215.14", "1.1.1.1", "2606:4700:4700::1111", "172.32.0.1", "100.128.0.1"} {
		if !Public(netip.MustParseAddr(a)) {
			t.Errorf("%s does not pass for public", a)
		}
	}
	// An owner may allow one private host, and only that.
	d := &dialled{server: newServer(t, func(http.ResponseWriter, *http.Request) {})}
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("192.168.1.7")}, nil
	}
	web := newWeb(t, WebConfig{Allow: []string{"nas.local", "other.local"}, AllowPrivate: []string{"nas.local"}, Resolve: resolve, Dial: d.dial})
	s := New(Config{HTTP: web})
	expect(t, s, CapHTTP, get("http://nas.local/"), `{"status":200`)
	expect(t, s, CapHTTP, get("http://other.local/"), "forbidden: other.local has the private address 192.168.1.7")
}

func TestRedirectsAreChecked(t *testing.T) {
	d := &dialled{}
	d.server = newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/name":
			http.Redirect(w, r, "http://evil.example.org/", http.StatusFound)
		case "/address":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/scheme":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}
	})
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	s := New(Config{HTTP: newWeb(t, WebConfig{Allow: []string{"a.example.org"}, Resolve: resolve, Dial: d.dial})})
	expect(t, s, CapHTTP, get("http://a.example.org/name"), "forbidden: ")
	expect(t, s, CapHTTP, get("http://a.example.org/address"), "forbidden: ")
	expect(t, s, CapHTTP, get("http://a.example.org/scheme"), "invalid: url: scheme")
	expect(t, s, CapHTTP, get("http://a.example.org/loop"), "limit_exceeded: http://a.example.org/loop: more than 5 redirects")
}

func TestWebLimits(t *testing.T) {
	release := make(chan struct{})
	server := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "/big":
			_, _ = w.Write(make([]byte, 1001))
		case "/fits":
			_, _ = w.Write(make([]byte, 1000))
		}
	})
	defer close(release)
	address := server.Listener.Addr().String()
	web := newWeb(t, WebConfig{Allow: []string{address}, AllowPrivate: []string{address}})
	limits := Limits{Requests: 3, ResponseBody: 1000, RequestBody: 10, HTTPTimeout: 50 * time.Millisecond}
	s := New(Config{HTTP: web, Limits: limits})
	expect(t, s, CapHTTP, get(server.URL+"/fits"), `{"status":200`)
	expect(t, s, CapHTTP, get(server.URL+"/big"), "limit_exceeded: the answer of")
	expect(t, s, CapHTTP, get(server.URL+"/slow"), "timeout: ")
	expect(t, s, CapHTTP, get(server.URL+"/fits"), "limit_exceeded: more than 3 web requests")
	s = New(Config{HTTP: web, Limits: Limits{RequestBody: 10}})
	expect(t, s, CapHTTP, fmt.Sprintf(`{"method":"GET","url":%q,"timeout":0.02}`, server.URL+"/slow"), "timeout: ")

	headers := map[string]string{}
	for i := range maxHeaders + 1 {
		headers[fmt.Sprint("x", i)] = ""
	}
	many, err := json.Marshal(headers)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{`{"method":"POST","url":"` + server.URL + `","body":"MTIzNDU2Nzg5MDE="}`, "limit_exceeded: body: 11 bytes, allowed 10"},
		{`{"method":"PUT","url":"` + server.URL + `"}`, "invalid: method"},
		{get(server.URL + "/" + strings.Repeat("x", maxURL)), "limit_exceeded: url"},
		{get("http://a b/"), "invalid: url"},
		{`{"method":"GET","url":"` + server.URL + `","timeout":0}`, "invalid: timeout"},
		{`{"method":"GET","url":"` + server.URL + `","headers":` + string(many) + `}`, "limit_exceeded: headers: 51, allowed 50"},
		{`{"method":"GET","url":"` + server.URL + `","headers":{"x":"` + strings.Repeat("y", maxHeader) + `"}}`, "limit_exceeded: header"},
		{`{"method":"GET","url":"` + server.URL + `","headers":{"x":"a\r\nHost: b"}}`, "invalid: header"},
		{`{"method":"GET","url":"` + server.URL + `","headers":{"hOsT":"b"}}`, "invalid: header \"hOsT\": set by the host"},
	} {
		expect(t, s, CapHTTP, tc.args, tc.want)
	}
}

func TestAllowListIsChecked(t *testing.T) {
	for _, entry := range []string{"", "*", "*.", "http://x", "a/b", "A.org", "a.*.org", "x:99999", "u@x", "a b"} {
		if _, err := NewWeb(WebConfig{Allow: []string{entry}}); err == nil {
			t.Errorf("%q passes", entry)
		}
	}
}

// FuzzRequest looks for a request that gets past the allow-list.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		get("http://api.example.org/"), get("http://evil@api.example.org:80/"), get("http://api.example.org:x/"), get("//api.example.org"),
		get("http://[::1%25eth0]/"),
		`{"method":"POST","url":"https://api.example.org","headers":{"a":"b"},"body":"AA==","timeout":1}`,
	} {
		f.Add([]byte(s))
	}
	web, err := NewWeb(WebConfig{Allow: []string{"api.example.org", "*.sub.example.org"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		r, timeout, err := New(Config{HTTP: web}).parseRequest(args)
		if err != nil {
			return
		}
		if timeout <= 0 || timeout > DefaultLimits.HTTPTimeout {
			t.Fatalf("timeout %s", timeout)
		}
		if web.check(r.URL) != nil {
			return
		}
		again, err := url.Parse(r.URL.String())
		if err != nil {
			t.Fatalf("%q: %v", r.URL, err)
		}
		host := strings.TrimSuffix(strings.ToLower(again.Hostname()), ".")
		if host != "api.example.org" && !strings.HasSuffix(host, ".sub.example.org") {
			t.Fatalf("%q is let through", r.URL)
		}
	})
}
