package doctor

import (
	"context"
	"errors"
	"io/fs"
)

// closed is the run directory of a service into which this user may not look; empty when there is none.
func closed(a commands) string {
	for _, dir := range a.Dirs {
		if errors.Is(a.Host.Enter(dir), fs.ErrPermission) {
			return dir
		}
	}
	return ""
}

// checkAccess says what of a service this user may see and do.
func checkAccess(_ context.Context, a commands) []Finding {
	if dir := closed(a); dir != "" {
		return remark(dir+" is for members of the group reachyd: body, senses and models of the service are not seen, and `reachyctl stop` goes by the broker",
			"sudo usermod -aG reachyd NAME, then log in again; or sudo reachyctl doctor")
	}
	return good("nothing of reachyd on this machine is kept from this user")
}
