// Package sdnotify tells systemd how reachyd is: ready, what it does, stopping, and alive as long as the control loop turns.
package sdnotify

import (
	"strings"
	"sync"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
)

// Notifier talks to the service manager that started us (NOTIFY_SOCKET). Without one every method does nothing.
type Notifier struct {
	log      zerolog.Logger
	watchdog time.Duration // within which systemd wants to hear of us; 0: it does not
	now      func() time.Time

	mu     sync.Mutex
	status string
	fed    time.Time
	failed bool
}

// New returns a notifier for the environment of this process. now is the clock; nil is the system's.
func New(log zerolog.Logger, now func() time.Time) *Notifier {
	if now == nil {
		now = time.Now
	}
	n := &Notifier{log: log, now: now}
	watchdog, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn().Err(err).Msg("systemd's watchdog is not fed: WATCHDOG_USEC or WATCHDOG_PID is wrong")
		return n
	}
	n.watchdog = watchdog
	return n
}

// Ready says that reachyd is in full operation.
func (n *Notifier) Ready() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fed = n.now() // systemd counts from here
	n.send(sd.SdNotifyReady)
}

// Status sets the line that `systemctl status` shows.
func (n *Notifier) Status(line string) {
	line = strings.Join(strings.Fields(line), " ") // a line feed would begin another assignment
	n.mu.Lock()
	defer n.mu.Unlock()
	if line != n.status {
		n.status = line
		n.send("STATUS=" + line)
	}
}

// Stopping says that reachyd has begun to end.
func (n *Notifier) Stopping() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.send(sd.SdNotifyStopping)
}

// Alive feeds the watchdog. It must be called when the control loop has made progress, and only then: nothing else feeds
// it, so that a robot whose loop stands still is restarted. Call it at least twice per watchdog interval; calls within a
// quarter of the interval cost nothing.
func (n *Notifier) Alive() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := n.now(); n.watchdog > 0 && now.Sub(n.fed) >= n.watchdog/4 {
		n.fed = now
		n.send(sd.SdNotifyWatchdog)
	}
}

// Watchdog returns the interval within which systemd expects Alive, 0 for none.
func (n *Notifier) Watchdog() time.Duration { return n.watchdog }

func (n *Notifier) send(message string) {
	if _, err := sd.SdNotify(false, message); err != nil && !n.failed {
		n.failed = true // once is enough
		n.log.Warn().Err(err).Msg("systemd cannot be told how we are")
	}
}
