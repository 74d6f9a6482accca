package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestSessionList(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"sessions": []map[string]any{
		{"id": "kitchen", "last": "2026-11-21T12:00:00Z", "exchanges": 12, "facts": 1, "text": "look\x1b[2J left"},
	}})))
	got := r.ctl("session", "list")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "kitchen") || !strings.Contains(got.out, "12    1      look [2J left\n") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	none := newRobot(t, answer(ok(map[string]any{"sessions": []any{}})))
	none.ctl("session", "list").is(t, cli.ExitDone, "Nobody has said anything yet.\n", "")
}

func TestSessionShowAndExport(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{
		"id": "kitchen", "facts": []map[string]any{{"text": "my name is Anna"}}, "summary": "Anna likes ducks.",
		"history": []map[string]any{{"ts": "2026-11-21T12:00:00Z", "text": "what is my name", "reply": "Your name is Anna."}},
	})))
	got := r.ctl("session", "show", "kitchen")
	for _, want := range []string{
		"session kitchen\nIt was asked to remember:\n  - my name is Anna\nWhat was said before, in short: Anna likes ducks.\n", "> what is my name\n",
		"< Your name is Anna.\n",
	} {
		if got.code != cli.ExitDone || !strings.Contains(got.out, want) {
			t.Errorf("exit %d, printed:\n%s\nwithout %q", got.code, got.out, want)
		}
	}
	if c := r.only(); c.verb != "sessions/show" || c.args["session"] != "kitchen" {
		t.Errorf("sent %+v", c)
	}
	file := filepath.Join(t.TempDir(), "kitchen.json")
	r.ctl("session", "export", "kitchen", "--output", file).is(t, cli.ExitDone, "", "")
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "{\n") || !strings.Contains(string(text), `"text": "my name is Anna"`) {
		t.Errorf("%v, wrote %s", err, text)
	}
	if got := r.ctl("session", "export", "kitchen"); got.out != string(text) {
		t.Errorf("printed %s", got.out)
	}
}

func TestSessionForget(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"session": "kitchen", "exchanges": 3, "facts": 1})))
	r.ctl("session", "forget", "kitchen").is(t, cli.ExitDone, "Forgotten: session kitchen, said 3, remembered 1.\n", "")
	if c := r.only(); c.verb != "sessions/forget" || c.args["session"] != "kitchen" {
		t.Errorf("sent %+v", c)
	}
	r.ctl("session", "forget").is(t, cli.ExitUsage, "", "the id of a session")
	unknown := newRobot(t, answer(refuse("invalid", "session: there is none with the id \"x\"")))
	unknown.ctl("session", "show", "x").is(t, cli.ExitFailed, "", "there is none")
}
