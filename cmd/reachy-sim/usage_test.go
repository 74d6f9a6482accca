package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/program"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/mujoco"
)

func TestNothingIsLeftBehind(t *testing.T) {
	s := start(t, "--model", modelSimple)
	s.dial() // a client that does not leave by itself
	if code := s.stop(); code != program.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestOrphanExits(t *testing.T) {
	dir := t.TempDir()
	// As the process does it; the test's own deadline is that of the test binary.
	code := run(context.Background(), []string{"--model", modelSimple, "--bus", "unix:" + dir + "/bus", "--quiet-exit-when-orphaned", "50ms"}, nil, io.Discard,
		io.Discard)
	if code != program.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestClientKeepsAnOrphanAlive(t *testing.T) {
	s := start(t, "--model", modelSimple, "--quiet-exit-when-orphaned", "1s")
	b := s.dial()
	for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end); {
		b.ask(dxl.AppendPing(nil, 10))
	}
	b.Close()
	s.eventually("it to exit", func() bool { return strings.Contains(s.log.String(), "nobody uses the bus") })
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"there is no bus":               {},
		`--bus is "tcp:1"`:              {"--bus", "tcp:1"},
		"allowed is unix:PATH":          {"--bus", "unix:"},
		`--model is "gazebo"`:           {"--pty", "x", "--model", "gazebo"},
		`scene "moon"`:                  {"--pty", "x", "--scene", "moon"},
		"--realtime is 0":               {"--pty", "x", "--realtime", "0"},
		"--realtime is NaN":             {"--pty", "x", "--realtime", "NaN"},
		"--step needs --http":           {"--pty", "x", "--step"},
		"must not be negative":          {"--pty", "x", "--quiet-exit-when-orphaned", "-1s"},
		`argument "now"`:                {"--pty", "x", "now"},
		"flag provided but not defined": {"--fast"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, nil, &out, &errs); code != program.ExitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
		if !strings.Contains(errs.String(), want) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("%v: said %q and %q, want one line with %q", args, errs.String(), out.String(), want)
		}
	}
}

func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"--help"}, nil, &out, &errs); code != program.ExitOK || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
	for _, want := range []string{
		"-bus", "-pty", "-http", "-model", "-scene", "-realtime", "-step", "-wire-time", "-quiet-exit-when-orphaned", "/faults",
		"/frame.jpg",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help does not speak of %s", want)
		}
	}
}

func TestFailuresAreSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--bus=unix:" + file, "--pty=" + file, "--http=" + file} {
		var errs safeBuffer
		args := []string{"--model", modelSimple, "--pty", file + "tty", flag}
		if code := run(context.Background(), args, nil, io.Discard, &errs); code != program.ExitError || !strings.Contains(errs.String(), file) {
			t.Errorf("%s: exit code %d, said %s", flag, code, errs.String())
		}
	}
	if !mujoco.Built {
		var errs safeBuffer
		code := run(context.Background(), []string{"--pty", file + "tty", "--model", modelMuJoCo}, nil, io.Discard, &errs)
		if code != program.ExitError || !strings.Contains(errs.String(), "-tags mujoco") {
			t.Errorf("exit code %d, said %s", code, errs.String())
		}
	}
}
