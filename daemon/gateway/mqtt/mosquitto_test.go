package mqtt

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// mosquitto is a real broker that is not ours.
type mosquitto struct {
	tb   testing.TB
	port int
	conf string
	cmd  *exec.Cmd
	once *sync.Once
}

// newMosquitto starts mosquitto on a free port with more lines in its configuration. A missing mosquitto fails the test:
// half of the promises of this package are about brokers that are not ours.
func newMosquitto(tb testing.TB, lines ...string) *mosquitto {
	tb.Helper()
	m := &mosquitto{tb: tb, port: freePort(tb), conf: filepath.Join(tb.TempDir(), "mosquitto.conf")}
	if len(lines) == 0 {
		lines = []string{"allow_anonymous true"}
	}
	text := fmt.Sprintf("listener %d 127.0.0.1\nuser root\nset_tcp_nodelay true\n%s\n", m.port, strings.Join(lines, "\n"))
	if err := os.WriteFile(m.conf, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	m.start()
	tb.Cleanup(m.kill)
	return m
}

func (m *mosquitto) start() {
	m.tb.Helper()
	path, err := exec.LookPath("mosquitto")
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/mosquitto")
	}
	if err != nil {
		m.tb.Fatal("MOSQUITTO IS NOT INSTALLED (apt-get install mosquitto): nothing is known about brokers that are not ours")
	}
	m.cmd, m.once = exec.Command(path, "-v", "-c", m.conf), &sync.Once{}
	stderr, err := m.cmd.StderrPipe()
	if err != nil {
		m.tb.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		m.tb.Fatal(err)
	}
	var said []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said = append(said, lines.Text())
		if strings.Contains(lines.Text(), "running") {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return
		}
	}
	m.tb.Fatalf("mosquitto did not start: %v", said)
}

// kill is kill -9.
func (m *mosquitto) kill() {
	m.once.Do(func() {
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
	})
}

func (m *mosquitto) url() string { return fmt.Sprintf("mqtt://127.0.0.1:%d", m.port) }

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
