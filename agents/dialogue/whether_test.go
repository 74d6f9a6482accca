package dialogue

import (
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// probably says a sentence that was only probably heard.
func (c *talk) probably(text string) Reading {
	u := language.Analyse(text)
	r := c.state.Read(c.p, u, c.p.PlanFor(u), Now{Pose: c.pose})
	r = c.state.Whether(&r)
	c.state.Begin(&r, c.pose)
	for _, s := range r.Steps() {
		done, _ := Resolve(s, c.pose, c.pose)
		c.pose = After(done, c.pose)
	}
	return r
}

// What was only probably heard is done when a person agrees, or says it again, and not otherwise.
func TestWhatWasOnlyProbablyHeardIsAskedAbout(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(c *talk) Reading
		yaw  float64
		say  string
	}{
		{"yes", func(c *talk) Reading { return c.say("Yes, please.") }, 30, ""},
		{"a probable yes", func(c *talk) Reading { return c.probably("yes") }, 30, ""},
		{"no", func(c *talk) Reading { return c.say("no") }, 0, "All right, I leave it."},
		{"said again", func(c *talk) Reading { return c.probably("look left") }, 30, ""},
		{"something else", func(c *talk) Reading { return c.say("look right") }, -30, ""},
		{"something else, probably", func(c *talk) Reading { return c.probably("look right") }, 0, "Did you say: look right?"},
		{"talk, then yes", func(c *talk) Reading { c.say("it is raining"); return c.say("yes") }, 0, ""},
	} {
		talk := &talk{t: t, p: planner.New()}
		if r := talk.probably("Look left!"); r.Say != "Did you say: Look left?" || len(r.Steps()) > 0 {
			t.Fatalf("%+v", r)
		}
		r := c.then(talk)
		if r.Say != c.say || talk.pose.Head.Yaw != c.yaw {
			t.Errorf("%s: yaw %v, says %q", c.name, talk.pose.Head.Yaw, r.Say)
		}
	}
}

// What makes the robot do nothing needs no question.
func TestTalkIsNotAskedAbout(t *testing.T) {
	talk := &talk{t: t, p: planner.New()}
	if r := talk.probably("it is raining"); r.Say != "" || r.Ask != nil {
		t.Errorf("%+v", r)
	}
}

// Answers are understood in many words, and a new sentence is none.
func TestAnswersToWhether(t *testing.T) {
	for _, c := range []struct {
		answer string
		yaw    float64
	}{
		{"yes I did", 30},
		{"yeah, that's right", 30},
		{"well, yes, please do it", 30},
		{"no, that's not what I said", 0},
		{"never mind", 0},
		{"yes and no", 0},
		{"no, look up", 0},
	} {
		talk := &talk{t: t, p: planner.New()}
		talk.probably("look left")
		if talk.say(c.answer); talk.pose.Head.Yaw != c.yaw {
			t.Errorf("%q: yaw %v", c.answer, talk.pose.Head.Yaw)
		}
	}
}
