package mdns

import (
	"net"
	"net/netip"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// sendOn sends to a group over one interface.
func sendOn(conn *net.UDPConn, question []byte, group netip.AddrPort, i net.Interface) error {
	if group.Addr().Is4() {
		if err := ipv4.NewPacketConn(conn).SetMulticastInterface(&i); err != nil {
			return err
		}
	} else {
		if err := ipv6.NewPacketConn(conn).SetMulticastInterface(&i); err != nil {
			return err
		}
		group = netip.AddrPortFrom(group.Addr().WithZone(i.Name), group.Port())
	}
	_, err := conn.WriteToUDPAddrPort(question, group)
	return err
}
