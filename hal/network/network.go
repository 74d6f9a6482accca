// Package network reads from Linux how this host is connected, without root and without a program: the address under which it can be
// reached, and of a wireless connection the name and the signal.
package network

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal"
)

// Where Linux tells it. The process's own view is there also where a service may see only processes below /proc.
const (
	wirelessFile = "/proc/self/net/wireless"
	routeFile    = "/proc/self/net/route"
	classDir     = "/sys/class/net"
	// longest is how much is read of one of these files.
	longest = 64 << 10
)

// Link is a connection.
type Link = hal.Link

// Source is where it is read; tests have their own.
type Source struct {
	Wireless, Route, Class string
	Interfaces             func() ([]net.Interface, error)
	Addresses              func(net.Interface) ([]net.Addr, error)
	Name                   func(name string) (string, error) // of the wireless network
}

// Host is this one.
func Host() Source {
	return Source{
		Wireless: wirelessFile, Route: routeFile, Class: classDir, Interfaces: net.Interfaces,
		Addresses: func(i net.Interface) ([]net.Addr, error) { return i.Addrs() }, Name: wirelessName,
	}
}

// Read returns the connection by which others reach this host: that of the default route, else the first with an address that is no
// loopback. It is the zero Link when there is none.
func (s Source) Read() (Link, error) {
	all, err := s.Interfaces()
	if err != nil {
		return Link{}, fmt.Errorf("network: %w", err)
	}
	route := s.defaultRoute()
	var best Link
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addresses, err := s.Addresses(i)
		if err != nil {
			continue // it has just gone
		}
		at := reached(addresses)
		if at.IsValid() && (best.Interface == "" || i.Name == route) {
			best = Link{Interface: i.Name, Address: at.String()}
		}
	}
	if best.Interface == "" {
		return Link{}, nil
	}
	s.addWireless(&best)
	return best, nil
}

// addWireless adds what is known of a wireless connection. What cannot be read stays unknown.
func (s Source) addWireless(l *Link) {
	if _, err := os.Stat(filepath.Join(s.Class, l.Interface, "wireless")); err == nil {
		l.Wireless = true
	} else if _, err := os.Stat(filepath.Join(s.Class, l.Interface, "phy80211")); err == nil {
		l.Wireless = true
	}
	text, err := read(s.Wireless)
	if err == nil {
		signals, err := parseWireless(text)
		if dBm, found := signals[l.Interface]; err == nil && found {
			l.Wireless, l.Signal = true, dBm
		}
	}
	if !l.Wireless {
		return
	}
	if name, err := s.Name(l.Interface); err == nil {
		l.Name = name
	}
}

// reached is the address to tell a person: IPv4 before IPv6, none that is only of this link or host.
func reached(addresses []net.Addr) (best netip.Addr) {
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		addr, ok := netip.AddrFromSlice(ip.IP)
		if addr = addr.Unmap(); !ok || !addr.IsGlobalUnicast() {
			continue
		}
		if !best.IsValid() || addr.Is4() && !best.Is4() {
			best = addr
		}
	}
	return best
}

// defaultRoute is the interface of the default route of IPv4 with the lowest metric, "" without one.
func (s Source) defaultRoute() (name string) {
	text, err := read(s.Route)
	if err != nil {
		return ""
	}
	const (
		columns             = 8
		destination, flags  = 1, 3
		metric, mask        = 6, 7
		nowhere, up, number = "00000000", 1, 10
	)
	least := uint64(math.MaxUint64)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < columns || f[destination] != nowhere || f[mask] != nowhere {
			continue
		}
		set, err := strconv.ParseUint(f[flags], 16, 16)
		cost, wrong := strconv.ParseUint(f[metric], number, 32)
		if err == nil && wrong == nil && set&up != 0 && cost < least {
			name, least = f[0], cost
		}
	}
	return name
}

// parseWireless reads /proc/net/wireless: the signal of each interface in dBm. One that tells none, or another unit, is left out.
func parseWireless(text []byte) (map[string]float64, error) {
	signals := map[string]float64{}
	const (
		header      = 2 // lines
		level       = 2 // column behind the name
		least, most = -120, -1
	)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 0; lines.Scan(); n++ {
		if n < header {
			continue
		}
		name, rest, ok := strings.Cut(lines.Text(), ":")
		f := strings.Fields(rest)
		if !ok || len(f) <= level {
			return nil, fmt.Errorf("%s, line %d: %.80q is not an interface and its figures", wirelessFile, n+1, lines.Text())
		}
		// A full stop behind a figure says that it is new.
		dBm, err := strconv.ParseFloat(strings.TrimSuffix(f[level], "."), 64)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: level %.20q is no number", wirelessFile, n+1, f[level])
		}
		if dBm >= least && dBm <= most {
			signals[strings.TrimSpace(name)] = dBm
		}
	}
	return signals, lines.Err()
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(f, longest))
}

// siocGIWESSID asks for the name of a wireless network (linux/wireless.h); every driver of cfg80211 answers it.
const siocGIWESSID = 0x8B1B

// request is struct iwreq, as far as that call uses it.
type request struct {
	name   [unix.IFNAMSIZ]byte
	text   unsafe.Pointer
	length uint16
	flags  uint16
	_      [4]byte
}

func wirelessName(name string) (string, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("network: %w", err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was sent
	const mostName = 32
	buf := new([mostName + 1]byte)
	r := request{text: unsafe.Pointer(buf), length: mostName}
	if len(name) >= len(r.name) {
		return "", fmt.Errorf("interface %q: allowed are %d characters", name, len(r.name)-1)
	}
	copy(r.name[:], name)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), siocGIWESSID, uintptr(unsafe.Pointer(&r))); errno != 0 {
		return "", fmt.Errorf("name of the wireless network of %s: %w", name, errno)
	}
	if int(r.length) > mostName {
		return "", errors.New("the name of the wireless network is too long")
	}
	return strings.ToValidUTF8(string(buf[:r.length]), "?"), nil
}
