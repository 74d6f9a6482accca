package coordinator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What a stop of one thing ends, what it latches, and what the robot says to it.
func TestStopsOfOneThing(t *testing.T) {
	for _, c := range []struct{ name, doing, said, reply, did string }{
		{"what goes on", "dance", "stop dancing", "I stopped dancing.", "gesture dance, hold, hold"},
		{"what moves", "dance", "stop doing that", "I stopped dancing.", "gesture dance, hold, hold"},
		{"by another name", "dance", "stop nodding", "I was not nodding; I stopped dancing.", "gesture dance, hold, hold"},
		{"nothing", "", "stop dancing", "I am not dancing.", "hold"},
		{"nothing that moves", "", "stop doing that", "I am not moving.", "hold"},
		{"a pause", "wait 5", "stop waiting", "I stopped waiting.", "hold"},
		{"and something else", "dance", "stop; nod", "I stopped dancing and nodded.", "gesture dance, hold, hold, gesture nod"},
		{"a timer that there is not", "dance", "stop the timer", "I am doing nothing of that kind.", "gesture dance"},
		{"by the bare word", "dance", "stop", `I stopped. Say "you may move again" to let me go on.`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stage(t, nil)
				s.o.Body = s.robot
				wait := func() Reply { return Reply{} }
				if c.doing != "" {
					wait = s.begin(t, "a", c.doing)
					time.Sleep(time.Second)
				}
				if r := s.begin(t, "a", c.said)(); r.Text != c.reply {
					t.Errorf("%q, want %q", r.Text, c.reply)
				}
				wait()
				if did := s.robot.did(); c.did != "" && did != c.did {
					t.Errorf("did  %s\nwant %s", did, c.did)
				}
				if latched := c.said == "stop"; s.robot.latch != latched {
					t.Errorf("latched: %v", s.robot.latch)
				}
			})
		})
	}
}

// A stop that was spoken is released by speech, another is not, and neither begins anything.
func TestReleaseBySpeech(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		s.o.Body = s.robot
		say := func(text, want string) {
			t.Helper()
			if r := s.begin(t, "a", text)(); r.Text != want {
				t.Errorf("%s: %q, want %q", text, r.Text, want)
			}
		}
		say("you may move again", "I am not stopped.")
		say("stop", `I stopped. Say "you may move again" to let me go on.`)
		say("nod", `I was told to stop: say "you may move again" first.`)
		say("carry on", "I may move again. What shall I do?")
		say("nod", "I nodded.")
		if res := s.Call(context.Background(), "stop", nil); !res.OK() {
			t.Errorf("%+v", res)
		}
		say("you may move again", "My emergency stop is on: only a reset releases it (`reachyctl reset`).")
		say("nod", "My emergency stop is on: only a reset releases it (`reachyctl reset`).")
		if did := s.robot.did(); did != "stop, gesture nod, reset, gesture nod, stop, reset, gesture nod" {
			t.Errorf("did %s", did)
		}
	})
}
