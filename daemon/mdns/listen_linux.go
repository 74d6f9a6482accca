package mdns

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// listen opens the port of multicast DNS on one interface. Others on this host, such as Avahi, may have it open, too.
func listen(ctx context.Context, network, on string, port uint16) (*net.UDPConn, error) {
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) {
			failed = errors.Join(unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
				unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
			if network == "udp4" { // else it would hear what comes over other interfaces
				failed = errors.Join(failed, unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0))
			} else {
				failed = errors.Join(failed, unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_ALL, 0))
			}
		})
		return errors.Join(err, failed)
	}}
	any := netip.IPv4Unspecified()
	if network == "udp6" {
		any = netip.IPv6Unspecified()
	}
	conn, err := lc.ListenPacket(ctx, network, net.JoinHostPort(any.String(), strconv.Itoa(int(port))))
	if err != nil {
		return nil, err
	}
	return conn.(*net.UDPConn), nil
}
