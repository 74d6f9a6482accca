package mqtt

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"math"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mochi-mqtt/server/v2/packets"
)

// Limits of what waits for clients that do not read or do not acknowledge; whoever exceeds them is disconnected.
const (
	maxOutgoing    = 16 << 20               // bytes for one client; from half of it on QoS 0 is dropped
	maxAllOutgoing = 32 << 20               // bytes for all clients; the one with the most is disconnected
	slowTimeout    = 10 * time.Second       // without anything read, for a client with more than half of maxOutgoing
	batchBytes     = 256 << 10              // written at once
	goodbyeTimeout = 200 * time.Millisecond // for a client to take what is ready, and then for it to send something, or to close
	lingerTimeout  = 3 * time.Second        // for all that
)

var errSlowClient = errors.New("the client does not read what it has subscribed to")

// outgoing is what still has to be written to a client. Adding to it never waits. The broker's library writes one packet at a
// time; messages that want an acknowledgement (QoS 1 and 2) go in their order, and only as many as the client will have
// unacknowledged at a time (receive maximum); everything else passes them.
type outgoing struct {
	conn net.Conn
	all  *backlog
	more chan struct{}

	mu       sync.Mutex
	ready    net.Buffers
	waiting  []parcel            // messages for which there is no room
	unacked  map[uint16]struct{} // the IDs of those that were written and not acknowledged
	most     int                 // receive maximum
	resuming bool                // messages are collected until resume tells their order
	holding  bool                // acknowledgements are held back until release
	held     net.Buffers
	// unsettled counts those that release has returned and acknowledge has not sent: others must not overtake them.
	unsettled int
	size      int       // bytes of all of this
	progress  time.Time // when the client last took something, or had nothing to take
	closed    bool
	gone      bool // and nothing is written any more
}

// parcel is an encoded message.
type parcel struct {
	id   uint16
	text []byte
}

// newOutgoing calls ended when the connection is closed.
func newOutgoing(conn net.Conn, all *backlog, ended func()) *outgoing {
	o := &outgoing{
		conn: conn, all: all, more: make(chan struct{}, 1), unacked: map[uint16]struct{}{}, most: math.MaxUint16, progress: time.Now(),
	}
	all.writers.Go(func() {
		o.pump()
		ended()
	})
	return o
}

// write adds one packet. A client above a limit is disconnected.
func (o *outgoing) write(packet []byte) error {
	text := bytes.Clone(packet)
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return net.ErrClosed
	}
	kind := text[0] >> 4
	id, acknowledged := messageID(text)
	if half := o.size > maxOutgoing/2; o.size > maxOutgoing || half && time.Since(o.progress) > slowTimeout {
		o.mu.Unlock()
		o.abort()
		return errSlowClient
	} else if half && kind == packets.Publish && !acknowledged {
		o.mu.Unlock()
		return nil
	}
	switch {
	case acknowledged:
		o.waiting = append(o.waiting, parcel{id, text})
	case (o.holding || o.unsettled > 0) && (kind == packets.Puback || kind == packets.Pubrec):
		o.held = append(o.held, text)
	default:
		o.ready = append(o.ready, text)
	}
	if o.size == 0 {
		o.progress = time.Now()
	}
	o.fill()
	worst := o.grow(len(text))
	o.mu.Unlock()
	if worst != nil {
		worst.abort()
	}
	return nil
}

// grow adds to the size, and returns the client that has to go for it; o.mu is held.
func (o *outgoing) grow(n int) (worst *outgoing) {
	o.size += n
	return o.all.set(o, o.size)
}

// messageID returns the ID of a PUBLISH packet that wants an acknowledgement.
func messageID(packet []byte) (uint16, bool) {
	if packet[0]>>4 != packets.Publish || packet[0]&6 == 0 {
		return 0, false
	}
	_, n := binary.Uvarint(packet[1:])
	if n <= 0 || len(packet) < 1+n+2 {
		return 0, false
	}
	at := 1 + n + 2 + int(binary.BigEndian.Uint16(packet[1+n:]))
	if len(packet) < at+2 {
		return 0, false
	}
	return binary.BigEndian.Uint16(packet[at:]), true
}

// fill sends what waits, as far as there is room; o.mu is held.
func (o *outgoing) fill() {
	for !o.resuming && len(o.waiting) > 0 && len(o.unacked) < o.most {
		p := o.waiting[0]
		o.waiting[0] = parcel{}
		o.waiting = o.waiting[1:]
		o.unacked[p.id] = struct{}{}
		o.ready = append(o.ready, p.text)
	}
	o.wake()
}

// limit sets the receive maximum of a client, and collects its messages until resume.
func (o *outgoing) limit(most int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.most, o.resuming = most, true
}

// resume sends what was collected since limit, every message once, in the order of rank.
func (o *outgoing) resume(rank func(id uint16) uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.SortStableFunc(o.waiting, func(a, b parcel) int { return cmp.Compare(rank(a.id), rank(b.id)) })
	o.waiting = slices.CompactFunc(o.waiting, func(a, b parcel) bool {
		if a.id == b.id {
			o.grow(-len(b.text))
		}
		return a.id == b.id
	})
	o.resuming = false
	o.fill()
}

// acknowledged makes room for the next message.
func (o *outgoing) acknowledged(id uint16) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.unacked, id)
	o.fill()
}

// hold keeps acknowledgements back until release returns them.
func (o *outgoing) hold() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.holding = true
}

func (o *outgoing) release() (acks net.Buffers) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.holding = false
	if acks, o.held = o.held, nil; len(acks) > 0 {
		o.unsettled++
	}
	return acks
}

// acknowledge sends acknowledgements that were held back.
func (o *outgoing) acknowledge(acks net.Buffers) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unsettled--; o.gone {
		return
	}
	o.ready = append(o.ready, acks...)
	if o.unsettled == 0 && !o.holding {
		o.ready, o.held = append(o.ready, o.held...), nil
	}
	o.wake()
}

func (o *outgoing) wake() {
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// close lets the reader of the connection end now, and the connection when it has taken what is ready, or soon.
func (o *outgoing) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.conn.SetReadDeadline(time.Unix(0, 1))
		_ = o.conn.SetWriteDeadline(time.Now().Add(goodbyeTimeout))
	}
	o.wake()
}

// abort gives up what was to be written.
func (o *outgoing) abort() {
	o.close()
	_ = o.conn.SetWriteDeadline(time.Unix(0, 1))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.discard()
}

// discard forgets what waits; o.mu is held.
func (o *outgoing) discard() {
	o.gone, o.closed, o.ready, o.waiting, o.held = true, true, nil, nil, nil
	o.grow(-o.size)
}

// pump writes until the connection is closed by either side.
func (o *outgoing) pump() {
	var err error
	for {
		o.mu.Lock()
		out, size := o.batch()
		closed := o.closed
		o.mu.Unlock()
		if size == 0 {
			if closed {
				break
			}
			<-o.more // close wakes us
			continue
		}
		if _, err = out.WriteTo(o.conn); err != nil {
			break
		}
		o.mu.Lock()
		if !o.gone {
			o.grow(-size)
		}
		o.progress = time.Now()
		o.mu.Unlock()
	}
	o.mu.Lock()
	o.discard()
	o.mu.Unlock()
	if t, ok := o.conn.(*tls.Conn); ok && err != nil {
		_ = t.NetConn().Close() // TLS would wait for the client once more
	}
	if half, ok := o.conn.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
		o.linger()
	}
	_ = o.conn.Close() // there is nobody to tell
}

// linger reads what a client still sends before it sees our last words: unread, it would make the system throw these away.
func (o *outgoing) linger() {
	junk := make([]byte, 1<<10)
	for end := time.Now().Add(lingerTimeout); time.Now().Before(end); {
		_ = o.conn.SetReadDeadline(time.Now().Add(goodbyeTimeout))
		if _, err := o.conn.Read(junk); err != nil || o.all.closing.Load() {
			return
		}
	}
}

// batch takes what is written next; o.mu is held.
func (o *outgoing) batch() (out net.Buffers, size int) {
	n := 0
	for n < len(o.ready) && size < batchBytes {
		size += len(o.ready[n])
		n++
	}
	out, o.ready = slices.Clone(o.ready[:n]), o.ready[n:]
	if len(o.ready) == 0 {
		o.ready = nil
	}
	return out, size
}

// deadline calls set unless the connection is being closed.
func (o *outgoing) deadline(set func(time.Time) error, t time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return net.ErrClosed
	}
	return set(t)
}

// backlog counts what waits for all clients.
type backlog struct {
	writers sync.WaitGroup
	closing atomic.Bool

	mu    sync.Mutex
	sizes map[*outgoing]int
	sum   int
}

// set notes how many bytes wait for a client. It returns the one with the most if that is too much for all together.
func (b *backlog) set(o *outgoing, size int) (worst *outgoing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum += size - b.sizes[o]
	b.sizes[o] = size
	if size == 0 {
		delete(b.sizes, o)
	}
	if b.sum > maxAllOutgoing {
		for each, size := range b.sizes {
			if worst == nil || size > b.sizes[worst] {
				worst = each
			}
		}
	}
	return worst
}
