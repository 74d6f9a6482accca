package dialogue

import (
	"math"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// Pose is where the robot is, as package api writes it: metres and degrees.
type Pose struct {
	Head     Head     `json:"head"`
	BodyYaw  float64  `json:"body_yaw"` // + is left, °
	Antennas Antennas `json:"antennas"`
}

// Head is the pose of the head.
type Head struct {
	X     float64 `json:"x"`     // forward of neutral, m
	Y     float64 `json:"y"`     // left of neutral, m
	Z     float64 `json:"z"`     // above neutral, m
	Roll  float64 `json:"roll"`  // + to the robot's right, °
	Pitch float64 `json:"pitch"` // + looks down, °
	Yaw   float64 `json:"yaw"`   // + looks left, °
}

// Antennas are the angles of the antennas, degrees; 0 is up.
type Antennas struct {
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
}

// Now is what the dialogue knows of the robot at a moment.
type Now struct {
	Pose   Pose
	Moving bool   // a movement is under way
	Awake  bool   // it is known to be awake
	Name   string // what the robot is called; empty when that is not known
}

// World tells where the robot is.
type World interface {
	// Now is the newest state; false while nothing is known of the robot.
	Now() (Now, bool)
}

// settled is how far, in degrees, a joint at rest may be from its goal: what it carries bends it. Beyond that something holds it.
const settled = 5.0

// FromState returns what a state of the body says. A robot at rest is where it was told to be, but for what its servos yield.
func FromState(s *hal.State) Now {
	n := Now{Moving: s.Moving, Awake: s.Torque == hal.AllJoints}
	at, goal := PoseOf(s.Head, s.BodyYaw, s.Antennas), PoseOf(s.GoalHead, s.Goal[0], hal.Antennas{Right: s.Goal[7], Left: s.Goal[8]})
	n.Pose = at
	if !s.Moving && s.Torque == hal.AllJoints {
		n.Pose = Snap(at, goal, settled)
	}
	return n
}

// PoseOf returns a pose in degrees.
func PoseOf(h hal.Head, bodyYaw float64, a hal.Antennas) Pose {
	return Pose{
		Head:     Head{X: rounded(h.X, 5), Y: rounded(h.Y, 5), Z: rounded(h.Z, 5), Roll: deg(h.Roll), Pitch: deg(h.Pitch), Yaw: deg(h.Yaw)},
		BodyYaw:  deg(bodyYaw),
		Antennas: Antennas{Left: deg(a.Left), Right: deg(a.Right)},
	}
}

func deg(rad float64) float64 { return rounded(rad*180/math.Pi, 2) }

// rounded never returns −0.
func rounded(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p)/p + 0
}

// axis returns the place of an axis.
func (p *Pose) axis(a planner.Axis) *float64 {
	switch a {
	case planner.Pitch:
		return &p.Head.Pitch
	case planner.Yaw:
		return &p.Head.Yaw
	case planner.Roll:
		return &p.Head.Roll
	case planner.BodyYaw:
		return &p.BodyYaw
	case planner.LeftAntenna:
		return &p.Antennas.Left
	default:
		return &p.Antennas.Right
	}
}

// Snap takes the goals of those axes that are within so many degrees of them.
func Snap(at, goal Pose, degrees float64) Pose {
	for a := range planner.NumAxes {
		if v := at.axis(a); math.Abs(*v-*goal.axis(a)) < degrees {
			*v = *goal.axis(a)
		}
	}
	return at
}

// near is how many degrees apart two angles may be that are the same for people.
const near = 0.45

// same reports whether the axes of two poses are the same.
func same(a, b Pose) bool {
	for x := range planner.NumAxes {
		if math.Abs(*a.axis(x)-*b.axis(x)) > near {
			return false
		}
	}
	return true
}

// argument is the tool that moves an axis, the name of its argument, and what it may be.
type argument struct {
	tool, name string
	limits     catalog.Range
}

var arguments = [planner.NumAxes]argument{
	planner.Pitch:        {"move_head", "pitch", catalog.HeadPitch},
	planner.Yaw:          {"move_head", "yaw", catalog.HeadYaw},
	planner.Roll:         {"move_head", "roll", catalog.HeadRoll},
	planner.BodyYaw:      {"turn_body", "yaw", catalog.BodyYaw},
	planner.LeftAntenna:  {"set_antennas", "left", catalog.Antenna},
	planner.RightAntenna: {"set_antennas", "right", catalog.Antenna},
}

// Towards are the steps that bring the robot from one pose to another.
func Towards(from, to Pose) []planner.Step {
	var all planner.Axes
	for a := range all {
		all[a] = planner.To
	}
	return restoring(all, from, to)
}

// restoring are the steps that bring some axes to where they are in another pose: the body first, because it carries the head.
func restoring(axes planner.Axes, from, to Pose) []planner.Step {
	var steps []planner.Step
	for _, group := range [][]planner.Axis{{planner.BodyYaw}, {planner.Pitch, planner.Yaw, planner.Roll}, {planner.LeftAntenna, planner.RightAntenna}} {
		step := planner.Step{Tool: arguments[group[0]].tool, Args: map[string]any{"duration": 1.0}}
		for _, a := range group {
			if axes[a] != planner.Unnamed && math.Abs(*from.axis(a)-*to.axis(a)) > near {
				step.Args[arguments[a].name], step.Axes[a] = *to.axis(a), planner.To
			}
		}
		if !step.Axes.Named() {
			continue
		}
		if group[0] == planner.BodyYaw {
			from.Head.Yaw += to.BodyYaw - from.BodyYaw
		}
		steps = append(steps, step)
	}
	return steps
}
