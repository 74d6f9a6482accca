package webrtc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
)

const (
	// Base is the signallingUrl of the official JavaScript SDK, under the address of the web server.
	Base = "/webrtc"
	// beat is how often a browser that listens gets a sign of life, and patience how long a peer may take to read a message.
	beat, patience = 15 * time.Second, 5 * time.Second
)

// Mount puts the signalling of the official JavaScript SDK on mux. Whoever asks has been let in by the web server.
func (g *Gateway) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET "+Base+"/events", needs(api.ScopeRead, g.events))
	mux.HandleFunc("POST "+Base+"/send", needs(api.ScopeMove, g.send))
	mux.HandleFunc("GET "+Base+"/api/robot-status", needs(api.ScopeRead, g.robots))
}

// needs lets only those with a scope ask.
func needs(scope api.Scope, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if g := access.Of(r.Context()); !g.Allows(scope) {
			problem(w, http.StatusForbidden, fmt.Errorf("this needs the scope %s; the token of %s has %v", scope, g.By, g.Scopes))
			return
		}
		next(w, r)
	}
}

// keyOf says who asks: a token of ours, or on this host whatever is sent as one. Two pages with the same are taken for one client.
func keyOf(r *http.Request) string {
	grant := access.Of(r.Context())
	return grant.By + "\n" + grant.TokenID + "\n" + r.Header.Get("Authorization")
}

// events is the stream of messages to a page.
func (g *Gateway) events(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	p := &peer{key: keyOf(r), from: r.RemoteAddr, hears: access.Of(r.Context()).Allows(api.ScopeTalk), gone: cancel}
	if err := g.join(p); err != nil {
		problem(w, http.StatusServiceUnavailable, err)
		return
	}
	defer g.leave(p)
	p.tell(*g.list(g.Name))
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // that of the request would end it; a connection without deadlines has none
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		text := ": \n\n"
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case data := <-p.out:
			text = "data: " + string(data) + "\n\n"
		}
		_ = control.SetWriteDeadline(time.Now().Add(patience)) // as above
		if _, err := io.WriteString(w, text); err != nil || control.Flush() != nil {
			return
		}
	}
}

// send takes a message of a page, and answers.
func (g *Gateway) send(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	if err != nil {
		problem(w, http.StatusBadRequest, fmt.Errorf("the body broke off: %w", err))
		return
	}
	m, err := parse(data)
	if err != nil {
		problem(w, http.StatusUnprocessableEntity, err)
		return
	}
	p := g.pageOf(keyOf(r), m.SessionID)
	if p == nil {
		problem(w, http.StatusConflict, errors.New("Connect to /events first")) //nolint:staticcheck // the words of the official server
		return
	}
	a, err := g.handle(p, m)
	switch {
	case err != nil:
		problem(w, http.StatusConflict, err)
		return
	case a == nil:
		a = &answer{Type: "ok"}
	case a.Type == "list":
		a = g.list(g.Name)
	}
	write(w, http.StatusOK, a)
}

// pageOf finds the page that sends: the one of the session, or else the newest of this client that has none.
func (g *Gateway) pageOf(key, sessionID string) *peer {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sessions[sessionID]; s != nil && s.peer.key == key {
		return s.peer
	}
	var newest *peer
	for _, p := range g.peers {
		if p.key == key && (newest == nil || g.free(p) && !g.free(newest) || g.free(p) == g.free(newest) && p.joined.After(newest.joined)) {
			newest = p
		}
	}
	return newest
}

// free says that a peer has no session; g.mu is held.
func (g *Gateway) free(p *peer) bool {
	for _, s := range g.sessions {
		if s.peer == p {
			return false
		}
	}
	return true
}

// robots is what the official JavaScript SDK chooses from.
func (g *Gateway) robots(w http.ResponseWriter, _ *http.Request) {
	g.mu.Lock()
	busy := len(g.sessions) >= maxSessions
	g.mu.Unlock()
	write(w, http.StatusOK, map[string]any{"robots": []any{map[string]any{
		"peerId": g.id, "robotName": g.Name, "meta": map[string]string{"name": g.Name}, "busy": busy, "activeApp": nil, "last_seen_age_seconds": 0,
	}}})
}

func problem(w http.ResponseWriter, code int, err error) {
	write(w, code, map[string]string{"detail": err.Error()})
}

func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone has no use for the error
}

// listen serves the signalling of GStreamer's webrtcsrc, which the official Python SDK uses: a WebSocket on a port of its own. The protocol
// knows no tokens, so that this host alone is served.
func (g *Gateway) listen() error {
	host, _, err := net.SplitHostPort(g.Listen)
	if at, no := netip.ParseAddr(host); err != nil || host != "localhost" && (no != nil || !at.IsLoopback()) {
		return fmt.Errorf("the signalling's address is %q; allowed is one of this host alone, such as 127.0.0.1:8443", g.Listen)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(g.ctx, "tcp", g.Listen)
	if err != nil {
		return fmt.Errorf("the signalling of WebRTC: %w", err)
	}
	g.Listen = l.Addr().String()
	g.server = &http.Server{
		Handler: http.HandlerFunc(g.socket), ReadHeaderTimeout: patience, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return g.ctx },
	}
	g.run(func() {
		if err := g.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			g.Log.Warn().Err(err).Msg("the signalling of WebRTC has ended")
		}
	})
	return nil
}

// fromHere says that a program of this host asks by an address of this host, and not the page of a browser.
func fromHere(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("the Host is %.80q; allowed are localhost and 127.0.0.1", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		return fmt.Errorf("the Origin is %.80q: pages signal at %s of the web server", origin, Base)
	}
	return nil
}

// socket is one connection of the Python SDK.
func (g *Gateway) socket(w http.ResponseWriter, r *http.Request) {
	if err := fromHere(r); err != nil {
		problem(w, http.StatusForbidden, err)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is over in any case
	conn.SetReadLimit(maxMessage)
	done := make(chan struct{})
	defer close(done)
	if !g.run(func() { <-done }) {
		return
	}
	ctx, cancel := context.WithCancel(g.ctx)
	defer cancel()
	p := &peer{from: r.RemoteAddr, hears: true, here: true, gone: cancel}
	if err := g.join(p); err != nil {
		_ = conn.Close(websocket.StatusTryAgainLater, err.Error()) // it is over in any case
		return
	}
	defer g.leave(p)
	p.key = p.id
	g.work.Go(func() {
		defer cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case data := <-p.out:
				short, stop := context.WithTimeout(ctx, patience)
				err := conn.Write(short, websocket.MessageText, data)
				stop()
				if err != nil {
					return
				}
			}
		}
	})
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		m, err := parse(data)
		var a *answer
		if err == nil {
			a, err = g.handle(p, m)
		}
		switch {
		case err != nil:
			p.tell(answer{Type: "error", Details: err.Error()})
		case a != nil && a.Type != "sessionStarted": // that has been told already
			p.tell(*a)
		}
	}
}
