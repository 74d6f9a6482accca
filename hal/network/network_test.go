package network

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const wireless = `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   57.  -53.  -256        0      0      0      0     12        0
`

const routes = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
docker0	00000000	0111A8C0	0003	0	0	700	00000000	0	0	0
wlan0	00000000	0101A8C0	0003	0	0	600	00000000	0	0	0
eth9	00000000	0101A8C0	0002	0	0	1	00000000	0	0	0
wlan0	0001A8C0	00000000	0001	0	0	600	00FFFFFF	0	0	0
`

// machine is a host with these interfaces and addresses, down where the name begins with an exclamation mark.
func machine(t *testing.T, interfaces ...[]string) Source {
	t.Helper()
	dir := t.TempDir()
	s := Source{
		Wireless: filepath.Join(dir, "wireless"), Route: filepath.Join(dir, "route"), Class: dir,
		Name: func(name string) (string, error) { return "home of " + name, nil },
	}
	addresses := map[string][]net.Addr{}
	var list []net.Interface
	for _, i := range interfaces {
		name, down := strings.CutPrefix(i[0], "!")
		one := net.Interface{Name: name, Flags: net.FlagUp}
		if down {
			one.Flags = 0
		}
		if name == "lo" {
			one.Flags |= net.FlagLoopback
		}
		list = append(list, one)
		for _, a := range i[1:] {
			ip, n, err := net.ParseCIDR(a)
			if err != nil {
				t.Fatal(err)
			}
			addresses[name] = append(addresses[name], &net.IPNet{IP: ip, Mask: n.Mask})
		}
	}
	s.Interfaces = func() ([]net.Interface, error) { return list, nil }
	s.Addresses = func(i net.Interface) ([]net.Addr, error) { return addresses[i.Name], nil }
	return s
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheConnectionByWhichOthersComeIsTold(t *testing.T) {
	lo := []string{"lo", "127.0.0.1/8", "::1/128"}
	for name, c := range map[string]struct {
		s               Source
		wireless, route string
		class           string // a directory below that of the interfaces
		want            Link
		address         string
	}{
		"wireless": {
			machine(t, lo, []string{"docker0", "172.17.0.1/16"}, []string{"wlan0", "fe80::1/64", "2001:db8::7/64", "192.168.1.20/24"}), wireless, routes, "",
			Link{Interface: "wlan0", Wireless: true, Name: "home of wlan0", Signal: -53},
			"192.168.1.20",
		},
		"cable":     {machine(t, lo, []string{"eth0", "10.0.0.5/8"}), wireless, "", "", Link{Interface: "eth0"}, "10.0.0.5"},
		"only IPv6": {machine(t, lo, []string{"eth0", "fe80::1/64", "2001:db8::7/64"}), "", "", "", Link{Interface: "eth0"}, "2001:db8::7"},
		"a kernel without that file": {
			machine(t, lo, []string{"wlan0", "10.0.0.5/8"}), "", "", "wlan0/phy80211", Link{Interface: "wlan0", Wireless: true, Name: "home of wlan0"}, "10.0.0.5",
		},
		"not connected": {machine(t, lo, []string{"!eth0", "10.0.0.5/8"}, []string{"wlan0", "169.254.3.4/16", "fe80::1/64"}), wireless, routes, "", Link{}, ""},
	} {
		if c.wireless != "" {
			put(t, c.s.Wireless, c.wireless)
		}
		if c.route != "" {
			put(t, c.s.Route, c.route)
		}
		if err := os.MkdirAll(filepath.Join(c.s.Class, c.class), 0o700); err != nil {
			t.Fatal(err)
		}
		got, err := c.s.Read()
		c.want.Address = c.address
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestWhatCannotBeReadStaysUnknown(t *testing.T) {
	s := machine(t, []string{"wlan0", "10.0.0.5/8"})
	s.Name = func(string) (string, error) { return "", unix.EOPNOTSUPP }
	put(t, s.Wireless, wireless[:len(wireless)-70])
	put(t, s.Route, "garbage\n\n")
	if err := os.MkdirAll(filepath.Join(s.Class, "wlan0", "wireless"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(); err != nil || !got.Wireless || got.Signal != 0 || got.Name != "" {
		t.Errorf("%+v, %v", got, err)
	}
	broken := errors.New("no netlink")
	s.Interfaces = func() ([]net.Interface, error) { return nil, broken }
	if _, err := s.Read(); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// The kernel itself answers: what is no wireless interface has no name.
func TestThisHost(t *testing.T) {
	if _, err := wirelessName("lo"); !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOTTY) && !errors.Is(err, unix.EINVAL) {
		t.Errorf("of lo: %v", err)
	}
	if _, err := wirelessName("an-interface-with-a-name"); err == nil || !strings.Contains(err.Error(), "allowed are 15 characters") {
		t.Errorf("%v", err)
	}
	if got, err := Host().Read(); err != nil || (got.Address == "") != (got.Interface == "") || strings.HasPrefix(got.Address, "127.") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWirelessFile(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\nwlan0 0000 57. -53.": "is not an interface",
		"a\nb\nwlan0: 0000 57.":     "is not an interface",
		"a\nb\nwlan0: 0 57. loud":   `level "loud" is no number`,
	} {
		if _, err := parseWireless([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: %v", text, err)
		}
	}
	// Drivers that measure in percent, and one that is not connected.
	got, err := parseWireless([]byte("a\nb\nwlan0: 0 57. 80.\nwlan1: 0 0 0 0\nwlan2: 0 0 -256 0\nwlan3: 0 0 NaN 0"))
	if err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzWireless(f *testing.F) {
	f.Add([]byte(wireless))
	f.Add([]byte("\n\n:"))
	f.Fuzz(func(t *testing.T, text []byte) {
		signals, err := parseWireless(text)
		for name, dBm := range signals {
			if err != nil || dBm < -120 || dBm > -1 {
				t.Errorf("%q: %v, %v", name, dBm, err)
			}
		}
	})
}
