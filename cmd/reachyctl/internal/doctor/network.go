package doctor

import (
	"context"
	"fmt"
)

// weak is the signal, dBm, below which a wireless connection breaks off now and then.
const weak = -75

// checkNetwork says how this host is connected, and its time zone, in which people say when they want to be reminded.
func checkNetwork(_ context.Context, a commands) []Finding {
	l, err := a.Host.Network()
	switch {
	case err != nil:
		return remark(err.Error(), "ip address")
	case l.Interface == "":
		return remark("not connected; everything but web pages and home brokers works without", "nmcli device wifi connect NAME --ask")
	}
	where := fmt.Sprintf("%s by %s", l.Address, l.Interface)
	if l.Wireless {
		where += ", wireless"
		if l.Name != "" {
			where += fmt.Sprintf(" network %q", l.Name)
		}
		if l.Signal != 0 {
			where += fmt.Sprintf(", %.0f dBm", l.Signal)
		}
	}
	where += "; time zone " + a.Host.Zone
	switch {
	case l.Signal != 0 && l.Signal < weak:
		return remark(where, fmt.Sprintf("under %d dBm it breaks off: nearer to the access point, or 2.4 GHz", weak))
	case a.Host.Zone == "UTC":
		return remark(where, "if that is not the home's: sudo timedatectl set-timezone Europe/Paris, say; reminders go by it")
	}
	return good(where)
}
