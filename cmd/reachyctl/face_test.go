package main

import (
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestFaceList(t *testing.T) {
	lists(t, "face", "No faces are known.\n", map[string]any{"faces": []map[string]any{
		{"name": "Anna\x1b[2J", "learned": "2026-11-21T12:00:00Z", "samples": 8}, {"name": "Tom", "learned": "2026-11-20T12:00:00Z", "samples": 5},
	}}, map[string]any{"faces": []any{}}, "Anna [2J", "Tom")
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
