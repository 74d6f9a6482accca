// Package descriptors shares out the files that reachyd may have open: connections must not take those that the store, the
// workers and a stop need.
package descriptors

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	// reserve is for everything but connections: the store has about 60 open, each worker and each command under way a few.
	reserve = 192
	// least is how many connections there may be in any case.
	least = 4
)

// Share returns how many connections a gateway may have that wants that many: no more than numerator/denominator of the
// descriptors (soft RLIMIT_NOFILE) that are not in reserve.
func Share(want, numerator, denominator int) int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<20 {
		return want
	}
	return max(least, min(want, (int(limit.Cur)-reserve)*numerator/denominator))
}

// Exhausted reports whether err says that we have no descriptor or no memory left for something: it tells nothing about whom we
// wanted to reach.
func Exhausted(err error) bool {
	for _, ours := range []error{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}
