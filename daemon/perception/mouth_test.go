package perception

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
)

// A reply is said sentence by sentence while the rest of it is still thought about.
func TestSentencesAreSaidAsTheyCome(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.brain.work = 10 * time.Second
		r.brain.think = func(l coordinator.Listener) {
			l.Thinks()
			l.Partial("You said why")
		}
		r.worker.event(heard("why"))
		if got := r.worker.notes(); got != "You said why" {
			t.Errorf("while it thinks it says %q", got)
		}
		time.Sleep(r.brain.work)
		synctest.Wait()
		if got, want := r.worker.notes(), "You said why; in voice.; replied"; got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	})
}

// When nothing has come for a second the robot says once that it thinks; what is ready sooner needs no such words.
func TestALongThoughtIsBridged(t *testing.T) {
	for _, c := range []struct {
		work time.Duration
		want string
	}{
		{fillerAfter / 2, "You said why in voice.; replied"},
		{3 * fillerAfter, "Hm, let me think.; You said why in voice.; replied"},
	} {
		run(t, func(t *testing.T, r *rig) {
			r.brain.work = c.work
			r.brain.think = func(l coordinator.Listener) { l.Thinks(); l.Thinks() }
			r.worker.event(heard("why"))
			time.Sleep(c.work)
			synctest.Wait()
			if got := r.worker.notes(); got != c.want {
				t.Errorf("after %v it has said %q, want %q", c.work, got, c.want)
			}
			if len(r.brain.heard) > 0 {
				t.Errorf("it believes to have been interrupted: %q", r.brain.heard)
			}
		})
	}
}

// Who interrupts has heard only a part: the rest is not said, and the conversation does not remember it.
func TestWhatWasInterruptedIsNotRemembered(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.worker.cutAt = " in"
		r.brain.think = func(l coordinator.Listener) { l.Partial("You said why") }
		r.worker.event(heard("why"))
		if want := []string{"t1: You said why"}; !slices.Equal(r.brain.heard, want) {
			t.Errorf("remembered %q, want %q", r.brain.heard, want)
		}
	})
}

// A reply that became another one is said as it is, whatever had been said of the first.
func TestAReplyMayBecomeAnother(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.brain.think = func(l coordinator.Listener) { l.Partial("My plan: nod.") }
		r.worker.event(heard("why"))
		if got := r.worker.notes(); got != "My plan: nod.; You said why in voice.; replied" && got != "You said why in voice.; replied" {
			t.Errorf("said %q", got)
		}
	})
}
