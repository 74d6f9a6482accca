package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/doctor"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
	"github.com/reachyd/reachyd/hal/network"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/toolsandbox/guest/interpreters"
)

// machine is a made-up machine for the doctor.
type machine struct {
	t *testing.T
	h host.Host
}

func newMachine(t *testing.T) *machine {
	root := t.TempDir()
	m := &machine{t, host.Host{
		Root: root, Executable: filepath.Join(root, "bin", "reachyctl"), Path: filepath.Join(root, "usr", "bin"), DataDir: filepath.Join(root,
			"data"), Cache: filepath.Join(root, "cache"),
		Limits: func() host.Limits { return host.Limits{Priority: 50, Locked: 1 << 40} },
		Free:   func(string) (uint64, error) { return 30 * host.GiB, nil },
		Network: func() (network.Link, error) {
			return network.Link{Interface: "wlan0", Address: "192.168.1.20", Wireless: true, Name: "home", Signal: -53}, nil
		},
		Zone: "CET", Enter: func(string) error { return nil },
	}}
	m.file("proc/meminfo", "MemTotal:        4000000 kB\n")
	m.file("proc/sys/kernel/osrelease", "6.12.0\n")
	return m
}

// packaged has reachyctl where the packages put it.
func packaged(m *machine) {
	m.h.Executable = filepath.Join(m.h.Root, "usr", "lib", "reachyd", "reachyctl")
}

func (m *machine) file(path, text string) {
	full := m.h.In(path)
	must(m.t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(m.t, os.WriteFile(full, []byte(text), 0o755))
}

func (m *machine) link(path, target string) {
	full := m.h.In(path)
	must(m.t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(m.t, os.Symlink(target, full))
}

// usb plugs a USB serial adapter in, as the kernel shows it: the tty's device is an interface below the USB device.
func (m *machine) usb(tty, vendor, product string) {
	base := "sys/devices/usb1/1-" + tty
	m.file(base+"/idVendor", vendor+"\n")
	m.file(base+"/idProduct", product+"\n")
	m.file(base+"/1-1:1.0/uevent", "DRIVER=cdc_acm\n")
	m.link("sys/class/tty/"+tty+"/device", m.h.In(base, "1-1:1.0"))
	m.file("dev/"+tty, "")
}

// process runs a program that has a file or socket open.
func (m *machine) process(pid, name, command, open string) {
	m.file("proc/"+pid+"/comm", name+"\n")
	m.file("proc/"+pid+"/cmdline", strings.ReplaceAll(command, " ", "\x00"))
	m.link("proc/"+pid+"/fd/3", open)
}

func (m *machine) listens(port, inode string) {
	m.file("proc/net/tcp6", "  sl  local_address remote_address st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"+
		"   0: 00000000:"+port+" 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "+inode+" 1 0\n"+
		"   1: broken line\n")
}

// report runs the doctor and replaces what differs from machine to machine.
func (m *machine) report(args []string, setups ...setup) result {
	m.t.Helper()
	got := ctl(m.t, append(args, "doctor"), append(setups, func(a *cli.App) { a.Host = m.h })...)
	got.out = strings.ReplaceAll(got.out, m.h.Root, "")
	return got
}

// What the processes take is shown against their budgets, and all together against the limit of the unit.
func TestDoctorCountsMemory(t *testing.T) {
	m := newMachine(t)
	runs := func(pid, name, parent, kib string) {
		m.file("proc/"+pid+"/status", "Name:\t"+name+"\nPPid:\t"+parent+"\nVmRSS:\t  "+kib+" kB\n")
	}
	runs("10", "reachyd", "1", "30720")
	runs("11", "reachy-body", "10", "9216")
	runs("12", "reachyd", "10", "20480")
	runs("13", "reachyd", "10", "20480")
	runs("14", "bash", "1", "99999999")
	limit := func(unit, most, now string) {
		m.file("sys/fs/cgroup/system.slice/system-reachyd.slice/"+unit+"/memory.max", most+"\n")
		m.file("sys/fs/cgroup/system.slice/system-reachyd.slice/"+unit+"/memory.current", now+"\n")
	}
	for pid, unit := range map[string]string{"10": "reachyd", "11": "reachyd-body", "12": "reachyd", "13": "reachyd"} {
		m.file("proc/"+pid+"/cgroup", "0::/system.slice/system-reachyd.slice/"+unit+".service\n")
	}
	limit("", "1610612736", "104857600")
	limit("reachyd.service", "1073741824", "83886080")
	limit("reachyd-body.service", "134217728", "10485760")
	for _, want := range []string{
		"ok       memory           reachyd 30 of 100 MiB, reachy-body 9 of 20 MiB, 2 sandboxes 40 of 320 MiB\n",
		"ok       memory           together 100 of 1536 MiB that the unit allows",
		"ok       memory           reachyd.service 80 of 1024 MiB that the unit allows",
		"ok       memory           reachyd-body.service 10 of 128 MiB that the unit allows",
	} {
		if got := m.report(nil); !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s", want, got.out)
		}
	}
	runs("15", "reachy-sense", "10", "512000")
	limit("", "1610612736", "1600000000")
	for _, want := range []string{
		"note     memory           reachyd 30 of 100 MiB, reachy-body 9 of 20 MiB, reachy-sense 500 of 400 MiB, 2 sandboxes 40 of 320 MiB; over",
		"note     memory           together 1525 of 1536 MiB",
	} {
		if got := m.report(nil); !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s", want, got.out)
		}
	}
	limit("", "max", "1600000000")
	limit("reachyd.service", "max", "1600000000")
	limit("reachyd-body.service", "max", "1600000000")
	if got := m.report(nil); strings.Contains(got.out, "MemoryMax") {
		t.Errorf("a unit without a limit has one:\n%s", got.out)
	}
}

func TestDoctorOnAHealthyMachine(t *testing.T) {
	m := newMachine(t)
	for _, p := range []string{"reachyd", "reachy-body", "reachy-sim"} {
		m.file("bin/"+p, "")
	}
	m.file("usr/bin/reachy-sense", "")
	m.file("usr/bin/espeak-ng", "")
	m.file("usr/lib/aarch64-linux-gnu/libmujoco.so.2.2.2", "")
	m.file("usr/lib/libEGL.so.1", "")
	for _, i := range []interpreters.Interpreter{interpreters.Python, interpreters.Numpy, interpreters.JavaScript} {
		m.file(filepath.Join("cache", i.Folder, interpreters.Sums), "")
	}
	m.usb("ttyACM0", "1a86", "55d3")
	m.usb("ttyACM1", "0403", "6014") // somebody else's adapter
	m.process("12", "reachy-body", "reachy-body", "/dev/ttyACM0")
	m.listens("1F40", "777")
	m.process("13", "reachyd", "reachyd", "socket:[777]")
	runDir := newBody(t, (&heard{}).respond(accepted()))
	r := newRobot(t, answer(ok(map[string]any{
		"llm": "http://127.0.0.1:11434: 1 models\n  qwen3:4b  2.5 GB  tools\n", "llm_ok": true, "web": "searches with http://searx.lan", "web_ok": true,
		"store": map[string]any{"tables": 9, "disk_bytes": 13_500_000, "kinds": []map[string]any{
			{"kind": "traces", "keys": 1234, "bytes": 9_100_000}, {"kind": "events", "keys": 5000, "bytes": 1_230_000},
		}},
	})))
	r.publish("state", calmState, true)

	got := m.report([]string{"--broker", r.url}, dir(runDir))
	if got.code != cli.ExitDone || got.err != "" {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	for _, volatile := range [][2]string{{r.url, "BROKER"}, {runDir, "RUN"}} {
		got.out = strings.ReplaceAll(got.out, volatile[0], volatile[1])
	}
	golden(t, "doctor_healthy", dropHost(got.out))
}

// What the official daemon's users have set and fetched is found, and the doctor says how to take it over.
func TestDoctorFindsWhatTheOfficialDaemonLeft(t *testing.T) {
	m := newMachine(t)
	packaged(m)
	const set = "home/pollen/.cache/huggingface/hub/datasets--pollen-robotics--reachy-mini-emotions-library"
	m.file("home/pollen/.config/reachy_mini/robot_name.json", `{"name": "Ada's robot"}`)
	m.file("home/pollen/.config/reachy_mini/daemon_config.json", `{"startup_app": "pomodoro"}`)
	m.file("home/other/.config/reachy_mini/robot_name.json", `not JSON`)
	m.file("root/.config/reachy_mini/robot_name.json", `{"name": "reachy_mini"}`)
	m.file(set+"/refs/main", "abc\n")
	m.file(set+"/snapshots/abc/happy.json", "{}")
	m.file(set+"/snapshots/abc/happy.wav", "")
	m.file(set+"/snapshots/abc/data/sad.json", "{}")
	m.file("home/pollen/.cache/huggingface/hub/datasets--somebody--pictures/refs/main", "abc\n")
	wants := []string{
		`note     official daemon  the official daemon called this robot "Ada's robot"` + "\n" +
			"                          → sudo reachyctl doctor take-over name makes it robot.id: Ada-s-robot in reachyd.yaml\n",
		"note     official daemon  /home/other/.config/reachy_mini/robot_name.json cannot be read: ",
		`the official daemon began the app "pomodoro" when the robot woke up`,
		"note     official daemon  2 of 2 moves of pollen-robotics/reachy-mini-emotions-library lie where the service may not look\n" +
			"                          → sudo reachyctl doctor take-over moves copies them to /data/moves/pollen-robotics/reachy-mini-emotions-library\n",
	}
	got := m.report(nil)
	for _, want := range wants {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s", want, got.out)
		}
	}
	if n := strings.Count(got.out, "official daemon  "); n != len(wants)+1 { // and one that it does not run
		t.Errorf("%d findings in\n%s", n, got.out)
	}
	m.file("data/moves/pollen-robotics/reachy-mini-emotions-library/happy.json", "{}")
	m.file("data/moves/pollen-robotics/reachy-mini-emotions-library/data/sad.json", "{}")
	if got := m.report(nil); !strings.Contains(got.out, "2 moves of pollen-robotics/reachy-mini-emotions-library are taken over") {
		t.Errorf("%s", got.out)
	}
}

func TestDoctorOnASickMachine(t *testing.T) {
	m := newMachine(t)
	m.h.Limits = func() host.Limits { return host.Limits{Locked: 64 << 10} }
	m.h.Free = func(string) (uint64, error) { return 100 * host.MiB, nil }
	m.usb("ttyACM0", "1a86", "55d3")
	m.file("dev/ttyAMA3", "")
	m.process("77", "python3", "python3 -m reachy_mini.daemon.app.main", "/dev/ttyAMA3")
	m.listens("1F40", "778")
	m.process("78", "python3", "/venvs/reachy_mini/bin/python daemon", "socket:[778]")
	r := newRobot(t, answer(ok(map[string]any{
		"llm": "http://127.0.0.1:11434: it does not answer\n  to get one: install Ollama\n", "llm_ok": false, "web": "no search engine is configured (web.searxng)",
		"web_ok": false,
	})))
	r.publish("state", badState, true)

	got := m.report([]string{"--broker", r.url})
	if got.code != cli.ExitFailed || got.err != "" {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	golden(t, "doctor_sick", dropHost(strings.ReplaceAll(got.out, r.url, "BROKER")))
}

// dropHost removes the line about the host, which tells of the machine that runs the test.
func dropHost(s string) string {
	_, rest, _ := strings.Cut(s, "\n")
	return rest
}

func TestDoctorJSON(t *testing.T) {
	got := newMachine(t).report([]string{"--json", "--broker", "mqtt://127.0.0.1:1"})
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(got.out), "\n") {
		var f doctor.Finding
		must(t, json.Unmarshal([]byte(line), &f))
		seen[f.Check] = true
		if f.Level != doctor.Fine && f.Do == "" {
			t.Errorf("%+v does not say what to do", f)
		}
	}
	for _, name := range doctor.CheckNames() {
		if !seen[name] {
			t.Errorf("check %q reports nothing", name)
		}
	}
	if got.code != cli.ExitFailed {
		t.Errorf("exit %d", got.code)
	}
}

// throttled is where a Raspberry Pi tells the flags of its supply.
const throttled = "sys/devices/platform/soc/soc:firmware/get_throttled"

// symptom is something of a machine, and what the doctor says of it.
type symptom struct {
	name  string
	set   func(*machine)
	args  []string
	level doctor.Level
	want  string
}

func TestDoctorSays(t *testing.T) {
	for _, c := range []symptom{
		{
			"only the Python with numpy", func(m *machine) { m.file(filepath.Join("cache", interpreters.Numpy.Folder, interpreters.Sums), "") }, nil, doctor.Fine,
			"the one with numpy runs all of them",
		},
		{"a weak signal", func(m *machine) {
			m.h.Network = func() (network.Link, error) {
				return network.Link{Interface: "wlan0", Address: "10.0.0.7", Wireless: true, Signal: -80}, nil
			}
		}, nil, doctor.Note, "10.0.0.7 by wlan0, wireless, -80 dBm; time zone CET"},
		{"no network", func(m *machine) { m.h.Network = func() (network.Link, error) { return network.Link{}, nil } }, nil, doctor.Note, "not connected"},
		{"a network that cannot be read", func(m *machine) {
			m.h.Network = func() (network.Link, error) { return network.Link{}, errors.New("no netlink") }
		}, nil, doctor.Note, "no netlink"},
		{"a crash", func(m *machine) {
			m.file("data/crashes/reachyd-20260102T030405Z-4194399.txt", "reachyd 1.2\npanic: broken\n")
		}, nil, doctor.Note, "panic: broken"},
		{"a clock of nowhere", func(m *machine) { m.h.Zone = "UTC" }, nil, doctor.Note, "time zone UTC"},
		{"no interpreter", func(*machine) {}, nil, doctor.Note, "no tools in Python"},
		{"no numpy", func(m *machine) { m.file(filepath.Join("cache", interpreters.Python.Folder, interpreters.Sums), "") }, nil, doctor.Note, "a subset of numpy"},
		{"little memory", func(m *machine) { m.file("proc/meminfo", "MemTotal: 100000 kB\n") }, nil, doctor.Problem, "reachyd needs at least 512 MiB"},
		{"memory unknown", func(m *machine) { m.file("proc/meminfo", "MemTotal: many kB\n") }, nil, doctor.Fine, "0.0 GiB of memory"},
		{"a strong supply", func(m *machine) { m.file(throttled, "0\n") }, nil, doctor.Fine, "never too weak since it started (flags 0x0)"},
		{"a weak supply", func(m *machine) { m.file(throttled, "50005\n") }, nil, doctor.Problem, "too weak now (under-voltage) (flags 0x50005)"},
		{"a supply that was weak", func(m *machine) { m.file(throttled, "50000\n") }, nil, doctor.Note, "too weak at least once since it started"},
		{"a hot Pi", func(m *machine) { m.file(throttled, "80008\n") }, nil, doctor.Note, "too hot now"},
		{"other flags", func(m *machine) { m.file(throttled, "throttled=0x0\n") }, nil, doctor.Note, "not flags in hexadecimal"},
		{"a weak supply of another kernel", func(m *machine) {
			m.file("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
			m.file("sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1\n")
			m.file("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
			m.file("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
		}, nil, doctor.Problem, "too weak now"},
		{"a strong supply of another kernel", func(m *machine) {
			m.file("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
			m.file("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
		}, nil, doctor.Fine, "strong enough now"},
		{"root", func(m *machine) { m.h.Limits = func() host.Limits { return host.Limits{Root: true} } }, nil, doctor.Fine, "(root)"},
		{"disk getting full", func(m *machine) { m.h.Free = func(string) (uint64, error) { return 500 * host.MiB, nil } }, nil, doctor.Note, "make room for models"},
		{"disk unknown", func(m *machine) { m.h.Free = func(string) (uint64, error) { return 0, errors.New("I/O error") } }, nil, doctor.Note, "I/O error"},
		{"port that somebody uses", func(m *machine) {
			m.usb("ttyACM0", "1a86", "55d3")
			m.process("9", "minicom", "minicom", "/dev/ttyACM0")
		}, nil, doctor.Problem, "kill 9"},
		{"free port", func(m *machine) { m.usb("ttyACM0", "1a86", "55d3") }, nil, doctor.Fine, "/dev/ttyACM0, free"},
		{"port that is gone", func(m *machine) {
			m.usb("ttyACM0", "1a86", "55d3")
			must(m.t, os.Remove(m.h.In("dev/ttyACM0")))
		}, nil, doctor.Problem, "usermod -aG dialout"},
		{"a motion sensor", func(m *machine) {
			for name, text := range map[string]string{
				"name": "bmi088", "in_accel_scale": "0.001", "in_accel_x_raw": "0", "in_accel_y_raw": "0", "in_accel_z_raw": "9810",
				"in_anglvel_scale": "0.001", "in_anglvel_x_raw": "0", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "100",
			} {
				m.file("sys/bus/iio/devices/iio:device0/"+name, text+"\n")
			}
		}, nil, doctor.Fine, "bmi088: acceleration 0.0 0.0 9.8 m/s², turn 0.00 0.00 0.10 rad/s"},
		{"half a motion sensor", func(m *machine) {
			m.file("sys/bus/iio/devices/iio:device0/name", "bmi088-accel\n")
			m.file("sys/bus/iio/devices/iio:device0/in_accel_x_raw", "1\n")
		}, nil, doctor.Note, "in_accel_scale: no such file"},
		{"8000 by somebody else", func(m *machine) {
			m.listens("1F40", "5")
			m.process("9", "httpd", "httpd", "socket:[5]")
		}, nil, doctor.Note, "httpd (process 9) listens on port 8000"},
		{"8000 by a reachyd that we may not look into", func(m *machine) {
			m.listens("1F40", "5")
			m.file("proc/10/status", "Name:\treachyd\nPPid:\t1\nVmRSS:\t  30720 kB\n")
		}, nil, doctor.Fine, "who should be it"},
		{"8000 by nobody we see", func(m *machine) { m.listens("1F40", "5") }, nil, doctor.Note, "only root can see who"},
		{"wrong option", func(*machine) {}, []string{"--broker", "x"}, doctor.Problem, "correct the command line"},
	} {
		t.Run(c.name, c.check)
	}
}

// What an owner of the packages reads, and what a stranger on the machine does.
func TestDoctorOfAService(t *testing.T) {
	for _, c := range []symptom{
		{"a stranger", func(m *machine) { m.h.Enter = func(string) error { return os.ErrPermission } }, nil, doctor.Note, "sudo usermod -aG reachyd NAME"},
		{
			"a stranger's body", func(m *machine) { m.h.Enter = func(string) error { return os.ErrPermission } }, nil, doctor.Note,
			"not seen: the service keeps it from strangers",
		},
		{"no ears in a checkout", func(*machine) {}, nil, doctor.Note, "`make build` builds it, if that is wanted"},
		{"no ears of the package", packaged, nil, doctor.Note, "install the package reachyd-sense, if that is wanted"},
		{"limits of a caller of the service", func(m *machine) {
			packaged(m)
			m.h.Limits = func() host.Limits { return host.Limits{} }
		}, nil, doctor.Fine, "given by the unit of the service"},
		{"no Python of the package", packaged, nil, doctor.Note, "install the package reachyd-python"},
		{"a service that does not run", packaged, nil, doctor.Problem, "sudo systemctl start reachyd"},
	} {
		t.Run(c.name, c.check)
	}
}

func (c symptom) check(t *testing.T) {
	m := newMachine(t)
	c.set(m)
	args := c.args
	if args == nil {
		args = []string{"--broker", "mqtt://127.0.0.1:1"}
	}
	got := m.report(append(args, "--json"))
	for _, line := range strings.Split(got.out, "\n") {
		if strings.Contains(line, c.want) && strings.Contains(line, `"level":"`+string(c.level)+`"`) {
			return
		}
	}
	t.Errorf("no %s with %q in\n%s", c.level, c.want, got.out)
}

func TestDoctorOnARobotThatIsAway(t *testing.T) {
	r := newRobot(t, nil)
	r.publish("status", "offline", true)
	if got := newMachine(t).report([]string{"--broker", r.url}); got.code != cli.ExitFailed || !strings.Contains(got.out, `robot "mini" is offline`) {
		t.Errorf("%+v", got)
	}
	if got := newMachine(t).report([]string{"--broker", r.url, "--robot", "maxi", "--timeout", "200ms"}); !strings.Contains(got.out,
		`robot "maxi" sends no state`) {
		t.Errorf("%+v", got)
	}
	r.publish("status", "online", true)
	r.publish("state", "nonsense", true)
	if got := newMachine(t).report([]string{"--broker", r.url}); !strings.Contains(got.out, "cannot be read") {
		t.Errorf("%+v", got)
	}
	r.publish("state", `{"mode":"offline"}`, true)
	if got := newMachine(t).report([]string{"--broker", r.url}); !strings.Contains(got.out, "the robot's bus is not there") {
		t.Errorf("%+v", got)
	}
}

// What the real machine shows can be read, whatever it is.
func TestDoctorOnThisMachine(t *testing.T) {
	h := host.This(map[string]string{"HOME": t.TempDir(), "PATH": "/usr/bin"})
	if host.MemoryBytes(h.In("proc/meminfo")) == 0 {
		t.Error("no memory")
	}
	if _, err := h.Free(h.Root); err != nil {
		t.Error(err)
	}
	h.Limits()
	h.UsbPorts()
	h.Listeners(doctor.OfficialPort)
	f, err := os.Open("doctor_test.go")
	must(t, err)
	defer f.Close()
	if p := h.Holder(func(target string) bool { return strings.HasSuffix(target, "/cmd/reachyctl/doctor_test.go") }); p.PID != os.Getpid() {
		t.Errorf("holder of our own file: %+v", p)
	}
}

// doctor and models look where the reachyd of this machine looks: as the environment says, as the one that runs tells, as configured.
func TestModelsAreLookedForWhereReachydLooks(t *testing.T) {
	const name = "tiny.en-q8_0"
	for how, arrange := range map[string]func(a *cli.App, data string){
		"environment": func(a *cli.App, data string) { a.Env["REACHYD_DATA_DIR"] = data },
		"running": func(a *cli.App, data string) {
			a.Dirs = []string{t.TempDir()}
			line, err := json.Marshal(map[string]string{"data": data, "models": filepath.Join(data, "models")})
			must(t, err)
			must(t, os.WriteFile(filepath.Join(a.Dirs[0], "paths"), append(line, '\n'), 0o600))
		},
		"configuration": func(a *cli.App, data string) {
			file := filepath.Join(t.TempDir(), "reachyd.yaml")
			must(t, os.WriteFile(file, []byte("data_dir: "+data+"\n"), 0o600))
			a.Env["REACHYD_CONFIG"] = file
		},
	} {
		data := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(data, "models"), 0o700))
		path := ""
		for _, m := range models.Catalogue() {
			if m.Name == name {
				path = filepath.Join(data, "models", m.Files[0].Name)
			}
		}
		must(t, os.WriteFile(path, nil, 0o600))
		m := newMachine(t)
		setup := func(a *cli.App) {
			a.Host = m.h
			arrange(a, data)
		}
		if got := ctl(t, []string{"models", "list"}, setup); !strings.Contains(got.out, path) {
			t.Errorf("%s: models list does not tell of %s:\n%s", how, path, got.out)
		}
		if got := ctl(t, []string{"doctor"}, setup); !strings.Contains(got.out, "free for "+data) {
			t.Errorf("%s: doctor does not look at %s:\n%s", how, data, got.out)
		}
	}
}

// Two robots on one machine may take twice as much.
func TestDoctorCountsMemoryOfTwoRobots(t *testing.T) {
	m := newMachine(t)
	for _, pid := range []string{"10", "20"} {
		m.file("proc/"+pid+"/status", "Name:\treachyd\nPPid:\t1\nVmRSS:\t  61440 kB\n")
	}
	if got, want := m.report(nil).out, "ok       memory           2 reachyd 120 of 200 MiB\n"; !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}
