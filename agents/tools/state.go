package tools

import (
	"context"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
)

// StateData is the data of get_robot_state. Angles are degrees, lengths metres.
type StateData struct {
	TS       time.Time    `json:"ts"`
	Mode     hal.Mode     `json:"mode"`
	Moving   bool         `json:"moving"`
	Move     string       `json:"move,omitempty"` // what it is doing: "goto", "gesture nod"
	Head     hal.Head     `json:"head"`
	BodyYaw  float64      `json:"body_yaw"`
	Antennas hal.Antennas `json:"antennas"`
	EStop    bool         `json:"estop"`
	Faults   []hal.Fault  `json:"faults,omitempty"`
}

func robotState(body Body) tool.Tool {
	return tool.Func(Spec("get_robot_state"), func(ctx context.Context, _ struct{}) tool.Result {
		s, err := body.State(ctx)
		if err != nil {
			return unreached(ctx, err)
		}
		d := stateData(&s)
		return tool.Success(stateWords(&d), d)
	})
}

func stateData(s *hal.State) StateData {
	h := s.Head
	return StateData{
		TS: s.TS, Mode: s.Mode, Moving: s.Moving, Move: s.MoveName,
		Head: hal.Head{
			X: h.X, Y: h.Y, Z: h.Z,
			Roll: tenth(degrees(h.Roll)), Pitch: tenth(degrees(h.Pitch)), Yaw: tenth(degrees(h.Yaw)),
		},
		BodyYaw:  tenth(degrees(s.BodyYaw)),
		Antennas: hal.Antennas{Left: tenth(degrees(s.Antennas.Left)), Right: tenth(degrees(s.Antennas.Right))},
		EStop:    s.EStop, Faults: s.Faults,
	}
}

// stateWords says the state in one or two sentences.
func stateWords(d *StateData) string {
	var b strings.Builder
	switch {
	case d.Mode == hal.ModeOffline:
		b.WriteString("I cannot feel my motors")
	case d.EStop:
		b.WriteString("My emergency stop is on")
	case d.Mode == hal.ModeDisabled:
		b.WriteString("I am asleep with my motors off")
	case d.Mode == hal.ModePartial:
		b.WriteString("Some of my motors are off")
	case d.Moving:
		b.WriteString("I am awake and moving")
		if d.Move != "" {
			b.WriteString(" (" + d.Move + ")")
		}
	default:
		b.WriteString("I am awake and still")
	}
	if d.Mode != hal.ModeOffline {
		b.WriteString("; I look " + facing(d) + tilted(d.Head.Roll) + ", my body " + turned(d.BodyYaw) +
			", and my antennas are at " + tool.FormatNumber(d.Antennas.Left) + "° (left) and " +
			tool.FormatNumber(d.Antennas.Right) + "° (right)")
	}
	b.WriteString(".")
	if len(d.Faults) == 0 {
		return b.String()
	}
	faults := make([]string, len(d.Faults))
	for i, f := range d.Faults {
		faults[i] = strings.ReplaceAll(string(f.Name), "_", " ")
		if f.Joint != "" {
			faults[i] += " at " + f.Joint
		}
	}
	return b.String() + " Something is wrong: " + verbalize.List(faults) + "."
}

// turned says where the body faces; below 2° is the front.
func turned(yaw float64) string {
	if yaw < 2 && yaw > -2 {
		return "faces the front"
	}
	return "is turned " + toSide(yaw, "to the left", "to the right")
}

// tilted says how the head is tilted; below 2° it is upright.
func tilted(roll float64) string {
	if roll < 2 && roll > -2 {
		return ""
	}
	return " with my head tilted " + toSide(roll, "to the right", "to the left")
}

// facing says where the head looks; below 2° is straight.
func facing(d *StateData) string {
	var where []string
	if v := d.Head.Yaw; v >= 2 || v <= -2 {
		where = append(where, toSide(v, "left", "right"))
	}
	if v := d.Head.Pitch; v >= 2 || v <= -2 {
		where = append(where, toSide(v, "down", "up"))
	}
	if len(where) == 0 {
		return "straight ahead"
	}
	return verbalize.List(where)
}
