package dialogue

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// asked says a sentence and returns the answer to what it asks; "" where nothing is asked.
func (c *talk) asked(text string) string {
	before := c.pose
	r := c.say(text)
	if r.Answer == nil {
		return ""
	}
	if len(r.Steps()) == 1 && c.pose != before {
		c.t.Errorf("%q moves the robot", text)
	}
	return r.Answer(c.pose)
}

// What is asked of the robot's state is told with number, unit and side, and yes or no come first.
func TestQuestionsAboutTheState(t *testing.T) {
	for _, c := range []struct{ before, asks, want string }{
		{"turn left 40", "Which way is your body turned?", "My body is turned 40° to the left."},
		{"turn left 40", "which way are you looking?", "I look 40° left, in line with my body."},
		{"turn left 40 and look up 20", "where are you looking?", "I look 40° left and 20° up, in line with my body."},
		{"look right 25", "where are you looking?", "I look 25° right."},
		{"look straight ahead", "where are you looking?", "I look straight ahead."},
		{"turn left 40", "are you turned right?", "No, my body is turned 40° to the left."},
		{"turn left 40", "how much further left can you turn?", "120° more to the left."},
		{"turn left 40", "How far have we got?", "My body is turned 40° to the left."},
		{"turn left 40", "How many times have you turned?", "I did that once."},
		{"turn left 40", "Is the body at 30 degrees?", "No, my body is turned 40° to the left."},
		{"look down 15", "What angle is your head pitched at?", "My pitch is 15° down."},
		{"look down 15", "Is it up or down now, your head?", "My pitch is 15° down."},
		{"look down 15", "List pitch and roll for me.", "My pitch is 15° down and my roll is 0°, not tilted."},
		{"look down 15", "List roll and pitch for me.", "My roll is 0°, not tilted and my pitch is 15° down."},
		{"look down 15", "What did the pitch read before that?", "My pitch was 0°, level."},
		{"look left 20", "How many degree is the head now?", "My yaw is 20° to the left, my pitch is 0°, level, and my roll is 0°, not tilted."},
		{"look left 20", "is your head straight?", "No, my yaw is 20° to the left."},
		{"look left 20", "what's your roll?", "My roll is 0°, not tilted."},
		{"look left 20", "how much did you turn just now?", "My head turned 20° to the left."},
		{"lower your right ear by 40", "Which ear is down?", "My right antenna is at −50°, 40° down from where it rests."},
		{"lower your right ear by 40", "is the left ear higher than the right?", "Yes, my left antenna is up, at 10° and my right antenna is at −50°, " +
			"40° down from where it rests."},
		{"look left 20", "Did you move your ears before or after your head?", "Only my head has moved."},
		{"nod", "turn left 20 and tell me your yaw", "My yaw is 20° to the left, in line with my body."},
	} {
		talk := &talk{t: t, p: planner.New(), pose: Pose{Antennas: restingAntennas}}
		talk.say(c.before)
		if got := talk.asked(c.asks); got != c.want {
			t.Errorf("after %q, %q: %q, want %q", c.before, c.asks, got, c.want)
		}
	}
}

// What is no question about the state is left to others: requests in the form of a question, what the eyes see, what can be done.
func TestWhatAsksForNoState(t *testing.T) {
	for _, text := range []string{
		"could you turn left?", "can you look up 20?", "what about your left ear?", "look left?", "what are you looking at?", "is that right?",
		"have a look to the left", "would you tilt your head?", "are you all right?", "how far can you turn?", "give me ten degrees left",
		"where are you?", "what is left?", "is it ok if you look straight again", "how much is it?", "do the left one too", "turn left and look up",
		"What time is it now?", "is the stew still hot?", "did you turn it off?", "tell me a joke", "antennas up?",
		"Tilt your antennas to 15 degrees, okay?", "Have your head look 24 degrees to the right.", "How far does your body turn in total?",
		"roll your head, will you?",
	} {
		u := language.Analyse(text)
		state := State{}
		r := reader{State: &state, p: planner.New(), u: u, plan: planner.New().PlanFor(u), now: Now{Awake: true}}
		if reading, ok := r.queried(); ok {
			t.Errorf("%q: %q", text, strings.TrimSpace(reading.Answer(Pose{})))
		}
	}
}
