package daemon

import (
	"net/netip"
	"strings"
	"testing"
)

// Others in the home are not sent to their own loopback.
func TestAddressForOthers(t *testing.T) {
	for listen, want := range map[string]string{
		"": "", "127.0.0.1:8000": "", "[::1]:8000": "", "192.168.1.7:8000": "https://192.168.1.7:8000", "localhost:8000": "",
	} {
		if got := reachable(listen); got != want {
			t.Errorf("%q: %q, want %q", listen, got, want)
		}
	}
	got := reachable("0.0.0.0:8000")
	if at, err := netip.ParseAddrPort(strings.TrimPrefix(got, "https://")); got != "" && (err != nil || at.Addr().IsLoopback() || at.Addr().IsUnspecified()) {
		t.Errorf("all addresses: %q", got)
	}
}
