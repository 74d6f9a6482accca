package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/rehearsal"
	"github.com/reachyd/reachyd/hal/catalog"
)

const (
	tolerance = 2.0  // degrees that an axis may be from where it is expected
	resting   = 10.0 // degrees by which an antenna leans outwards where it is neutral, which exams call 0
	moved     = 0.5  // degrees that count as a movement
)

// axis is how an angle of a pose is read. The head's yaw may be meant on the body or in the room, an antenna's angle from upright or
// from its neutral pose, of either sign: each expectation holds if it holds in one way.
var axes = map[string][]func(p *dialogue.Pose) float64{
	"yaw": {
		func(p *dialogue.Pose) float64 { return p.Head.Yaw - p.BodyYaw },
		func(p *dialogue.Pose) float64 { return p.Head.Yaw },
	},
	"pitch": {func(p *dialogue.Pose) float64 { return p.Head.Pitch }},
	"roll":  {func(p *dialogue.Pose) float64 { return p.Head.Roll }},
	"body":  {func(p *dialogue.Pose) float64 { return p.BodyYaw }},
	"left": {
		func(p *dialogue.Pose) float64 { return p.Antennas.Left },
		func(p *dialogue.Pose) float64 { return -p.Antennas.Left },
		func(p *dialogue.Pose) float64 { return p.Antennas.Left - resting },
		func(p *dialogue.Pose) float64 { return resting - p.Antennas.Left },
	},
	"right": {
		func(p *dialogue.Pose) float64 { return p.Antennas.Right },
		func(p *dialogue.Pose) float64 { return -p.Antennas.Right },
		func(p *dialogue.Pose) float64 { return p.Antennas.Right + resting },
		func(p *dialogue.Pose) float64 { return -p.Antennas.Right - resting },
	},
}

func isAntenna(axis string) bool { return axis == "left" || axis == "right" }

// call is a tool call as a trace has it; a repetition has calls within.
type call struct {
	Tool string `json:"tool"`
	Args struct {
		Name    string `json:"name"`
		Emotion string `json:"emotion"`
		Steps   []call `json:"steps"`
	} `json:"args"`
}

// calls are all tool calls of a turn, those within repetitions, too; none where one failed, for a stop is latched.
func calls(t *rehearsal.Turn) (all []call) {
	if t.Outcome == coordinator.OutcomeFailed {
		return nil
	}
	var add func(c *call)
	add = func(c *call) {
		all = append(all, *c)
		for i := range c.Args.Steps {
			add(&c.Args.Steps[i])
		}
	}
	for _, s := range t.Steps {
		c := call{Tool: s.Tool}
		_ = json.Unmarshal(s.Args, &c.Args) // a self-made tool may take what it likes
		add(&c)
	}
	return all
}

func called(t *rehearsal.Turn, tool string) bool {
	return slices.ContainsFunc(calls(t), func(c call) bool { return c.Tool == tool })
}

// judge says what of a turn is not as it is wanted; nothing when all is.
func judge(t *rehearsal.Turn, want []expectation) (wrong []string) {
	free := map[string]bool{} // axes that may have changed
	for i := range want {
		x := &want[i]
		switch x.kind {
		case neutral, sleeps, wakes, emotion:
			for _, a := range axisNames {
				free[a] = true
			}
		default:
			free[x.kind] = true
		}
		if is, ok := x.holds(t); !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %s", x.text, is))
		}
	}
	for _, a := range axisNames {
		if !free[a] && !compare(t, a, "same") {
			wrong = append(wrong, fmt.Sprintf("%s is not named: %s", a, told(t, a)))
		}
	}
	return wrong
}

// holds reports whether what is expected is so, and says what is.
func (x *expectation) holds(t *rehearsal.Turn) (is string, ok bool) {
	switch x.kind {
	case still:
		return stirred(t)
	case asks:
		is, ok = stirred(t)
		if ok && !strings.Contains(t.Reply, "?") {
			return "it asks nothing", false
		}
		return is, ok
	case replies:
		return fmt.Sprintf("it says %q", t.Reply), x.says.MatchString(t.Reply)
	case sleeps:
		return "it does not go to sleep", called(t, "go_to_sleep")
	case wakes:
		return "it does not wake up", called(t, "wake_up")
	case stopped:
		return "it does not stop", t.Stopped || called(t, "stop")
	case gesture, emotion:
		performs := slices.ContainsFunc(calls(t), func(c call) bool {
			return c.Tool == "gesture" && x.kind == gesture && alike(c.Args.Name, x.how) ||
				c.Tool == "express_emotion" && x.kind == emotion && alike(c.Args.Emotion, x.how)
		})
		return "it does not", performs
	case neutral:
		for _, a := range axisNames {
			if !at(t, a, 0) {
				return told(t, a), false
			}
		}
		return "", true
	}
	if x.how == "=" {
		return told(t, x.kind), at(t, x.kind, x.angle)
	}
	if x.how == "<" || x.how == ">" {
		sign := map[string]float64{"<": -1, ">": 1}[x.how]
		beyond := func(of func(p *dialogue.Pose) float64) bool { return (of(&t.Pose)-x.angle)*sign > 0 }
		return told(t, x.kind), slices.ContainsFunc(axes[x.kind], beyond)
	}
	return told(t, x.kind), compare(t, x.kind, x.how)
}

// alike reports whether a name of ours is the one that is meant: "wiggle antennas" is wiggle_antennas.
func alike(ours, meant string) bool {
	return ours == strings.ReplaceAll(meant, " ", "_") || strings.HasPrefix(ours, meant+"_")
}

// stirred reports whether the robot has kept still, and says what it did otherwise.
func stirred(t *rehearsal.Turn) (did string, kept bool) {
	for _, c := range calls(t) {
		if known := catalog.ToolNamed(c.Tool); known != nil && known.Moves {
			return "it calls " + c.Tool, false
		}
	}
	for _, a := range axisNames {
		if !compare(t, a, "same") {
			return told(t, a), false
		}
	}
	return "", true
}

// at reports whether an axis is at an angle.
func at(t *rehearsal.Turn, axis string, angle float64) bool {
	slack := tolerance
	if isAntenna(axis) && angle == 0 {
		slack += resting
	}
	return slices.ContainsFunc(axes[axis], func(of func(p *dialogue.Pose) float64) bool { return math.Abs(of(&t.Pose)-angle) <= slack })
}

// compare holds an axis against what it was before the turn.
func compare(t *rehearsal.Turn, axis, how string) bool {
	return slices.ContainsFunc(axes[axis], func(of func(p *dialogue.Pose) float64) bool {
		d := of(&t.Pose) - of(&t.Before)
		switch how {
		case "more":
			return d > moved
		case "less":
			return d < -moved
		case "changed":
			return math.Abs(d) > moved
		}
		return math.Abs(d) <= tolerance
	})
}

// told says where an axis was and is.
func told(t *rehearsal.Turn, axis string) string {
	of := axes[axis][0]
	return fmt.Sprintf("%s %.4g°, before %.4g°", axis, of(&t.Pose), of(&t.Before))
}
