// Package mdns asks the local network for the addresses of names that end in .local (multicast DNS, RFC 6762), and tells it of this robot.
// Go's own resolver, without cgo, asks only name servers, and they do not know these names.
package mdns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	// patience is how long an answer may take; a question that got none is asked again every askAgain.
	patience = 2 * time.Second
	askAgain = 500 * time.Millisecond
	// maxAnswer is the largest message that is read, bytes.
	maxAnswer = 9000
)

// groups are where everybody who has a name listens.
var groups = []netip.AddrPort{netip.MustParseAddrPort("224.0.0.251:5353"), netip.MustParseAddrPort("[ff02::fb]:5353")}

// ErrNoAnswer says that nobody on the local network has the name.
var ErrNoAnswer = errors.New("nobody on the local network answers to that name")

// IsLocal reports whether a host name is one that the local network knows.
func IsLocal(host string) bool {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	return strings.HasSuffix(name, ".local") && name != ".local"
}

// Dialer connects like a net.Dialer, also to names that end in .local.
type Dialer struct{ net.Dialer }

// DialContext connects to an address of the form host:port.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !IsLocal(host) {
		return d.Dialer.DialContext(ctx, network, address)
	}
	addrs, err := lookup(ctx, host, groups)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	var errs []error
	for _, a := range addrs {
		conn, err := d.Dialer.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// Lookup returns the addresses of a host whose name ends in .local, those of IPv4 first.
func Lookup(ctx context.Context, host string) ([]netip.Addr, error) { return lookup(ctx, host, groups) }

func lookup(ctx context.Context, host string, to []netip.AddrPort) ([]netip.Addr, error) {
	name, err := dnsmessage.NewName(strings.TrimSuffix(host, ".") + ".")
	if err != nil {
		return nil, fmt.Errorf("%q is no host name: %w", host, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answers := make(chan []netip.Addr, len(to))
	for _, group := range to {
		go func() {
			found, _ := ask(ctx, name, group) // a host without IPv6 or without a network has none there
			answers <- found
		}()
	}
	for range to {
		select {
		case found := <-answers:
			if len(found) > 0 {
				return found, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("%s: %w", host, ErrNoAnswer)
}

// ask asks one group until somebody answers or ctx ends. From a port of its own (RFC 6762, 6.7) it is answered directly.
func ask(ctx context.Context, name dnsmessage.Name, group netip.AddrPort) ([]netip.Addr, error) {
	question, err := pack(name)
	if err != nil {
		return nil, err
	}
	network := "udp4"
	if group.Addr().Is6() {
		network = "udp6"
	}
	conn, err := net.ListenUDP(network, nil)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // nothing is kept
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	answer := make([]byte, maxAnswer)
	for ctx.Err() == nil {
		if err := send(conn, question, group); err != nil {
			return nil, err
		}
		if err := conn.SetReadDeadline(time.Now().Add(askAgain)); err != nil {
			return nil, err
		}
		for {
			n, from, err := conn.ReadFromUDPAddrPort(answer)
			if err != nil {
				break // nobody yet, or ctx has ended
			}
			if found := addresses(answer[:n], name, from.Addr().Zone()); len(found) > 0 {
				return found, nil
			}
		}
	}
	return nil, ctx.Err()
}

// send asks on every interface that has a network; the system would take only the one of the default route.
func send(conn *net.UDPConn, question []byte, group netip.AddrPort) error {
	if !group.Addr().IsMulticast() {
		_, err := conn.WriteToUDPAddrPort(question, group)
		return err
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	err = ErrNoAnswer
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagMulticast == 0 {
			continue
		}
		if sent := sendOn(conn, question, group, i); sent == nil {
			err = nil
		}
	}
	return err
}

func pack(name dnsmessage.Name) ([]byte, error) {
	m := dnsmessage.Message{}
	for _, t := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA} {
		m.Questions = append(m.Questions, dnsmessage.Question{Name: name, Type: t, Class: dnsmessage.ClassINET})
	}
	return m.Pack()
}

// addresses returns those of name in an answer. A link-local one holds only on the interface that the answer came over.
func addresses(answer []byte, name dnsmessage.Name, zone string) (found []netip.Addr) {
	var p dnsmessage.Parser
	header, err := p.Start(answer)
	if err != nil || !header.Response || p.SkipAllQuestions() != nil {
		return nil
	}
	var six []netip.Addr
	for {
		h, err := p.AnswerHeader()
		if err != nil {
			return append(found, six...)
		}
		if !strings.EqualFold(h.Name.String(), name.String()) {
			if p.SkipAnswer() != nil {
				return append(found, six...)
			}
			continue
		}
		switch h.Type {
		case dnsmessage.TypeA:
			r, err := p.AResource()
			if err != nil {
				return append(found, six...)
			}
			found = append(found, netip.AddrFrom4(r.A))
		case dnsmessage.TypeAAAA:
			r, err := p.AAAAResource()
			if err != nil {
				return append(found, six...)
			}
			a := netip.AddrFrom16(r.AAAA)
			if a.IsLinkLocalUnicast() {
				a = a.WithZone(zone)
			}
			six = append(six, a)
		default:
			if p.SkipAnswer() != nil {
				return append(found, six...)
			}
		}
	}
}
