package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/toolsandbox/guest/place"
	"golang.org/x/sys/unix"
)

// firstLine returns the first line of a small file without white space around it.
func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	const most = 4096
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line), nil
}

// doctorHost is what the doctor looks at on this machine; tests give it another one.
type doctorHost struct {
	root       string // of the file system, "/"
	executable string // path of reachyctl
	path       string // where programs are looked for
	dataDir    string
	cache      string   // of interpreters for self-made tools
	modelDirs  []string // where model files are looked for
	limits     func() limits
	free       func(dir string) (bytes uint64, err error)
}

func thisHost(env map[string]string) doctorHost {
	exe, err := os.Executable()
	if err != nil {
		exe = "reachyctl" // then only PATH is searched
	}
	data := env["XDG_DATA_HOME"]
	if data == "" {
		data = filepath.Join(env["HOME"], ".local", "share")
	}
	data = filepath.Join(data, "reachyd")
	return doctorHost{
		root: "/", executable: exe, path: env["PATH"], dataDir: data, cache: place.Cache(),
		modelDirs: models.Dirs(data, func(name string) string { return env[name] }),
		limits:    hostLimits, free: freeBytes,
	}
}

// limits are what the kernel allows this user.
type limits struct {
	priority uint64 // highest real-time priority, 0: none
	locked   uint64 // bytes of memory that may be locked
	root     bool
}

func hostLimits() limits {
	l := limits{root: os.Geteuid() == 0}
	var r unix.Rlimit
	const rlimitRTPrio = 14 // not in x/sys for every platform
	if unix.Getrlimit(rlimitRTPrio, &r) == nil {
		l.priority = r.Cur
	}
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r) == nil {
		l.locked = r.Cur
	}
	return l
}

func freeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}

func (h *doctorHost) in(path ...string) string {
	return filepath.Join(append([]string{h.root}, path...)...)
}

const (
	mib = 1 << 20
	gib = 1 << 30
)

// memoryBytes reads the machine's memory, 0 when that is not known.
func memoryBytes(meminfo string) uint64 {
	f, err := os.Open(meminfo)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			kib, err := strconv.ParseUint(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// find looks for a program beside reachyctl, then on PATH, as reachyd looks for its workers.
func (h *doctorHost) find(name string) (string, error) {
	for _, dir := range append([]string{filepath.Dir(h.executable)}, filepath.SplitList(h.path)...) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, os.ErrNotExist)
}

// library finds a shared library in the usual directories, "" when it is not there.
func (h *doctorHost) library(name string) string {
	for _, dir := range []string{"usr/local/lib", "usr/lib", "usr/lib/*-linux-gnu*", "usr/lib64", "lib", "lib/*-linux-gnu*"} {
		found, err := filepath.Glob(h.in(dir, name+"*"))
		if err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// usbPorts lists the serial ports of USB adapters that are those of a Reachy Mini Lite.
func (h *doctorHost) usbPorts() []string {
	entries, err := os.ReadDir(h.in("sys/class/tty"))
	if err != nil {
		return nil
	}
	var ports []string
	for _, e := range entries {
		device, err := filepath.EvalSymlinks(h.in("sys/class/tty", e.Name(), "device"))
		if err != nil {
			continue
		}
		// The device is an interface of the USB device, or a port of it: its identifiers are one or two levels up.
		const levels = 4
		for range levels {
			vendor, err := firstLine(filepath.Join(device, "idVendor"))
			if err != nil {
				device = filepath.Dir(device)
				continue
			}
			product, err := firstLine(filepath.Join(device, "idProduct"))
			if err == nil && vendor == liteVendor && product == liteProduct {
				ports = append(ports, "/dev/"+e.Name())
			}
			break
		}
	}
	return ports
}

// process is somebody who uses something; the zero value is nobody, or nobody whom we may see.
type process struct {
	pid     int
	name    string
	command string
}

// official reports whether this is the official daemon.
func (p process) official() bool {
	return strings.Contains(p.command, "reachy_mini") || strings.Contains(p.command, "reachy-mini")
}

// holder finds the process that has something open. Without being root it sees this user's processes only.
func (h *doctorHost) holder(is func(target string) bool) process {
	entries, err := os.ReadDir(h.in("proc"))
	if err != nil {
		return process{}
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		fds, err := os.ReadDir(h.in("proc", e.Name(), "fd"))
		if err != nil {
			continue
		}
		for _, fd := range fds {
			target, err := os.Readlink(h.in("proc", e.Name(), "fd", fd.Name()))
			if err == nil && is(target) {
				return h.process(pid)
			}
		}
	}
	return process{}
}

func (h *doctorHost) process(pid int) process {
	p := process{pid: pid, name: "an unknown program"}
	dir := h.in("proc", strconv.Itoa(pid))
	if name, err := firstLine(filepath.Join(dir, "comm")); err == nil {
		p.name = name
	}
	if command, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		p.command = strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " "))
	}
	return p
}

// listeners returns the sockets that listen on a TCP port, as they appear among a process's open files.
func (h *doctorHost) listeners(port int) []string {
	const listening, fields = "0A", 10
	var all []string
	for _, table := range []string{"proc/net/tcp", "proc/net/tcp6"} {
		f, err := os.Open(h.in(table))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			columns := strings.Fields(lines.Text())
			if len(columns) < fields || columns[3] != listening {
				continue
			}
			_, number, _ := strings.Cut(columns[1], ":")
			if b, err := hex.DecodeString(number); err == nil && len(b) == 2 && int(b[0])<<8|int(b[1]) == port {
				all = append(all, "socket:["+columns[9]+"]")
			}
		}
		f.Close() //nolint:errcheck // only read
	}
	return all
}

// The USB serial adapter of a Reachy Mini Lite.
const liteVendor, liteProduct = "1a86", "55d3"
