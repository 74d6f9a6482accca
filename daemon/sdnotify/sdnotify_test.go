package sdnotify

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manager is the service manager's end of the socket.
type manager struct {
	t    *testing.T
	conn *net.UnixConn
}

func newManager(t *testing.T) *manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "n")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return &manager{t: t, conn: conn}
}

// expect reads one message; a datagram is there as soon as it was sent.
func (m *manager) expect(want string) {
	m.t.Helper()
	_ = m.conn.SetReadDeadline(time.Now().Add(time.Minute))
	buf := make([]byte, 1024)
	n, err := m.conn.Read(buf)
	if err != nil || string(buf[:n]) != want {
		m.t.Errorf("got %q, %v; want %q", buf[:n], err, want)
	}
}

// nothing checks that no message is waiting: what was sent before is already here.
func (m *manager) nothing() {
	m.t.Helper()
	raw, err := m.conn.SyscallConn()
	if err != nil {
		m.t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		f, err := waiting(int(fd))
		if err != nil || f > 0 {
			m.t.Errorf("%d bytes are waiting, %v", f, err)
		}
	})
}

func TestLifeOfAService(t *testing.T) {
	m := newManager(t)
	n := New(zerolog.Nop(), nil)
	n.Status("starting\nREADY=1")
	m.expect("STATUS=starting READY=1") // and not a second assignment
	n.Ready()
	m.expect("READY=1")
	n.Status("100 Hz, no faults")
	m.expect("STATUS=100 Hz, no faults")
	n.Status("100 Hz, no faults")
	m.nothing() // has not changed
	n.Alive()
	m.nothing() // no watchdog was asked for
	n.Stopping()
	m.expect("STOPPING=1")
}

func TestWatchdogIsFedByProgressOnly(t *testing.T) {
	m := newManager(t)
	t.Setenv("WATCHDOG_USEC", "4000000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	now := time.Unix(0, 0)
	n := New(zerolog.Nop(), func() time.Time { return now })
	if n.Watchdog() != 4*time.Second {
		t.Fatalf("interval %v", n.Watchdog())
	}
	n.Ready()
	m.expect("READY=1")
	now = now.Add(999 * time.Millisecond)
	n.Alive()
	m.nothing()
	for range 3 {
		now = now.Add(time.Second)
		n.Alive()
		m.expect("WATCHDOG=1")
	}
	now = now.Add(time.Hour) // the loop stands still: whatever else happens does not feed
	n.Status("still there")
	m.expect("STATUS=still there")
	m.nothing()
}

func TestWatchdogOfAnotherProcess(t *testing.T) {
	m := newManager(t)
	t.Setenv("WATCHDOG_USEC", "4000000")
	t.Setenv("WATCHDOG_PID", "1")
	n := New(zerolog.Nop(), nil)
	n.Alive()
	m.nothing()
}

func TestWithoutSystemd(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	n := New(zerolog.Nop(), nil)
	n.Ready()
	n.Status("x")
	n.Alive()
	n.Stopping()
}

func TestErrorsAreSaidOnce(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	t.Setenv("WATCHDOG_USEC", "many")
	var log bytes.Buffer
	n := New(zerolog.New(&log), nil)
	n.Ready()
	n.Stopping()
	if got := strings.Count(log.String(), "\n"); got != 2 {
		t.Errorf("%d lines, want one about the watchdog and one about the socket: %s", got, log.String())
	}
}
