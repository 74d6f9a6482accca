package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// handover is how long a new client waits for the one before it to be gone.
const handover = 200 * time.Millisecond

// ServeUnix offers the line as a unix socket at path until ctx ends, and removes the socket then. There is one client
// at a time, as with a serial port opened exclusively: a second one is disconnected at once unless the first leaves
// within 200 ms. While the line is unplugged there is no socket. ready, if not nil, is called when the socket can be
// connected to the first time.
func (c *Chain) ServeUnix(ctx context.Context, path string, ready func()) error {
	return c.whilePlugged(ctx, func(unplugged <-chan struct{}) error {
		l, err := ListenUnix(ctx, path)
		if err != nil {
			return err
		}
		if ready != nil {
			ready()
			ready = nil
		}
		return c.accept(ctx, l, unplugged)
	})
}

// whilePlugged calls serve whenever the line is plugged in, until ctx ends; serve returns when its channel is closed.
func (c *Chain) whilePlugged(ctx context.Context, serve func(unplugged <-chan struct{}) error) error {
	for ctx.Err() == nil {
		there, change := c.plug()
		if !there {
			select {
			case <-ctx.Done():
			case <-change:
			}
			continue
		}
		if err := serve(change); err != nil {
			return err
		}
	}
	return nil
}

// ListenUnix listens at path, taking the place of a socket whose owner died, but not of one that is alive nor of
// anything else.
func ListenUnix(ctx context.Context, path string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	var d net.Dialer
	if conn, err := d.DialContext(ctx, "unix", path); err == nil {
		conn.Close() //nolint:errcheck // it was only a test
		return nil, fmt.Errorf("listen on %s: another simulator is serving there", path)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeSocket {
		return nil, fmt.Errorf("listen on %s: there is something that is not a socket", path)
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return lc.Listen(ctx, "unix", path)
}

// accept serves clients of l one after the other until ctx ends or the line is unplugged, and waits for the last one.
func (c *Chain) accept(ctx context.Context, l net.Listener, unplugged <-chan struct{}) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ended := make(chan struct{})
	defer close(ended)
	wg.Go(func() {
		select {
		case <-ctx.Done():
		case <-unplugged:
		case <-ended:
		}
		l.Close() //nolint:errcheck // it only ends Accept
	})
	slot := make(chan struct{}, 1)
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return fmt.Errorf("accept a bus client: %w", err)
		}
		wg.Go(func() {
			if !take(slot, handover) {
				conn.Close() //nolint:errcheck // refused
				return
			}
			defer func() { <-slot }()
			c.Serve(ctx, conn) //nolint:errcheck // a client that leaves in disorder is no error of the line
		})
	}
}

// take occupies the slot, or reports false when it stays occupied for so long.
func take(slot chan struct{}, patience time.Duration) bool {
	select {
	case slot <- struct{}{}:
		return true
	default:
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case slot <- struct{}{}:
		return true
	case <-t.C:
		return false
	}
}
