package mdns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// Service is something that others on the local network can find: DNS-SD, RFC 6763.
type Service struct {
	Type string // such as _http._tcp
	Port uint16
	Text []string // key=value
}

// Responder tells the local network under which name this host offers what. Fill in the exported fields, then Run it.
type Responder struct {
	Name     string // of the robot, for people; a number is added where another host has it already
	Host     string // of this host, without .local
	Services []Service
	Log      zerolog.Logger

	readers sync.WaitGroup

	mu    sync.Mutex
	links []*link
	taken bool // somebody else has a service of this name
	zone  zone
	spent float64 // answers of late, which a flood of questions cannot raise
	since time.Time
}

const (
	// probeTimes and probePause are how often, and how long after each other, it is asked whether the name is free (RFC 6762, 8.1).
	probeTimes, probePause = 3, 250 * time.Millisecond
	// lookAgain is how often the networks of this host are looked at.
	lookAgain = 30 * time.Second
	// answersPerSecond and answersAtOnce bound what a flood of questions can make this host send.
	answersPerSecond, answersAtOnce = 20, 60
	// maxNames is how many names are tried.
	maxNames = 20
)

// link is one network, over IPv4 or IPv6.
type link struct {
	r    *Responder
	conn *net.UDPConn
	on   net.Interface
	to   netip.AddrPort
}

// Run answers until ctx ends; then it says goodbye. Without any network it waits for one.
func (r *Responder) Run(ctx context.Context) error {
	defer r.goodbye()
	r.mu.Lock()
	r.zone = zone{name: label(r.Name), host: strings.ToLower(label(r.Host)), services: r.Services}
	r.mu.Unlock()
	again := 0 // times that it is announced once more
	for {
		if r.look(ctx) || !r.zone.mine {
			if r.claim(ctx) {
				again = 2
			}
		}
		pause := lookAgain
		if again > 0 {
			r.tell(false)
			again, pause = again-1, time.Second
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// look opens the networks that are new and drops those that are gone; changed says that there are new ones.
func (r *Responder) look(ctx context.Context) (changed bool) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false
	}
	var open []*link
	r.mu.Lock()
	known := r.links
	r.mu.Unlock()
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagMulticast == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		for _, to := range groups {
			if at := slices.IndexFunc(known, func(l *link) bool { return l.on.Index == i.Index && l.to.Addr().Is4() == to.Addr().Is4() }); at >= 0 {
				open = append(open, known[at])
				continue
			}
			if len(addressesOf(i)) == 0 {
				continue
			}
			if l, err := r.join(ctx, i, to); err == nil {
				open, changed = append(open, l), true
			}
		}
	}
	for _, l := range known {
		if !slices.Contains(open, l) {
			_ = l.conn.Close() // it ends its reader
		}
	}
	r.mu.Lock()
	r.links = open
	r.mu.Unlock()
	return changed
}

// join listens on one network.
func (r *Responder) join(ctx context.Context, i net.Interface, to netip.AddrPort) (*link, error) {
	network := "udp4"
	if to.Addr().Is6() {
		network = "udp6"
	}
	conn, err := listen(ctx, network, i.Name, to.Port())
	if err != nil {
		return nil, err
	}
	group := &net.UDPAddr{IP: to.Addr().AsSlice()}
	const far = 255 // hops, as RFC 6762 wants it
	if network == "udp4" {
		p := ipv4.NewPacketConn(conn)
		err = errors.Join(p.JoinGroup(&i, group), p.SetMulticastTTL(far), p.SetMulticastLoopback(true), p.SetMulticastInterface(&i))
	} else {
		p := ipv6.NewPacketConn(conn)
		err = errors.Join(p.JoinGroup(&i, group), p.SetMulticastHopLimit(far), p.SetMulticastLoopback(true), p.SetMulticastInterface(&i))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	l := &link{r: r, conn: conn, on: i, to: to}
	r.readers.Go(l.read)
	return l, nil
}

// read answers what is asked on a network until its connection is closed.
func (l *link) read() {
	buffer := make([]byte, maxAnswer)
	for {
		n, from, err := l.conn.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		r := l.r
		r.mu.Lock()
		answer, direct := r.zone.answer(buffer[:n], l.addresses, from.Port() != l.to.Port())
		r.taken = r.taken || r.zone.conflict(buffer[:n])
		allowed := answer != nil && r.allow(time.Now())
		r.mu.Unlock()
		switch {
		case !allowed:
		case direct:
			_, _ = l.conn.WriteToUDPAddrPort(answer, from) // who asks again is answered again
		default:
			_ = l.send(answer)
		}
	}
}

// allow says whether one more answer may be sent; r.mu is held.
func (r *Responder) allow(now time.Time) bool {
	r.spent = max(0, r.spent-now.Sub(r.since).Seconds()*answersPerSecond)
	r.since = now
	if r.spent >= answersAtOnce {
		return false
	}
	r.spent++
	return true
}

func (l *link) send(message []byte) error {
	to := l.to
	if to.Addr().Is6() {
		to = netip.AddrPortFrom(to.Addr().WithZone(l.on.Name), to.Port())
	}
	_, err := l.conn.WriteToUDPAddrPort(message, to)
	return err
}

// each sends a message on every network; reports whether there is any.
func (r *Responder) each(message func(l *link) []byte) bool {
	r.mu.Lock()
	links := slices.Clone(r.links)
	messages := make([][]byte, len(links))
	for i, l := range links {
		messages[i] = message(l)
	}
	r.mu.Unlock()
	for i, l := range links {
		if err := l.send(messages[i]); err != nil {
			r.Log.Debug().Err(err).Str("interface", l.on.Name).Msg("mdns")
		}
	}
	return len(links) > 0
}

// claim asks whether the name is free, and takes another one until it is.
func (r *Responder) claim(ctx context.Context) bool {
	for n := 1; n <= maxNames; n++ {
		r.mu.Lock()
		r.taken, r.zone.mine = false, false
		if n > 1 {
			r.zone.name = fmt.Sprintf("%s (%d)", label(r.Name), n)
		}
		r.mu.Unlock()
		for range probeTimes {
			if !r.each(func(*link) []byte { return r.zone.probe() }) {
				return false
			}
			select {
			case <-ctx.Done():
				return false
			case <-time.After(probePause):
			}
		}
		r.mu.Lock()
		free := !r.taken
		r.zone.mine = free
		r.mu.Unlock()
		if free {
			return true
		}
	}
	r.Log.Warn().Str("name", r.Name).Msg("every name for the robot is taken on the local network: it is not announced")
	return false
}

// tell announces everything, or that it is gone.
func (r *Responder) tell(gone bool) {
	r.each(func(l *link) []byte { return r.zone.announcement(l.addresses, gone) })
}

func (l *link) addresses() []netip.Addr { return addressesOf(l.on) }

// goodbye takes back what was told, and closes the networks.
func (r *Responder) goodbye() {
	if r.zone.mine {
		r.tell(true)
	}
	r.mu.Lock()
	for _, l := range r.links {
		_ = l.conn.Close() // it ends its reader
	}
	r.links = nil
	r.mu.Unlock()
	r.readers.Wait()
}

// addressesOf are those of a network that others can reach.
func addressesOf(i net.Interface) []netip.Addr {
	all, err := i.Addrs()
	if err != nil {
		return nil
	}
	var found []netip.Addr
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			found = append(found, p.Addr().Unmap())
		}
	}
	slices.SortFunc(found, func(a, b netip.Addr) int { return cmp.Compare(a.BitLen(), b.BitLen()) })
	return found
}

// label is a text as one level of a name: at most 63 bytes.
func label(text string) string {
	const most = 57 // room for a number
	text = strings.ToValidUTF8(text[:min(len(text), most)], "")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '.' || r == '\\' {
			return '-'
		}
		return r
	}, text)
}

// nameOf makes a name of levels; what is too long for one is empty.
func nameOf(levels ...string) dnsmessage.Name {
	n, _ := dnsmessage.NewName(strings.Join(levels, ".") + ".") // an empty name asks and answers nothing
	return n
}
