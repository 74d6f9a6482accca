package connect

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const defaultBroker = "mqtt://127.0.0.1:1883"

// address is where the broker is, and how we know.
type address struct {
	url   *url.URL
	Local bool // it belongs to the robot of this machine, whose body can also be reached directly
}

// String is the URL without a password.
func (b address) String() string { return b.url.Redacted() }

// AddressOf finds the broker: flag, environment, what the reachyd of this machine says, or the usual place.
func AddressOf(a *cli.App) (address, error) {
	text, from := a.Broker, "--broker"
	if text == "" {
		text, from = a.Env["REACHYCTL_BROKER"], "REACHYCTL_BROKER"
	}
	if text != "" {
		u, err := parseBroker(text)
		if err != nil {
			return address{}, cli.Usage("%s: %w", from, err)
		}
		return address{url: u, Local: isLoopback(u.Hostname())}, nil
	}
	for _, dir := range a.Dirs {
		path := filepath.Join(dir, cli.BrokerFile)
		line, err := host.FirstLine(path)
		if err != nil {
			continue
		}
		u, err := parseBroker(line)
		if err != nil {
			return address{}, fmt.Errorf("%s: %w", path, err)
		}
		return address{url: u, Local: true}, nil
	}
	u, err := parseBroker(defaultBroker)
	return address{url: u, Local: true}, err
}

func parseBroker(s string) (*url.URL, error) {
	const allowed = "allowed are mqtt://host:port, mqtts://, ws:// and wss://"
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not the URL of a broker; %s", s, allowed)
	}
	usual := map[string]string{"mqtt": "1883", "mqtts": "8883", "ws": "80", "wss": "443"}[u.Scheme]
	if usual == "" {
		return nil, fmt.Errorf("%q: the scheme %q is not known; %s", s, u.Scheme, allowed)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), usual)
	}
	if u.User != nil {
		return nil, fmt.Errorf("a login does not belong into the broker's URL; use --user and --password-file")
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
