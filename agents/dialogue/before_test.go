package dialogue

import (
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
)

func TestBefore(t *testing.T) {
	step := func(tool string, axis planner.Axis, way planner.Way, v float64) planner.Step {
		s := planner.Step{Tool: tool, Args: map[string]any{arguments[axis].name: v}}
		s.Axes[axis] = way
		return s
	}
	gesture := planner.Step{Tool: "gesture", Args: map[string]any{"name": "wiggle_antennas"}}
	leftEar := step("set_antennas", planner.LeftAntenna, planner.Sink, 20)
	both := step("set_antennas", planner.LeftAntenna, planner.Rise, 5)
	both.Args["right"], both.Axes[planner.RightAntenna] = 5.0, planner.Rise
	for _, c := range []struct {
		want  string
		steps []planner.Step
	}{
		{"", nil},
		{"", []planner.Step{{Tool: "get_robot_state", Args: map[string]any{}}}},
		{"head left", []planner.Step{step("move_head", planner.Yaw, planner.From, 30)}},
		{"head up", []planner.Step{step("move_head", planner.Pitch, planner.To, -20)}},
		{"tilt right", []planner.Step{step("move_head", planner.Roll, planner.By, 20)}},
		{"body right", []planner.Step{step("turn_body", planner.BodyYaw, planner.By, -20)}},
		{"head center", []planner.Step{step("move_head", planner.Yaw, planner.To, 0)}},
		{"left-antenna down", []planner.Step{leftEar}},
		{"antennas up", []planner.Step{both}},
		{"gesture wiggle", []planner.Step{gesture}},
		{"gesture wiggle", []planner.Step{step("turn_body", planner.BodyYaw, planner.By, -20), gesture}},
		{"emotion sad", []planner.Step{{Tool: "express_emotion", Args: map[string]any{"emotion": "sad"}}}},
		{"sleep", []planner.Step{{Tool: "go_to_sleep", Args: map[string]any{}}}},
		{"head left", []planner.Step{{Tool: "repeat", Args: map[string]any{
			"times": 2.0, "steps": []planner.Step{step("move_head", planner.Yaw, planner.By, 5)},
		}}}},
	} {
		r := reader{State: &State{Last: &Command{Steps: c.steps, Before: Pose{Antennas: restingAntennas}}}}
		if got := r.before(); got != c.want {
			t.Errorf("after %v: %q, want %q", c.steps, got, c.want)
		}
	}
	if got := (&reader{State: &State{}}).before(); got != "" {
		t.Errorf("at the beginning: %q", got)
	}
}
