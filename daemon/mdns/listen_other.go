//go:build !linux

package mdns

import (
	"context"
	"net"
	"strconv"
)

// listen opens the port of multicast DNS, which must be free.
func listen(ctx context.Context, network, _ string, port uint16) (*net.UDPConn, error) {
	conn, err := new(net.ListenConfig).ListenPacket(ctx, network, ":"+strconv.Itoa(int(port)))
	if err != nil {
		return nil, err
	}
	return conn.(*net.UDPConn), nil
}
