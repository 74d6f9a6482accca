package http

import (
	_ "embed" // the login page
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
)

const (
	// cookieName is the cookie of a login.
	cookieName = "reachyd"
	loginPath  = "/login"
	logoutPath = "/logout"
	maxLogin   = 4 << 10

	// Each token may ask so often.
	ratePerSecond, rateBurst = 50, 200
	// From each address so many wrong tokens may come.
	failuresPerSecond, failuresBurst = 0.2, 10
)

//go:embed login.html
var loginPage []byte

// door decides who comes in.
type door struct {
	tokens   *access.Tokens // nil: nobody from outside
	origins  []string       // pages of others that may ask
	hosts    []string       // names of this host
	sessions access.Sessions
	rate     access.Rate
	failures access.Rate
	newTrace func() string
	publish  func(trace string, data api.Payload)
}

func newDoor(g *Gateway) *door {
	d := &door{
		tokens: g.Tokens, origins: g.Origins, hosts: g.Hosts, newTrace: g.NewTrace, publish: g.Publish,
		rate:     access.Rate{PerSecond: ratePerSecond, Burst: rateBurst},
		failures: access.Rate{PerSecond: failuresPerSecond, Burst: failuresBurst},
	}
	if d.newTrace == nil {
		d.newTrace = func() string { return "" }
	}
	if d.publish == nil {
		d.publish = func(string, api.Payload) {}
	}
	return d
}

// admit is the way of every request: a trace, headers for browsers, no foreign pages, a grant, and a note of what it changed.
func (d *door) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := d.newTrace()
		r = r.WithContext(tool.WithTrace(r.Context(), own))
		h := w.Header()
		if own != "" {
			h.Set("X-Request-Id", own)
		}
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // without any, browsers would hide the Origin of the login
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		if len(r.TransferEncoding) > 0 {
			h.Set("Connection", "close") // a length beside it has been dropped: what follows may be meant for somebody else
		}
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !d.known(w, r) || d.preflight(w, r) {
			return
		}
		grant, ok := d.grant(w, r)
		if !ok {
			return
		}
		answered, note := &audited{ResponseWriter: w, status: http.StatusOK}, &access.Note{}
		r = r.WithContext(note.In(access.With(r.Context(), grant)))
		changes := r.Method != http.MethodGet && r.Method != http.MethodHead || strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
		next.ServeHTTP(answered, r)
		if changes && !note.Harmless {
			d.publish(own, api.Audit{Address: grant.Address, By: grant.By, Method: r.Method, Path: shortened(r.URL.Path), Status: answered.status})
		}
	})
}

func shortened(path string) string { return strings.ToValidUTF8(path[:min(len(path), 200)], "?") }

// audited notes how a request was answered.
type audited struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (a *audited) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (a *audited) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// known keeps web pages of others out: a page that a browser shows can reach this port. Such a request carries an Origin that is not
// ours, or, after DNS rebinding, a Host that is not this host.
func (d *door) known(w http.ResponseWriter, r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" && !slices.Contains(d.hosts, host) {
		rest.Forbidden(w, r, fmt.Sprintf("Host: %.100q is not an IP address, localhost, or a name of this host (http.hosts)", r.Host))
		return false
	}
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		if len(origins) > 1 || origin != ownOrigin(r) && !slices.Contains(d.origins, origin) {
			rest.Forbidden(w, r, fmt.Sprintf("Origin: %.100q is another site", origin))
			return false
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); len(origins) == 0 && (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		rest.Forbidden(w, r, fmt.Sprintf("Sec-Fetch-Site: %.40q: another site asks", site))
		return false
	}
	return true
}

func ownOrigin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// preflight answers a browser that asks for a page of a listed origin.
func (d *door) preflight(w http.ResponseWriter, r *http.Request) (over bool) {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == ownOrigin(r) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// addressOf is where a request comes from, and whether that is this host. What a proxy passes on comes from elsewhere.
func addressOf(r *http.Request) (address string, local bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr, false
	}
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return at.Addr().String(), false
		}
	}
	return at.Addr().String(), at.Addr().Unmap().IsLoopback()
}

// bearer is the token that a request carries; given says that there is one, right or wrong.
func bearer(r *http.Request) (secret string, given bool) {
	text := r.Header.Get("Authorization")
	if text == "" {
		return "", false
	}
	kind, secret, _ := strings.Cut(text, " ")
	if !strings.EqualFold(kind, "Bearer") {
		return "", true
	}
	return strings.TrimSpace(secret), true
}

// grant says what a request may do; it has been answered when ok is false.
func (d *door) grant(w http.ResponseWriter, r *http.Request) (g access.Grant, ok bool) {
	address, local := addressOf(r)
	if secret, given := bearer(r); given && (!local || d.tokens != nil) {
		return d.byToken(w, r, address, secret, local)
	}
	if local {
		return access.Everything(address), true
	}
	if d.tokens == nil {
		rest.Unauthorized(w, r, "this robot serves its own host only: no tokens can be kept")
		return g, false
	}
	if cookie, err := r.Cookie(cookieName); err == nil && r.URL.Path != loginPath {
		if g, ok := d.byCookie(r, address, cookie.Value); ok {
			return d.paced(w, r, g)
		}
	}
	if r.URL.Path == loginPath && r.Method == http.MethodPost {
		d.login(w, r, address)
		return g, false
	}
	d.turnAway(w, r)
	return g, false
}

// byToken is the grant of a token.
func (d *door) byToken(w http.ResponseWriter, r *http.Request, address, secret string, local bool) (g access.Grant, ok bool) {
	if d.tooManyFailures(w, r, address) {
		return g, false
	}
	t, err := d.tokens.Check(secret)
	if err != nil {
		// Clients of OpenAI's, and the official daemon's, always send a key. On this host it may be anything that is no token of ours.
		if local && !strings.HasPrefix(secret, "reachy_") && (strings.HasPrefix(r.URL.Path, "/v1/") || strings.HasPrefix(r.URL.Path, "/webrtc/")) {
			return access.Everything(address), true
		}
		d.failures.Take(address)
		rest.Unauthorized(w, r, "Authorization: the token is not valid: it never was, was revoked, or has expired")
		return g, false
	}
	return d.paced(w, r, access.Grant{By: t.Name, TokenID: t.ID, Address: address, Scopes: t.Scopes})
}

// byCookie is the grant of a login. What changes something must come from our own page.
func (d *door) byCookie(r *http.Request, address, cookie string) (g access.Grant, ok bool) {
	t, ok := d.sessions.Check(cookie)
	if !ok || !d.tokens.Valid(t.ID) {
		return g, false
	}
	safe := (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	if !safe && r.Header.Get("Origin") != ownOrigin(r) {
		return g, false
	}
	return access.Grant{By: t.Name, TokenID: t.ID, Address: address, Scopes: t.Scopes}, true
}

// paced refuses who asks too often.
func (d *door) paced(w http.ResponseWriter, r *http.Request, g access.Grant) (access.Grant, bool) {
	if stops(r) { // a stop waits for nothing
		return g, true
	}
	wait, ok := d.rate.Take(g.TokenID)
	if !ok {
		rest.TooOften(w, r, seconds(wait), fmt.Sprintf("the token of %s asks too often; allowed are %d requests a second", g.By, ratePerSecond))
	}
	return g, ok
}

func stops(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == "/api/v1/robot/stop" || r.URL.Path == "/api/cmd/stop")
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

func (d *door) tooManyFailures(w http.ResponseWriter, r *http.Request, address string) bool {
	wait, full := d.failures.Full(address)
	if full {
		rest.TooOften(w, r, seconds(wait), "too many wrong tokens came from this address")
	}
	return full
}

// turnAway says that a token is needed: to a person with a page to type it into.
func (d *door) turnAway(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
		page(w)
		w.Header().Set("WWW-Authenticate", `Bearer realm="reachyd"`)
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write(loginPage) // a client that is gone has no use for the error
		return
	}
	rest.Unauthorized(w, r, "a token is needed: Authorization: Bearer …; reachyctl token add makes one")
}

// page sets the headers of the login page, whose styles are its own.
func page(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
}

// login makes a cookie of a token.
func (d *door) login(w http.ResponseWriter, r *http.Request, address string) {
	if d.tooManyFailures(w, r, address) {
		return
	}
	secret, asForm, err := loginToken(w, r)
	if err != nil {
		rest.Refuse(w, r, api.CodeInvalid, err.Error())
		return
	}
	t, err := d.tokens.Check(secret)
	if err != nil {
		d.failures.Take(address)
		if asForm {
			page(w)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write(loginPage) // a client that is gone has no use for the error
			return
		}
		rest.Unauthorized(w, r, "the token is not valid")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: d.sessions.Begin(t), Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
		MaxAge: int(access.SessionLife.Seconds()),
	})
	d.publish(tool.Trace(r.Context()), api.Audit{Address: address, By: t.Name, Method: r.Method, Path: loginPath, Status: http.StatusSeeOther})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// loginToken reads the token of a login: a form of our page, or JSON.
func loginToken(w http.ResponseWriter, r *http.Request) (secret string, asForm bool, err error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", false, fmt.Errorf("Content-Type: %.80q is not one", r.Header.Get("Content-Type"))
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	switch kind {
	case "application/x-www-form-urlencoded":
		// A form of another page cannot come here: its Origin has been refused. Without an Origin it was no browser of today.
		if r.Header.Get("Origin") == "" {
			return "", true, errors.New("the header Origin is missing")
		}
		if err := r.ParseForm(); err != nil {
			return "", true, errors.New("the form cannot be read")
		}
		return strings.TrimSpace(r.PostForm.Get("token")), true, nil
	case "application/json":
		var in struct {
			Token string `json:"token"`
		}
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(data, &in)
		}
		if err != nil {
			return "", false, errors.New("the body is not an object with the token")
		}
		return in.Token, false, nil
	}
	return "", false, fmt.Errorf("Content-Type: %.80q; allowed are application/x-www-form-urlencoded and application/json", kind)
}

// logout ends a login.
func (d *door) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		d.sessions.End(c.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode, MaxAge: -1})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// needs lets only those with a scope ask.
func needs(scope api.Scope, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if scope == api.ScopeRead {
			access.Harmless(r.Context())
		}
		if allowed(w, r, scope) {
			next(w, r)
		}
	}
}

// allowed says whether a request has a scope, and answers when it has not.
func allowed(w http.ResponseWriter, r *http.Request, scope api.Scope) bool {
	g := access.Of(r.Context())
	if !g.Allows(scope) {
		rest.Forbidden(w, r, fmt.Sprintf("this needs the scope %s; the token of %s has %v", scope, g.By, g.Scopes))
		return false
	}
	return true
}
