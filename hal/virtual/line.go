package virtual

import (
	"context"
	"errors"
	"io"
	"time"

	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// wireByte is the time of one byte at 1 Mbit/s, 8N1.
const wireByte = 10 * time.Microsecond

// errUnplugged ends a connection when the line is unplugged.
var errUnplugged = errors.New("the line was unplugged")

// Serve answers what comes through rw until the other side closes it, ctx ends or the line is unplugged, and closes
// it. It returns nil at the end of the stream, and the reason otherwise.
func (c *Chain) Serve(ctx context.Context, rw io.ReadWriteCloser) error {
	c.clientCame()
	defer c.clientLeft()
	there, change := c.plug()
	if !there {
		return errors.Join(errUnplugged, rw.Close())
	}
	ended := make(chan struct{})
	watching := make(chan error, 1)
	go func() {
		select {
		case <-ended:
			watching <- nil
			return
		case <-ctx.Done():
			watching <- context.Cause(ctx)
		case <-change:
			watching <- errUnplugged
		}
		rw.Close() //nolint:errcheck // it only wakes the reader up
	}()
	l := line{c: c, rw: rw}
	err := l.run()
	close(ended)
	if cause := <-watching; cause != nil {
		return cause
	}
	return errors.Join(err, rw.Close())
}

// line is the servos' end of one connection.
type line struct {
	c      *Chain
	rw     io.ReadWriter
	parser dxl.Parser
	out    replies
	wire   []byte
	free   time.Duration // when the last byte has left the wire
	rate   func() byte   // at which the bytes came, a value of the register of baud rates; nil: 1 Mbit/s
}

func (l *line) baud() byte {
	if l.rate == nil {
		return lineBaud
	}
	return l.rate()
}

// run reads and answers until the reader fails; the end of the stream is no error.
func (l *line) run() error {
	var in [dxl.MaxPacket]byte
	for {
		n, err := l.rw.Read(in[:])
		if e := l.take(in[:n]); e != nil {
			return e
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// take lets the servos act on bytes that came in and writes their answers.
func (l *line) take(in []byte) error {
	if len(in) == 0 {
		return nil
	}
	if l.c.wireTime {
		l.free = max(l.free, l.c.clock.Now()) + time.Duration(len(in))*wireByte
	}
	corrupt := l.parser.Corrupt()
	for rest := in; len(rest) > 0; {
		n := l.parser.Feed(rest)
		rest = rest[n:]
		for {
			p, ok := l.parser.Next()
			if !ok {
				break
			}
			if err := l.hear(&p); err != nil {
				return err
			}
		}
		if n == 0 {
			l.parser.Reset()
		}
	}
	if l.parser.Corrupt() > corrupt {
		if id, ok := badCRC(in); ok {
			l.out.reset()
			l.c.crcError(id, l.baud(), &l.out)
			return l.send()
		}
	}
	return nil
}

// hear lets the servos act on one packet, unless it is lost on the way.
func (l *line) hear(p *dxl.Packet) error {
	l.out.reset()
	switch drop, corrupt := l.c.spoilInstruction(); {
	case drop:
		return nil
	case corrupt:
		l.c.crcError(p.ID, l.baud(), &l.out)
	default:
		l.c.answer(p, l.baud(), &l.out)
	}
	return l.send()
}

// send writes the collected answers at the time at which the servos would be done.
func (l *line) send() error {
	if len(l.out.buf) == 0 {
		return nil
	}
	wire, delay := l.c.spoilAnswers(&l.out, l.wire[:0])
	l.wire = wire[:0]
	if l.c.wireTime {
		l.free += time.Duration(l.out.quiet)*time.Microsecond + time.Duration(len(wire))*wireByte
		l.c.clock.SleepUntil(l.free)
	}
	if delay > 0 {
		l.c.clock.SleepUntil(l.c.clock.Now() + delay)
	}
	if len(wire) == 0 {
		return nil
	}
	_, err := l.rw.Write(wire)
	return err
}

// badCRC finds a whole unicast instruction with a wrong CRC in b and returns whom it seems to address.
func badCRC(b []byte) (id byte, ok bool) {
	for i := 0; i+10 <= len(b); i++ {
		if b[i] != 0xFF || b[i+1] != 0xFF || b[i+2] != 0xFD || b[i+3] != 0 {
			continue
		}
		end := i + 7 + u16(b[i+5:])
		if end > len(b) || end < i+10 || b[i+4] > dxl.MaxID || dxl.Instruction(b[i+7]) == dxl.Status {
			continue
		}
		if dxl.CRC(0, b[i:end-2]) != uint16(u16(b[end-2:])) {
			return b[i+4], true
		}
		i = end - 1
	}
	return 0, false
}

// spoilInstruction throws the dice for an instruction.
func (c *Chain) spoilInstruction() (drop, corrupt bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chance(c.faults.Drop), c.chance(c.faults.Corrupt)
}

// spoilAnswers appends the answers to dst, with what the faults do to them, and returns how much later they come.
func (c *Chain) spoilAnswers(r *replies, dst []byte) ([]byte, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := 0
	for _, end := range r.ends {
		answer := r.buf[from:end]
		from = end
		if c.chance(c.faults.Foreign) {
			dst = c.appendForeign(dst)
		}
		if c.chance(c.faults.Drop) {
			continue
		}
		start := len(dst)
		dst = append(dst, answer...)
		if c.chance(c.faults.Corrupt) {
			bit := c.rng.IntN(8 * len(answer))
			dst[start+bit/8] ^= 1 << (bit % 8)
		}
		if c.chance(c.faults.Duplicate) {
			dst = append(dst, dst[start:start+len(answer)]...)
		}
	}
	return dst, time.Duration(c.faults.DelayMS * float64(time.Millisecond))
}

func (c *Chain) chance(p float64) bool { return p > 0 && c.rng.Float64() < p }

// appendForeign appends a packet that nobody asked for: of a stranger, of a servo to somebody else, or of another host.
func (c *Chain) appendForeign(dst []byte) []byte {
	switch c.rng.IntN(3) {
	case 0:
		return dxl.AppendStatus(dst, 99, 0, []byte{1, 2, 3, 4})
	case 1:
		return dxl.AppendStatus(dst, c.servos[c.rng.IntN(len(c.servos))].id(), 0, []byte{0xEE})
	}
	return dxl.AppendRead(dst, 99, dxl.AddrPresentPosition, 4)
}
