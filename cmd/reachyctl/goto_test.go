package main

import (
	"encoding/json"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestGoto(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"outcome": "clamped", "move": "m7", "duration": 1.5, "reason": "z was 0.05"})))
	r.ctl("goto", "--x", "0.01", "--y=-0.02", "--z", "0.03", "--roll", "-15", "--pitch", "4", "--body", "20", "--left", "30", "--right", "-30",
		"--duration", "1.5").
		is(t, cli.ExitDone, "clamped: move m7, 1.50 s: z was 0.05\n", "")
	c := r.only()
	delete(c.args, "id")
	got, err := json.Marshal(c.args)
	must(t, err)
	const want = `{"antennas":{"left":30,"right":-30},"body_yaw":20,"duration":1.5,"head":{"pitch":4,"roll":-15,"x":0.01,"y":-0.02,"z":0.03},` +
		`"law":"min_jerk","queue":false}`
	if c.verb != "goto" || string(got) != want {
		t.Errorf("%s %s\nwant goto %s", c.verb, got, want)
	}
	r.ctl("goto").is(t, cli.ExitFailed+1, "", "at least one axis")
	r.ctl("goto", "--left", "3").is(t, cli.ExitUsage, "", "name both antennas")
	newRobot(t, answer(refuse("invalid", "head.x = 9: allowed is -0.06…0.06 m"))).ctl("goto", "--x", "9").is(t, cli.ExitFailed, "", "head.x = 9")
}
