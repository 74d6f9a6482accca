package main

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/keep"
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
	// Onto another robot, which has nothing yet.
	other := filepath.Join(t.TempDir(), "other")
	got := ctl(t, []string{"restore", "-"}, func(a *cli.App) { a.Env["REACHYD_DATA_DIR"] = other }, input(saved.out))
	if got.code != cli.ExitDone || content(t, filepath.Join(other, "store", "000001.sst")) != "memories" || strings.Contains(got.out, "before-restore") {
		t.Errorf("%+v", got)
	}
	empty := t.TempDir()
	got = ctl(t, []string{"backup", "-"}, func(a *cli.App) { a.Env["REACHYD_DATA_DIR"] = empty })
	if got.code != cli.ExitFailed || !strings.Contains(got.err, "nothing to save in "+empty) {
		t.Errorf("a backup of nothing: %+v", got)
	}
}

func TestBackupIsEncryptedWhenAsked(t *testing.T) {
	defer func(was int) { keep.WorkFactor = was }(keep.WorkFactor)
	keep.WorkFactor = 8 // a second less for each passphrase
	data, where := home(t)
	work := t.TempDir()
	file, secret := filepath.Join(work, "robot.age"), filepath.Join(work, "secret")
	for _, short := range []string{"1234567", ""} {
		must(t, os.WriteFile(secret, []byte(short), 0o600))
		got := ctl(t, []string{"backup", "--passphrase-file", secret, file}, where)
		if got.code != cli.ExitUsage || !strings.Contains(got.err, "allowed are 8 or more") {
			t.Errorf("passphrase %q: %+v", short, got)
		}
	}
	must(t, os.WriteFile(secret, []byte("correct horse\n"), 0o600))
	if got := ctl(t, []string{"backup", "--passphrase-file", secret, file}, where); got.code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	sealed := content(t, file)
	for _, plain := range []string{"memories", "a face", "token", "store", "reachyd-backup"} {
		if strings.Contains(sealed, plain) {
			t.Errorf("it can be read: %q", plain)
		}
	}
	must(t, os.WriteFile(filepath.Join(data, "token"), []byte("other"), 0o600))
	wrong := filepath.Join(work, "wrong")
	must(t, os.WriteFile(wrong, []byte("correct house\n"), 0o600))
	for name, c := range map[string]struct{ archive, key, says string }{
		"wrong passphrase": {sealed, wrong, "does not open"},
		"damaged":          {sealed[:len(sealed)-20] + "xxxxxxxxxxxxxxxxxxxx", secret, "damaged"},
		"cut":              {sealed[:len(sealed)/2], secret, "nothing was changed"},
		"damaged header":   {sealed[:60] + "!" + sealed[61:], secret, "damaged"},
	} {
		got := ctl(t, []string{"restore", "--passphrase-file", c.key, "-"}, where, input(c.archive))
		if got.code != cli.ExitFailed || !strings.Contains(got.err, c.says) || content(t, filepath.Join(data, "token")) != "other" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := ctl(t, []string{"restore", "--passphrase-file", secret, file}, where)
	if got.code != cli.ExitDone || content(t, filepath.Join(data, "token")) != "secret" {
		t.Errorf("%+v", got)
	}
}

// A backup of a later version may hold a store that this one cannot read.
func TestBackupOfALaterVersionIsRefused(t *testing.T) {
	data, where := home(t)
	defer func(was string) { buildVersion = was }(buildVersion)
	buildVersion = "0.2+git7.abc"
	saved := ctl(t, []string{"backup", "-"}, where)
	buildVersion = "0.2+git6.def"
	got := ctl(t, []string{"restore", "-"}, where, input(saved.out))
	if got.code != cli.ExitFailed || !strings.Contains(got.err, "saved by reachyd 0.2+git7.abc, and this is 0.2+git6.def") {
		t.Errorf("%+v", got)
	}
	if left, err := filepath.Glob(data + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	for _, same := range []string{"0.2+git7.abc", "0.3", "unknown"} {
		buildVersion = same
		if got := ctl(t, []string{"restore", "-"}, where, input(saved.out)); got.code != cli.ExitDone {
			t.Errorf("%s: %+v", same, got)
		}
		must(t, os.RemoveAll(data+".before-restore"))
	}
}

func TestConfigurationIsSavedAndBroughtBackWhenAsked(t *testing.T) {
	data, where := home(t)
	file, archive := filepath.Join(t.TempDir(), "reachyd.yaml"), filepath.Join(t.TempDir(), "robot.tar.gz")
	must(t, os.WriteFile(file, []byte("idle: lively\n"), 0o640))
	with := func(a *cli.App) { where(a); a.Env["REACHYD_CONFIG"] = file }
	ctl(t, []string{"backup", archive}, with)
	restore := func(args ...string) result {
		t.Helper()
		must(t, os.RemoveAll(data+".before-restore"))
		got := ctl(t, append([]string{"restore", archive}, args...), with)
		if got.code != cli.ExitDone {
			t.Fatalf("%+v", got)
		}
		return got
	}
	if got := restore(); strings.Contains(got.out, "configuration") {
		t.Errorf("the same: %+v", got)
	}
	must(t, os.WriteFile(file, []byte("idle: off\n"), 0o640))
	beside := filepath.Join(data, "reachyd.yaml.restored")
	if got := restore(); !strings.Contains(got.out, beside) || content(t, file) != "idle: off\n" || content(t, beside) != "idle: lively\n" {
		t.Errorf("%+v", got)
	}
	if got := restore("--settings"); content(t, file) != "idle: lively\n" || content(t, file+".before-restore") != "idle: off\n" {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}

// Whenever it is killed, the robot has all that it had or all of the backup, and its models; and a restore after it works.
func TestRestoreThatIsKilled(t *testing.T) {
	data, where := home(t)
	noise := make([]byte, 10_000) // which does not shrink: more than a pipe holds
	for i := range 40 {
		_, err := rand.Read(noise)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(data, "photos", strconv.Itoa(i)), noise, 0o600))
	}
	saved := []byte(ctl(t, []string{"backup", "-"}, where).out)
	aside := data + ".before-restore"
	outcomes := map[string]int{}
	const kills = 12
	for i := range kills {
		must(t, os.RemoveAll(filepath.Join(data, "photos")))
		must(t, os.WriteFile(filepath.Join(data, "token"), []byte("present"), 0o600))
		cmd := exec.Command(os.Args[0], "restore", "-")
		cmd.Env = []string{"REACHYD_DATA_DIR=" + data, "REACHYD_RUN_DIR=" + t.TempDir(), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		// It has taken what does not fit into the pipe any more; of the last ones, all, and more or less of what comes after.
		n := len(saved) * (i + 1) / (kills - 4)
		_, err = in.Write(saved[:min(n, len(saved))])
		must(t, err)
		if n >= len(saved) {
			must(t, in.Close())
			awaitAny(t, data+".restoring", aside)
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed, or had ended before
		token, photos := content(t, filepath.Join(data, "token")), 0
		if list, err := os.ReadDir(filepath.Join(data, "photos")); err == nil {
			photos = len(list)
		}
		if token == "present" && photos != 0 || token == "secret" && photos != 41 || content(t, filepath.Join(data, "models", "tiny.bin")) != "large" {
			t.Errorf("kill %d: token %q, %d photos", i, token, photos)
		}
		outcomes[token]++
		// What was set aside by one that was killed late is not thrown away by the next, which says so.
		got := ctl(t, []string{"restore", "-"}, where, input(string(saved)))
		if token == "secret" {
			if got.code != cli.ExitFailed || !strings.Contains(got.err, "earlier restore") || content(t, filepath.Join(aside, "token")) != "present" {
				t.Errorf("kill %d: %+v", i, got)
			}
		} else if got.code != cli.ExitDone || content(t, filepath.Join(data, "token")) != "secret" {
			t.Errorf("kill %d: %+v", i, got)
		}
		must(t, os.RemoveAll(aside))
		left, err := filepath.Glob(data + ".*")
		if _, unfinished := os.Stat(filepath.Join(data, ".unfinished-restore")); err != nil || len(left) > 0 || unfinished == nil {
			t.Errorf("kill %d: left %v, %v, marked %v", i, left, err, unfinished == nil)
		}
	}
	t.Logf("after a kill the robot had: %v", outcomes)
	if outcomes["present"] == 0 {
		t.Error("none was killed before it was done")
	}
}

// The two instants at which no kill from outside can be timed.
func TestRestoreAfterTheTwoWereChangedOver(t *testing.T) {
	data, where := home(t)
	saved := ctl(t, []string{"backup", "-"}, where)
	must(t, os.Rename(data, data+".restoring"))
	must(t, os.MkdirAll(data, 0o700))
	must(t, os.WriteFile(filepath.Join(data, ".unfinished-restore"), nil, 0o600))
	got := ctl(t, []string{"restore", "-"}, where, input(saved.out))
	if got.code != cli.ExitFailed || !strings.Contains(got.err, "earlier restore") || content(t, filepath.Join(data+".before-restore", "token")) != "secret" {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(data, ".unfinished-restore")); err == nil {
		t.Error("the mark is still there")
	}
}

// awaitAny waits until one of the paths is there.
func awaitAny(t *testing.T, paths ...string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		for _, p := range paths {
			if _, err := os.Stat(p); err == nil {
				return
			}
		}
		runtime.Gosched()
	}
	t.Fatalf("none of %v is there", paths)
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
	must(t, os.MkdirAll(data+".before-restore/store", 0o700))
	must(t, os.WriteFile(data+".before-restore/store/1", []byte("what somebody said"), 0o600))
	got := ctl(t, []string{"privacy"}, where)
	for _, want := range []string{data + ".before-restore", "conversations, memories, events", "photos that it was asked for", filepath.Join(data, "token")} {
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
	if _, aside := os.Stat(data + ".before-restore"); len(left) != 1 || left[0].Name() != "models" || aside == nil {
		t.Errorf("left: %v, and what was set aside: %v", left, aside == nil)
	}
	must(t, os.RemoveAll(data))
	if got := ctl(t, []string{"privacy"}, where); got.code != cli.ExitDone || !strings.Contains(got.out, "nothing is kept in "+data) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Who may not look is told so, and not that there is nothing.
func TestPrivacyForThoseWhoMayNotLook(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can ask as another user")
	}
	data, _ := home(t)
	for dir := data; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	ask := func() string {
		program, err := os.Open("/proc/self/exe") // whose directory the other may not enter
		must(t, err)
		defer program.Close()
		cmd := exec.Command("/proc/self/fd/3", "privacy")
		cmd.ExtraFiles = []*os.File{program}
		cmd.Dir = "/"
		cmd.Env = []string{"REACHYD_DATA_DIR=" + data, "REACHYD_RUN_DIR=/nonexistent", "HOME=/nonexistent", "GORACE=atexit_sleep_ms=0"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4711, Gid: 4711}}
		out, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := ask(); !strings.Contains(got, "only root and the user of the service may look into "+filepath.Join(data, "store")) {
		t.Errorf("one who sees the names: %s", got)
	}
	must(t, os.Chmod(data, 0o700))
	if got := ask(); !strings.Contains(got, "for root and members of the group reachyd") {
		t.Errorf("a stranger: %s", got)
	}
}

func TestCrashesAreShown(t *testing.T) {
	data, where := home(t)
	ctl(t, []string{"crashes"}, where).is(t, cli.ExitDone, "no crash is known in "+filepath.Join(data, "crashes")+"\n", "")
	if got := ctl(t, []string{"crashes", "show"}, where); got.code != cli.ExitFailed || !strings.Contains(got.err, "no crash is known") {
		t.Errorf("%+v", got)
	}
	must(t, os.MkdirAll(filepath.Join(data, "crashes"), 0o700))
	const name = "reachyd-20260102T030405Z-4194399.txt"
	must(t, os.WriteFile(filepath.Join(data, "crashes", name), []byte("reachyd 1.2, started\npanic: a \x1b[31mred one\n\n\tgoroutine 1\n"), 0o600))
	for _, args := range [][]string{{"crashes"}, {"crashes", "show"}, {"crashes", "show", name}} {
		got := ctl(t, args, where)
		if !strings.Contains(got.out, "panic: a ") || strings.Contains(got.out, "\x1b[31m") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	ctl(t, []string{"crashes", "show", "../../token"}, where).is(t, cli.ExitUsage, "", "allowed are the names of reachyctl crashes")
}
