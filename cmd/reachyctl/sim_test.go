package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/hal/virtual"
)

// simulate serves real virtual servos' faults, and a state and a picture of our own, as reachy-sim does.
func simulate(t *testing.T) (*virtual.Chain, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "reachyd"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "reachyd", cli.SimSocket))
	if err != nil {
		t.Fatal(err)
	}
	chain := virtual.New(virtual.Options{Plant: virtual.NewSimple(virtual.SleepJoints)})
	mux := http.NewServeMux()
	mux.Handle("/faults", chain.FaultsHandler())
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"steps":7}` + "\n")) })
	mux.HandleFunc("GET /frame.png", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("camera") != "studio_close" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"camera: no such camera"}`))
			return
		}
		_, _ = w.Write([]byte("picture"))
	})
	s := &http.Server{Handler: mux}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return chain, dir
}

// sim runs reachyctl sim with the run directory below dir.
func ctlSim(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(context.Background(), append([]string{"sim"}, args...), []string{"XDG_RUNTIME_DIR=" + dir, "TMPDIR=" + dir}, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestSimFaults(t *testing.T) {
	chain, dir := simulate(t)
	for _, c := range []struct {
		args string
		on   func(f virtual.Faults) bool
	}{
		{"fault unplug", func(f virtual.Faults) bool { return f.Unplug }},
		{"fault mute left_antenna stewart_1", func(f virtual.Faults) bool { return len(f.Mute) == 2 }},
		{"fault voltage 4.2", func(f virtual.Faults) bool { return f.Voltage != nil && *f.Voltage == 4.2 && !f.Unplug }},
		{"fault drop 0.25", func(f virtual.Faults) bool { return f.Drop == 0.25 }},
		{"clear", func(f virtual.Faults) bool { return f.Drop == 0 && f.Voltage == nil }},
	} {
		if code, out, errs := ctlSim(t, dir, strings.Fields(c.args)...); code != cli.ExitDone || out == "" {
			t.Errorf("sim %s: exit %d, %q %q", c.args, code, out, errs)
		}
		if !c.on(chain.Faults()) {
			t.Errorf("sim %s: the faults are %+v", c.args, chain.Faults())
		}
	}
}

func TestSimMistakes(t *testing.T) {
	chain, dir := simulate(t)
	before := chain.Faults()
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"fault":                      {cli.ExitUsage, "a kind of fault"},
		"fault rust":                 {cli.ExitUsage, "known are"},
		"fault unplug now":           {cli.ExitUsage, "no argument"},
		"fault mute":                 {cli.ExitUsage, "joints"},
		"fault voltage low":          {cli.ExitUsage, "not a number"},
		"fault voltage 1 2":          {cli.ExitUsage, "one number"},
		"fault drop 2":               {cli.ExitFailed, "drop"},
		"fault mute nose":            {cli.ExitFailed, "nose"},
		"picture robot.gif":          {cli.ExitUsage, ".png"},
		"picture x.png --camera ear": {cli.ExitFailed, "camera"},
	} {
		code, _, errs := ctlSim(t, dir, strings.Fields(args)...)
		if code != want.code || !strings.Contains(errs, want.says) {
			t.Errorf("sim %s: exit %d %q, want %d and %q", args, code, errs, want.code, want.says)
		}
	}
	if after := chain.Faults(); after.Drop != before.Drop || after.Unplug || len(after.Mute) > 0 {
		t.Errorf("a mistake switched something on: %+v", after)
	}
}

func TestSimStateAndPicture(t *testing.T) {
	_, dir := simulate(t)
	if code, out, errs := ctlSim(t, dir, "state"); code != cli.ExitDone || out != "{\"steps\":7}\n" {
		t.Errorf("state: %d %q %q", code, out, errs)
	}
	file := filepath.Join(t.TempDir(), "robot.png")
	if code, out, errs := ctlSim(t, dir, "picture", file); code != cli.ExitDone || !strings.Contains(out, "robot.png") {
		t.Errorf("picture: %d %q %q", code, out, errs)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "picture" {
		t.Errorf("the file has %q, %v", data, err)
	}
}

func TestSimWithoutSimulation(t *testing.T) {
	if code, _, errs := ctlSim(t, t.TempDir(), "state"); code != cli.ExitUnreachable || !strings.Contains(errs, "make run") {
		t.Errorf("exit %d %q", code, errs)
	}
}
