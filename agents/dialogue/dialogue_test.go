package dialogue

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// talk is a conversation with a robot that does at once what it is told.
type talk struct {
	t     testing.TB
	p     *planner.Planner
	state State
	pose  Pose
}

func (c *talk) say(text string) Reading {
	u := language.Analyse(text)
	r := c.state.Read(c.p, u, c.p.PlanFor(u), Now{Pose: c.pose})
	c.state.Begin(&r, c.pose)
	before, start := c.pose, c.pose
	if r.Base != nil {
		start = *r.Base
	}
	for _, s := range r.Steps() {
		done, _ := Resolve(s, start, c.pose)
		c.pose = After(done, c.pose)
	}
	c.state.End(&r, before, c.pose, true)
	return r
}

// Every rule reads the last turn of its example.
func TestRulesAreReached(t *testing.T) {
	p := planner.New()
	for _, rule := range rules {
		c := talk{t: t, p: p}
		c.state.byRules = true
		name := ""
		reached = func(n string) { name = cmp.Or(name, n) }
		for turn := range strings.SplitSeq(rule.example, " | ") {
			name = ""
			c.say(turn)
		}
		reached = nil
		if name != rule.name {
			t.Errorf("%q reads %q, want %q", name, rule.example, rule.name)
		}
	}
}

// A conversation goes on where it was after it was stored.
func TestStateIsStored(t *testing.T) {
	c := talk{t: t, p: planner.New(), pose: Pose{Antennas: Antennas{Left: 10, Right: -10}}}
	for _, text := range []string{"look left and right twice", "turn left by 10 degrees three times", "raise one antenna"} {
		c.say(text)
	}
	if c.state.Question == nil {
		t.Fatal("nothing is asked")
	}
	raw, err := json.Marshal(&c.state)
	if err != nil {
		t.Fatal(err)
	}
	var kept State
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(kept, c.state) {
		t.Errorf("%s:\n%+v\n%+v", raw, kept, c.state)
	}
	c.state = kept
	if c.say("the left one"); c.pose.Antennas.Left != 0 || c.state.Question != nil {
		t.Errorf("the answer: %+v", c.pose)
	}
	if c.say("undo that"); c.pose.BodyYaw != 30 || c.pose.Antennas.Left != 10 {
		t.Errorf("undo: %+v", c.pose)
	}
}

// What a conversation remembers is bounded.
func TestStateIsBounded(t *testing.T) {
	c := talk{t: t, p: planner.New()}
	for range 3 * maxUndo {
		c.say("turn left 1 degree")
	}
	if n := len(c.state.Undo); n != maxUndo {
		t.Errorf("%d poses are remembered, want %d", n, maxUndo)
	}
	c.say("turn left by 1 degree 90 times")
	if raw, err := json.Marshal(&c.state); err != nil || len(raw) > 16<<10 {
		t.Errorf("the state has %d bytes, %v", len(raw), err)
	}
}

// Whatever is said, the state stays sound and the angles stay within what the robot can.
func FuzzRead(f *testing.F) {
	for _, rule := range rules {
		f.Add(rule.example)
	}
	f.Add("raise … | the … one | no, no, no | undo 99999999999 | to -1e9 degrees | 1e300 more times")
	p := planner.New()
	f.Fuzz(func(t *testing.T, text string) {
		c := talk{t: t, p: p}
		for turn := range strings.SplitSeq(text, "|") {
			c.say(turn)
		}
		for a := range planner.NumAxes {
			if r := arguments[a].limits; a != planner.Yaw && !r.Contains(*c.pose.axis(a)) {
				t.Errorf("axis %d is at %g", a, *c.pose.axis(a))
			}
		}
	})
}
