package e2e

import (
	"math"
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
			if !math.IsNaN(axis.want) && math.Abs(axis.got-axis.want) > exact {
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
