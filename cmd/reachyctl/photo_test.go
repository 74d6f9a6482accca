package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestPhotoList(t *testing.T) {
	lists(t, "photo", "There are no photos.\n", map[string]any{"photos": []map[string]any{
		{"name": "photo-2\x1b[2J", "taken": "2026-11-21T12:00:00Z", "bytes": 204800}, {"name": "photo-1", "taken": "2026-11-20T12:00:00Z", "bytes": 1},
	}}, map[string]any{"photos": []any{}}, "photo-2 [2J", "photo-1")
}

// lists holds that "reachyctl WHAT list" prints what the robot has, without what would steer a terminal, and says so where it has nothing.
func lists(t *testing.T, what, none string, some, empty map[string]any, want ...string) {
	t.Helper()
	got := newRobot(t, answer(ok(some))).ctl(what, "list")
	if got.code != cli.ExitDone || strings.Contains(got.out, "\x1b") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	for _, w := range want {
		if !strings.Contains(got.out, w) {
			t.Errorf("it lacks %q:\n%s", w, got.out)
		}
	}
	newRobot(t, answer(ok(empty))).ctl(what, "list").is(t, cli.ExitDone, none, "")
}

func TestPhotoGet(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"name": "photo-1", "image": []byte("jpeg")})))
	t.Chdir(t.TempDir())
	r.ctl("photo", "get", "photo-1").is(t, cli.ExitDone, "Written: photo-1.jpg (4 bytes).\n", "")
	if c := r.only(); c.verb != "photos/show" || c.args["name"] != "photo-1" {
		t.Errorf("sent %+v", c)
	}
	file := filepath.Join(t.TempDir(), "me.jpg")
	for _, path := range []string{"photo-1.jpg", file} {
		if path == file {
			r.ctl("photo", "get", "photo-1", "--output", file).is(t, cli.ExitDone, "Written: "+file+" (4 bytes).\n", "")
		}
		data, err := os.ReadFile(path)
		info, bad := os.Stat(path)
		if err != nil || bad != nil || string(data) != "jpeg" || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q, %v, %v", path, data, info, err)
		}
	}
	r.ctl("photo", "get", "photo-1", "--output", file).is(t, cli.ExitFailed, "", "exists")
	r.ctl("photo", "get", "photo-1", "--output", "-").is(t, cli.ExitDone, "jpeg", "")
	newRobot(t, answer(ok(map[string]any{"name": "photo-1"}))).ctl("photo", "get", "photo-1").is(t, cli.ExitFailed, "", "a photo")
	newRobot(t, answer(refuse("unknown_name", `name: there is no photo "x"`))).ctl("photo", "get", "x").is(t, cli.ExitFailed, "", "there is no photo")
}

func TestPhotoDelete(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"name": "photo-1"})))
	r.ctl("photo", "delete", "photo-1").is(t, cli.ExitDone, "Deleted: photo-1.\n", "")
	if c := r.only(); c.verb != "photos/delete" || c.args["name"] != "photo-1" {
		t.Errorf("sent %+v", c)
	}
	r.ctl("photo", "delete").is(t, cli.ExitUsage, "", "the name of a photo")
}
