package sdk

import (
	"bytes"
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

// What is written while it is held goes out at once, in order; what is written otherwise at its time.
func TestWhatBelongsTogetherIsOneWrite(t *testing.T) {
	w := &writes{}
	c := &corked{Conn: w}
	for _, text := range []string{"a", "(b", "c", "d)", "e", "()", "f"} {
		if text[0] == '(' {
			c.hold()
		}
		if b := bytes.Trim([]byte(text), "()"); len(b) > 0 {
			if n, err := c.Write(b); n != len(b) || err != nil {
				t.Errorf("%q: %d, %v", text, n, err)
			}
		}
		if text[len(text)-1] == ')' {
			if err := c.release(time.Second); err != nil {
				t.Error(err)
			}
		}
	}
	if got := string(bytes.Join(w.list, []byte(" "))); got != "a bcd e f" {
		t.Errorf("the writes are %q", got)
	}
	if !w.till.IsZero() {
		t.Errorf("the deadline stays: %v", w.till)
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
