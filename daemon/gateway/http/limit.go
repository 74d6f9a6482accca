package http

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// maxConns is how many connections there are at the same time.
	maxConns = 96
	// maxStreams is how many of them may be streams besides: they cost little while nothing happens.
	maxStreams = 1200
	// maxCommands is how many of them may be carried out at the same time; a stop is, in any case.
	maxCommands = 64
	// idleTimeout is how long a connection may have nothing to ask.
	idleTimeout = time.Minute
	// headerTimeout is how long a client may take to say what it wants.
	headerTimeout = 5 * time.Second
	// writeTimeout is how long a client may take to read what is written at once.
	writeTimeout = 10 * time.Second
	// maxHeader is the most bytes of a request without its body, about.
	maxHeader = 32 << 10
)

// limited is a listener that keeps no more connections than it may. A new one takes the place of the oldest that has no request:
// whoever opens many and asks nothing keeps nobody out.
type limited struct {
	net.Listener
	most, mostStreams int

	mu      sync.Mutex
	conns   []*conn // the oldest first
	streams int
}

// stream takes the connection of a request out of the count, because it has become a stream; done ends that.
func (l *limited) stream(r *http.Request) (done func(), ok bool) {
	c, known := r.Context().Value(connKey{}).(*conn)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams >= l.mostStreams {
		return nil, false
	}
	l.streams++
	if known {
		l.forget(c)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.streams--
	}, true
}

// count returns how many connections and streams there are.
func (l *limited) count() (conns, streams int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns), l.streams
}

// conn is a connection; busy says that a request of it is being answered.
type conn struct {
	net.Conn
	of   *limited
	busy bool // under of.mu
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if mine := l.add(c); mine != nil {
			return mine, nil
		}
		_ = c.Close() // all others are being answered
	}
}

func (l *limited) add(c net.Conn) *conn {
	l.mu.Lock()
	var goes *conn
	if len(l.conns) >= l.most {
		for _, other := range l.conns {
			if !other.busy {
				goes = other
				break
			}
		}
		if goes == nil {
			l.mu.Unlock()
			return nil
		}
		l.forget(goes)
	}
	mine := &conn{Conn: c, of: l}
	l.conns = append(l.conns, mine)
	l.mu.Unlock()
	if goes != nil {
		_ = goes.Conn.Close()
	}
	return mine
}

// forget takes a connection off the list; l.mu is held.
func (l *limited) forget(c *conn) {
	for i, other := range l.conns {
		if other == c {
			l.conns = append(l.conns[:i], l.conns[i+1:]...)
			return
		}
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (c *conn) setBusy(busy bool) {
	c.of.mu.Lock()
	c.busy = busy
	c.of.mu.Unlock()
}

type connKey struct{}

// keep is a server's ConnContext: it lets answering find the connection.
func keep(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if p, ok := c.(*peeked); ok {
		c = p.Conn
	}
	return context.WithValue(ctx, connKey{}, c)
}

// answering keeps the connection of a request that has come while it is answered, and drops clients that do not read.
func answering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 { // else it has to come first
			engage(r)
		}
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			defer c.setBusy(false)
		}
		t := timed{w, http.NewResponseController(w)}
		t.extend()
		next.ServeHTTP(t, r)
	})
}

// engage keeps the connection of a request that has come as a whole.
func engage(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		c.setBusy(true)
	}
}

// timed gives every write a time limit of its own: how long an answer takes to come is not the reader's fault.
type timed struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (t timed) extend() {
	_ = t.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a connection without deadlines has none that could expire
}

// Write implements http.ResponseWriter.
func (t timed) Write(p []byte) (int, error) {
	t.extend()
	return t.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (t timed) Unwrap() http.ResponseWriter { return t.ResponseWriter }
