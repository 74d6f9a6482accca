package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal/waittest"
)

// shelf is a place with apps, and the environment of programs that use it.
type appShelf struct {
	t   *testing.T
	dir string
	env []string
	url string // of a reachyd that says whether the emergency stop is latched
	hit atomic.Bool
	ask atomic.Value // what a page asks of the app; a text
	did atomic.Value // what reachyctl said last that the app does

	errands chan string  // what is asked of a keeper: JSON
	ended   chan string  // what it says about these
	kept    atomic.Value // the names of its apps
}

func newAppShelf(t *testing.T) *appShelf {
	t.Helper()
	python, err := exec.LookPath("python3")
	const check = "import venv, pip, sysconfig; assert pip.__file__.startswith(sysconfig.get_paths()['purelib'])"
	if err != nil || exec.Command(python, "-c", check).Run() != nil {
		t.Skip("NOT TESTED: Python, or its pip or venv, is not installed")
	}
	s := &appShelf{t: t, dir: t.TempDir(), errands: make(chan string, 1), ended: make(chan string, 4)}
	s.kept.Store("")
	s.ask.Store("")
	s.did.Store("")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && r.URL.Path == "/api/apps/supervised" {
			var said struct{ ID, Name, State, Error string }
			if err := json.NewDecoder(r.Body).Decode(&said); err != nil || said.ID == "" || said.Name == "" {
				t.Errorf("%+v %v", said, err)
			}
			s.did.Store(strings.TrimSpace(said.State + " " + said.Error))
			if said.State != "running" {
				s.ask.Store("")
			}
			fmt.Fprintf(w, `{"asked":%q}`, s.ask.Load())
			return
		}
		if r.Method == http.MethodPut && r.URL.Path == "/api/apps/kept" {
			s.keeper(w, r)
			return
		}
		stop := ""
		if s.hit.Load() {
			stop = "latched: test"
		}
		fmt.Fprintf(w, `{"state":"running","reachyd":{"emergency_stop":%q}}`, stop)
	}))
	t.Cleanup(web.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	s.url = web.URL
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "REACHYD_APPS=" + filepath.Join(s.dir, "apps"), "REACHYD_SDK_PYTHON=" + python,
	}
	return s
}

// keeper answers reachyctl app serve, as reachyd does: what is asked is asked until it is done.
func (s *appShelf) keeper(w http.ResponseWriter, r *http.Request) {
	var said struct {
		ID   string
		Apps []struct{ Name, Version, Description string }
		Done []struct{ Job, Error string }
	}
	if err := json.NewDecoder(r.Body).Decode(&said); err != nil || said.ID == "" {
		s.t.Errorf("%+v %v", said, err)
	}
	names := ""
	for _, a := range said.Apps {
		names += a.Name + " " + a.Version + " " + a.Description + "\n"
	}
	s.kept.Store(names)
	for _, d := range said.Done {
		<-s.errands
		s.ended <- d.Job + ": " + d.Error
	}
	select {
	case e := <-s.errands:
		s.errands <- e
		fmt.Fprintf(w, `{"asked":%s}`, e)
	default:
		fmt.Fprint(w, `{"asked":null}`)
	}
}

// wheel makes a package of an app whose module main is the text.
func (s *appShelf) wheel(name, text, more string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name+"-0.1.0-py3-none-any.whl")
	f, err := os.Create(path)
	if err != nil {
		s.t.Fatal(err)
	}
	z := zip.NewWriter(f)
	info := name + "-0.1.0.dist-info/"
	for file, text := range map[string]string{
		name + "/__init__.py": "", name + "/main.py": text,
		info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: 0.1.0\nSummary: an app for a test\n",
		info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		info + "RECORD":   "", info + "entry_points.txt": more,
	} {
		w, err := z.Create(file)
		if err != nil {
			s.t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func entry(name string) string {
	return "[reachy_mini_apps]\n" + name + " = " + name + ".main:App\n"
}

// ctl runs reachyctl app, as a process of its own, and returns its exit code and what it said.
func (s *appShelf) ctl(args ...string) (int, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"app", "--http", s.url}, args...)...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		s.t.Fatalf("reachyctl app %v has not ended: %s", args, out)
	}
	if err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (s *appShelf) must(says string, args ...string) string {
	s.t.Helper()
	code, out := s.ctl(args...)
	if code != 0 || !strings.Contains(out, says) {
		s.t.Fatalf("reachyctl app %v: %d %s; want %q", args, code, out, says)
	}
	return out
}

func (s *appShelf) refused(says string, args ...string) {
	s.t.Helper()
	if code, out := s.ctl(args...); code != 1 || !strings.Contains(out, says) {
		s.t.Errorf("reachyctl app %v: %d %s; want 1, %q", args, code, out, says)
	}
}

// pids reads numbers that the app wrote into a file, once there are n.
func (s *appShelf) pids(file string, n int) []int {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		var list []int
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				s.t.Fatal(err)
			}
			list = append(list, pid)
		}
		if len(list) == n {
			return list
		}
	}
	s.t.Fatalf("%d processes never came", n)
	return nil
}

func (s *appShelf) gone(pids ...int) {
	s.t.Helper()
	for _, pid := range pids {
		if !waittest.Within(waittest.Patience, func() bool { return unix.Kill(pid, 0) != nil || zombie(pid) }) {
			s.t.Errorf("process %d is left", pid)
		}
	}
}

func (s *appShelf) until(what string, is func() bool) {
	s.t.Helper()
	waittest.Until(s.t, what, is)
}

// zombie says whether a process has ended and waits for somebody to ask how.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// An app that has a child, and a grandchild in a session of its own which nobody knows any more.
//
// MODE makes it misbehave.
const theApp = `
import os, signal, subprocess, sys, time
mode, out = os.environ.get("MODE"), os.environ["PIDS"]
if mode == "bad":
    print("oh")
    sys.exit(3)
if mode == "greedy":
    x = bytearray(b"x") * (300 << 20)
    time.sleep(600)
if mode == "busy":
    end = time.monotonic() + 3
    while time.monotonic() < end:
        pass
    print("it took", "much" if time.process_time() > 1.2 else "little")
    sys.exit()
if mode == "many":
    ps = [subprocess.Popen(["sleep", "600"]) for _ in range(20)]
    time.sleep(600)
if mode == "deaf":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    open(out, "w").write(f"{os.getpid()} ")
    time.sleep(600)
code = """import subprocess, sys, os
p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)
open(os.environ['PIDS'], 'a').write(f'{p.pid} ')"""
subprocess.run([sys.executable, "-c", code])
p = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(out, "a").write(f"{p.pid} {os.getpid()} ")
print("it has begun", os.nice(0), sys.argv[1:])
try:
    time.sleep(600)
except KeyboardInterrupt:
    print("it ends politely")
`

func TestApps(t *testing.T) {
	s := newAppShelf(t)
	pids := filepath.Join(s.dir, "pids")
	s.env = append(s.env, "PIDS="+pids)
	s.refused("not installed", "run", "nobody")
	s.refused("no app", "stop")
	s.refused("no entry point in the group reachy_mini_apps", "install", "--no-index", s.wheel("nothing", "", ""))
	s.must("good 0.1.0 is installed", "install", "--no-index", s.wheel("good", "", entry("good")))
	s.must("installed", "install", "--no-index", s.wheel("good", theApp, entry("good"))) // anew, in its place
	s.must("an app for a test", "list")
	begin := func() []int {
		if err := os.RemoveAll(pids); err != nil {
			t.Fatal(err)
		}
		s.must("good runs", "start", "good")
		return s.pids(pids, 3)
	}

	list := begin()
	s.refused("another app runs: good", "start", "good")
	s.refused("another app runs: good", "run", "good")
	s.refused("app good runs", "remove", "good")
	var said struct {
		Running struct {
			Name string
			PID  int
		}
		Apps []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(s.must("", "--json", "list")), &said); err != nil || said.Running.Name != "good" || len(said.Apps) != 1 {
		t.Errorf("%+v %v", said, err)
	}
	s.must("good has ended", "stop")
	s.gone(list...)
	if log := s.must("it has begun 10", "log", "good"); !strings.Contains(log, "it ends politely") {
		t.Errorf("it was not asked to end: %s", log)
	}

	list = begin() // the emergency stop ends it
	s.hit.Store(true)
	s.gone(list...)
	s.until("the supervisor has written why, and is gone", func() bool { return !strings.Contains(s.must("", "--json", "list"), `"running":{`) })
	s.refused("emergency stop is latched: test", "start", "good")
	s.hit.Store(false)
	s.must("emergency stop is latched: test", "log", "good")

	list = begin() // a supervisor that is killed: the next one finds what it left
	if err := json.Unmarshal([]byte(s.must("", "--json", "list")), &said); err != nil || said.Running.PID == 0 {
		t.Fatalf("%+v %v", said, err)
	}
	if err := unix.Kill(said.Running.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.gone(list[2]) // the app itself dies with its supervisor
	s.env = append(s.env, "MODE=bad")
	s.refused("exit status 3", "run", "good")
	s.must("oh", "log", "good")
	s.gone(list...)

	if did := s.did.Load().(string); !strings.HasPrefix(did, "error good failed: exit status 3") {
		t.Errorf("a page is told %q", did)
	}

	s.env = append(s.env, "MODE=")
	list = begin() // a page of the official daemon begins it anew, and ends it
	s.ask.Store("restart")
	s.gone(list...)
	fresh := s.pids(pids, 6)[3:]
	s.ask.Store("stop")
	s.gone(fresh...)
	s.until("an app that is done", func() bool {
		_, out := s.ctl("--json", "list")
		return s.did.Load() == "done" && strings.Contains(out, `"running":null`)
	})
	if err := os.RemoveAll(pids); err != nil {
		t.Fatal(err)
	}
	s.must("good runs", "start", "good", "--", "--fast", "a b")
	s.pids(pids, 3)
	s.must("good has ended", "stop")
	s.must("['--fast', 'a b']", "log", "good")

	s.limits(pids)
	s.must("good is removed", "remove", "good")
	s.refused("not installed", "run", "good")
}

// limits trips every limit.
func (s *appShelf) limits(pids string) {
	for mode, c := range map[string]struct {
		why  string
		args []string
	}{
		"greedy": {"MB of memory; allowed are 100", []string{"--memory", "100"}},
		"many":   {"processes; allowed are 8", []string{"--processes", "8"}},
		"deaf":   {"did not end within 100ms", []string{"--grace", "100ms"}},
	} {
		s.env = append(s.env, "MODE="+mode)
		if mode == "deaf" {
			if err := os.RemoveAll(pids); err != nil {
				s.t.Fatal(err)
			}
			s.must("runs", append([]string{"start", "good"}, c.args...)...)
			s.pids(pids, 1)
			s.must("has ended", "stop")
		} else {
			s.refused(c.why, append([]string{"run", "good"}, c.args...)...)
		}
		s.must(c.why, "log", "good")
	}
	s.env = append(s.env, "MODE=busy")
	s.must("it took little", "run", "good", "--processor", "5")
	s.must("slowed down: it takes more than 5 % of a processor", "log", "good")
	for _, args := range [][]string{{"--memory", "1"}, {"--processes", "0"}, {"--processor", "4"}, {"--grace", "-1s"}, {"--grace", "1h"}} {
		if code, out := s.ctl(append([]string{"run", "good"}, args...)...); code != 2 || !strings.Contains(out, "allowed is") {
			s.t.Errorf("%v: %d %s", args, code, out)
		}
	}
}

// What reachyd is asked for by pages and scripts, serve does: apps are started as their owner, and removed.
func TestAppsAreServed(t *testing.T) {
	s := newAppShelf(t)
	pids := filepath.Join(s.dir, "pids")
	s.env = append(s.env, "PIDS="+pids, "MODE=")
	s.must("good 0.1.0 is installed", "install", "--no-index", s.wheel("good", theApp, entry("good")))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "app", "--http", s.url, "serve")
	cmd.Env = s.env
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	s.until("the apps are served", func() bool { return s.kept.Load() == "good 0.1.0 an app for a test\n" })
	asked := func(job, do, name string) string {
		t.Helper()
		s.errands <- fmt.Sprintf(`{"job":%q,"do":%q,"name":%q}`, job, do, name)
		select {
		case out := <-s.ended:
			return out
		case <-ctx.Done():
			t.Fatalf("%s %s does not end", do, name)
		}
		return ""
	}
	if out := asked("1", "start", "good"); out != "1: " {
		t.Errorf("start: %s", out)
	}
	list := s.pids(pids, 3)
	for _, c := range []struct{ job, do, name, says string }{
		{"2", "start", "good", "another app runs: good"},
		{"3", "remove", "good", "app good runs"},
		{"4", "start", "../good", "allowed are letters"},
		{"5", "start", "nobody", "not installed"},
		{"6", "sell", "good", "cannot sell"},
	} {
		if out := asked(c.job, c.do, c.name); !strings.HasPrefix(out, c.job+": ") || !strings.Contains(out, c.says) {
			t.Errorf("%s %s: %s, want %q", c.do, c.name, out, c.says)
		}
	}
	s.must("good has ended", "stop")
	s.gone(list...)
	if out := asked("7", "remove", "good"); out != "7: " {
		t.Errorf("remove: %s", out)
	}
	s.until("no app", func() bool { return s.kept.Load() == "" })
	s.refused("not installed", "run", "good")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	if !strings.Contains(said.String(), "the apps are served") || !strings.Contains(said.String(), "remove good: done") {
		t.Errorf("it says %q", said.String())
	}
}
