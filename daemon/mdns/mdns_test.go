package mdns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// responder answers questions for one name with given records, as a host on the network would.
func responder(t *testing.T, name string, deaf int, records ...dnsmessage.ResourceBody) []netip.AddrPort {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = conn.Close(); <-done })
	go func() {
		defer close(done)
		question := make([]byte, maxAnswer)
		for asked := 0; ; asked++ {
			n, from, err := conn.ReadFromUDPAddrPort(question)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if err := m.Unpack(question[:n]); err != nil || m.Questions[0].Name.String() != name+"." || asked < deaf {
				continue
			}
			m.Response, m.Authoritative, m.Questions = true, true, nil
			for _, r := range records {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name + "."), Class: dnsmessage.ClassINET | 1<<15, TTL: 120}, Body: r,
				})
			}
			answer, err := m.Pack()
			if err == nil {
				_, err = conn.WriteToUDPAddrPort(answer, from)
			}
			if err != nil {
				t.Errorf("answer: %v", err)
			}
		}
	}()
	return []netip.AddrPort{netip.MustParseAddrPort(conn.LocalAddr().String())}
}

func TestLookup(t *testing.T) {
	six := netip.MustParseAddr("fd00::7").As16()
	to := responder(t, "broker.local", 1, &dnsmessage.AAAAResource{AAAA: six}, &dnsmessage.AResource{A: [4]byte{192, 168, 1, 7}})
	for _, host := range []string{"broker.local", "broker.local."} {
		found, err := lookup(t.Context(), host, to)
		if want := []netip.Addr{netip.MustParseAddr("192.168.1.7"), netip.MustParseAddr("fd00::7")}; err != nil || !slices.Equal(found, want) {
			t.Errorf("%s: %v, %v; want %v", host, found, err, want)
		}
	}
	if found, err := lookup(t.Context(), "other.local", to); err == nil {
		t.Errorf("nobody has the name, found is %v", found)
	} else if !errors.Is(err, ErrNoAnswer) && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestDialer(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	former := groups
	groups = responder(t, "broker.local", 0, &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}})
	defer func() { groups = former }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"broker.local", "127.0.0.1"} {
		d := Dialer{net.Dialer{Timeout: 5 * time.Second}}
		conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		_ = conn.Close()
	}
}

func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{"a.local": true, "A.LOCAL.": true, "local": false, ".local": false, "a.local.example": false, "127.0.0.1": false} {
		if IsLocal(host) != want {
			t.Errorf("IsLocal(%q) is %t", host, !want)
		}
	}
}

// FuzzAddresses: whatever comes over the network is read without harm.
func FuzzAddresses(f *testing.F) {
	name := dnsmessage.MustNewName("a.local.")
	m := dnsmessage.Message{Header: dnsmessage.Header{Response: true}, Answers: []dnsmessage.Resource{
		{Header: dnsmessage.ResourceHeader{Name: name, Class: dnsmessage.ClassINET}, Body: &dnsmessage.AResource{A: [4]byte{1, 2, 3, 4}}},
	}}
	seed, err := m.Pack()
	if err != nil {
		f.Fatal(err)
	}
	if got := fmt.Sprint(addresses(seed, name, "")); got != "[1.2.3.4]" {
		f.Fatalf("the seed has %s", got)
	}
	f.Add(seed)
	f.Fuzz(func(_ *testing.T, answer []byte) { addresses(answer, name, "lo") })
}
