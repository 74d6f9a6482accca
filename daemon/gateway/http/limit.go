package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
	// placeTimeout is how long a new connection waits for a place while all others are asking or being answered.
	placeTimeout = time.Second
	// maxHeader is the most bytes of a request without its body, about.
	maxHeader = 32 << 10
)

// limited is a listener that keeps no more connections than it may. A new one takes the place of one that its client has left, or else
// of the oldest that has no request: whoever opens many and asks nothing keeps nobody out.
type limited struct {
	net.Listener
	most, mostStreams int
	patience          time.Duration // placeTimeout when 0
	hopeless          bool          // one has waited that long in vain: the next does not before there is a place; Accept's own

	mu      sync.Mutex
	conns   []*conn // the oldest first
	streams int
	left    chan struct{} // of one place: told when a place may have become free
}

func newLimited(l net.Listener, most, mostStreams int) *limited {
	return &limited{Listener: l, most: most, mostStreams: mostStreams, left: make(chan struct{}, 1)}
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
	fd   int32 // that net.Conn reads from, as long as it is among of.conns; -1: none
	busy bool  // under of.mu
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if mine := l.place(c); mine != nil {
			return mine, nil
		}
		_ = c.Close() // all others are being answered
	}
}

// place adds a connection, and waits for that while all others are asking or being answered: those that come meanwhile wait at the port.
func (l *limited) place(c net.Conn) *conn {
	if mine := l.add(c, l.hopeless); mine != nil || l.hopeless {
		l.hopeless = mine == nil
		return mine
	}
	over := time.NewTimer(cmp.Or(l.patience, placeTimeout))
	defer over.Stop()
	look := time.NewTicker(time.Millisecond) // a client that goes tells nobody
	defer look.Stop()
	for {
		select {
		case <-l.left:
		case <-look.C:
		case <-over.C:
			mine := l.add(c, true)
			l.hopeless = mine == nil
			return mine
		}
		if mine := l.add(c, false); mine != nil {
			return mine
		}
	}
}

// add adds a connection if there is a place. By force it also takes the place of one whose request has come and was not read.
func (l *limited) add(c net.Conn, force bool) *conn {
	mine := &conn{Conn: c, of: l, fd: descriptor(c)}
	l.mu.Lock()
	var goes *conn
	if len(l.conns) >= l.most {
		if goes = l.worst(force); goes == nil {
			l.mu.Unlock()
			return nil
		}
		l.forget(goes)
	}
	l.conns = append(l.conns, mine)
	l.mu.Unlock()
	if goes != nil {
		_ = goes.Conn.Close()
	}
	return mine
}

// worst returns the connection that is missed least, or nil; l.mu is held. Of many that come at once most are not read yet: a request that
// waits is not ended for connections that were cut before anybody looked at them.
func (l *limited) worst(force bool) *conn {
	var idle, asks *conn
	fds := make([]unix.PollFd, len(l.conns))
	for i, c := range l.conns {
		fds[i] = unix.PollFd{Fd: c.fd, Events: unix.POLLIN | unix.POLLRDHUP} // a negative one is passed over
	}
	_, _ = unix.Poll(fds, 0) // an error leaves all of them as if nothing had come
	for i, c := range l.conns {
		switch has := fds[i].Revents; {
		case c.busy:
		case has&(unix.POLLHUP|unix.POLLERR|unix.POLLRDHUP) != 0:
			return c
		case has&unix.POLLIN != 0:
			asks = cmp.Or(asks, c)
		default:
			idle = cmp.Or(idle, c)
		}
	}
	if idle == nil && force {
		return asks
	}
	return idle
}

// descriptor returns what unix.Poll knows a connection by.
func descriptor(c net.Conn) int32 {
	fd := int32(-1)
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			_ = raw.Control(func(n uintptr) { fd = int32(n) }) // one that is closed already has none
		}
	}
	return fd
}

// forget takes a connection off the list; l.mu is held.
func (l *limited) forget(c *conn) {
	for i, other := range l.conns {
		if other == c {
			l.conns = append(l.conns[:i], l.conns[i+1:]...)
			l.tell()
			return
		}
	}
}

// tell says that a place may have become free.
func (l *limited) tell() {
	select {
	case l.left <- struct{}{}:
	default: // that is known already
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
	if c.busy = busy; !busy {
		c.of.tell()
	}
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
