package mqtt

import (
	"net"
	"sync"
	"time"
)

// pipeListener is a net.Listener for connections from inside this process.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return newEager(ours), nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

// eager is a connection whose Write never waits. Over a bare pipe client and broker can wait for each other for ever: the
// client's reader for its writer, to acknowledge; that for the broker's reader, to take it; that for the client's reader,
// to take its acknowledgement. What is buffered is bounded by the outbox's window and by the commands under way.
type eager struct {
	net.Conn
	more chan struct{}

	mu     sync.Mutex
	buf    []byte
	closed bool
	err    error
}

func newEager(c net.Conn) *eager {
	e := &eager{Conn: c, more: make(chan struct{}, 1)}
	go e.pump()
	return e
}

// Write implements net.Conn.
func (e *eager) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.err != nil:
		return 0, e.err
	case e.closed:
		return 0, net.ErrClosed
	}
	e.buf = append(e.buf, p...)
	e.wake()
	return len(p), nil
}

// Close implements net.Conn. What was written is still delivered, or given up after a second.
func (e *eager) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		_ = e.Conn.SetReadDeadline(time.Unix(0, 1)) // whoever reads is told now
		_ = e.Conn.SetWriteDeadline(time.Now().Add(leaveTimeout))
	}
	e.wake()
	return nil
}

// SetDeadline implements net.Conn; writing needs none.
func (e *eager) SetDeadline(t time.Time) error { return e.SetReadDeadline(t) }

// SetReadDeadline implements net.Conn.
func (e *eager) SetReadDeadline(t time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return net.ErrClosed
	}
	return e.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn; writing needs none.
func (e *eager) SetWriteDeadline(time.Time) error { return nil }

func (e *eager) wake() {
	select {
	case e.more <- struct{}{}:
	default:
	}
}

// pump writes what was buffered until the connection is closed by either side.
func (e *eager) pump() {
	defer e.Conn.Close() //nolint:errcheck // a pipe
	var spare []byte
	for {
		e.mu.Lock()
		out, closed := e.buf, e.closed
		if len(out) > 0 { // two buffers take turns
			e.buf, spare = spare[:0], nil
		}
		e.mu.Unlock()
		if len(out) == 0 {
			if closed {
				return
			}
			<-e.more // Close wakes us
			continue
		}
		if _, err := e.Conn.Write(out); err != nil {
			e.mu.Lock()
			e.err = err
			e.mu.Unlock()
			return
		}
		spare = out
	}
}

var _ net.Conn = (*eager)(nil)

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return inProcess }

var _ net.Listener = (*pipeListener)(nil)
