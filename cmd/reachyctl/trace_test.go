package main

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestTraceDrawsATurn(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{
		"id": "t1", "session": "kitchen", "ts": "2026-11-21T12:00:00Z", "text": "what do you see", "reply": "I see a\x1b[2J duck.", "outcome": "answered",
		"duration_ms": 12.5,
		"spans": []map[string]any{
			{"parent": -1, "kind": "handoff", "name": "vision", "detail": "it is about what is in view\x1b[2J", "ts": "2026-11-21T12:00:00Z", "duration_ms": 12.0},
			{"parent": 0, "kind": "tool", "name": "analyze_scene", "ts": "2026-11-21T12:00:00.002Z", "duration_ms": 9.0, "error": "unavailable"},
		},
		"spans_dropped": 3,
	})))
	got := r.ctl("trace", "t1")
	want := []string{
		"session kitchen, 12.5 ms, answered\n> what do you see\n",
		"      0.0 ms      12.0 ms  └─ handoff vision: it is about what is in view [2J\n",
		"      2.0 ms       9.0 ms     └─ tool analyze_scene [failed: unavailable]\n",
		"  and 3 more that were not kept\n< I see a [2J duck.\n",
	}
	for _, w := range want {
		if !strings.Contains(got.out, w) {
			t.Errorf("printed:\n%s\nwithout %q", got.out, w)
		}
	}
	if c := r.only(); got.code != cli.ExitDone || c.verb != "trace" || c.args["trace"] != "t1" {
		t.Errorf("code %d, sent %+v", got.code, c)
	}
}

func TestTraceThatIsNotThere(t *testing.T) {
	r := newRobot(t, answer(refuse("invalid", "trace: there is none yet")))
	r.ctl("trace").is(t, cli.ExitFailed, "", "reachyctl: trace: there is none yet\n")
	if c := r.only(); c.args["trace"] != nil {
		t.Errorf("sent %+v", c)
	}
}
