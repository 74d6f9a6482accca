// Package host looks at this machine: memory, disk, devices, programs and who holds them.
package host

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/rundir"
	"github.com/reachyd/reachyd/hal/network"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/toolsandbox/guest/interpreters"
)

// FirstLine returns the first line of a small file without white space around it.
func FirstLine(path string) (string, error) {
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

// Host is what the doctor looks at on this machine; tests give it another one.
type Host struct {
	Root       string // of the file system, "/"
	Executable string // path of reachyctl
	Path       string // where programs are looked for
	DataDir    string
	Cache      string   // of interpreters for self-made tools
	ModelDirs  []string // where model files are looked for
	Limits     func() Limits
	Free       func(dir string) (bytes uint64, err error)
	Network    func() (network.Link, error)
	Enter      func(dir string) error // why this user may not look into a directory
	Run        func(ctx context.Context, said io.Writer, program string, args ...string) error
	End        func(pid int, sure func() bool) error // asks a process to end if it is surely that one
	Zone       string                                // of its time
}

// This is the machine that reachyctl runs on, with its environment.
func This(env map[string]string) Host {
	exe, err := os.Executable()
	if err != nil {
		exe = "reachyctl" // then only PATH is searched
	}
	data := env["XDG_DATA_HOME"]
	if data == "" {
		data = filepath.Join(env["HOME"], ".local", "share")
	}
	data = filepath.Join(data, "reachyd")
	zone, _ := time.Now().Zone()
	return Host{
		Root: "/", Executable: exe, Path: env["PATH"], DataDir: data, Cache: interpreters.Cache(),
		ModelDirs: models.Dirs(data, func(name string) string { return env[name] }),
		Limits:    hostLimits, Free: freeBytes, Network: network.Host().Read, Zone: zone,
		Enter: func(dir string) error { return unix.Access(dir, unix.X_OK) }, Run: runProgram, End: endProcess,
	}
}

// Homes are the home directories of this machine's users, as far as this one may look.
func (h *Host) Homes() []string {
	homes, _ := filepath.Glob(h.In("home", "*")) // the pattern is a good one
	return append(homes, h.In("root"))
}

// Packaged says that reachyctl stands where the packages and their archive put it.
func (h *Host) Packaged() bool {
	return strings.HasSuffix(filepath.Dir(h.Executable), filepath.FromSlash("/lib/reachyd"))
}

// Locate takes the directories of the reachyd of this machine: those that the environment sets, else those that the one that runs
// tells in one of its run directories, else those of the configuration. What none of them says stays.
func (h *Host) Locate(env map[string]string, runDirs []string) {
	if env[DataDirEnv] == "" && h.asTold(runDirs) {
		return
	}
	file := h.settings(env)
	data, models := cmp.Or(env[DataDirEnv], file.DataDir), cmp.Or(env["REACHYD_SENSE_MODELS"], file.Sense.Models)
	if data == "" && models == "" {
		if _, err := os.Stat(h.DataDir); err == nil {
			return
		}
		// A user who never ran it means the service, also while that does not run.
		if _, err := os.Stat(h.In(serviceData)); err != nil {
			return
		}
		data = h.In(serviceData)
	}
	data = cmp.Or(data, h.DataDir)
	h.use(data, cmp.Or(models, filepath.Join(data, "models")))
}

// serviceData is the data directory of the packages' service.
const serviceData = "var/lib/reachyd"

// Service says that what reachyd keeps is that of the packages' service.
func (h *Host) Service() bool { return h.DataDir == h.In(serviceData) }

// DataDirEnv is reachyd's variable for its setting data_dir.
const DataDirEnv = "REACHYD_DATA_DIR"

// Settings are what reachyctl needs to know of reachyd's configuration.
type Settings struct {
	DataDir string                    `yaml:"data_dir"`
	Sense   struct{ Models string }   `yaml:"sense"`
	Robot   struct{ ID, Name string } `yaml:"robot"`
}

// settings reads the configuration that a reachyd with this environment would. What cannot be read is empty: reachyd itself says what
// is wrong with it.
func (h *Host) settings(env map[string]string) (s Settings) {
	data, err := os.ReadFile(h.ConfigFile(env))
	if err != nil || yaml.Unmarshal(data, &s) != nil {
		return Settings{}
	}
	return s
}

// ConfigFile is the configuration that a reachyd with this environment would read; "" when there is none.
func (h *Host) ConfigFile(env map[string]string) string { return configFile(env, h.Root) }

func configFile(env map[string]string, root string) string {
	for _, path := range []string{
		env["REACHYD_CONFIG"], within(env["CONFIGURATION_DIRECTORY"], ""), within(env["XDG_CONFIG_HOME"], "reachyd"),
		within(env["HOME"], ".config/reachyd"), within(filepath.Join(root, "etc"), "reachyd"),
	} {
		if path == "" {
			continue
		}
		if f, err := os.Open(path); err == nil {
			_ = f.Close() // nothing was written
			return path
		}
	}
	return ""
}

func within(dir, sub string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, sub, "reachyd.yaml")
}

// told is what a reachyd that runs tells of itself.
type told struct{ Data, Models, Cache, Robot string }

// running is what the reachyd that runs tells; nothing when none does.
func running(runDirs []string) (t told) {
	for _, dir := range runDirs {
		line, err := FirstLine(filepath.Join(dir, rundir.PathsFile))
		if err == nil && json.Unmarshal([]byte(line), &t) == nil && t.Data != "" {
			return t
		}
	}
	return told{}
}

// asTold takes the directories of the reachyd that runs, and reports whether one tells them.
func (h *Host) asTold(runDirs []string) bool {
	t := running(runDirs)
	if t.Data == "" {
		return false
	}
	h.use(t.Data, t.Models)
	h.Cache = cmp.Or(t.Cache, h.Cache)
	return true
}

// RobotID is that of the robot of this machine, as the reachyd that runs tells it, else as it is configured; "" where nothing says.
func (h *Host) RobotID(env map[string]string, runDirs []string) string {
	return cmp.Or(running(runDirs).Robot, env["REACHYD_ROBOT_ID"], h.settings(env).Robot.ID)
}

func (h *Host) use(data, models string) {
	h.DataDir = data
	h.ModelDirs = append([]string{models}, slices.DeleteFunc(slices.Clone(h.ModelDirs), func(d string) bool { return d == models })...)
}

// ModelsDir is where a model is put that is fetched.
func (h *Host) ModelsDir() string {
	if len(h.ModelDirs) > 0 {
		return h.ModelDirs[0]
	}
	return filepath.Join(h.DataDir, "models")
}

// Limits are what the kernel allows this user.
type Limits struct {
	Priority uint64 // highest real-time priority, 0: none
	Locked   uint64 // bytes of memory that may be locked
	Root     bool
}

func runProgram(ctx context.Context, said io.Writer, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return nil
}

func endProcess(pid int, sure func() bool) error {
	p, err := os.FindProcess(pid) // from here on the number means this process
	if err != nil {
		return err
	}
	defer p.Release() //nolint:errcheck // a handle
	if !sure() {
		return os.ErrProcessDone
	}
	return p.Signal(syscall.SIGTERM)
}

func hostLimits() Limits {
	l := Limits{Root: os.Geteuid() == 0}
	var r unix.Rlimit
	const rlimitRTPrio = 14 // not in x/sys for every platform
	if unix.Getrlimit(rlimitRTPrio, &r) == nil {
		l.Priority = r.Cur
	}
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r) == nil {
		l.Locked = r.Cur
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

// In is a path on the file system of the host.
func (h *Host) In(path ...string) string {
	return filepath.Join(append([]string{h.Root}, path...)...)
}

// Units of memory, bytes.
const (
	MiB = 1 << 20
	GiB = 1 << 30
)

// MemoryBytes reads the machine's memory, 0 when that is not known.
func MemoryBytes(meminfo string) uint64 {
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

// Find looks for a program beside reachyctl, then on PATH, as reachyd looks for its workers.
func (h *Host) Find(name string) (string, error) {
	for _, dir := range append([]string{filepath.Dir(h.Executable)}, filepath.SplitList(h.Path)...) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, os.ErrNotExist)
}

// Library finds a shared library in the usual directories, "" when it is not there.
func (h *Host) Library(name string) string {
	for _, dir := range []string{"usr/local/lib", "usr/lib", "usr/lib/*-linux-gnu*", "usr/lib64", "lib", "lib/*-linux-gnu*"} {
		found, err := filepath.Glob(h.In(dir, name+"*"))
		if err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// UsbPorts lists the serial ports of USB adapters that are those of a Reachy Mini Lite.
func (h *Host) UsbPorts() []string {
	entries, err := os.ReadDir(h.In("sys/class/tty"))
	if err != nil {
		return nil
	}
	var ports []string
	for _, e := range entries {
		device, err := filepath.EvalSymlinks(h.In("sys/class/tty", e.Name(), "device"))
		if err != nil {
			continue
		}
		// The device is an interface of the USB device, or a port of it: its identifiers are one or two levels up.
		const levels = 4
		for range levels {
			vendor, err := FirstLine(filepath.Join(device, "idVendor"))
			if err != nil {
				device = filepath.Dir(device)
				continue
			}
			product, err := FirstLine(filepath.Join(device, "idProduct"))
			if err == nil && vendor == LiteVendor && product == LiteProduct {
				ports = append(ports, "/dev/"+e.Name())
			}
			break
		}
	}
	return ports
}

// Process is somebody who uses something; the zero value is nobody, or nobody whom we may see.
type Process struct {
	PID     int
	Name    string
	Unit    string // of systemd, that it is part of
	command string
}

// Command is its command line.
func (p Process) Command() string { return p.command }

// Daemon reports whether this is the official daemon itself, and not another program that has it among its arguments.
func (p Process) Daemon() bool {
	const program = "reachy-mini-daemon"
	args := strings.Fields(p.command)
	if len(args) == 0 {
		return false
	}
	python := strings.HasPrefix(filepath.Base(args[0]), "python")
	return filepath.Base(args[0]) == program || python && len(args) > 1 && filepath.Base(args[1]) == program ||
		python && slices.Contains(args, "reachy_mini.daemon.app.main")
}

// Daemons are the official daemons that run, those of other users, too.
func (h *Host) Daemons() (all []Process) {
	entries, _ := os.ReadDir(h.In("proc")) // without it there is nothing to see
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p := h.Process(pid); p.Daemon() {
				all = append(all, p)
			}
		}
	}
	return all
}

// Official reports whether this is the official daemon, or something of it.
func (p Process) Official() bool {
	return strings.Contains(p.command, "reachy_mini") || strings.Contains(p.command, "reachy-mini")
}

// Holder finds the process that has something open. Without being root it sees this user's processes only.
func (h *Host) Holder(is func(target string) bool) Process {
	entries, err := os.ReadDir(h.In("proc"))
	if err != nil {
		return Process{}
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		fds, err := os.ReadDir(h.In("proc", e.Name(), "fd"))
		if err != nil {
			continue
		}
		for _, fd := range fds {
			target, err := os.Readlink(h.In("proc", e.Name(), "fd", fd.Name()))
			if err == nil && is(target) {
				return h.Process(pid)
			}
		}
	}
	return Process{}
}

// Process tells of a process what is known.
func (h *Host) Process(pid int) Process {
	p := Process{PID: pid, Name: "an unknown program"}
	dir := h.In("proc", strconv.Itoa(pid))
	if name, err := FirstLine(filepath.Join(dir, "comm")); err == nil {
		p.Name = name
	}
	if command, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		p.command = strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " "))
	}
	if group, err := FirstLine(filepath.Join(dir, "cgroup")); err == nil {
		p.Unit = filepath.Base(group)
	}
	return p
}

// Listeners returns the sockets that listen on a TCP port, as they appear among a process's open files.
func (h *Host) Listeners(port int) []string {
	const listening, fields = "0A", 10
	var all []string
	for _, table := range []string{"proc/net/tcp", "proc/net/tcp6"} {
		f, err := os.Open(h.In(table))
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
const (
	LiteVendor  = "1a86"
	LiteProduct = "55d3"
)
