package sdk

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// corking is a ResponseWriter whose connection, once it is taken over, is corked.
type corking struct {
	http.ResponseWriter
	line *corked
}

// Hijack implements http.Hijacker.
func (c *corking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	c.line = &corked{Conn: conn}
	rw.Writer.Reset(c.line)
	return c.line, rw, nil
}

// corked is a connection that can keep back what is written, to write it at once. Anybody may write at any time.
type corked struct {
	net.Conn

	mu      sync.Mutex
	holding bool
	kept    []byte
}

// Write implements net.Conn.
func (c *corked) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holding {
		return c.Conn.Write(data)
	}
	c.kept = append(c.kept, data...)
	return len(data), nil
}

// hold keeps back what is written from now on.
func (c *corked) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

// release writes what was kept back, for so long at most.
func (c *corked) release(patience time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
	if len(c.kept) == 0 {
		return nil
	}
	err := c.SetWriteDeadline(time.Now().Add(patience))
	if err == nil {
		_, err = c.Conn.Write(c.kept)
	}
	if c.kept = c.kept[:0]; cap(c.kept) > maxFrame {
		c.kept = nil
	}
	return errors.Join(err, c.SetWriteDeadline(time.Time{}))
}
