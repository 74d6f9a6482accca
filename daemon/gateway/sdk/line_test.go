package sdk

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"
	"time"
)

// writes are the writes that a connection gets.
type writes struct {
	net.Conn
	list [][]byte
	till time.Time
}

func (w *writes) Write(data []byte) (int, error) {
	w.list = append(w.list, bytes.Clone(data))
	return len(data), nil
}

func (w *writes) SetWriteDeadline(t time.Time) error {
	w.till = t
	return nil
}

// Messages of one moment go out in one write, which a client of the protocol reads as what they are, however long.
func TestWhatBelongsTogetherIsOneWrite(t *testing.T) {
	w := &writes{}
	messages := [][]byte{[]byte("joints"), {}, bytes.Repeat([]byte("x"), 125), bytes.Repeat([]byte("y"), 126), bytes.Repeat([]byte("z"), 1<<16)}
	if err := (&line{Conn: w}).send(messages, time.Second); err != nil || len(w.list) != 1 {
		t.Fatalf("%d writes, %v", len(w.list), err)
	}
	if !w.till.IsZero() {
		t.Errorf("the deadline stays: %v", w.till)
	}
	in := bytes.NewReader(w.list[0])
	for _, m := range messages {
		var head [2]byte
		in.Read(head[:])
		length := uint64(head[1])
		switch length {
		case 126:
			var n uint16
			binary.Read(in, binary.BigEndian, &n)
			length = uint64(n)
		case 127:
			binary.Read(in, binary.BigEndian, &length)
		}
		got := make([]byte, length)
		in.Read(got)
		if head[0] != 0x81 || !bytes.Equal(got, m) {
			t.Errorf("a frame of %x with %d bytes; want 81 with %d", head, len(got), len(m))
		}
	}
	if in.Len() > 0 {
		t.Errorf("%d bytes too many", in.Len())
	}
}

// A client that is slow to read loses the oldest moments, and each of them whole.
func TestMomentsAreLostWhole(t *testing.T) {
	c := &client{states: make(chan [][]byte, maxWaiting)}
	c.show([]byte("old joints"), []byte("old pose"))
	for range maxWaiting {
		c.show([]byte("joints"), []byte("pose"))
	}
	for range maxWaiting {
		if m := <-c.states; len(m) != 2 || string(m[0]) != "joints" || string(m[1]) != "pose" {
			t.Fatalf("%q", m)
		}
	}
}
