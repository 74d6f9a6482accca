package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/daemon/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reachyd runs the program in an empty home.
func reachyd(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(context.Background(), args, []string{"HOME=" + t.TempDir()}, &out, &errs)
	return code, out.String(), errs.String()
}

func TestCommandsThatStartNothing(t *testing.T) {
	for args, says := range map[string]string{
		"--help":                     "Exit codes",
		"run --help":                 "Run the robot",
		"version":                    "reachyd ",
		"check":                      "is good",
		"check --sim":                "is good",
		"config":                     "robot:",
		"completion bash":            "bash completion",
		"config --sim":               "enabled: true",
		"config --port /dev/ttyACM3": "port: /dev/ttyACM3",
	} {
		if code, out, errs := reachyd(t, strings.Fields(args)...); code != exitDone || !strings.Contains(out, says) || errs != "" {
			t.Errorf("reachyd %s: exit %d, %q, want %q in %q", args, code, errs, says, out)
		}
	}
}

func TestMistakesAreUsageErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("robot: {idd: x}\nbody: {rate: 7}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, says := range map[string]string{
		"dance":                        `"dance" is not a command`,
		"run now":                      `"now" is not a command`,
		"--rate 7":                     "--rate",
		"check --config " + bad:        "robot.idd",
		"run --config " + bad:          "body.rate",
		"check --config /no/such":      "no such file",
		"--log-level loud --sim":       "log.level",
		"check --port /dev/tty/../x y": "is not a command",
	} {
		if code, out, errs := reachyd(t, strings.Fields(args)...); code != exitUsage || !strings.Contains(errs, says) || out != "" {
			t.Errorf("reachyd %s: exit %d, printed %q, said %q, want %q", args, code, out, errs, says)
		}
	}
}

// What `reachyd config` prints is a configuration.
// The units of the service run it; which workers there are is said.
func TestWorkerIsKnown(t *testing.T) {
	if code, _, errs := reachyd(t, "worker", "arms"); code != exitFailed || !strings.Contains(errs, `worker "arms": allowed are body and sense`) {
		t.Errorf("exit %d, %q", code, errs)
	}
	if code, _, errs := reachyd(t, "worker"); code != exitUsage || !strings.Contains(errs, "takes one argument, not 0") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestPrintedConfigurationIsRead(t *testing.T) {
	_, out, _ := reachyd(t, "config", "--sim", "--log-level", "warn")
	file := filepath.Join(t.TempDir(), "reachyd.yaml")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Source{File: file, Env: []string{"HOME=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.Simulated() || cfg.Log.Level != "warn" {
		t.Errorf("read back: sim %t, level %s", cfg.Simulated(), cfg.Log.Level)
	}
}

func TestMissingBodyIsSaid(t *testing.T) {
	dir := t.TempDir()
	var out, errs strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan int, 1)
	env := []string{
		"HOME=" + dir, "PATH=/nowhere", "REACHYD_RUN_DIR=" + filepath.Join(dir, "r"), "REACHYD_MQTT_LISTEN=127.0.0.1:0",
		"REACHYD_HTTP_LISTEN=127.0.0.1:0", "REACHYD_LOG_FORMAT=json",
	}
	log := &watched{found: cancel, want: "reachy-body"}
	go func() { done <- run(ctx, []string{"run"}, env, &out, log) }()
	if code := <-done; code != exitDone {
		t.Errorf("exit %d after the interruption: %s", code, errs.String())
	}
	if !strings.Contains(log.text.String(), "make build") && !strings.Contains(log.text.String(), "not found") {
		t.Errorf("the log does not say what is missing: %s", log.text.String())
	}
}

// watched is a log of several writers that tells when a word has come.
type watched struct {
	mu    sync.Mutex
	text  strings.Builder
	want  string
	found func()
}

func (w *watched) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.want) {
		defer w.found()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}
