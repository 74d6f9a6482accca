package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// WebConfig says where tools may go.
type WebConfig struct {
	// Allow are the hosts: api.example.org, *.example.org (every host below it), nas.example.org:8080. Without a port
	// 80 and 443 are meant. Empty allows nothing.
	Allow []string
	// AllowPublic allows every host with a public address, at ports 80 and 443.
	AllowPublic bool
	// AllowPrivate are those of them that may have private addresses (this machine, the home network).
	AllowPrivate []string
	// Resolve finds the addresses of a host; nil means the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that was found to be allowed; nil means TCP.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Web is a client of the web that goes only where the owner allowed: to named hosts, at addresses that are looked up
// once, checked, and then connected to. It is for use by many goroutines.
type Web struct {
	config    WebConfig
	transport *http.Transport
	client    http.Client
}

var _ HTTPClient = (*Web)(nil)

const maxRedirects = 5

// NewWeb makes a Web. Close it.
func NewWeb(c WebConfig) (*Web, error) {
	for _, list := range [][]string{c.Allow, c.AllowPrivate} {
		for _, entry := range list {
			if err := checkEntry(entry); err != nil {
				return nil, err
			}
		}
	}
	if c.Resolve == nil {
		c.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if c.Dial == nil {
		c.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
		}
	}
	w := &Web{config: c}
	w.transport = &http.Transport{
		DialContext: w.dial, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
	}
	w.client = http.Client{Transport: w.transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fail(CodeLimit, "%s: more than %d redirects", r.URL.Redacted(), maxRedirects)
		}
		return w.check(r.URL)
	}}
	return w, nil
}

// Close ends idle connections.
func (w *Web) Close() { w.transport.CloseIdleConnections() }

func checkEntry(entry string) error {
	host := strings.TrimPrefix(entry, "*.")
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := netip.ParseAddrPort("0.0.0.0:" + port); err != nil {
			return fmt.Errorf("allowed host %q: port %q, allowed 1 to 65535", entry, port)
		}
		host = h
	}
	if host == "" || strings.ContainsAny(host, "*/@ ") || host != strings.ToLower(host) {
		return fmt.Errorf("allowed host %q: allowed are names such as api.example.org, *.example.org and nas.example.org:8080", entry)
	}
	return nil
}

// matches says whether an entry of an allow-list means a host (lower case, no final dot) and port.
func matches(entry, host, port string) bool {
	name, wanted := entry, ""
	if h, p, err := net.SplitHostPort(entry); err == nil {
		name, wanted = h, p
	}
	if wanted != port && (wanted != "" || port != "80" && port != "443") {
		return false
	}
	if below, ok := strings.CutPrefix(name, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return name == host
}

func anyMatches(list []string, host, port string) bool {
	for _, entry := range list {
		if matches(entry, host, port) {
			return true
		}
	}
	return false
}

func hostPort(u *url.URL) (host, port string) {
	host, port = strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return host, port
}

func (w *Web) check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return invalid("url: scheme %.20q, allowed http and https", u.Scheme)
	}
	if u.User != nil {
		return invalid("url: a user name in it; put credentials into a header")
	}
	host, port := hostPort(u)
	if w.config.AllowPublic && (port == "80" || port == "443") {
		return nil // where it leads is checked when it is dialled
	}
	if !anyMatches(w.config.Allow, host, port) {
		allowed := strings.Join(w.config.Allow, ", ")
		if allowed == "" {
			allowed = "none"
		}
		return fail(CodeForbidden, "the owner of this robot did not allow tools to reach %.100s (port %.5s); allowed: %s", host, port, allowed)
	}
	return nil
}

// dial looks a host up, checks what was found and connects to exactly that: a name that means something else a moment
// later changes nothing.
func (w *Web) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	addrs := []netip.Addr{}
	if literal, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, literal)
	} else if addrs, err = w.config.Resolve(ctx, host); err != nil {
		return nil, fmt.Errorf("looking up %s: %w", host, err)
	}
	private := anyMatches(w.config.AllowPrivate, host, port)
	var last error
	for _, addr := range addrs {
		addr = addr.Unmap().WithZone("")
		if !private && !Public(addr) {
			last = errors.Join(last, fail(CodeForbidden, "%.100s has the private address %s, which the owner of this robot did not allow", host, addr))
			continue
		}
		to, err := netip.ParseAddrPort(net.JoinHostPort(addr.String(), port))
		if err != nil {
			return nil, invalid("url: port %.20q", port)
		}
		conn, err := w.config.Dial(ctx, to)
		if err == nil {
			return conn, nil
		}
		last = err
	}
	if last == nil {
		last = fmt.Errorf("looking up %s: no address", host)
	}
	return nil, last
}

// notPublic are the networks beside those that netip knows to be special.
var notPublic = func() (all []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}()

// Public says whether an address is one of the public internet. Addresses that carry another one inside (NAT64, 6to4,
// Teredo) are not.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// Do does one request.
func (w *Web) Do(r *http.Request) (*http.Response, error) {
	if err := w.check(r.URL); err != nil {
		return nil, err
	}
	return w.client.Do(r)
}

// The bounds of one request beside those of Limits.
const (
	maxURL     = 4096
	maxHeaders = 50
	maxHeader  = 8 << 10 // bytes of name and value
)

// ours are headers that the host sets and no tool may.
var ours = map[string]bool{
	"Host": true, "Content-Length": true, "Connection": true, "Transfer-Encoding": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Keep-Alive": true, "Proxy-Authorization": true, "Proxy-Connection": true, "Expect": true, "Accept-Encoding": true,
}

type webArgs struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
	Timeout *float64          `json:"timeout"` // seconds
}

type webAnswer struct {
	Status  int               `json:"status"`
	Reason  string            `json:"reason"`
	URL     string            `json:"url"` // after redirects
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
}

func (s *Set) parseRequest(raw json.RawMessage) (*http.Request, time.Duration, error) {
	var a webArgs
	if err := decode(raw, &a); err != nil {
		return nil, 0, err
	}
	refuse := func(err error) (*http.Request, time.Duration, error) { return nil, 0, err }
	switch {
	case a.Method != http.MethodGet && a.Method != http.MethodPost:
		return refuse(invalid("method: %.20q, allowed GET and POST", a.Method))
	case len(a.URL) > maxURL:
		return refuse(fail(CodeLimit, "url: %d bytes, allowed %d", len(a.URL), maxURL))
	case int64(len(a.Body)) > s.limits.RequestBody:
		return refuse(fail(CodeLimit, "body: %d bytes, allowed %d", len(a.Body), s.limits.RequestBody))
	case len(a.Headers) > maxHeaders:
		return refuse(fail(CodeLimit, "headers: %d, allowed %d", len(a.Headers), maxHeaders))
	}
	timeout := s.limits.HTTPTimeout
	if a.Timeout != nil {
		if !(*a.Timeout > 0 && *a.Timeout <= 3600) {
			return refuse(invalid("timeout: %g, allowed more than 0 to 3600 s", *a.Timeout))
		}
		timeout = min(timeout, time.Duration(*a.Timeout*float64(time.Second)))
	}
	r, err := http.NewRequest(a.Method, a.URL, bytes.NewReader(a.Body)) //nolint:noctx // the context is set when it is sent
	if err != nil {
		return refuse(invalid("url: %.200v", err))
	}
	for name, value := range a.Headers {
		switch {
		case len(name)+len(value) > maxHeader:
			return refuse(fail(CodeLimit, "header %.40q: %d bytes, allowed %d", name, len(name)+len(value), maxHeader))
		case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			return refuse(invalid("header %.40q: characters that headers do not have", name))
		case ours[textproto.CanonicalMIMEHeaderKey(name)]:
			return refuse(invalid("header %.40q: set by the host", name))
		}
		r.Header.Set(name, value)
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "reachyd-tool/1")
	}
	return r, timeout, nil
}

// web does one request of a tool.
func (s *Set) web(ctx context.Context, raw json.RawMessage) (any, error) {
	r, timeout, err := s.parseRequest(raw)
	if err != nil {
		return nil, err
	}
	if s.client == nil {
		return nil, unavailable("web access for tools")
	}
	if s.requests++; s.requests > s.limits.Requests {
		return nil, fail(CodeLimit, "more than %d web requests in one call", s.limits.Requests)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := s.client.Do(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // nothing is lost
	body, err := io.ReadAll(io.LimitReader(res.Body, s.limits.ResponseBody+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > s.limits.ResponseBody {
		return nil, fail(CodeLimit, "the answer of %.100s has more than %d bytes, which is all a tool may have", r.URL.Host, s.limits.ResponseBody)
	}
	a := webAnswer{Status: res.StatusCode, Reason: http.StatusText(res.StatusCode), URL: r.URL.String(), Headers: map[string]string{}, Body: body}
	if res.Request != nil {
		a.URL = res.Request.URL.String()
	}
	for name, values := range res.Header {
		a.Headers[name] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	return a, nil
}
