package eval

import (
	"encoding/json"
	"testing"

	"github.com/reachyd/reachyd/agents/coder/candidates"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Every task can be tried with inputs that are made of its text alone, and what its text demands is what its solution does.
func TestProbes(t *testing.T) {
	tasks, err := Tasks()
	if err != nil {
		t.Fatal(err)
	}
	without := 0
	for i := range tasks {
		f := tasks[i].function()
		probes := candidates.Probes(tasks[i].Does, &f)
		if len(probes) == 0 {
			without++
			t.Logf("%s%s has no probes", tasks[i].Name, tasks[i].Signature)
		}
		for _, p := range probes {
			var in map[string]any
			if json.Unmarshal(p.Input, &in) != nil || len(in) != len(f.Parameters) {
				t.Errorf("%s: %s", tasks[i].Name, p.Input)
			}
		}
	}
	if without*10 > len(tasks) {
		t.Errorf("%d of %d tasks have no probes", without, len(tasks))
	}
}

// What is read out of a task as its examples and refusals is what it means: its solution passes them.
func TestBeliefsHold(t *testing.T) {
	tasks, err := Tasks()
	if err != nil {
		t.Fatal(err)
	}
	read, box := 0, shared.Open(t)
	for i := range tasks {
		task := &tasks[i]
		f := task.function()
		cases := candidates.Beliefs(task.Does, &f)
		if len(cases) == 0 {
			continue
		}
		read++
		report, err := tester.Run(t.Context(), python.Language{Box: box}, task.solution(), task.Name, cases, onFake)
		if err != nil {
			t.Fatal(err)
		}
		for k, o := range report.Outcomes {
			t.Logf("%s %s: %s%s", task.Name, cases[k].Input, cases[k].Expected, cases[k].Error)
			if !o.Passed {
				t.Errorf("%s %s: %s", task.Name, cases[k].Input, o.Message)
			}
		}
	}
	if read < len(tasks)/3 {
		t.Errorf("of %d tasks %d hold something that can be tested", len(tasks), read)
	}
}
