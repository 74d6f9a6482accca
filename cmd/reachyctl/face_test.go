package main

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestFaceList(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"faces": []map[string]any{
		{"name": "Anna\x1b[2J", "learned": "2026-11-21T12:00:00Z", "samples": 8}, {"name": "Tom", "learned": "2026-11-20T12:00:00Z", "samples": 5},
	}})))
	got := r.ctl("face", "list")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "Anna [2J") || !strings.Contains(got.out, "Tom") || strings.Contains(got.out, "\x1b") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	newRobot(t, answer(ok(map[string]any{"faces": []any{}}))).ctl("face", "list").is(t, cli.ExitDone, "No faces are known.\n", "")
}

func TestFaceForget(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"forgotten": []string{"Anna"}})))
	r.ctl("face", "forget", "Anna").is(t, cli.ExitDone, "Forgotten: Anna.\n", "")
	if c := r.only(); c.verb != "faces/forget" || c.args["name"] != "Anna" {
		t.Errorf("sent %+v", c)
	}
	r = newRobot(t, answer(ok(map[string]any{"forgotten": []string{"Anna", "Tom"}})))
	r.ctl("face", "forget", "--all").is(t, cli.ExitDone, "Forgotten: Anna, Tom.\n", "")
	if c := r.only(); c.verb != "faces/clear" {
		t.Errorf("sent %+v", c)
	}
	r.ctl("face", "forget").is(t, cli.ExitUsage, "", "--all")
	r.ctl("face", "forget", "Anna", "--all").is(t, cli.ExitUsage, "", "--all")
	newRobot(t, answer(refuse("unknown_name", `name: there is no face of "x"`))).ctl("face", "forget", "x").is(t, cli.ExitFailed, "", "there is no face")
}
