package webrtc

import (
	"context"
	"fmt"
	"net"
	"syscall"

	"github.com/pion/transport/v5"
	"github.com/pion/transport/v5/stdnet"
	"golang.org/x/sys/unix"
)

// loopback is this host's network for its own programs alone: sockets may have any of its addresses, but what comes from other hosts does
// not reach them, since the kernel delivers by the device lo what programs of one host send each other.
type loopback struct{ *stdnet.Net }

func newLoopback() (loopback, error) {
	n, err := stdnet.NewNet()
	if err != nil {
		return loopback{}, fmt.Errorf("the addresses of this host: %w", err)
	}
	return loopback{n}, nil
}

// ListenUDP implements transport.Net.
func (loopback) ListenUDP(network string, at *net.UDPAddr) (transport.UDPConn, error) {
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if failed := c.Control(func(fd uintptr) { err = unix.BindToDevice(int(fd), "lo") }); failed != nil {
			return failed
		}
		return err
	}}
	conn, err := lc.ListenPacket(context.Background(), network, at.String())
	if err != nil {
		return nil, err
	}
	udp, is := conn.(*net.UDPConn)
	if !is {
		return nil, fmt.Errorf("%T is no socket of UDP", conn)
	}
	return udp, nil
}
