package sdk

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// The app that the official assistant makes of its own template, unchanged, is installed and run by reachyctl: it moves the robot, one
// that is started beside it is refused, and the emergency stop ends it.
func TestOfficialTemplateApp(t *testing.T) {
	python := officialPython(t)
	l, err := net.Listen("tcp", "127.0.0.1:8000") // where apps look for the robot
	if err != nil {
		t.Skipf("NOT TESTED: port 8000 is taken: %v", err)
	}
	r := newRig(t)
	mux := http.NewServeMux()
	r.gateway.Register(mux)
	web := &httptest.Server{Listener: l, Config: &http.Server{Handler: mux}} //nolint:gosec // of a test, on this host only
	web.Start()
	t.Cleanup(web.Close)

	dir := t.TempDir()
	ctl := filepath.Join(dir, "reachyctl")
	if text, err := exec.Command("go", "build", "-o", ctl, "../../../cmd/reachyctl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wheel, err := exec.Command(python, "testdata/template.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, wheel)
	}
	env := append(os.Environ(), "REACHYD_APPS="+filepath.Join(dir, "apps"), "REACHYD_SDK_PYTHON="+python, "HF_HUB_OFFLINE=1")
	ask := func(args ...string) (int, string) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, ctl, append([]string{"app"}, args...)...)
		cmd.Env = env
		text, _ := cmd.CombinedOutput() // its exit code says it
		return cmd.ProcessState.ExitCode(), string(text)
	}
	app := func(want int, says string, args ...string) {
		t.Helper()
		if code, text := ask(args...); code != want || !strings.Contains(text, says) {
			t.Fatalf("reachyctl app %v: %d %s; want %d, %q", args, code, text, want, says)
		}
	}
	app(0, "my_app 0.1.0 is installed", "install", "--no-index", strings.TrimSpace(string(wheel)))
	app(0, "my_app runs", "start", "my_app")
	t.Cleanup(func() { ask("stop") }) // it has ended unless the test failed
	r.until("a head that looks about", func(s *hal.State) bool { return s.Head.Yaw > 0.2 })
	r.until("a head that looks to the other side", func(s *hal.State) bool { return s.Head.Yaw < -0.2 })
	app(1, "another app runs: my_app", "start", "my_app")
	if a, err := r.body.Do(t.Context(), hal.Request{Verb: hal.VerbStop, Reason: "test"}); err != nil || a.Outcome == hal.Rejected {
		t.Fatalf("%+v %v", a, err)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, text := ask("list", "--json")
		if strings.Contains(text, `"running":null`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the emergency stop does not end it: %s", text)
		}
	}
	app(0, "the emergency stop is latched", "log", "my_app")
	app(0, "is removed", "remove", "my_app")
}
