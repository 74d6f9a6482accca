package main

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	defaultBroker = "mqtt://127.0.0.1:1883"
	brokerFile    = "broker"    // in the run directory: the URL of reachyd's broker
	bodySocket    = "body.sock" // in the run directory: the body itself
)

// address is where the broker is, and how we know.
type address struct {
	url   *url.URL
	local bool // it belongs to the robot of this machine, whose body can also be reached directly
}

// String is the URL without a password.
func (b address) String() string { return b.url.Redacted() }

// address finds the broker: flag, environment, what the reachyd of this machine says, or the usual place.
func (a *app) address() (address, error) {
	text, from := a.broker, "--broker"
	if text == "" {
		text, from = a.env["REACHYCTL_BROKER"], "REACHYCTL_BROKER"
	}
	if text != "" {
		u, err := parseBroker(text)
		if err != nil {
			return address{}, usagef("%s: %w", from, err)
		}
		return address{url: u, local: isLoopback(u.Hostname())}, nil
	}
	for _, dir := range a.dirs {
		path := filepath.Join(dir, brokerFile)
		line, err := firstLine(path)
		if err != nil {
			continue
		}
		u, err := parseBroker(line)
		if err != nil {
			return address{}, fmt.Errorf("%s: %w", path, err)
		}
		return address{url: u, local: true}, nil
	}
	u, err := parseBroker(defaultBroker)
	return address{url: u, local: true}, err
}

// runDirs lists where the reachyd of this machine may have its run directory: ours, then that of the service.
func runDirs(env map[string]string) []string {
	var dirs []string
	if d := env["REACHYD_RUN_DIR"]; d != "" { // reachyd's own variable for its setting run_dir
		dirs = append(dirs, d)
	}
	if d := env["XDG_RUNTIME_DIR"]; d != "" {
		dirs = append(dirs, filepath.Join(d, "reachyd"))
	}
	dirs = append(dirs, "/run/reachyd")
	tmp := env["TMPDIR"]
	if tmp == "" {
		tmp = "/tmp"
	}
	// Everybody may create directories there: only one of our own is believed.
	if d := filepath.Join(tmp, "reachyd-"+strconv.Itoa(os.Getuid())); ours(d) {
		dirs = append(dirs, d)
	}
	return dirs
}

func ours(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// bodySockets lists the sockets of bodies on this machine.
func (a *app) bodySockets() []string {
	var found []string
	for _, dir := range a.dirs {
		path := filepath.Join(dir, bodySocket)
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == os.ModeSocket {
			found = append(found, path)
		}
	}
	return found
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

// firstLine returns the first line of a small file without white space around it.
func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	const most = 4096
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line), nil
}
