package e2e

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// served is where the simulation says that the robot is, in degrees: what its servos hold, whatever it says of itself.
type served struct{ pitch, yaw, body, left, right float64 }

func (r *robot) served() served {
	r.t.Helper()
	s := r.truth()
	const deg = 180 / math.Pi
	return served{s.Head.Pitch * deg, s.Head.Yaw * deg, s.Joints[0] * deg, s.Joints[8] * deg, s.Joints[7] * deg}
}

// What people say to a robot that leans on what was said before, word for word as a new user tried it, against its servos.
func TestADialogueKnowsWhereItIs(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.start()
	const exact = 2.5 // degrees: what a servo may yield
	say := func(text string, want served) string {
		t.Helper()
		out, _ := r.ctl("say", text)
		var got served
		r.until("the servos hold still", func() bool {
			before := got
			got = r.served()
			return got == before || math.Abs(got.yaw-before.yaw)+math.Abs(got.body-before.body)+math.Abs(got.left-before.left) < 0.05
		})
		for _, axis := range []struct {
			name      string
			got, want float64
		}{
			{"pitch", got.pitch, want.pitch},
			{"yaw", got.yaw, want.yaw},
			{"body", got.body, want.body},
			{"left antenna", got.left, want.left},
			{"right antenna", got.right, want.right},
		} {
			if !math.IsNaN(axis.want) && math.Abs(math.Remainder(axis.got-axis.want, 360)) > exact {
				t.Errorf("%q (%s): %s is at %.1f°, want %g°", text, strings.TrimSpace(out), axis.name, axis.got, axis.want)
			}
		}
		return out
	}
	anywhere := math.NaN()
	say("turn left 20 degrees", served{0, anywhere, 20, 10, -10})
	say("turn left 20 degrees", served{0, anywhere, 40, 10, -10})
	say("now turn a bit more to the left", served{0, anywhere, 50, 10, -10})
	say("do it again", served{0, anywhere, 60, 10, -10})
	say("further", served{0, anywhere, 70, 10, -10})
	say("undo that", served{0, anywhere, 60, 10, -10})
	say("turn to 0 degrees", served{0, anywhere, 0, 10, -10})
	say("look straight ahead", served{0, 0, 0, 10, -10})
	say("look left", served{0, 30, 0, 10, -10})
	say("look up", served{-20, 30, 0, 10, -10})
	say("look at the front", served{0, 0, 0, 10, -10})
	say("lower your left antenna", served{0, 0, 0, 180, -10})
	say("and now the other antenna", served{0, 0, 0, 180, -180})
	say("raise your antennas", served{0, 0, 0, 0, 0})
	if out := say("turn your head", served{0, 0, 0, 0, 0}); !strings.Contains(out, "?") {
		t.Errorf("nothing is asked: %s", out)
	}
	// A conversation survives a restart: the answer completes the command that was asked about before.
	r.kill()
	r.start()
	r.until("it is awake", func() bool {
		out, _ := r.ctl("state", "--json")
		return strings.Contains(out, `"enabled"`) && strings.Contains(out, `"moving":false`)
	})
	out, _ := r.ctl("say", "to the left")
	r.until("the head turns", func() bool { return math.Abs(r.served().yaw-30) < exact })
	if strings.Contains(out, "did not understand") {
		t.Error(out)
	}
}

// What a new user said and got nothing of, word for word, and what must be in the reply; nothing of it latches a stop.
var tried = []struct{ say, want string }{
	{"stop listening", "listen"},
	{"listen again", "listen"},
	{"stop the timer", "No timer|nothing of that kind"},
	{"stop doing that", "not moving"},
	{"stop following me and dance", "danced"},
	{"hello", "!|.|?"},
	{"what is your name", "Reachy"},
	{"who are you", "robot"},
	{"what can you do", ".|!"},
	{"how are you", ".|!"},
	{"what time is it", ":"},
	{"tell me a joke", "?|.|!"},
	{"count to five", "1, 2, 3, 4, 5"},
	{"what did I just say", "count to five"},
	{"how far can you turn your head", "65"},
	{"good job", "!|."},
	{"set a timer for 5 seconds", "5 seconds"},
	{"are you curious? show me", "curious"},
	{"good morning, wake up", "awake|woke up"},
	{"where is the apple", "apple"},
	{"how many seconds are in three and a half hours", "12,600|12600"},
	{"how long is the word hippopotamus", "12"},
}

// The list of issue 11: each of it gets an answer of its own, not the sentence about not understanding.
func TestWhatANewUserTried(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.start()
	lost := []string{"did not understand", "I do not know that", "have no answer", "I stopped. Say"}
	for _, turn := range tried {
		out, _ := r.ctl("say", turn.say)
		if !slices.ContainsFunc(strings.Split(turn.want, "|"), func(w string) bool { return strings.Contains(out, w) }) {
			t.Errorf("%q: %q has none of %q", turn.say, strings.TrimSpace(out), turn.want)
		}
		if slices.ContainsFunc(lost, func(w string) bool { return strings.Contains(out, w) }) {
			t.Errorf("%q is not understood: %q", turn.say, strings.TrimSpace(out))
		}
	}
	// "good morning, wake up" wakes once.
	if out, _ := r.ctl("say", "good morning, wake up"); strings.Count(out, "woke up")+strings.Count(out, "awake") > 1 {
		t.Errorf("it wakes twice: %q", out)
	}
	// A stop that a person spoke is released by a person, and starts nothing.
	if out, _ := r.ctl("say", "stop"); !strings.Contains(out, "you may move again") {
		t.Errorf("stop: %q", out)
	}
	if out, _ := r.ctl("say", "you may move again"); !strings.Contains(out, "may move again") {
		t.Errorf("released: %q", out)
	}
	if out, _ := r.ctl("say", "turn left 20 degrees"); !strings.Contains(out, "turned my body") {
		t.Errorf("after the release: %q", out)
	}
}
