package eval

import (
	"encoding/json"
	"testing"
)

// Every task can be tried with inputs that are made of its types alone.
func TestProbes(t *testing.T) {
	tasks, err := Tasks()
	if err != nil {
		t.Fatal(err)
	}
	without := 0
	for i := range tasks {
		probes := tasks[i].probes()
		if len(tasks[i].parameters()) > 0 && len(probes) == 0 {
			without++
			t.Logf("%s%s has no probes", tasks[i].Name, tasks[i].Signature)
		}
		for _, p := range probes {
			var in map[string]any
			if json.Unmarshal(p.Input, &in) != nil || len(in) != len(tasks[i].parameters()) {
				t.Errorf("%s: %s", tasks[i].Name, p.Input)
			}
		}
	}
	if without*10 > len(tasks) {
		t.Errorf("%d of %d tasks have no probes", without, len(tasks))
	}
}

// Of several candidates the one counts that answers like most others, and none that breaks.
func TestBest(t *testing.T) {
	all := []candidate{
		{source: "odd", answers: []string{"1", "2", "9"}},
		{source: "broken", answers: []string{"1", "2", "3"}, broken: "NameError: x"},
		{source: "first", answers: []string{"1", "5", "3"}},
		{source: "second", answers: []string{"1", "5", "3"}},
	}
	if got := best(all); got.source != "first" {
		t.Errorf("%s is the best", got.source)
	}
	if got := best(all[:2]); got.source != "odd" {
		t.Errorf("of one that works and one that breaks %s is the best", got.source)
	}
	if got := best(all[1:2]); got.source != "broken" {
		t.Errorf("%s", got.source)
	}
}
