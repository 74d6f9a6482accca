package coder

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
)

const look = "look_left_and_right_round"

func TestARoutineGoesOnUntilSomebodyEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.ask(w.c, "look left and right three times every hour")
		w.pass(time.Second)
		if n := w.rounds(look); n != 1 {
			t.Errorf("%d rounds at once", n)
		}
		w.pass(3 * time.Hour)
		if n := w.rounds(look); n != 4 || w.called[0] != look+` {"times":3}` {
			t.Errorf("%d rounds in three hours: %v", n, w.called)
		}
		if got := w.ask(w.c, "what are you doing regularly").Text; got != "I do this every hour: look left and right 3 times." {
			t.Error(got)
		}
		w.c.Stop(language.Analyse("stop")) // whoever says stop does not want it to begin again by itself
		w.pass(3 * time.Hour)
		if n := w.rounds(look); n != 4 {
			t.Errorf("%d rounds after stop", n)
		}
		if got := w.ask(w.c, "what are you doing regularly").Text; !strings.Contains(got, "(paused)") {
			t.Error(got)
		}
		if got := w.ask(w.c, "go on with it").Text; got != "I go on with 1 thing that I had paused." {
			t.Error(got)
		}
		w.pass(2*time.Hour + time.Second)
		if n := w.rounds(look); n != 6 {
			t.Errorf("%d rounds after going on", n)
		}
		w.c.Stop(language.Analyse("stop doing that"))
		w.pass(3 * time.Hour)
		if n := w.rounds(look); n != 6 || len(w.store.schedules) != 0 {
			t.Errorf("%d rounds after its end, kept %v", n, w.store.schedules)
		}
	})
}

// What the planner would repeat for minutes is promised at once, and done as often as the plan says.
func TestNobodyWaitsForTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		asked := time.Now()
		if got := w.ask(w.c, "nod every minute").Text; got != "I will do this every minute, 10 times: nod." || time.Since(asked) != 0 {
			t.Errorf("after %v: %s", time.Since(asked), got)
		}
		w.pass(time.Second)
		if n := w.rounds("nod_round"); n != 1 {
			t.Errorf("%d rounds at once", n)
		}
		w.pass(time.Hour)
		if n := w.rounds("nod_round"); n != 10 || len(w.c.clock.list()) != 0 {
			t.Errorf("%d rounds in an hour, left %v", n, w.c.clock.list())
		}
	})
}

// A reminder that a restart would forget is not promised, and not done either.
func TestNothingIsPromisedThatCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.ask(w.c, "look left and right every hour")
		fails := func(err error) {
			w.store.mu.Lock()
			defer w.store.mu.Unlock()
			w.store.fails = err
		}
		fails(fmt.Errorf("put: %w", ErrNoRoom))
		if got := w.ask(w.c, "remind me in ten minutes to drink"); got.Outcome != coordinator.OutcomeError ||
			got.Text != "I will not do that, since I cannot keep it: the disk is nearly full." {
			t.Errorf("%+v", got)
		}
		fails(errors.New("broken"))
		if got := w.ask(w.c, "remind me in ten minutes to eat").Text; !strings.Contains(got, "I will not do that") {
			t.Error(got)
		}
		w.pass(20 * time.Minute)
		if n := w.rounds("remind_of"); n != 0 || len(w.c.clock.list()) != 1 {
			t.Errorf("%d reminders, left %v", n, w.c.clock.list())
		}
		if got := w.ask(w.c, "cancel everything").Text; !strings.Contains(got, "after a restart it begins again") {
			t.Error(got)
		}
	})
}

func TestWhatIsNamedIsCancelled(t *testing.T) {
	for sentence, left := range map[string]int{
		"cancel the hourly look": 3, "cancel my timer": 3, "delete all reminders": 2, "cancel the reminder": 2, "stop looking left and right": 3,
		"cancel everything": 0, "stop watching": 3,
		"cancel the photos every hour": 4, "cancel the hourly nod": 4, "stop all that": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newClockwork(t)
			for _, text := range []string{
				"look left and right every hour", "set a timer for five minutes", "remind me in an hour to drink",
				"tell me when something new is on the table",
			} {
				w.ask(w.c, text)
			}
			switch plan := w.c.o.Plan(sentence); {
			case len(plan.Steps) > 0 && plan.Steps[0].Tool == "stop": // never reaches the mind
				w.c.Stop(language.Analyse(sentence))
			case w.c.recognises("s", sentence, plan):
				w.ask(w.c, sentence)
			}
			if got := len(w.c.clock.list()); got != left {
				t.Errorf("%q left %d, want %d", sentence, got, left)
			}
		})
	}
}

func TestNothingMovesAgainstAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.set(func() { w.latched = true })
		w.ask(w.c, "look left and right every hour")
		w.ask(w.c, "take a photo every hour")
		w.pass(5 * time.Hour)
		if n := w.rounds(look); n != 0 {
			t.Errorf("%d rounds against the emergency stop", n)
		}
		if n := w.rounds("take_photo_round"); n != 6 {
			t.Errorf("%d photos, which move nothing", n)
		}
		w.set(func() { w.latched = false })
		w.pass(5 * time.Hour)
		if n := w.rounds(look); n != 0 {
			t.Errorf("%d rounds by the release of the emergency stop", n)
		}
	})
}

func TestARoundWaitsForWhoIsBusyWithTheRobot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.set(func() { w.busy = true })
		w.ask(w.c, "look left and right every hour")
		w.pass(time.Minute)
		if n := w.rounds(look); n != 0 {
			t.Errorf("%d rounds against somebody", n)
		}
		w.set(func() { w.busy = false })
		w.pass(retryAfter)
		if n := w.rounds(look); n != 1 {
			t.Errorf("%d rounds after that", n)
		}
	})
}

func TestReminders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.ask(w.c, "remind me in ten minutes to drink")
		w.ask(w.c, "set a timer for five minutes")
		w.pass(5*time.Minute - time.Second)
		if got := w.ask(w.c, "how long is left on my timer").Text; !strings.Contains(got, "Your timer has 1 second left") &&
			!strings.Contains(got, "your timer has 1 second left") {
			t.Error(got)
		}
		if len(w.says()) != 0 {
			t.Errorf("too early: %v", w.says())
		}
		w.pass(time.Second)
		w.bench.mu.Lock()
		w.results["speak"] = func(json.RawMessage) tool.Result { return tool.Errorf(tool.CodeFailed, "hoarse") }
		w.bench.mu.Unlock()
		w.pass(5 * time.Minute)
		if got := strings.Join(w.says(), "; "); got != "notification "+timerText+"; notification I was to remind you: drink." {
			t.Error(got)
		}
		if w.rounds("speak") != 2 || len(w.c.clock.list()) != 0 {
			t.Errorf("%v, left %v", w.called, w.c.clock.list())
		}
	})
}

// A timer is named as it was asked for, however long the answer takes; several are told apart.
func TestTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		for _, l := range [][2]string{
			{"how long is left on the timer", "No timer is running."},
			{"cancel the timer", "No timer is running."},
			{"set a timer for 5 seconds", "Your timer runs: I will tell you in 5 seconds."},
			{"set a timer for an hour and a half", "Your timer runs: I will tell you in 1 hour and 30 minutes."},
			{"start a pasta timer for 8 minutes and 30 seconds", "Your pasta timer runs: I will tell you in 8 minutes and 30 seconds."},
			{"set another timer for 2 and a half hours", "Your timer runs: I will tell you in 2 hours and 30 minutes."},
			{
				"how much time do I have left", "Your timer of 5 seconds has 5 seconds left, your timer of 1 hour and 30 minutes has 1 hour and 30 minutes left, " +
					"your pasta timer of 8 minutes and 30 seconds has 8 minutes and 30 seconds left and your timer of 2 hours and 30 minutes has " +
					"2 hours and 30 minutes left.",
			},
			{"how long is left on the pasta timer", "Your pasta timer has 8 minutes and 30 seconds left."},
			{"add 2 minutes to errand 3", "Your pasta timer has 10 minutes and 30 seconds left."},
			{
				"cancel the timer", "There is a timer of 5 seconds and a timer of 1 hour and 30 minutes and a pasta timer of 10 minutes and 30 seconds and " +
					"a timer of 2 hours and 30 minutes. Which one? You can also say \"cancel all timers\".",
			},
			{"cancel the pasta timer", "I cancelled your pasta timer."},
			{"cancel the hour and a half timer", "I cancelled your timer."},
		} {
			if got := w.ask(w.c, l[0]).Text; got != l[1] {
				t.Errorf("%q: %q, want %q", l[0], got, l[1])
			}
		}
		w.pass(5 * time.Second)
		if got := strings.Join(w.says(), "; "); got != "notification "+timerText {
			t.Error(got)
		}
		if text, ok := w.c.End(language.Analyse("stop the timer")); !ok || text != "I cancelled your timer." || len(w.c.clock.list()) != 0 {
			t.Errorf("%q %v %v", text, ok, w.c.clock.list())
		}
		if text, ok := w.c.End(language.Analyse("stop dancing")); ok {
			t.Error(text)
		}
	})
}

func TestAWatcherTellsWhatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		var mu sync.Mutex
		sees := []string{"apple"}
		w.results["new_in_view"] = func(raw json.RawMessage) tool.Result {
			mu.Lock()
			defer mu.Unlock()
			var a struct{ Known []string }
			if err := json.Unmarshal(raw, &a); err != nil {
				t.Error(err)
			}
			var appeared []string
			for _, s := range sees {
				if !slices.Contains(a.Known, s) {
					appeared = append(appeared, s)
				}
			}
			return tool.Success("", map[string]any{"seen": sees, "appeared": appeared, "gone": []string{}})
		}
		w.ask(w.c, "tell me when something new is on the table")
		see := func(things ...string) { mu.Lock(); defer mu.Unlock(); sees = things }
		w.pass(time.Minute)
		see("apple", "ghost")
		w.pass(5 * time.Second)
		see("apple")
		w.pass(time.Minute)
		if len(w.says()) != 0 {
			t.Errorf("a glimpse was told: %v", w.says())
		}
		see("apple", "cup")
		w.pass(10 * time.Second)
		if got := w.says(); len(got) != 1 || got[0] != "notification There is something new: a cup." {
			t.Error(got)
		}
		if w.rounds("speak") != 1 || len(w.c.clock.list()) != 0 {
			t.Errorf("%v, left %v", w.called, w.c.clock.list())
		}
		w.ask(w.c, "tell me when something new appears for ten minutes")
		w.pass(11 * time.Minute)
		if left := w.c.clock.list(); len(left) != 0 {
			t.Errorf("still watching: %v", left)
		}
	})
}

func TestRoutinesSurviveARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.ask(w.c, "look left and right every hour")
		w.ask(w.c, "remind me in two hours to eat")
		w.pass(time.Minute)
		w.end()
		time.Sleep(5*time.Hour + 30*time.Minute) // virtual
		w.start()
		w.pass(time.Second)
		if n := w.rounds(look); n != 1 {
			t.Errorf("missed rounds were made up for: %d", n)
		}
		if w.rounds("speak") != 1 {
			t.Error("what was to be said meanwhile was not said")
		}
		w.pass(time.Hour)
		if n := w.rounds(look); n != 2 {
			t.Errorf("%d rounds", n)
		}
	})
}

func TestScheduleLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		for i := range 16 {
			w.ask(w.c, fmt.Sprintf("remind me in %d hours to eat", i+1))
		}
		for text, want := range map[string]string{
			"remind me in 20 hours to eat": "which is the most that I do", "remind me in 9000 hours to eat": "which is the most",
		} {
			if got := w.ask(w.c, text); got.Outcome != "error" || !strings.Contains(got.Text, want) {
				t.Errorf("%q: %+v", text, got)
			}
		}
		w.ask(w.c, "cancel all reminders")
		for text, want := range map[string]string{
			"remind me in 9000 hours to eat": "at most a year", "nod every five seconds for an hour": "Every 5 seconds is too often",
			"take a photo every second for an hour": "too often",
		} {
			if got := w.ask(w.c, text); got.Outcome != "error" || !strings.Contains(got.Text, want) {
				t.Errorf("%q: %+v", text, got)
			}
		}
		if left := w.c.clock.list(); len(left) != 0 {
			t.Errorf("%v", left)
		}
	})
}

func TestWhatFailsAgainAndAgainIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.results["take_photo_round"] = func(json.RawMessage) tool.Result { return tool.Errorf(tool.CodeFailed, "No camera.") }
		w.ask(w.c, "take a photo every hour")
		w.pass(10 * time.Hour)
		if n := w.rounds("take_photo_round"); n != maxFailing {
			t.Errorf("%d rounds", n)
		}
		if got := w.says(); len(got) != 1 || !strings.Contains(got[0], "I have tried 5 times") || !strings.Contains(got[0], "No camera.") {
			t.Error(got)
		}
	})
}

func TestWhatIsTheSame(t *testing.T) {
	b := newBench(t)
	c := b.coder()
	for _, tc := range []struct{ text, says string }{
		{"take a photo every day at 7", "The first time is tomorrow at 07:00"},
		{"take a photo every day at 18:30", "The first time is at 18:30"},
		{"take a photo every day at 18:30", "I am doing that already."},
		{"take a photo every hour", "every hour"},
		{"take a photo every hour", "I am doing that already."},
		{"take a photo every two hours", "every 2 hours"},
		{"what timers do I have", "No timer is running."},
	} {
		if a := b.ask(c, tc.text); !strings.Contains(a.Text, tc.says) {
			t.Errorf("%q: %+v, want …%s", tc.text, a, tc.says)
		}
	}
	b.own["take_photo"] = tool.Spec{Name: "take_photo", Unavailable: "no camera"}
	for _, text := range []string{"take a photo every three hours", "take a photo every five seconds for ten minutes"} {
		if a := b.ask(c, text); a.Outcome != "error" || a.Text != "I cannot do that: no camera." {
			t.Errorf("%q: %+v", text, a)
		}
	}
}
