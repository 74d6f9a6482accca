package virtual

import (
	"context"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newChain returns a chain that boots at once and rests with all joints at 0.
func newChain(t testing.TB, o Options) *Chain {
	t.Helper()
	if o.Plant == nil {
		o.Plant = NewSimple(hal.Joints{})
	}
	if o.Boot == 0 {
		o.Boot = -1
	}
	return New(o)
}

// ask hands one packet to the servos and returns their answers.
func ask(t testing.TB, c *Chain, packet []byte) []dxl.Packet {
	t.Helper()
	var in, out dxl.Parser
	in.Feed(packet)
	p, ok := in.Next()
	if !ok {
		t.Fatalf("not a packet: % X", packet)
	}
	var r replies
	c.answer(&p, lineBaud, &r)
	out.Feed(r.buf)
	var got []dxl.Packet
	for {
		p, ok := out.Next()
		if !ok {
			if len(r.buf) > 0 && out.Pending() > 0 {
				t.Fatalf("answer with a rest: % X", r.buf)
			}
			return got
		}
		p.Params = append([]byte(nil), p.Params...)
		got = append(got, p)
	}
}

func write(t testing.TB, c *Chain, j hal.Joint, addr, size int, v int64) dxl.StatusError {
	t.Helper()
	data := make([]byte, size)
	encode(data, v)
	got := ask(t, c, dxl.AppendWrite(nil, j.ServoID(), uint16(addr), data))
	if len(got) != 1 || got[0].ID != j.ServoID() {
		t.Fatalf("write %d to %d of %v: answers %v", v, addr, j, got)
	}
	return got[0].Error
}

func mustWrite(t testing.TB, c *Chain, j hal.Joint, addr, size int, v int64) {
	t.Helper()
	if e := write(t, c, j, addr, size, v); e.Number() != 0 {
		t.Fatalf("write %d to %d of %v: %v", v, addr, j, e)
	}
}

func steps(c *Chain, d time.Duration) {
	for ; d > 0; d -= Tick {
		c.Step()
	}
}

// client is the other end of a line.
type client struct {
	net.Conn
	parser dxl.Parser
	buf    [1024]byte
}

// receive returns the next packet, or false when nothing came for the given time.
func (c *client) receive(t testing.TB, patience time.Duration) (dxl.Packet, bool) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return dxl.Packet{}, false
	}
	for {
		if p, ok := c.parser.Next(); ok {
			return p, true
		}
		n, err := c.Read(c.buf[:])
		if err != nil {
			return dxl.Packet{}, false
		}
		c.parser.Feed(c.buf[:n])
	}
}

func (c *client) send(t testing.TB, b []byte) {
	t.Helper()
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

// connect serves the chain to a client over a real socket pair until the test ends.
func connect(t testing.TB, c *Chain) *client {
	t.Helper()
	path := t.TempDir() + "/bus"
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- c.ServeUnix(ctx, path, func() { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	<-ready
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{Conn: conn}
}
