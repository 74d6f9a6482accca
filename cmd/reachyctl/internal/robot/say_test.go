package robot

import (
	"bytes"
	"os"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestPlanForPeople(t *testing.T) {
	var out bytes.Buffer
	commands{&cli.App{Stdout: &out, Stderr: &out}}.printPlan(planner.Plan{
		Outcome: planner.OutcomePlan, Message: "I look left, then nod twice.",
		Steps: []planner.Step{
			{Tool: "move_head", Args: map[string]any{"yaw": 30.0, "duration": 1.0}},
			{Tool: "repeat", Args: map[string]any{"times": 2.0, "steps": []planner.Step{
				{Tool: "gesture", Args: map[string]any{"name": "nod"}},
				{Tool: "speak", Args: map[string]any{"text": "hello you"}},
			}}},
		},
	})
	want, err := os.ReadFile("testdata/plan.golden")
	if err != nil || out.String() != string(want) {
		t.Errorf("%v\n--- got\n%s\n--- want\n%s", err, out.String(), want)
	}
}
