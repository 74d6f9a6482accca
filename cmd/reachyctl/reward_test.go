package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/learner/reward"
)

func TestRewardNeedsNoRobot(t *testing.T) {
	got := ctl(t, []string{"reward", "No!", "Stop!"})
	if got.code != cli.ExitDone || !strings.HasPrefix(got.out, "-1.00 blame, unsure 0.02\n") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	got = ctl(t, []string{"reward", "-"}, input("Good, but a bit slow\n\nwhat time is it\n"))
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if got.code != cli.ExitDone || len(lines) != 3 {
		t.Fatalf("exit %d, %d lines for 3\n%s%s", got.code, len(lines), got.out, got.err)
	}
	for i, want := range []float64{0.5, 0, 0} {
		var s reward.Score
		if err := json.Unmarshal([]byte(lines[i]), &s); err != nil || s.Reward != want {
			t.Errorf("%s: %v, want %g", lines[i], err, want)
		}
	}
	ctl(t, []string{"reward"}).is(t, cli.ExitUsage, "", "a sentence, or -")
}

func TestRewardEval(t *testing.T) {
	file := filepath.Join(t.TempDir(), "labelled.jsonl")
	must(t, os.WriteFile(file, []byte(`{"text":"perfect","reward":1}`+"\n"+`{"text":"what time is it","reward":-0.5}`+"\n"), 0o600))
	got := ctl(t, []string{"reward", "eval", "--wrong", file})
	if got.code != cli.ExitDone || !strings.Contains(got.out, "2 sentences: 50.0 %") || !strings.Contains(got.out, "  what time is it\n") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	ctl(t, []string{"reward", "eval", file + "x"}).is(t, cli.ExitFailed, "", "no such file")
}
