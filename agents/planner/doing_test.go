package planner

import "testing"

// What is sought is looked around for, and what is followed is not looked at once; the plan that is shown tells neither.
func TestDoing(t *testing.T) {
	p := New()
	for text, want := range map[string]string{
		"where is the apple": "find_object", "find my cup": "find_object", "look for the duck": "find_object", "tell me where the duck is": "find_object",
		"can you find the croissant": "find_object", "search the room for the apple": "find_object", "help me find my cup": "find_object",
		"do you see the duck": "detect_objects", "is there a cup on the table": "detect_objects", "how many cups are there": "detect_objects",
		"are there any apples": "detect_objects", "check if there is a duck": "detect_objects",
		"follow the duck": "follow_object", "track the ball": "follow_object", "keep watching the duck": "follow_object",
		"look at the duck": "look_at", "watch the door": "look_at",
	} {
		steps := p.Plan(text).Steps
		if len(steps) != 1 {
			t.Errorf("%q: %d steps", text, len(steps))
			continue
		}
		if shown := steps[0].Tool; shown != "detect_objects" && shown != "look_at" {
			t.Errorf("%q is shown as %s", text, shown)
		}
		if did := Doing(steps)[0].Tool; did != want {
			t.Errorf("%q is done by %s, want %s", text, did, want)
		}
	}
}
