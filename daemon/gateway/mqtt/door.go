package mqtt

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"
)

const (
	helloTimeout = 10 * time.Second // from a connection to its CONNECT packet and its answer
	maxStrangers = 32               // connections above MaxClients, which have not said who they are or are being refused
	acceptPause  = 50 * time.Millisecond
	maxUnsettled = 2 * window // messages of one connection whose acknowledgement waits for the disk
	maxTurns     = 4          // connections that begin a session or subscribe at the same time
)

// door is a way into the broker. It limits how many connections there are, gives each a deadline to say who it is (the broker
// then sets the one of its keep-alive), and can close them all. The library's own listener ends for ever at the first error.
type door struct {
	net.Listener
	name  string
	most  int // connections
	each  int // of them from one address that is not of this host; 0: no limit
	all   *backlog
	room  *room
	turns chan struct{} // see trackedConn.take
	open  chan struct{} // closed when connections are accepted; the system keeps the early ones waiting
	gone  func(*trackedConn)

	opening, closing sync.Once
	ended            chan struct{}
	served           sync.WaitGroup

	mu     sync.Mutex
	conns  map[*trackedConn]struct{}
	closed bool
}

func (b *Broker) newDoor(name string, l net.Listener, most, each int) *door {
	return &door{
		Listener: l, name: name, most: most, each: each, all: b.backlog, room: b.room, turns: b.turns, gone: b.sessions.release,
		open: make(chan struct{}), ended: make(chan struct{}), conns: map[*trackedConn]struct{}{},
	}
}

// admit begins to accept connections.
func (d *door) admit() { d.opening.Do(func() { close(d.open) }) }

// Serve implements listeners.Listener.
func (d *door) Serve(establish listeners.EstablishFn) {
	select {
	case <-d.open:
	case <-d.ended:
		return
	}
	for {
		c, err := d.Accept()
		if err != nil {
			select {
			case <-d.ended:
				return
			case <-time.After(acceptPause): // such as too many open files, which passes
			}
			continue
		}
		tc := d.add(c)
		if tc == nil {
			_ = c.Close()
			continue
		}
		go func() {
			defer d.served.Done()
			_ = establish(d.name, tc) // the broker has logged it
			_ = tc.Close()
			tc.in.leave()
			tc.give()
			d.gone(tc)
			close(tc.served)
		}()
	}
}

func (d *door) add(c net.Conn) *trackedConn {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || len(d.conns) >= d.most {
		return nil
	}
	host := d.hostOf(c)
	if d.each > 0 && host != "" {
		n := 0
		for other := range d.conns {
			if other.host == host {
				n++
			}
		}
		if n >= d.each {
			return nil
		}
	}
	_ = c.SetDeadline(time.Now().Add(helloTimeout))
	ctx, cancel := context.WithCancel(context.Background())
	tc := &trackedConn{Conn: c, host: host, ctx: ctx, cancel: cancel, served: make(chan struct{}), in: incoming{room: d.room}}
	tc.turns = d.turns
	tc.unsettled = make(chan struct{}, maxUnsettled)
	tc.out = newOutgoing(c, d.all, func() { d.forget(tc) })
	d.conns[tc] = struct{}{}
	d.served.Add(1)
	return tc
}

func (d *door) forget(c *trackedConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, c)
}

// hostOf returns the address of the other side, "" for this host.
func (d *door) hostOf(c net.Conn) string {
	host, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil || loopback(host) {
		return ""
	}
	return host
}

// closeAll closes the listener and every connection, and returns when the broker has left all of them.
func (d *door) closeAll() {
	d.closing.Do(func() { close(d.ended) })
	d.mu.Lock()
	d.closed = true
	all := make([]*trackedConn, 0, len(d.conns))
	for c := range d.conns {
		all = append(all, c)
	}
	d.mu.Unlock()
	_ = d.Listener.Close()
	for _, c := range all {
		_ = c.Close()
	}
	d.served.Wait()
}

// Init implements listeners.Listener.
func (d *door) Init(*slog.Logger) error { return nil }

// ID implements listeners.Listener.
func (d *door) ID() string { return d.name }

// Address implements listeners.Listener.
func (d *door) Address() string { return d.Addr().String() }

// Protocol implements listeners.Listener.
func (d *door) Protocol() string { return d.Addr().Network() }

// Close implements listeners.Listener; closeAll has done it.
func (d *door) Close(listeners.CloseFn) {}

type trackedConn struct {
	net.Conn
	host   string
	out    *outgoing
	in     incoming
	ctx    context.Context //nolint:containedctx // ends with the connection
	cancel context.CancelFunc
	served chan struct{} // closed when the broker has left it

	turns chan struct{} // as many as there are in it have their turn
	turn  bool          // it has one

	unsettled chan struct{} // has one for each message whose acknowledgement waits for the disk

	client *mochi.Client   // once it has a session
	old    bool            // it speaks a version before 5
	asked  uint32          // for how many seconds it wants its session to be kept
	packet uint16          // the ID of the SUBSCRIBE or UNSUBSCRIBE that is being processed
	aside  *packets.Packet // see flow.distinguish
	empty  bool            // its last will is
}

// Read implements net.Conn.
func (c *trackedConn) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	c.in.done()
	c.give()
	n, err := c.Conn.Read(p)
	if err != nil {
		return n, err
	}
	return n, c.in.read(c, p[:n])
}

// take waits until it is this connection's turn to do what costs much: to begin a session and to subscribe. Thousands that come at
// once would leave nothing of the processor to those that are there, and a stop is one of these. A connection that ends need not wait:
// another one may wait for its end.
func (c *trackedConn) take() {
	if c.turn {
		return
	}
	select {
	case c.turns <- struct{}{}:
		c.turn = true
	case <-c.ctx.Done():
	}
}

// give lets another connection have its turn.
func (c *trackedConn) give() {
	if c.turn {
		c.turn = false
		<-c.turns
	}
}

// Write implements net.Conn; p is one packet.
func (c *trackedConn) Write(p []byte) (int, error) {
	if c.old && p[0]>>4 == packets.Disconnect { // only MQTT 5 knows a broker's goodbye
		return len(p), nil
	}
	if err := c.out.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// SetDeadline implements net.Conn.
func (c *trackedConn) SetDeadline(t time.Time) error { return c.out.deadline(c.Conn.SetDeadline, t) }

// Close implements net.Conn. What was written is still delivered, if the client takes it soon.
func (c *trackedConn) Close() error {
	c.cancel()
	c.out.close()
	return nil
}

var (
	_ listeners.Listener = (*door)(nil)
	_ net.Conn           = (*trackedConn)(nil)
)
