package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// home is a data directory with something of everything, and what tells reachyctl of it.
func home(t *testing.T) (data string, s setup) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	for name, text := range map[string]string{
		"store/000001.sst": "memories", "photos/photo-0001.jpg": "a face", "models/tiny.bin": "large", "tools/modules/x.wasm": "tool", "token": "secret",
	} {
		path := filepath.Join(data, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return data, func(a *cli.App) { a.Env["REACHYD_DATA_DIR"] = data }
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func TestBackupAndRestore(t *testing.T) {
	data, where := home(t)
	file := filepath.Join(t.TempDir(), "robot.tar.gz")
	if got := ctl(t, []string{"backup", file}, where); got.code != cli.ExitDone || !strings.HasPrefix(got.out, "4 files of ") {
		t.Fatalf("%+v", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if got := ctl(t, []string{"backup", file}, where); got.code != cli.ExitFailed || !strings.Contains(got.err, "exists") {
		t.Errorf("over another: %+v", got)
	}
	must(t, os.WriteFile(filepath.Join(data, "store", "000001.sst"), []byte("other"), 0o600))
	if got := ctl(t, []string{"restore", file}, where); got.code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	for name, want := range map[string]string{
		"store/000001.sst": "memories", "token": "secret", "models/tiny.bin": "large",
		"../data.before-restore/store/000001.sst": "other",
	} {
		if got := content(t, filepath.Join(data, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := ctl(t, []string{"restore", file}, where); got.code != cli.ExitFailed || !strings.Contains(got.err, "earlier restore") {
		t.Errorf("a second time: %+v", got)
	}
	// By a pipe, and whole or not at all.
	must(t, os.RemoveAll(data+".before-restore"))
	saved := ctl(t, []string{"backup", "-"}, where)
	for _, broken := range []string{"", "no backup", saved.out[:len(saved.out)/2], saved.out[:len(saved.out)-4]} {
		if got := ctl(t, []string{"restore", "-"}, where, input(broken)); got.code != cli.ExitFailed || content(t, filepath.Join(data, "token")) != "secret" {
			t.Errorf("%d bytes of %d: %+v", len(broken), len(saved.out), got)
		}
	}
	if got := ctl(t, []string{"restore", "-"}, where, input(saved.out)); got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
}

// While reachyd runs, its files are left alone.
func TestKeepingWaitsForReachyd(t *testing.T) {
	_, where := home(t)
	runDir := t.TempDir()
	f, err := os.Create(filepath.Join(runDir, "lock"))
	must(t, err)
	defer f.Close()
	must(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	for _, args := range [][]string{{"backup", "-"}, {"restore", "-"}, {"privacy", "delete", "--yes"}} {
		if got := ctl(t, args, where, dir(runDir)); got.code != cli.ExitFailed || !strings.Contains(got.err, "reachyd runs") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestPrivacy(t *testing.T) {
	data, where := home(t)
	got := ctl(t, []string{"privacy"}, where)
	for _, want := range []string{"conversations, memories, events", "photos that it was asked for", filepath.Join(data, "token")} {
		if !strings.Contains(got.out, want) {
			t.Errorf("it does not tell of %q:\n%s", want, got.out)
		}
	}
	ctl(t, []string{"privacy", "delete"}, where).is(t, cli.ExitUsage, "", "--yes")
	if got := ctl(t, []string{"privacy", "delete", "--yes"}, where); got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
	left, err := os.ReadDir(data)
	must(t, err)
	if len(left) != 1 || left[0].Name() != "models" {
		t.Errorf("left: %v", left)
	}
}
