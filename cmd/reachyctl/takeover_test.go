package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const (
	oneMove   = `{"description":"d","time":[0],"set_target_data":[{"head":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"antennas":[0,0]}]}`
	emotions  = "home/pollen/.cache/huggingface/hub/datasets--pollen-robotics--emotions"
	takenTo   = "data/moves/pollen-robotics/emotions"
	config    = "etc/reachyd/reachyd.yaml"
	ownConfig = "# mine\nmqtt:\n  prefix: home # of the house\n"
	unit      = "etc/systemd/system/reachy-mini-daemon.service"
)

// taken is a made-up machine on which the official daemon was, and what was done to it.
type taken struct {
	*machine
	ran   []string // by systemctl and others
	ended []int
}

// officialMachine has a name, moves, an app and the service of the official daemon, which runs, and the service reachyd.
func officialMachine(t *testing.T) *taken {
	m := &taken{machine: newMachine(t)}
	packaged(m.machine)
	m.h.Limits = func() host.Limits { return host.Limits{Root: true} }
	m.h.Run = func(_ context.Context, _ io.Writer, program string, args ...string) error {
		m.ran = append(m.ran, strings.Join(append([]string{filepath.Base(program)}, args...), " "))
		return nil
	}
	m.h.End = func(pid int, sure func() bool) error {
		if !sure() {
			return os.ErrProcessDone
		}
		m.ended = append(m.ended, pid)
		return os.RemoveAll(m.h.In("proc", fmt.Sprint(pid)))
	}
	m.file(config, ownConfig)
	m.file("home/pollen/.config/reachy_mini/robot_name.json", `{"name": "Ada's robot"}`)
	m.file("home/pollen/.config/reachy_mini/daemon_config.json", `{"startup_app": "pomodoro"}`)
	m.file(emotions+"/refs/main", "abc\n")
	for name, text := range map[string]string{"happy.json": oneMove, "happy.wav": "RIFF", "data/sad.json": oneMove, "README.md": "of no use"} {
		blob := strings.ReplaceAll(name, "/", "-")
		m.file(emotions+"/blobs/"+blob, text)
		m.link(emotions+"/snapshots/abc/"+name, strings.Repeat("../", strings.Count(name, "/"))+"../../blobs/"+blob)
	}
	const space = "home/pollen/.cache/huggingface/hub/spaces--somebody--Pomodoro"
	m.file(space+"/refs/main", "def")
	m.file(space+"/snapshots/def/pyproject.toml", "")
	must(t, os.MkdirAll(m.h.DataDir, 0o750))
	m.file(unit, "[Unit]\n")
	m.link("etc/systemd/system/multi-user.target.wants/reachy-mini-daemon.service", "../reachy-mini-daemon.service")
	m.file("usr/lib/systemd/system/reachyd.service", "[Unit]\n")
	m.process("77", "python", "python -u -m reachy_mini.daemon.app.main --wireless-version", "/dev/null")
	m.file("proc/77/cgroup", "0::/system.slice/reachy-mini-daemon.service\n")
	return m
}

func (m *taken) ctl(args ...string) result {
	m.t.Helper()
	got := ctl(m.t, append([]string{"doctor"}, args...), m.setup)
	got.out = strings.ReplaceAll(got.out, m.h.Root, "")
	return got
}

func (m *taken) setup(a *cli.App) {
	a.Host = m.h
	a.Env["HOME"] = m.h.In("root")
}

// tree is all files of the machine by their names.
func (m *taken) tree() map[string]string {
	m.t.Helper()
	all := map[string]string{}
	must(m.t, filepath.WalkDir(m.h.Root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(m.h.Root, path)
			text, _ := os.ReadFile(path)
			all[name] = string(text)
		}
		return err
	}))
	return all
}

func (m *taken) has(path, want string) {
	m.t.Helper()
	if got, err := os.ReadFile(m.h.In(path)); err != nil || string(got) != want {
		m.t.Errorf("%s: %q, %v; want %q", path, got, err, want)
	}
}

func (m *taken) lacks(paths ...string) {
	m.t.Helper()
	for _, path := range paths {
		if _, err := os.Lstat(m.h.In(path)); err == nil {
			m.t.Errorf("%s is there", path)
		}
	}
}

// says checks the exit code, and that each text is in the output.
func (got result) says(t *testing.T, code int, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s", want, got.out)
		}
	}
	if got.code != code || got.err != "" {
		t.Errorf("exit %d, want %d; %s\n%s", got.code, code, got.err, got.out)
	}
}

// Everything that the official daemon has left is taken over, and given back.
func TestTakeOverAndGoBack(t *testing.T) {
	m := officialMachine(t)
	before := m.tree()
	m.ctl("take-over", "--dry-run").says(t, cli.ExitDone,
		`planned   name    "Ada's robot" becomes robot.id: Ada-s-robot in /etc/reachyd/reachyd.yaml`,
		"planned   moves   2 moves of pollen-robotics/emotions",
		"yours     app     the app \"pomodoro\" of /home/pollen",
		"→ as that user: reachyctl app install /home/pollen/.cache/huggingface/hub/spaces--somebody--Pomodoro/snapshots/def",
		"planned   daemon  the service reachy-mini-daemon is stopped",
	)
	if !maps.Equal(before, m.tree()) || m.ran != nil {
		t.Fatalf("--dry-run has changed something: %v", m.ran)
	}

	m.ctl("take-over", "--yes").says(t, cli.ExitDone,
		"what it was is /etc/reachyd/reachyd.yaml.before-take-over", "2 of 2 moves of pollen-robotics/emotions are now in /data/moves",
		"undone by: reachyctl doctor go-back daemon")
	m.has(config, ownConfig+"robot:\n  id: \"Ada-s-robot\"\n  name: \"Ada's robot\"\n")
	m.has(config+".before-take-over", ownConfig)
	m.has(takenTo+"/happy.json", oneMove)
	m.has(takenTo+"/happy.wav", "RIFF")
	m.has(takenTo+"/data/sad.json", oneMove)
	m.lacks(takenTo+"/README.md", "data/moves/.taking-over", config+".new")
	want := []string{"systemctl disable --now reachy-mini-daemon", "systemctl enable reachyd", "systemctl restart reachyd"}
	if !slices.Equal(m.ran, want) {
		t.Errorf("%q, want %q", m.ran, want)
	}

	must(t, os.Remove(m.h.In("etc/systemd/system/multi-user.target.wants/reachy-mini-daemon.service"))) // as systemctl does
	must(t, os.RemoveAll(m.h.In("proc/77")))
	m.ctl("take-over", "--yes", "name", "moves", "daemon").says(t, cli.ExitDone, "nothing of the official daemon is left to take over")
	if got := m.report(nil); strings.Contains(got.out, "take-over name") || !strings.Contains(got.out, "2 moves of pollen-robotics/emotions are taken over") {
		t.Errorf("%s", got.out)
	}

	m.ran = nil
	m.ctl("go-back", "--yes").says(t, cli.ExitDone, "/etc/reachyd/reachyd.yaml becomes what it was before", "2 moves of pollen-robotics/emotions go from")
	if want := []string{"systemctl disable --now reachyd", "systemctl enable --now reachy-mini-daemon"}; !slices.Equal(m.ran, want) {
		t.Errorf("%q, want %q", m.ran, want)
	}
	after := m.tree()
	for name := range before {
		if strings.Contains(name, "proc/77") || strings.Contains(name, ".wants") {
			delete(before, name)
		}
	}
	if !maps.Equal(before, after) {
		t.Errorf("gone back to %v\nwant %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
	}
	m.lacks("data/moves/pollen-robotics")
}

// At a terminal each step is asked for; nothing but yes is yes.
func TestTakeOverAsks(t *testing.T) {
	m := officialMachine(t)
	got := ctl(t, []string{"doctor", "take-over"}, m.setup, input("n\nyes\nwhat\n"), func(a *cli.App) { a.Terminal = true })
	got.says(t, cli.ExitDone, "Do it? [y/N] declined  name", "Do it? [y/N] done      moves", "Do it? [y/N] declined  daemon")
	m.has(config, ownConfig)
	m.has(takenTo+"/happy.json", oneMove)
	if m.ran != nil {
		t.Errorf("%q", m.ran)
	}
	before := m.tree()
	for _, args := range [][]string{{"take-over"}, {"go-back"}, {"take-over", "frob"}} {
		if got := m.ctl(args...); got.code != cli.ExitUsage || got.err == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if !maps.Equal(before, m.tree()) {
		t.Error("without a question something was changed")
	}
}

// What cannot be taken over is told, and stays as it is; the rest is taken.
func TestTakeOverOfWhatIsBroken(t *testing.T) {
	const name, startup = "home/pollen/.config/reachy_mini/robot_name.json", "home/pollen/.config/reachy_mini/daemon_config.json"
	const moves = emotions + "/snapshots/abc/"
	settings := func(text string) func(*taken) { return func(m *taken) { m.file(config, text) } }
	for _, c := range []struct {
		name, part string
		set        func(*taken)
		code       int
		want       string
		config     string // what it is then; empty for as it was
	}{
		{"no JSON", "name", func(m *taken) { m.file(name, "{") }, 0, "robot_name.json cannot be read: unexpected end of JSON input", ""},
		{"a number for a name", "name", func(m *taken) { m.file(name, `{"name":5}`) }, 0, "cannot be read", ""},
		{"a pipe for a name", "name", func(m *taken) {
			must(m.t, os.Remove(m.h.In(name)))
			must(m.t, syscall.Mkfifo(m.h.In(name), 0o600))
		}, 0, "no regular file", ""},
		{
			"a name without a letter", "name", func(m *taken) { m.file(name, `{"name":"ロボ"}`) }, 0, "has no letter that robot.id could have",
			ownConfig + "robot:\n  name: \"ロボ\"\n",
		},
		{
			"two lines and a bell for a name", "name", func(m *taken) { m.file(name, `{"name":"a\n\u0007b"}`) }, 0, "done",
			ownConfig + "robot:\n  id: \"a-b\"\n  name: \"a b\"\n",
		},
		{"two names", "name", func(m *taken) {
			m.file("home/bo/.config/reachy_mini/robot_name.json", `{"name":"Bo"}`)
		}, 0, `"Bo" (/home/bo) and "Ada's robot" (/home/pollen)`, ""},
		{"a robot that has an id", "name", settings("robot: {id: kitchen}\n"), 0, "has a name already (kitchen), which stays", ""},
		{"a configuration in one line", "name", settings("robot: {tell_address: never}\n"), 1, "cannot be added to", ""},
		{"a configuration that is broken", "name", settings("robot: [\n"), 1, "it is not YAML", ""},
		{"a link out of the cache", "moves", func(m *taken) {
			m.file("secret.json", oneMove)
			must(m.t, os.Remove(m.h.In(moves+"happy.json")))
			m.link(moves+"happy.json", m.h.In("secret.json"))
		}, 0, "- happy: openat snapshots/abc/happy.json: path escapes from parent", ""},
		{"a broken move", "moves", func(m *taken) { m.file(emotions+"/blobs/happy.json", "{") }, 0, "- happy: it is no move: unexpected end of JSON input", ""},
		{"another move of that name", "moves", func(m *taken) { m.file(takenTo+"/happy.json", "mine") }, 0, "- happy: another happy.json is there, and stays", ""},
		{"another sound of that name", "moves", func(m *taken) { m.file(takenTo+"/happy.wav", "mine") }, 0, "- happy: another happy.wav is there, and stays", ""},
		{"a sound that is a pipe", "moves", func(m *taken) {
			must(m.t, os.Remove(m.h.In(moves+"happy.wav")))
			must(m.t, syscall.Mkfifo(m.h.In(moves+"happy.wav"), 0o600))
		}, 0, "- happy: happy.wav is no regular file", ""},
		{"a huge sound", "moves", func(m *taken) {
			must(m.t, os.Truncate(m.h.In(emotions+"/blobs/happy.wav"), 9<<20))
		}, 0, "- happy: happy.wav is larger than 8 MiB", ""},
		{"a full disk", "moves", func(m *taken) {
			m.h.Free = func(string) (uint64, error) { return 100 * host.MiB, nil }
		}, 1, "make room", ""},
		{"data that lead elsewhere", "moves", func(m *taken) { m.link("data/moves", m.h.In("etc")) }, 1, "path escapes from parent", ""},
		{"no data yet", "moves", func(m *taken) { must(m.t, os.Remove(m.h.DataDir)) }, 1, "start reachyd once", ""},
		{"an app of an odd name", "app", func(m *taken) {
			m.file("home/pollen/.config/reachy_mini/daemon_config.json", `{"startup_app":"--evil; x"}`)
		}, 0, "no app may be called", ""},
		{"an app's setting that is broken", "app", func(m *taken) { m.file(startup, `[`) }, 0, "daemon_config.json cannot be read", ""},
		{"an app that is not here", "app", func(m *taken) { m.file(startup, `{"startup_app":"far"}`) }, 0, "is nowhere on this machine", ""},
		{"a systemd that fails", "daemon", func(m *taken) {
			m.h.Run = func(context.Context, io.Writer, string, ...string) error { return errors.New("no systemd") }
		}, 1, "no systemd", ""},
		{"who is not root", "daemon", func(m *taken) { m.h.Limits = func() host.Limits { return host.Limits{} } }, 1, "→ sudo reachyctl doctor take-over daemon", ""},
		{"a daemon of another user", "daemon", func(m *taken) {
			must(m.t, os.Remove(m.h.In("proc/77/cgroup")))
			m.h.End = func(int, func() bool) error { return syscall.EPERM }
		}, 1, "it is another user's: sudo", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := officialMachine(t)
			m.t = t
			c.set(m)
			was, _ := os.ReadFile(m.h.In(config))
			m.ctl("take-over", "--yes", c.part).says(t, c.code, c.want)
			if c.config == "" {
				c.config = string(was)
			}
			m.has(config, c.config)
			m.lacks("data/moves/.taking-over", config+".new")
			if strings.HasPrefix(c.want, "- happy") { // the other one is none the worse
				m.has(takenTo+"/data/sad.json", oneMove)
				if text, err := os.ReadFile(m.h.In(takenTo, "happy.json")); err == nil && string(text) != "mine" {
					t.Errorf("happy.json is taken: %s", text)
				}
			}
		})
	}
}

// A daemon that a person runs is asked to end; other programs with its name among their arguments are not.
func TestTakeOverEndsTheDaemonOfAPerson(t *testing.T) {
	m := officialMachine(t)
	must(t, os.Remove(m.h.In("proc/77/cgroup")))
	m.process("78", "vim", "vim reachy-mini-daemon", "/dev/null")
	m.process("79", "grep", "grep reachy_mini.daemon.app.main log", "/dev/null")
	m.process("80", "python3", "/venv/bin/python3 /venv/bin/reachy-mini-daemon --sim", "/dev/null")
	m.process("81", "python3", "python3 my_reachy_mini_script.py", "/dev/null")
	m.ctl("take-over", "--yes", "daemon").says(t, cli.ExitDone, "(process 77) has ended", "undone by: /venv/bin/python3 /venv/bin/reachy-mini-daemon --sim")
	if slices.Sort(m.ended); !slices.Equal(m.ended, []int{77, 80}) {
		t.Errorf("ended: %v", m.ended)
	}
}

// The user whose app it was has it installed, from where pip noted it or from the cache.
func TestTakeOverInstallsTheApp(t *testing.T) {
	m := officialMachine(t)
	as := func(a *cli.App) {
		m.setup(a)
		a.Env["HOME"] = m.h.In("home/pollen")
	}
	const installed = "venvs/apps_venv/lib/python3.12/site-packages/pomodoro-0.1.dist-info/"
	for _, c := range []struct{ noted, want string }{
		{"", m.h.In("home/pollen/.cache/huggingface/hub/spaces--somebody--Pomodoro/snapshots/def")},
		{`{"url":"file:///src/pomodoro"}`, m.h.In("src/pomodoro")},
		{`{"url":"https://example.org/p","vcs_info":{"vcs":"git","commit_id":"123"}}`, "git+https://example.org/p@123"},
	} {
		m.ran = nil
		m.file("src/pomodoro/pyproject.toml", "")
		m.file(installed+"entry_points.txt", "[console_scripts]\nother = x\n[reachy_mini_apps]\npomodoro = pomodoro.main:App\n")
		m.file(installed+"direct_url.json", c.noted)
		ctl(t, []string{"doctor", "take-over", "--yes", "app"}, as).says(t, cli.ExitDone, "done", "reachyctl app start pomodoro")
		if want := []string{"reachyctl app install -- " + c.want}; !slices.Equal(m.ran, want) {
			t.Errorf("%q, want %q", m.ran, want)
		}
	}
	m.file("home/pollen/.local/share/reachyd-apps/pomodoro/app.json", "{}")
	ctl(t, []string{"doctor", "take-over", "--yes", "app"}, as).says(t, cli.ExitDone, "nothing of the official daemon is left")
}

func TestTakeOverJSON(t *testing.T) {
	m := officialMachine(t)
	var steps []string
	for _, line := range strings.Split(strings.TrimSpace(m.ctl("take-over", "--yes", "--json").out), "\n") {
		var s struct{ Step, State, Detail string }
		must(t, json.Unmarshal([]byte(line), &s))
		steps = append(steps, s.Step+" "+s.State)
	}
	if want := []string{"name done", "moves done", "app yours", "daemon done"}; !slices.Equal(steps, want) {
		t.Errorf("%q, want %q", steps, want)
	}
}

// A configuration that an owner has changed since is theirs; what it was before stays beside it.
func TestGoBackLeavesWhatHasChanged(t *testing.T) {
	m := officialMachine(t)
	m.ctl("take-over", "--yes", "name", "moves").says(t, cli.ExitDone)
	text, err := os.ReadFile(m.h.In(config))
	must(t, err)
	mine := "# changed\n" + string(text)
	m.file(config, mine)
	m.file(takenTo+"/happy.json", "mine")
	m.ctl("go-back", "--yes", "name", "moves").says(t, cli.ExitDone, "has been changed since, and stays", "- happy.json: it is another one, and stays")
	m.has(config, mine)
	m.has(config+".before-take-over", ownConfig)
	m.has(takenTo+"/happy.json", "mine")
	m.lacks(takenTo + "/data")
}

// made runs reachyctl on a made-up machine in a process of its own.
func (m *taken) made(uid uint32, args ...string) *exec.Cmd {
	program, err := os.Open("/proc/self/exe") // whose directory another user may not enter
	must(m.t, err)
	m.t.Cleanup(func() { program.Close() })
	cmd := exec.Command("/proc/self/fd/3", append([]string{madeUp, m.h.Root, "doctor"}, args...)...)
	cmd.ExtraFiles = []*os.File{program}
	cmd.Dir = "/"
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0", "REACHYD_RUN_DIR=/nonexistent"}
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	return cmd
}

const madeUp = "on-a-made-up-machine"

// onMadeUp is reachyctl on a made-up machine: what follows its root on the command line.
func onMadeUp() int {
	a := &cli.App{Env: map[string]string{}, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Host: host.This(nil)}
	a.Host.Root = os.Args[2]
	a.Host.DataDir, a.Host.Executable = a.Host.In("data"), a.Host.In("usr/lib/reachyd/reachyctl")
	return execute(context.Background(), a, os.Args[3:])
}

// A take-over that is killed leaves whole moves or none, and a configuration that is the former or the new; the next one ends it.
func TestTakeOverThatIsKilled(t *testing.T) {
	m := officialMachine(t)
	const many = 60
	text := oneMove + strings.Repeat(" ", 1<<20)
	for i := range many {
		m.file(fmt.Sprintf("%s/snapshots/abc/m%02d.json", emotions, i), text)
		m.file(fmt.Sprintf("%s/snapshots/abc/m%02d.wav", emotions, i), text)
	}
	for kill := 1; kill < many; kill += 17 {
		cmd := m.made(0, "take-over", "--yes", "name", "moves")
		must(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for running := true; running && m.count() < kill; {
			select {
			case err := <-ended:
				ended <- err
				running = false
			case <-time.After(time.Millisecond): // another process writes
			}
		}
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		for _, file := range m.takenFiles() {
			if got, err := os.ReadFile(file); err != nil || string(got) != text && string(got) != oneMove && string(got) != "RIFF" {
				t.Errorf("%s has %d bytes, %v", file, len(got), err)
			}
			if _, err := os.Stat(strings.TrimSuffix(file, ".json") + ".wav"); strings.Contains(file, "/m") && err != nil {
				t.Errorf("%s is without its sound", file)
			}
		}
	}
	m.file("data/moves/.taking-over/file", "half")
	m.file(config+".new", "half")
	m.file(config, ownConfig)
	if out, err := m.made(0, "take-over", "--yes", "name", "moves").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if n := m.count(); n != many+1 {
		t.Errorf("%d moves are there, want %d", n, many+1)
	}
	m.lacks("data/moves/.taking-over", config+".new")
}

func (m *taken) takenFiles() []string {
	files, _ := filepath.Glob(m.h.In(takenTo, "*.json"))
	return files
}

func (m *taken) count() int { return len(m.takenFiles()) }

// Who is neither root nor the user of the service is told what to ask of whom, and changes nothing. What root takes is the service's.
func TestTakeOverByAStrangerAndByRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can ask as another user")
	}
	m := officialMachine(t)
	for dir := m.h.Root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	must(t, os.Chown(m.h.DataDir, 4712, 4712))
	m.file("root/.config/reachy_mini/robot_name.json", "{}")
	must(t, os.Chmod(m.h.In("root"), 0o700))
	before := m.tree()
	out, err := m.made(4711, "take-over", "--yes").CombinedOutput()
	for _, want := range []string{"name", "moves", "daemon"} {
		if want = "→ sudo reachyctl doctor take-over " + want; err == nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is not in (%v)\n%s", want, err, out)
		}
	}
	if !maps.Equal(before, m.tree()) || bytes.Contains(out, []byte("cannot be read")) {
		t.Errorf("a stranger has changed something, or is told of what is not theirs:\n%s", out)
	}
	m.ctl("take-over", "--yes", "name", "moves").says(t, cli.ExitDone)
	for path, uid := range map[string]uint32{"data/moves": 4712, takenTo: 4712, takenTo + "/data/sad.json": 4712, config: 0, config + ".before-take-over": 0} {
		info, err := os.Stat(m.h.In(path))
		must(t, err)
		if got := info.Sys().(*syscall.Stat_t).Uid; got != uid {
			t.Errorf("%s belongs to %d, want %d", path, got, uid)
		}
	}
}
