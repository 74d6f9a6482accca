package webrtc

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// Programs of this host reach the robot at an address that is not 127.0.0.1, as GStreamer's do, and other hosts do not: its sockets hear the
// device lo alone.
func TestProgramsOfThisHostComeByAnyOfItsAddresses(t *testing.T) {
	at := ownAddress(t)
	r := newRig(t)
	r.only = func(ip net.IP) bool { return ip.Equal(at) }
	c := r.connect(r.dial())
	if m := c.ask("get_state", ""); m["state"] == nil {
		t.Error(m)
	}
	pair, err := c.pc.SCTP().Transport().ICETransport().GetSelectedCandidatePair()
	if err != nil || pair.Local.Address != at.String() {
		t.Errorf("%v (%v), wanted one at %v", pair, err, at)
	}
	lo, err := newLoopback()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := lo.ListenUDP("udp4", &net.UDPAddr{IP: at})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.UDPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	device := ""
	if err := raw.Control(func(fd uintptr) { device, err = unix.GetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE) }); err != nil || device != "lo" {
		t.Errorf("the socket hears the device %q (%v)", device, err)
	}
}

// ownAddress is one of this host that is not the loopback's.
func ownAddress(t *testing.T) net.IP {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, is := a.(*net.IPNet); is && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP
		}
	}
	t.Skip("NOT TESTED: this host has no other address than 127.0.0.1")
	return nil
}
