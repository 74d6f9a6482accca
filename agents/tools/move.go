package tools

import (
	"context"
	"fmt"
	"math"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/kinematics"
)

type moveHeadArgs struct {
	Pitch, Yaw, Roll *float64
	Duration         float64
}

func moveHead(m mover) tool.Tool {
	return tool.Func(Spec("move_head"), func(ctx context.Context, a moveHeadArgs) tool.Result {
		if a.Pitch == nil && a.Yaw == nil && a.Roll == nil {
			return tool.Errorf(tool.CodeInvalid, "move_head: pitch, yaw or roll is missing; give at least one.")
		}
		head := hal.HeadGoal{Pitch: hal.Radians(a.Pitch), Yaw: hal.Radians(a.Yaw), Roll: hal.Radians(a.Roll)}
		req := hal.Request{Verb: hal.VerbGoto, Head: &head, Duration: a.Duration}
		return m.doAnd(ctx, req, func(from, to *Place) string {
			if from == nil {
				return looked(a.Pitch, a.Yaw, a.Roll)
			}
			pitch, yaw := at(a.Pitch, to.Head.Pitch), at(a.Yaw, to.Head.Yaw)
			switch { // where it looks is both
			case pitch == nil && yaw != nil && math.Abs(to.Head.Pitch) >= aside:
				pitch = &to.Head.Pitch
			case yaw == nil && pitch != nil && math.Abs(to.Head.Yaw) >= aside:
				yaw = &to.Head.Yaw
			}
			return looked(pitch, yaw, at(a.Roll, to.Head.Roll))
		})
	})
}

// aside is from how many degrees on the head does not look straight ahead.
const aside = 3.0

// at is where an angle came to rest, if it was asked for.
func at(asked *float64, rest float64) *float64 {
	if asked == nil {
		return nil
	}
	return &rest
}

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
	add(yaw, catalog.UsualTurn, "left", "right")
	add(pitch, catalog.UsualTilt, "down", "up")
	tilted := ""
	if roll != nil && *roll != 0 {
		tilted = "tilted my head " + toSide(tenth(*roll), "to the right", "to the left")
		if math.Abs(*roll) == catalog.UsualTilt {
			tilted = "tilted my head " + map[bool]string{true: "to the right", false: "to the left"}[*roll > 0]
		}
	}
	switch {
	case len(where) > 0 && tilted != "":
		return "I looked " + verbalize.List(where) + " and " + tilted
	case len(where) > 0:
		return "I looked " + verbalize.List(where)
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
	return tool.Func(Spec("set_antennas"), func(ctx context.Context, a setAntennasArgs) tool.Result {
		if a.Left == nil && a.Right == nil {
			return tool.Errorf(tool.CodeInvalid, "set_antennas: left or right is missing; give at least one.")
		}
		did := "I moved my antennas"
		switch {
		case a.Left == nil:
			did = "I moved my right antenna"
		case a.Right == nil:
			did = "I moved my left antenna"
		}
		goal := hal.AntennaGoal{Left: hal.Radians(a.Left), Right: hal.Radians(a.Right)}
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, Antennas: &goal, Duration: a.Duration}, did)
	})
}

type turnBodyArgs struct {
	Yaw, Duration float64
}

func turnBody(m mover) tool.Tool {
	return tool.Func(Spec("turn_body"), func(ctx context.Context, a turnBodyArgs) tool.Result {
		yaw := radians(a.Yaw)
		req := hal.Request{Verb: hal.VerbGoto, BodyYaw: &yaw, CarryHead: true, Duration: a.Duration}
		return m.doAnd(ctx, req, func(from, to *Place) string {
			if from == nil {
				from, to = &Place{}, &Place{BodyYaw: a.Yaw}
				if a.Yaw == 0 {
					return "I turned my body to the front"
				}
			}
			return bodyTurned(from.BodyYaw, to.BodyYaw)
		})
	})
}

func gotoPose(m mover) tool.Tool {
	type args struct {
		Name     string
		Duration float64
	}
	return tool.Func(Spec("goto_pose"), func(ctx context.Context, a args) tool.Result {
		p := catalog.PoseNamed(a.Name)
		req := hal.Request{Verb: hal.VerbGoto, BodyYaw: p.BodyYaw, Duration: a.Duration}
		if p.Head != nil {
			req.Head = p.Head.Goal()
		}
		if p.Antennas != nil {
			req.Antennas = p.Antennas.Goal()
		}
		return m.do(ctx, req, p.Done)
	})
}

type lookAtArgs struct {
	Target   string
	X, Y, Z  *float64
	Duration float64
}

func lookAt(m mover, f finder, looker Looker, why string) tool.Tool {
	return tool.Func(Spec("look_at"), func(ctx context.Context, a lookAtArgs) tool.Result {
		place := a.X != nil && a.Y != nil && a.Z != nil
		if some := a.X != nil || a.Y != nil || a.Z != nil; some != place || place == (a.Target != "") {
			return tool.Errorf(tool.CodeInvalid, "look_at: give either target, or x, y and z.")
		}
		if !place {
			return lookAtThing(ctx, f, looker, a.Target, why)
		}
		p, err := kinematics.LookAt(*a.X, *a.Y, *a.Z)
		if err != nil {
			return tool.Errorf(hal.CodeUnreachable, "I cannot look there: %v.", err)
		}
		did := fmt.Sprintf("I looked at the place %s m forward, %s m left, %s m up",
			tool.FormatNumber(*a.X), tool.FormatNumber(*a.Y), tool.FormatNumber(*a.Z))
		return m.do(ctx, hal.Request{Verb: hal.VerbGoto, Head: p.Head().Goal(), Duration: a.Duration}, did)
	})
}
