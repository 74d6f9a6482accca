package planner

import "testing"

// Louder is louder than now, also where the robot is louder than the level that louder means without knowing.
func TestLouderThanNow(t *testing.T) {
	for _, c := range []struct {
		text      string
		now, want int
	}{
		{"speak louder", 50, 80},
		{"speak louder", 80, 100},
		{"speak louder", 95, 100},
		{"turn it up", 90, 100},
		{"a bit louder", 50, 60},
		{"a bit louder", 60, 70},
		{"a little louder", 95, 100},
		{"be quieter", 50, 30},
		{"be quieter", 30, 10},
		{"be quieter", 15, 0},
		{"volume down", 25, 5},
		{"a little quieter", 40, 30},
		{"a little quieter", 5, 0},
		{"a little quieter", 100, 40},
		{"set the volume to 80", 90, 80},
		{"volume 30", 20, 30},
		{"set the volume to maximum", 50, 100},
		{"mute", 50, 0},
		{"louder, I mean 40", 50, 40},
	} {
		p := New().Plan(c.text)
		if len(p.Steps) != 1 || p.Steps[0].Tool != "set_volume" {
			t.Errorf("%q: %+v", c.text, p)
			continue
		}
		if got := p.Steps[0].Louder(c.now).Args["level"]; got != float64(c.want) {
			t.Errorf("%q at %d: %v, want %d", c.text, c.now, got, c.want)
		}
	}
	if s := (Step{Tool: "gesture", Args: map[string]any{"name": "nod"}}); s.Louder(10).Args["name"] != "nod" {
		t.Error("a step that is no volume was changed")
	}
}
