package tools

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// duration is the argument of that name.
func duration() tool.Schema {
	return tool.Number("how long the movement takes", "s", 0.1, 60).WithDefault(1.0)
}

type moveHeadArgs struct {
	Pitch, Yaw, Roll *float64
	Duration         float64
}

func moveHead(m mover) tool.Tool {
	spec := tool.Spec{
		Name: "move_head",
		Description: "Turn the head. Angles are absolute and in the world: 0 looks straight ahead. " +
			"An angle that is left out stays as it is; give at least one.",
		Parameters: tool.Object(map[string]tool.Schema{
			"pitch":    tool.Number("positive looks down, negative up", "°", -40, 40),
			"yaw":      tool.Number("positive looks left, negative right", "°", -180, 180),
			"roll":     tool.Number("positive tilts to the robot's right, negative to its left", "°", -40, 40),
			"duration": duration(),
		}),
		Moves: true,
	}
	return tool.Func(spec, func(ctx context.Context, a moveHeadArgs) tool.Result {
		if a.Pitch == nil && a.Yaw == nil && a.Roll == nil {
			return tool.Errorf(tool.CodeInvalid, "move_head: pitch, yaw or roll is missing; give at least one.")
		}
		s, err := m.body.State(ctx)
		if err != nil {
			return unreached(ctx, err)
		}
		head := s.GoalHead
		for _, part := range []struct {
			asked *float64
			goal  *float64
		}{{a.Pitch, &head.Pitch}, {a.Yaw, &head.Yaw}, {a.Roll, &head.Roll}} {
			if part.asked != nil {
				*part.goal = radians(*part.asked)
			}
		}
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, Head: &head, Duration: a.Duration}, looked(a.Pitch, a.Yaw, a.Roll))
	})
}

// The angles that people mean when they say only a direction; these are not mentioned in words.
const (
	usualTurn = 30.0
	usualTilt = 20.0
)

// looked says where the head was turned to.
func looked(pitch, yaw, roll *float64) string {
	var where []string
	add := func(v *float64, usual float64, plus, minus string) {
		switch {
		case v == nil || *v == 0:
		case *v == usual:
			where = append(where, plus)
		case *v == -usual:
			where = append(where, minus)
		default:
			where = append(where, toSide(tenth(*v), plus, minus))
		}
	}
	add(yaw, usualTurn, "left", "right")
	add(pitch, usualTilt, "down", "up")
	tilted := ""
	if roll != nil && *roll != 0 {
		tilted = "tilted my head " + toSide(tenth(*roll), "to the right", "to the left")
		if math.Abs(*roll) == usualTilt {
			tilted = "tilted my head " + map[bool]string{true: "to the right", false: "to the left"}[*roll > 0]
		}
	}
	switch {
	case len(where) > 0 && tilted != "":
		return "I looked " + list(where) + " and " + tilted
	case len(where) > 0:
		return "I looked " + list(where)
	case tilted != "":
		return "I " + tilted
	case yaw == nil && pitch == nil:
		return "I held my head level"
	}
	return "I looked straight ahead"
}

type setAntennasArgs struct {
	Left, Right *float64
	Duration    float64
}

func setAntennas(m mover) tool.Tool {
	angle := "0 is up; outward and back is positive on the left, negative on the right"
	spec := tool.Spec{
		Name:        "set_antennas",
		Description: "Move the antennas. One that is left out stays as it is; give at least one.",
		Parameters: tool.Object(map[string]tool.Schema{
			"left":     tool.Number(angle, "°", -180, 180),
			"right":    tool.Number(angle, "°", -180, 180),
			"duration": duration(),
		}),
		Moves: true,
	}
	return tool.Func(spec, func(ctx context.Context, a setAntennasArgs) tool.Result {
		var goal hal.Antennas
		if a.Left == nil && a.Right == nil {
			return tool.Errorf(tool.CodeInvalid, "set_antennas: left or right is missing; give at least one.")
		}
		if a.Left == nil || a.Right == nil {
			s, err := m.body.State(ctx)
			if err != nil {
				return unreached(ctx, err)
			}
			goal = hal.Antennas{Left: s.Goal[hal.LeftAntenna], Right: s.Goal[hal.RightAntenna]}
		}
		did := "I moved my antennas"
		if a.Left == nil {
			did = "I moved my right antenna"
		} else {
			goal.Left = radians(*a.Left)
		}
		if a.Right == nil {
			did = "I moved my left antenna"
		} else {
			goal.Right = radians(*a.Right)
		}
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, Antennas: &goal, Duration: a.Duration}, did)
	})
}

type turnBodyArgs struct {
	Yaw, Duration float64
}

func turnBody(m mover) tool.Tool {
	spec := tool.Spec{
		Name:        "turn_body",
		Description: "Turn the body on its foot, with the head. The angle is absolute: 0 faces forward.",
		Parameters: tool.Object(map[string]tool.Schema{
			"yaw":      tool.Number("positive turns left, negative right", "°", -160, 160),
			"duration": duration(),
		}, "yaw"),
		Moves: true,
	}
	return tool.Func(spec, func(ctx context.Context, a turnBodyArgs) tool.Result {
		yaw := radians(a.Yaw)
		did := "I turned my body " + toSide(tenth(a.Yaw), "to the left", "to the right")
		if a.Yaw == 0 {
			did = "I turned my body to the front"
		}
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, BodyYaw: &yaw, CarryHead: true, Duration: a.Duration}, did)
	})
}

// pose is a named pose: nil parts stay as they are.
type pose struct {
	head     *hal.Head
	body     *float64
	antennas *hal.Antennas
	did      string
}

func poses() map[string]pose {
	front := 0.0
	awake := pose{&hal.AwakeHead, &front, &hal.AwakeAntennas, "I went to my neutral pose"}
	asleep := pose{&hal.SleepHead, &front, &hal.SleepAntennas, "I lowered my head into the sleep pose"}
	look := func(h hal.Head, where string) pose { return pose{head: &h, did: "I looked " + where} }
	return map[string]pose{
		"neutral":       awake,
		"init":          awake,
		"home":          awake,
		"awake":         awake,
		"default":       awake,
		"rest":          asleep,
		"sleep":         asleep,
		"look_left":     look(hal.Head{Yaw: radians(usualTurn)}, "left"),
		"look_right":    look(hal.Head{Yaw: radians(-usualTurn)}, "right"),
		"look_up":       look(hal.Head{Pitch: radians(-usualTilt)}, "up"),
		"look_down":     look(hal.Head{Pitch: radians(usualTilt)}, "down"),
		"look_straight": look(hal.Head{}, "straight ahead"),
		"tilt_left":     {head: &hal.Head{Roll: radians(-usualTilt)}, did: "I tilted my head to the left"},
		"tilt_right":    {head: &hal.Head{Roll: radians(usualTilt)}, did: "I tilted my head to the right"},
	}
}

// PoseNames lists what goto_pose knows, sorted.
func PoseNames() []string { return slices.Sorted(maps.Keys(poses())) }

func gotoPose(m mover) tool.Tool {
	known := poses()
	spec := tool.Spec{
		Name:        "goto_pose",
		Description: "Take a named pose. neutral, init, home and awake are the same pose.",
		Parameters: tool.Object(map[string]tool.Schema{
			"name":     tool.OneOf("the pose", PoseNames()...),
			"duration": duration(),
		}, "name"),
		Moves: true,
	}
	type args struct {
		Name     string
		Duration float64
	}
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		p := known[a.Name]
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, Head: p.head, BodyYaw: p.body, Antennas: p.antennas, Duration: a.Duration}, p.did)
	})
}

type lookAtArgs struct {
	Target   string
	X, Y, Z  *float64
	Duration float64
}

func lookAt(m mover, looker Looker, why string) tool.Tool {
	spec := tool.Spec{
		Name: "look_at",
		Description: "Look at a thing by its name, or at a place given by x, y and z in metres: " +
			"the origin is on the table under the robot, x is forward, y left, z up.",
		Parameters: tool.Object(map[string]tool.Schema{
			"target":   tool.Text("name of the thing", 100),
			"x":        tool.Number("forward", "m", -10, 10),
			"y":        tool.Number("left", "m", -10, 10),
			"z":        tool.Number("up", "m", -10, 10),
			"duration": duration(),
		}),
		Moves: true,
	}
	return tool.Func(spec, func(ctx context.Context, a lookAtArgs) tool.Result {
		place := a.X != nil && a.Y != nil && a.Z != nil
		if some := a.X != nil || a.Y != nil || a.Z != nil; some != place || place == (a.Target != "") {
			return tool.Errorf(tool.CodeInvalid, "look_at: give either target, or x, y and z.")
		}
		if !place {
			return lookAtThing(ctx, looker, a.Target, why)
		}
		p, err := kinematics.LookAt(*a.X, *a.Y, *a.Z)
		if err != nil {
			return tool.Errorf(hal.CodeUnreachable, "I cannot look there: %v.", err)
		}
		head := p.Head()
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, Head: &head, Duration: a.Duration}, fmt.Sprintf("I looked at the place %s m forward, %s m left, %s m up",
			tool.FormatNumber(*a.X), tool.FormatNumber(*a.Y), tool.FormatNumber(*a.Z)))
	})
}

// lookAtThing looks at what the camera has to find first.
func lookAtThing(ctx context.Context, looker Looker, target, why string) tool.Result {
	if looker == nil {
		return tool.Errorf(tool.CodeUnavailable, "Looking at a thing is not available: %s.", why)
	}
	if err := looker.Look(ctx, target); err != nil {
		return failed(ctx, "look at the "+target, err)
	}
	return tool.Success("I looked at the "+target+".", map[string]any{"target": target})
}
