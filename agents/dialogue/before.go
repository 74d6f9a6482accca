package dialogue

import (
	"math"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
)

// The network is told what the robot did last in a few words: "head left", "gesture nod".

// stepNames are what tools without a part or a name do.
var stepNames = map[string]string{
	"go_to_sleep": "sleep", "wake_up": "wake", "look_at": "look-at", "track_face": "follow", "find_object": "find", "take_photo": "photo",
}

// before is what the robot did last; "" when that is nothing.
func (r *reader) before() (said string) {
	if r.Last == nil {
		return ""
	}
	at := r.Last.Before
	for _, s := range Expand(r.Last.Steps) {
		for inner, ok := s.Args["steps"].([]planner.Step); ok && len(inner) > 0; inner, ok = s.Args["steps"].([]planner.Step) {
			s = inner[len(inner)-1]
		}
		step, _ := Resolve(s, at, at)
		next := After(step, at)
		if name := did(s, &at, &next); name != "" {
			said = name
		}
		at = next
	}
	return said
}

// frameNamed is what the network calls a gesture.
func frameNamed(s planner.Step) string {
	return strings.ReplaceAll(strings.TrimSuffix(deedNamed(s), "_antennas"), "_", "-")
}

// did says what one step did that led from one pose to another.
func did(s planner.Step, from, to *Pose) string {
	switch s.Tool {
	case "gesture":
		return "gesture " + frameNamed(s)
	case "express_emotion":
		return "emotion " + deedNamed(s)
	}
	most, furthest := near, planner.NumAxes
	for a := range planner.NumAxes {
		if d := math.Abs(change(a, from, to)); s.Axes[a] != planner.Unnamed && d > most {
			most, furthest = d, a
		}
	}
	part := strings.Replace(partOf(s), "Antenna", "-antenna", 1)
	switch {
	case part == "":
		return stepNames[s.Tool]
	case furthest == planner.NumAxes:
		return part + " center"
	case furthest == planner.Roll:
		part = "tilt"
	}
	return part + " " + way(furthest, from, to)
}

// way is where an axis went, as people call it.
func way(a planner.Axis, from, to *Pose) string {
	if isAntenna(partOfAxis(a)) {
		return map[bool]string{true: "up", false: "down"}[math.Abs(*to.axis(a)) < math.Abs(*from.axis(a))]
	}
	return strings.TrimPrefix(sides[a][change(a, from, to) > 0], "to the ")
}
