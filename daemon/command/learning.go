package command

import (
	"context"
	"encoding/json"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/learner/demo"
)

// Trainer lets the robot practise. *training.Service is one.
type Trainer interface {
	// Train does what the arguments of the verb train ask for. Its error is for a person.
	Train(ctx context.Context, args json.RawMessage) (any, error)
}

// Demonstrator keeps what people show the robot. *demonstration.Recorder is one.
type Demonstrator interface {
	// Demonstrate does what the arguments of the verb demonstration ask for. Its error is for a person.
	Demonstrate(ctx context.Context, args json.RawMessage) (any, error)
}

// maxShown is the longest demonstration that is imported, characters of base64.
const maxShown = 8 << 20

// learningVerbs are the commands by which the robot practises and is shown something.
func learningVerbs() map[string]verb {
	name := func(about string) tool.Schema { return tool.Text(about, maxName) }
	return map[string]verb{
		"train": {args: tool.Object(map[string]tool.Schema{
			"action":    tool.OneOf("what is to be done", "start", "consent", "stop", "status", "list", "show", "curve", "evaluate", "compare"),
			"task":      tool.OneOf("start: what is practised", "look_at_thing", "follow", "look_at_speaker", "reach_pose", "greet"),
			"algorithm": tool.OneOf("start: how it learns", "ppo", "sac"),
			"model":     tool.OneOf("start, evaluate: which simulated robot", "simple", "mujoco"),
			"person":    tool.OneOf("start: who judges besides the people around", "none", "simulated"),
			"run":       name("start: the run that is gone on with; show, curve, evaluate, compare: the run; the latest when left out"),
			"other":     name("compare: the other run"),
			"episodes":  tool.Integer("start: how many", 1, 1_000_000),
			"seed":      tool.Integer("start: of all randomness; the same seed gives the same run", 0, 1<<31-1),
			"tries":     tool.Integer("evaluate, compare: episodes", 1, 10_000),
			"held_out":  tool.Boolean("evaluate, compare: with things and places that training never showed"),
			"on_robot":  tool.Boolean("start: on the robot itself, which moves; a person must agree each time (see consent)"),
			"from_demo": name("start: begin with what was shown in the demonstrations of this name or task; reach_pose only"),
			"imitate":   tool.OneOf("start: how what was shown is taken over", "clone", "gail"),
			"consent":   name("consent: the question that is answered, as start has told it"),
			"answer":    tool.OneOf("consent: whether the robot may move", "yes", "no"),
		}, "action"), run: func(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			if d.Trainer == nil {
				return nil, &Error{Code: CodeNotAvailable, Message: "this robot cannot practise"}
			}
			return refused(d.Trainer.Train(ctx, args))
		}},
		"demonstration": {args: tool.Object(map[string]tool.Schema{
			"action": tool.OneOf("what is to be done", "record", "stop", "add", "list", "show", "replay", "name", "export",
				"import", "delete"),
			"name": name("of the demonstration; record and add make one up when it is left out"),
			"as":   name("name: what the move is called from now on"),
			"how": tool.OneOf("record: hand lets the motors go so that a person can guide the robot, commands records what it is told to do",
				"hand", "commands").WithDefault("hand"),
			"task": tool.Text("record, add: what is shown, in words", 200),
			"actions": {
				Type: tool.TypeArray, MaxItems: demo.MaxActions, Description: "add: what is shown, one target after the other, from the neutral pose",
				Items: &tool.Schema{Type: tool.TypeObject, Properties: map[string]tool.Schema{
					"head": headSchema, "body_yaw": tools.Number("where the body turns to", catalog.BodyYaw), "antennas": antennasSchema,
					"duration": tools.Number("of this step", catalog.GotoTime).WithDefault(1.0),
				}},
			},
			"data": {Type: tool.TypeString, MaxLength: maxShown, Description: "import: an exported demonstration, base64"},
		}, "action"), run: func(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			if d.Shown == nil {
				return nil, &Error{Code: CodeNotAvailable, Message: "nothing can be shown to this robot"}
			}
			return refused(d.Shown.Demonstrate(ctx, args))
		}},
	}
}

// refused turns the error of a part into that of a command.
func refused(result any, err error) (any, error) {
	if fields := FieldErrors(err); fields != nil {
		return nil, &Error{Code: CodeInvalid, Message: err.Error(), Fields: fields}
	}
	if err != nil {
		return nil, &Error{Code: "failed", Message: err.Error()}
	}
	return result, nil
}
