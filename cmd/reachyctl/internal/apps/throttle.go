package apps

import (
	"time"

	"golang.org/x/sys/unix"
)

// burst is how long an app may take whatever it gets, after it took nothing: it loads its packages so.
const burst = 3 * time.Second

// throttle keeps an app to its share of the processors: when it has taken more all its processes rest.
type throttle struct {
	share float64 // processors
	send  func(pid int, what unix.Signal) error

	before  map[int]time.Duration // what each process had spent when it was looked at last
	at      time.Time             // when that was
	owed    time.Duration         // what they have spent beyond their share
	resting bool
	told    bool
}

// look counts what the processes have spent, and has them rest or go on. It reports true when they rest for the first time.
func (t *throttle) look(list []process, now time.Time) (first bool) {
	after, spent := make(map[int]time.Duration, len(list)), time.Duration(0)
	for _, p := range list {
		spent += max(0, p.spent-t.before[p.pid])
		after[p.pid] = p.spent
	}
	begins := t.at.IsZero()
	past := now.Sub(t.at)
	t.before, t.at = after, now
	least := -time.Duration(t.share * float64(burst))
	if begins {
		t.owed = least
		return false
	}
	t.owed = max(least, t.owed+spent-time.Duration(t.share*float64(past)))
	switch {
	case t.resting && t.owed <= 0:
		t.release(list)
	case !t.resting && t.owed > 0:
		t.resting, first, t.told = true, !t.told, true
		t.all(list, unix.SIGSTOP)
	}
	return first
}

// release has the processes go on.
func (t *throttle) release(list []process) {
	if t.resting {
		t.resting = false
		t.all(list, unix.SIGCONT)
	}
}

func (t *throttle) all(list []process, what unix.Signal) {
	for _, p := range list {
		_ = t.send(p.pid, what) // it may have ended
	}
}
