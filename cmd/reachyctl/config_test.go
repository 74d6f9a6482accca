package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

var someSettings = ok(map[string]any{"settings": []map[string]any{
	{
		"key": "sense.volume", "value": 80, "next": nil, "default": 80, "type": "a whole number", "allowed": "0 to 100", "about": "How loud it speaks.",
		"origin": "default", "when": "now",
	},
	{"key": "robot.name", "value": "Reachy", "next": "Robbie\x1b[2J", "default": "Reachy Mini", "type": "a text", "origin": "f:1:2", "when": "restart"},
	{"key": "llm.talk", "value": []string{}, "default": []string{}, "type": "a list", "origin": "default", "when": "restart"},
	{"key": "http.listen", "value": "127.0.0.1:8000", "default": "127.0.0.1:8000", "type": "a text", "origin": "default", "when": "file"},
}})

func TestConfigList(t *testing.T) {
	r := newRobot(t, answer(someSettings))
	got := r.ctl("config", "list")
	for _, want := range []string{"sense.volume  80 ", "Reachy → Robbie [2J", "after a restart", "in the file only"} {
		if got.code != cli.ExitDone || !strings.Contains(got.out, want) {
			t.Errorf("exit %d, printed\n%s%s\nwithout %q", got.code, got.out, got.err, want)
		}
	}
	get := newRobot(t, answer(someSettings))
	const volume = "sense.volume: 80\n  How loud it speaks.\n  Allowed: a whole number: 0 to 100. Default: 80."
	if got := get.ctl("config", "get", "sense"); !strings.Contains(got.out, volume) {
		t.Errorf("printed\n%s", got.out)
	}
	if c := get.only(); c.verb != "config/list" || c.args["key"] != "sense" {
		t.Errorf("sent %+v", c)
	}
}

func TestConfigSet(t *testing.T) {
	done := ok(map[string]any{"restart": true, "changes": []map[string]any{{"key": "robot.name", "value": "42", "was": "Reachy", "when": "restart"}}})
	set := make(chan any, 1)
	r := newRobot(t, func(c call) any {
		if c.verb == "config/list" {
			return someSettings
		}
		set <- c.args["values"]
		return done
	})
	got := r.ctl("config", "set", "robot.name=42", "sense.volume=60", "llm.talk=a:1b, b", "nobody.knows=1")
	if got.code != cli.ExitDone || !strings.HasPrefix(got.out, "robot.name: 42 (was Reachy), in force after a restart\nRestart reachyd for that") {
		t.Errorf("exit %d, printed\n%s%s", got.code, got.out, got.err)
	}
	sent, err := json.Marshal(<-set)
	if want := `{"llm.talk":["a:1b","b"],"nobody.knows":"1","robot.name":"42","sense.volume":60}`; err != nil || string(sent) != want {
		t.Errorf("sent %s, want %s (%v)", sent, want, err)
	}
	r.ctl("config", "set", "idle").is(t, cli.ExitUsage, "", "KEY=VALUE")
	back := newRobot(t, answer(ok(map[string]any{"changes": []any{}})))
	back.ctl("config", "unset", "idle").is(t, cli.ExitDone, "Nothing is different: so it was already.\n", "")
	if values, ok := back.only().args["values"].(map[string]any); !ok || len(values) != 1 || values["idle"] != nil {
		t.Errorf("sent %v", back.only())
	}
}
