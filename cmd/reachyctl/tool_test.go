package main

import (
	"encoding/json"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

var moveHead = tool.Spec{
	Name: "move_head", Description: "Turn the head.", Moves: true,
	Parameters: tool.Object(map[string]tool.Schema{
		"yaw":      tool.Number("+ is left", "°", -180, 180),
		"duration": tool.Number("of the move", "s", 0.05, 60).WithDefault(1.0),
		"law":      tool.OneOf("how it starts and ends", "linear", "min_jerk").WithDefault("min_jerk"),
	}, "yaw"),
}

func TestTools(t *testing.T) {
	photo := tool.Spec{Name: "take_photo", Description: "Take a photo.", Unavailable: "no camera", Parameters: tool.Object(nil)}
	r := newRobot(t, func(c call) any {
		switch {
		case c.verb == "tools/list":
			return ok(map[string]any{"tools": []tool.Spec{moveHead, photo}})
		case c.verb == "tools/show" && c.args["name"] == "move_head":
			return ok(moveHead)
		case c.verb == "tools/show" && c.args["name"] == "take_photo":
			return ok(photo)
		}
		return refuse("unknown_tool", "name: there is no tool fly; cmd/tools/list lists them")
	})
	list, show, other := r.ctl("tool", "list"), r.ctl("tool", "show", "move_head"), r.ctl("tool", "show", "take_photo")
	golden(t, "tools", list.out+"\n"+show.out+"\n"+other.out)
	r.ctl("tool", "show", "fly").is(t, cli.ExitFailed, "", "there is no tool fly")
	got := r.ctl("tool", "list", "--json")
	var reply struct {
		Result struct{ Tools []tool.Spec }
	}
	must(t, json.Unmarshal([]byte(got.out), &reply))
	if len(reply.Result.Tools) != 2 || reply.Result.Tools[0].Name != "move_head" {
		t.Errorf("%+v", got)
	}
}

func TestToolCall(t *testing.T) {
	r := newRobot(t, answer(ok(tool.Result{Status: tool.StatusSuccess, Message: "I look left.", Data: map[string]any{"yaw": 30}})))
	r.ctl("tool", "call", "move_head", "yaw=30", "law=linear").is(t, cli.ExitDone, "I look left.\n{\n  \"yaw\": 30\n}\n", "")
	c := r.only()
	args, _ := c.args["args"].(map[string]any)
	if c.verb != "tool" || c.args["name"] != "move_head" || args["yaw"] != 30.0 || args["law"] != "linear" {
		t.Errorf("sent %+v", c)
	}
	failing := newRobot(t, answer(map[string]any{
		"ok": false, "result": tool.Result{Status: tool.StatusError, Message: "yaw: 400 is more than 180"},
		"error": map[string]any{"code": "invalid", "message": "yaw: 400 is more than 180"},
	}))
	failing.ctl("tool", "call", "move_head", "yaw=400").is(t, cli.ExitFailed, "", "yaw: 400 is more than 180")
	failing.ctl("tool", "call", "move_head", "yaw").is(t, cli.ExitUsage, "", `"yaw" is not name=value`)
}

func TestWakeAndSleepAreTools(t *testing.T) {
	for command, name := range map[string]string{"wake": "wake_up", "sleep": "go_to_sleep"} {
		r := newRobot(t, answer(ok(tool.Result{Status: tool.StatusSuccess, Message: "Done."})))
		r.ctl(command).is(t, cli.ExitDone, "Done.\n", "")
		if c := r.only(); c.verb != "tool" || c.args["name"] != name {
			t.Errorf("%s sent %+v", command, c)
		}
	}
}
