package dynamixel_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/dynamixel/dynamixeltest"
)

func openLine(t *testing.T, spec string) *dxl.Line {
	t.Helper()
	l, err := dxl.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ptyPair returns the master and the path of a new pseudo-terminal; the slave's settings are the system's defaults.
func ptyPair(t *testing.T) (*os.File, string) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	path := slave.Name()
	if err := slave.Close(); err != nil {
		t.Fatal(err)
	}
	return master, path
}

func socketPair(t testing.TB) (*dxl.Line, net.Conn) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bus.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	line, err := dxl.Open("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return line, peer
}

func TestSocketPort(t *testing.T) {
	dynamixeltest.Port(t, func(t *testing.T) (dxl.Port, io.ReadWriteCloser) { return socketPair(t) })
}

func TestPTYPort(t *testing.T) {
	dynamixeltest.Port(t, func(t *testing.T) (dxl.Port, io.ReadWriteCloser) {
		master, path := ptyPair(t)
		return openLine(t, "pty:"+path), master
	})
}

// A serial device is a terminal too: the same suite, and a warning instead of a failure where low latency is unknown.
func TestSerialPort(t *testing.T) {
	dynamixeltest.Port(t, func(t *testing.T) (dxl.Port, io.ReadWriteCloser) {
		master, path := ptyPair(t)
		l := openLine(t, path)
		if l.Path() != path || !strings.Contains(l.Warning(), "low latency") {
			t.Errorf("path %q, warning %q", l.Path(), l.Warning())
		}
		return l, master
	})
}

func TestSerialSettings(t *testing.T) {
	master, path := ptyPair(t)
	defer master.Close()
	l := openLine(t, path)
	defer l.Close()
	tio, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if tio.Cflag&unix.CBAUD != unix.B1000000 || tio.Cflag&unix.CSIZE != unix.CS8 || tio.Cflag&(unix.PARENB|unix.CSTOPB|unix.CRTSCTS) != 0 {
		t.Errorf("cflag %#x is not 1 Mbit/s 8N1", tio.Cflag)
	}
	if tio.Iflag|tio.Oflag|tio.Lflag != 0 {
		t.Errorf("the line is not raw: iflag %#x oflag %#x lflag %#x", tio.Iflag, tio.Oflag, tio.Lflag)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ spec, want string }{
		{"", "allowed are auto"},
		{"tcp:host", "allowed are auto"},
		{"unix:", "allowed are auto"},
		{"pty:", "allowed are auto"},
		{"relative/tty", "allowed are auto"},
		{filepath.Join(dir, "ttyNONE"), "no such file"},
		{"pty:" + filepath.Join(dir, "ttyNONE"), "no such file"},
		{"unix:" + filepath.Join(dir, "none.sock"), "connect: no such file"},
		{"unix:/" + strings.Repeat("x", 200), "at most 107 are allowed"},
		{os.DevNull, "take exclusively"},
	} {
		l, err := dxl.Open(c.spec)
		if err == nil {
			l.Close()
			t.Errorf("Open(%q) succeeded", c.spec)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.spec) {
			t.Errorf("Open(%q) = %q, want it to say %q", c.spec, err, c.want)
		}
	}
}
