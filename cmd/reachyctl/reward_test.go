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

func TestFeedback(t *testing.T) {
	piece := map[string]any{"id": "f00000001", "reward": 0.5, "text": "good, but slow", "meant": []string{"too_slow"}, "credits": []map[string]any{
		{"episode": "t1", "tool": "gesture", "share": 1.0},
	}}
	r := newRobot(t, answer(ok(piece)))
	r.ctl("feedback", "good,", "but", "slow", "--episode", "t1").is(t, cli.ExitDone, "Taken as f00000001: +0.50, for gesture 100 %.\n", "")
	if c := r.only(); c.verb != "feedback" || c.args["text"] != "good, but slow" || c.args["episode"] != "t1" {
		t.Errorf("sent %+v", c)
	}
	r = newRobot(t, answer(ok(piece)))
	r.ctl("feedback", "correct", "last", "--", "-0.5").is(t, cli.ExitDone, "Corrected f00000001: it is worth +0.50, for gesture 100 %.\n", "")
	if c := r.only(); c.verb != "feedback/correct" || c.args["reward"] != -0.5 || c.args["feedback"] != nil {
		t.Errorf("sent %+v", c)
	}
	r.ctl("reward", "correct", "last", "much").is(t, cli.ExitUsage, "", "no number")
	r.ctl("reward", "correct", "last").is(t, cli.ExitUsage, "", "a reward from -1 to 1")
	r = newRobot(t, answer(ok(map[string]any{"feedback": []any{piece}})))
	got := r.ctl("feedback", "list", "--limit", "3")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "good, but slow  too_slow  gesture 100 %") || r.only().args["limit"] != 3.0 {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	r = newRobot(t, answer(ok(piece)))
	r.ctl("feedback", "delete", "f00000001").is(t, cli.ExitDone, "Removed f00000001: it was worth +0.50, for gesture 100 %.\n", "")
	none := newRobot(t, answer(ok(map[string]any{"feedback": []any{}})))
	none.ctl("feedback", "list").is(t, cli.ExitDone, "Nobody has said what they think of it yet.\n", "")
}

func TestLearned(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"learned": []map[string]any{
		{"parameter": "speed", "words": "You like it when I move slowly", "pieces": 2, "from": []string{"f2", "f1"}, "learned": true},
		{"parameter": "size", "words": "I make gestures of the usual size, as I always did", "pieces": 0, "from": []string{}},
	}})))
	r.ctl("learned").is(t, cli.ExitDone, "speed: You like it when I move slowly.\n  from 2 pieces of feedback, the latest: f2 f1\n"+
		"size: I make gestures of the usual size, as I always did.\n", "")
	r = newRobot(t, answer(ok(map[string]any{"pieces": 2})))
	r.ctl("learned", "forget", "all").is(t, cli.ExitDone, "Forgotten: 2 pieces of feedback no longer count.\n", "")
	if c := r.only(); c.verb != "learned/forget" || c.args["parameter"] != nil {
		t.Errorf("sent %+v", c)
	}
}
