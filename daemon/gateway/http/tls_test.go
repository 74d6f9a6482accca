package http

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
)

// On an address that others can reach they must speak TLS, and this host need not.
func TestTLSForOthers(t *testing.T) {
	f := newFortress(t, "0.0.0.0:0")
	_, port, err := net.SplitHostPort(f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	local := "127.0.0.1:" + port
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if code, body := request(t, plain, "GET", "http://"+local+"/healthz", ""); code == 0 || body == "" {
		t.Errorf("plain on this host: %d %s", code, body)
	}
	trusting := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // our own certificate
	secure := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trusting}}
	if code, body := request(t, secure, "GET", "https://"+local+"/api/v1/health", ""); code != 200 {
		t.Errorf("TLS on this host: %d %s", code, body)
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		at := net.JoinHostPort(n.IP.String(), port)
		if code, body := request(t, plain, "GET", "http://"+at+"/api/v1/health", ""); code != 400 {
			t.Errorf("plain from elsewhere: %d %s", code, body)
		}
		if code, body := request(t, secure, "GET", "https://"+at+"/api/v1/health", ""); code != 401 {
			t.Errorf("TLS without a token: %d %s", code, body)
		}
		if code, body := request(t, secure, "GET", "https://"+at+"/api/v1/health", "", "Authorization", "Bearer "+f.secret[api.ScopeRead]); code != 200 {
			t.Errorf("TLS with a token: %d %s", code, body)
		}
		return
	}
	t.Log("NOT TESTED from elsewhere: this host has no other address")
}

// The certificate is made once, for this user alone.
func TestCertificateStays(t *testing.T) {
	dir := t.TempDir()
	first, err := access.Certificate(dir, "robot", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	again, err := access.Certificate(dir, "robot", time.Now())
	if err != nil || !bytes.Equal(first.Certificate[0], again.Certificate[0]) {
		t.Errorf("another one: %v", err)
	}
	if info, err := os.Stat(dir + "/http.key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v %v", info.Mode(), err)
	}
	for _, now := range []time.Time{time.Unix(10, 0), time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC)} { // the clock was set
		other, err := access.Certificate(dir, "robot", now)
		if err != nil || !bytes.Equal(first.Certificate[0], other.Certificate[0]) || now.Before(other.Leaf.NotBefore) || now.After(other.Leaf.NotAfter) {
			t.Errorf("at %v: %v, %v to %v", now, err, other.Leaf.NotBefore, other.Leaf.NotAfter)
		}
	}
	later, err := access.Certificate(dir, "robot", time.Date(9999, 12, 20, 0, 0, 0, 0, time.UTC))
	if err != nil || bytes.Equal(first.Certificate[0], later.Certificate[0]) {
		t.Errorf("it is not renewed: %v", err)
	}
}
