package dialogue

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// littleAntenna is how far an antenna goes that is raised or lowered somewhat, degrees.
const littleAntenna = 10.0

// Limit is an axis that was to go further than it can, degrees.
type Limit struct {
	Axis  planner.Axis
	Asked float64
	Given float64
	Moves bool // it goes to the limit; else it is there already
}

// String is what the robot says of it: "I am as far left as I can go (160°)."
func (l Limit) String() string {
	angle := tool.FormatNumber(l.Given) + "°"
	switch l.Axis {
	case planner.LeftAntenna:
		return "My left antenna goes no further than " + angle + "."
	case planner.RightAntenna:
		return "My right antenna goes no further than " + angle + "."
	}
	return fmt.Sprintf("I am as far %s as I can go (%s°).", sides[l.Axis][l.Given > 0], tool.FormatNumber(math.Abs(l.Given)))
}

// atLimit is how far, in degrees, a measured angle may be from a limit that it is said to be at.
const atLimit = 2.0

// Reached reports whether the robot is at the limit: it may be able to go less far with its head as it is.
func (l Limit) Reached(p Pose) bool { return math.Abs(*p.axis(l.Axis)-l.Given) <= atLimit }

// sides are what the directions of head and body are called, by whether the angle is positive.
var sides = [...]map[bool]string{
	planner.Pitch:   {true: "down", false: "up"},
	planner.Yaw:     {true: "left", false: "right"},
	planner.Roll:    {true: "to the right", false: "to the left"},
	planner.BodyYaw: {true: "left", false: "right"},
}

// Expand unrolls the repetitions in which each round begins where the one before ended: "turn left by 10 degrees three times".
func Expand(steps []planner.Step) []planner.Step {
	var out []planner.Step
	for _, s := range steps {
		inner, _ := s.Args["steps"].([]planner.Step)
		if s.Tool != "repeat" || !proceeds(inner) {
			out = append(out, s)
			continue
		}
		inner = Expand(inner)
		times, _ := s.Args["times"].(float64)
		interval, _ := s.Args["interval"].(float64)
		for round := range int(times) {
			if round > 0 && interval > 0 {
				out = append(out, planner.Step{Tool: "wait", Args: map[string]any{"seconds": interval}})
			}
			for _, one := range inner {
				out = append(out, advancing(one, len(inner) == 1))
			}
		}
	}
	return slices.CompactFunc(out, sameState)
}

// sameState reports whether two steps in a row bring the robot into one state, which the second finds: "good night, go to bed".
func sameState(a, b planner.Step) bool {
	return a.Tool == b.Tool && (a.Tool == "go_to_sleep" || a.Tool == "wake_up")
}

// proceeds reports whether a round of steps does not end where it began, so that the next must count from there.
func proceeds(steps []planner.Step) bool {
	if len(steps) == 1 && has(steps[0].Axes, planner.From) {
		return true
	}
	for _, s := range steps {
		inner, _ := s.Args["steps"].([]planner.Step)
		if has(s.Axes, planner.By) || has(s.Axes, planner.Rise) || has(s.Axes, planner.Sink) || proceeds(inner) {
			return true
		}
	}
	return false
}

func has(axes planner.Axes, way planner.Way) bool {
	for _, w := range axes {
		if w == way {
			return true
		}
	}
	return false
}

// advancing counts a step from where the robot is, if alone says that nothing else moves it.
func advancing(s planner.Step, alone bool) planner.Step {
	for a, w := range s.Axes {
		if w == planner.From && alone {
			s.Axes[a] = planner.By
		}
	}
	return s
}

// Resolve returns a step with the angles to go to, as a tool takes them: counted from start, where the sentence found the robot,
// or from now. Angles beyond what the robot can are at the limit.
func Resolve(s planner.Step, start, now Pose) (planner.Step, []Limit) {
	if inner, ok := s.Args["steps"].([]planner.Step); ok && s.Tool == "repeat" {
		resolved, limits := make([]planner.Step, len(inner)), []Limit(nil)
		for i, one := range inner {
			var more []Limit
			resolved[i], more = Resolve(one, start, now)
			limits = append(limits, more...)
		}
		args := maps.Clone(s.Args)
		args["steps"] = resolved
		return planner.Step{Tool: s.Tool, Args: args}, limits
	}
	if !s.Axes.Named() {
		return s, nil
	}
	var limits []Limit
	args := maps.Clone(s.Args)
	for a := range planner.NumAxes {
		arg := arguments[a]
		if arg.tool != s.Tool {
			continue
		}
		value, ok := s.Args[arg.name].(float64)
		if s.Axes[a] == planner.Unnamed || !ok && s.Axes[a] != planner.Back {
			delete(args, arg.name)
			continue
		}
		asked := language.Tidy(goal(a, s.Axes[a], value, start, now))
		given := min(max(asked, arg.limits.Min), arg.limits.Max)
		if given != asked {
			limits = append(limits, Limit{Axis: a, Asked: asked, Given: given, Moves: math.Abs(given-*now.axis(a)) > near})
		}
		args[arg.name] = given
	}
	return planner.Step{Tool: s.Tool, Args: args}, limits
}

// goal is the angle to which an axis goes.
func goal(a planner.Axis, way planner.Way, value float64, start, now Pose) float64 {
	at := *now.axis(a)
	switch way {
	case planner.From:
		if past, ok := beyondMiddle(a, value, start); ok {
			return past
		}
		return *start.axis(a) + value
	case planner.By:
		return at + value
	case planner.Back:
		return *start.axis(a)
	case planner.Rise:
		return math.Copysign(max(0, math.Abs(at)-somewhat(value)), at)
	case planner.Sink:
		side := at
		if math.Abs(at) < near {
			side = map[planner.Axis]float64{planner.LeftAntenna: 1, planner.RightAntenna: -1}[a]
		}
		return math.Copysign(min(catalog.Antenna.Max, math.Abs(at)+somewhat(value)), side)
	}
	return value
}

// middle is where an axis is straight ahead: the head turns on the body.
func (p *Pose) middle(a planner.Axis) float64 {
	if a == planner.Yaw {
		return p.BodyYaw
	}
	return 0
}

// beyondMiddle is where the head looks when it is told to look to the other side without a number, and as far as usual would end in
// the middle or before it: "look up" ends above the middle.
func beyondMiddle(a planner.Axis, value float64, start Pose) (float64, bool) {
	middle := start.middle(a)
	head := a == planner.Pitch || a == planner.Roll || a == planner.Yaw
	if !head || math.Abs(value) != usual(a) || (*start.axis(a)+value-middle)*value > 0 {
		return 0, false
	}
	return middle + value, true
}

func somewhat(value float64) float64 {
	if value == 0 {
		return littleAntenna
	}
	return math.Abs(value)
}

// After is the pose in which a step ends that does what it was resolved to.
func After(s planner.Step, p Pose) Pose {
	for a := range planner.NumAxes {
		v, ok := s.Args[arguments[a].name].(float64)
		if arguments[a].tool != s.Tool || !ok {
			continue
		}
		if a == planner.BodyYaw {
			p.Head.Yaw = language.Tidy(p.Head.Yaw + v - p.BodyYaw)
		}
		*p.axis(a) = v
	}
	return p
}
