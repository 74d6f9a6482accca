package mqtt

import (
	"context"
	"errors"
	"time"

	"github.com/mochi-mqtt/server/v2/packets"
)

// Limits of what comes in. The library takes memory for a packet as soon as its length is there, twice.
const (
	smallPacket  = 64 << 10         // bytes; more are for messages
	largeAtOnce  = 6                // packets above smallPacket that are read at the same time
	largeTimeout = 20 * time.Second // for one of them to come
)

var errLargePacket = errors.New("a packet that is no message is larger than allowed")

// room is for large packets: a client that sends one waits until there is room.
type room struct{ slots chan struct{} }

func newRoom() *room { return &room{make(chan struct{}, largeAtOnce)} }

func (r *room) enter(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// incoming follows the packets in what is read from a client.
type incoming struct {
	room   *room
	header []byte // of the next packet, as far as it has come
	left   int    // bytes of the packet that have not come
	inside bool   // it is large and has entered the room
}

// read looks at what has come next. It waits while there is no room.
func (i *incoming) read(c *trackedConn, p []byte) error {
	for len(p) > 0 {
		if i.left > 0 {
			n := min(i.left, len(p))
			i.left, p = i.left-n, p[n:]
			continue
		}
		i.header, p = append(i.header, p[0]), p[1:]
		length, complete := remaining(i.header[1:])
		if !complete {
			continue
		}
		kind := i.header[0] >> 4
		i.left, i.header = length, i.header[:0]
		if length <= smallPacket || length >= MaxPacket { // the library ends the connection for more
			continue
		}
		if kind != packets.Publish {
			return errLargePacket
		}
		if !i.inside {
			if err := i.room.enter(c.ctx); err != nil {
				return err
			}
			i.inside = true
			_ = c.out.deadline(c.SetReadDeadline, time.Now().Add(largeTimeout))
		}
	}
	return nil
}

// done leaves the room after a large packet: the library has taken it when it reads on.
func (i *incoming) done() {
	if i.inside && i.left == 0 {
		<-i.room.slots
		i.inside = false
	}
}

// leave is done when the connection has ended.
func (i *incoming) leave() { i.left = 0; i.done() }

// remaining returns the length of a packet, of which b has the bytes after the first.
func remaining(b []byte) (n int, complete bool) {
	for k, digit := range b {
		n |= int(digit&0x7f) << (7 * k)
		if digit < 0x80 || k == 3 {
			return n, true
		}
	}
	return 0, false
}
