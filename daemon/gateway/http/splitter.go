package http

import (
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// recordTLS is the first byte of a client that speaks TLS.
const recordTLS = 0x16

// splitter is a listener on whose port this host may speak plain HTTP and everybody may speak TLS: who comes from elsewhere without
// TLS is told so by the TLS server.
type splitter struct {
	net.Listener
	config *tls.Config

	ready chan net.Conn
	ended chan struct{}
	once  sync.Once
	err   error
	work  sync.WaitGroup

	mu      sync.Mutex
	waiting map[net.Conn]bool // their first byte has not come
}

func newSplitter(l net.Listener, c *tls.Config) *splitter {
	s := &splitter{Listener: l, config: c, ready: make(chan net.Conn), ended: make(chan struct{}), waiting: map[net.Conn]bool{}}
	s.work.Go(s.run)
	return s
}

// run takes connections; each waits for its first byte by itself.
func (s *splitter) run() {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			s.end(err)
			return
		}
		s.mu.Lock()
		s.waiting[c] = true
		s.mu.Unlock()
		s.work.Go(func() { s.look(c) })
	}
}

// look finds out what a connection speaks.
func (s *splitter) look(c net.Conn) {
	defer func() {
		s.mu.Lock()
		delete(s.waiting, c)
		s.mu.Unlock()
	}()
	var out net.Conn
	if at, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil && at.Addr().Unmap().IsLoopback() {
		var first [1]byte
		_ = c.SetReadDeadline(time.Now().Add(headerTimeout))
		if _, err := c.Read(first[:]); err != nil {
			_ = c.Close()
			return
		}
		_ = c.SetReadDeadline(time.Time{})
		p := &peeked{Conn: c, first: first[:]}
		if out = p; first[0] == recordTLS {
			out = tls.Server(p, s.config)
		}
	} else {
		out = tls.Server(c, s.config)
	}
	select {
	case s.ready <- out:
	case <-s.ended:
		_ = c.Close()
	}
}

func (s *splitter) end(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.ended)
		s.mu.Lock()
		defer s.mu.Unlock()
		for c := range s.waiting {
			_ = c.Close()
		}
	})
}

// Accept implements net.Listener.
func (s *splitter) Accept() (net.Conn, error) {
	select {
	case c := <-s.ready:
		return c, nil
	case <-s.ended:
		return nil, s.err
	}
}

// Close implements net.Listener. It waits for what it has begun.
func (s *splitter) Close() error {
	err := s.Listener.Close()
	s.end(net.ErrClosed)
	s.work.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// peeked is a connection whose first byte was read already.
type peeked struct {
	net.Conn
	first []byte
}

// Read implements net.Conn.
func (p *peeked) Read(b []byte) (int, error) {
	if len(p.first) > 0 && len(b) > 0 {
		b[0] = p.first[0]
		p.first = nil
		return 1, nil
	}
	return p.Conn.Read(b)
}
