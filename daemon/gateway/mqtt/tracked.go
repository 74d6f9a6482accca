package mqtt

import (
	"net"
	"sync"
	"time"
)

const (
	helloTimeout = 10 * time.Second // from a connection to its CONNECT packet and its answer
	maxStrangers = 32               // connections above MaxClients, which have not said who they are or are being refused
)

// tracked is a listener that knows its connections: it limits how many there are, gives each a deadline to say who it is
// (the broker then sets the one of its keep-alive), and can close them all.
type tracked struct {
	net.Listener
	most int
	all  *backlog

	mu     sync.Mutex
	conns  map[*trackedConn]struct{}
	closed bool

	// starting counts the connections from which the broker has not read yet. It counts its clients (ClientsWg) only just
	// before it reads, and must not be waited for earlier.
	starting sync.WaitGroup
}

func track(l net.Listener, most int, all *backlog) *tracked {
	return &tracked{Listener: l, most: most, all: all, conns: map[*trackedConn]struct{}{}}
}

// Accept implements net.Listener.
func (t *tracked) Accept() (net.Conn, error) {
	for {
		c, err := t.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tc := t.add(c); tc != nil {
			return tc, nil
		}
		_ = c.Close()
	}
}

func (t *tracked) add(c net.Conn) *trackedConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.conns) >= t.most {
		return nil
	}
	_ = c.SetDeadline(time.Now().Add(helloTimeout))
	tc := &trackedConn{Conn: c, of: t, out: newOutgoing(c, t.all)}
	t.conns[tc] = struct{}{}
	t.starting.Add(1)
	return tc
}

// closeAll closes the listener and every connection, and returns when the broker knows all of them.
func (t *tracked) closeAll() error {
	t.mu.Lock()
	t.closed = true
	all := make([]*trackedConn, 0, len(t.conns))
	for c := range t.conns {
		all = append(all, c)
	}
	t.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
	t.starting.Wait()
	return t.Close()
}

type trackedConn struct {
	net.Conn
	of    *tracked
	out   *outgoing
	begun sync.Once
}

// Read implements net.Conn.
func (c *trackedConn) Read(p []byte) (int, error) {
	c.begun.Do(c.of.starting.Done)
	return c.Conn.Read(p)
}

// Write implements net.Conn; p is one packet.
func (c *trackedConn) Write(p []byte) (int, error) {
	if err := c.out.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// SetDeadline implements net.Conn.
func (c *trackedConn) SetDeadline(t time.Time) error { return c.out.deadline(c.Conn.SetDeadline, t) }

// Close implements net.Conn. What was written is still delivered, if the client takes it soon.
func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	c.out.close()
	return nil
}

var (
	_ net.Listener = (*tracked)(nil)
	_ net.Conn     = (*trackedConn)(nil)
)
