package coder

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	battery1970 = time.Date(1970, 1, 1, 0, 5, 0, 0, time.Local) // the clock of a robot without a battery
	tuesday     = time.Date(2026, 11, 24, 7, 20, 30, 0, time.Local)
)

// settings are ways in which a clock is set.
func settings(from time.Time) map[string]time.Time {
	return map[string]time.Time{
		"from 1970 to now": tuesday, "an hour ahead": from.Add(time.Hour), "an hour back": from.Add(-time.Hour),
		"30 days back": from.AddDate(0, 0, -30), "400 days ahead": from.AddDate(0, 0, 400), "to 1970": battery1970,
		"over the edge of 2038": time.Date(2038, 1, 19, 3, 14, 7, 0, time.UTC), "a little": from.Add(20 * time.Millisecond),
	}
}

// starts are the clocks from which one is set.
func starts(name string) []time.Time {
	if name == "from 1970 to now" {
		return []time.Time{battery1970}
	}
	return []time.Time{tuesday}
}

// What was asked for after a time comes after that time, and a routine keeps its beat, however the clock is set.
func TestTheClockIsSetWhileSomethingWaits(t *testing.T) {
	for name, to := range settings(tuesday) {
		for _, from := range starts(name) {
			synctest.Test(t, func(t *testing.T) {
				w := newClockwork(t)
				w.setClock(from)
				w.pass(time.Second)
				w.ask(w.c, "remind me in 20 minutes to drink")
				w.ask(w.c, "set a timer for 10 minutes")
				w.ask(w.c, "take a photo every minute for 2 hours")
				w.pass(5*time.Minute + time.Second)
				photos := w.rounds("take_photo_round")
				w.setClock(to)
				if got := w.ask(w.c, "how long is left on my timer").Text; got != "Your timer has 4 minutes and 59 seconds left." {
					t.Errorf("%s from %v: %s", name, from, got)
				}
				w.pass(4*time.Minute + 58*time.Second)
				if got := w.says(); len(got) != 0 {
					t.Errorf("%s from %v: too early: %v", name, from, got)
				}
				w.pass(time.Second)
				if got := w.says(); len(got) != 1 || got[0] != "notification "+timerText {
					t.Errorf("%s from %v: at its end the timer said %v", name, from, got)
				}
				w.pass(10*time.Minute + time.Second)
				if got := w.says(); len(got) != 2 || !strings.Contains(got[1], "drink") {
					t.Errorf("%s from %v: after 20 minutes it said %v", name, from, got)
				}
				if n := w.rounds("take_photo_round") - photos; n != 15 {
					t.Errorf("%s from %v: %d photos in 15 minutes", name, from, n)
				}
				if got := w.c.clock.list(); len(got) != 1 {
					t.Errorf("%s from %v: left %+v", name, from, got)
				}
			})
		}
	}
}

// "At 8 o'clock" goes by the clock, also by one that is set.
func TestTheClockIsSetBeforeATimeOfDay(t *testing.T) {
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.Local) }
	for _, l := range []struct {
		name, ask   string
		from, to    time.Time
		early, late time.Time // nothing is said until early, and it is said by late
	}{
		{"1970 to the morning", "remind me at 8 to drink", battery1970, at(24, 7, 20), at(24, 7, 59), at(24, 8, 1)},
		{"1970 to the evening", "remind me at 8 to drink", battery1970, at(24, 21, 0), at(25, 7, 59), at(25, 8, 1)},
		{"an evening in 1970 to the morning", "remind me at 8 to drink", battery1970.Add(21 * time.Hour), at(24, 7, 20), at(24, 7, 59), at(24, 8, 1)},
		{"an hour ahead", "remind me at 8 to drink", at(24, 6, 30), at(24, 7, 30), at(24, 7, 59), at(24, 8, 1)},
		{"an hour ahead, over it", "remind me at 8 to drink", at(24, 7, 30), at(24, 8, 30), at(24, 8, 29), at(24, 8, 31)},
		{"an hour back", "remind me at 8 to drink", at(24, 7, 30), at(24, 6, 30), at(24, 7, 59), at(24, 8, 1)},
		{"30 days back", "remind me at 8 to drink", at(30, 7, 30), at(1, 7, 30), at(1, 7, 59), at(1, 8, 1)},
		{"400 days ahead", "remind me at 8 to drink", at(24, 7, 30).AddDate(-2, 0, 0), at(24, 7, 30), at(24, 7, 59), at(24, 8, 1)},
		{"tomorrow", "remind me tomorrow at 8 to drink", battery1970, at(24, 21, 0), at(25, 7, 59), at(25, 8, 1)},
		{"each day", "remind me every day at 8 to drink", battery1970, at(24, 7, 20), at(24, 7, 59), at(24, 8, 1)},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newClockwork(t)
			w.setClock(l.from)
			w.pass(time.Second)
			if got := w.ask(w.c, l.ask).Text; !strings.Contains(got, "remind you") {
				t.Fatal(got)
			}
			w.pass(time.Minute)
			w.setClock(l.to)
			if d := l.early.Sub(w.clock()); d > 0 {
				w.pass(d)
			}
			if got := w.says(); len(got) != 0 {
				t.Errorf("%s: already at %v it said %v", l.name, w.clock(), got)
			}
			w.pass(l.late.Sub(w.clock()))
			if got := w.says(); len(got) != 1 {
				t.Errorf("%s: at %v it had said %v", l.name, w.clock(), got)
			}
			if strings.Contains(l.ask, "every") {
				w.pass(3 * 24 * time.Hour)
				if got := w.says(); len(got) != 4 {
					t.Errorf("%s: three days later it had said %d times", l.name, len(got))
				}
			}
		})
	}
}

// A robot without a battery takes up what it was to do with a clock that knows nothing, until the network sets it.
func TestARestartWithoutAClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.setClock(tuesday)
		w.pass(time.Second)
		w.ask(w.c, "take a photo every minute for 10 hours")
		w.ask(w.c, "remind me at 8 to drink")
		w.ask(w.c, "remind me in 30 minutes to eat")
		w.ask(w.c, "set a timer for 3 hours")
		w.pass(time.Minute)
		w.end()
		w.setClock(battery1970)
		w.start()
		photos := w.rounds("take_photo_round")
		w.pass(3 * time.Minute)
		if n := w.rounds("take_photo_round") - photos; n < 2 || n > 4 {
			t.Errorf("%d photos in three minutes without a clock", n)
		}
		if got := w.says(); len(got) != 0 {
			t.Errorf("without a clock it said %v", got)
		}
		w.setClock(tuesday.Add(32 * time.Minute)) // what should have been said a minute ago is said
		w.pass(lookEvery)
		if got := strings.Join(w.says(), "; "); !strings.Contains(got, "eat") || strings.Contains(got, "drink") {
			t.Errorf("with a clock again it said %s", got)
		}
		w.pass(10 * time.Minute)
		if got := strings.Join(w.says(), "; "); !strings.Contains(got, "drink") {
			t.Errorf("at 8 it had said %s", got)
		}
		if n := w.rounds("take_photo_round") - photos; n < 12 || n > 15 {
			t.Errorf("%d photos in 13 minutes", n)
		}
	})
}

// Without any network the clock is never set: what was promised comes all the same.
func TestARestartThatNeverFindsTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.setClock(tuesday)
		w.pass(time.Second)
		w.ask(w.c, "set a timer for 10 minutes")
		w.pass(time.Minute)
		w.end()
		w.setClock(battery1970)
		w.start()
		w.pass(9 * time.Minute)
		if got := w.says(); len(got) != 0 {
			t.Errorf("too early: %v", got)
		}
		w.pass(2 * time.Minute)
		if got := w.says(); len(got) != 1 {
			t.Errorf("ten minutes after the start it had said %v", got)
		}
	})
}

// What was kept while the clock was years ahead does not wait for them.
func TestARestartAfterAClockThatWasAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.setClock(tuesday.AddDate(12, 0, 0))
		w.pass(time.Second)
		w.ask(w.c, "take a photo every hour")
		w.ask(w.c, "remind me at 8 to drink")
		w.ask(w.c, "remind me every day at 9 to eat")
		w.ask(w.c, "set a timer for 10 minutes")
		w.pass(time.Minute)
		w.end()
		w.setClock(tuesday)
		w.start()
		photos := w.rounds("take_photo_round")
		w.pass(15 * time.Minute)
		if got := w.says(); len(got) != 1 || got[0] != "notification "+timerText {
			t.Errorf("in 15 minutes it said %v", got)
		}
		w.pass(2 * time.Hour)
		if got := strings.Join(w.says(), "; "); !strings.Contains(got, "drink") || !strings.Contains(got, "eat") {
			t.Errorf("by 9 it had said %s", got)
		}
		if n := w.rounds("take_photo_round") - photos; n != 2 {
			t.Errorf("%d photos in two hours and a quarter", n)
		}
	})
}

// When summer time begins or ends, 8 o'clock stays 8 o'clock.
func TestATimeOfDayOverSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("NOT TESTED: this machine has no time zones: ", err)
	}
	for _, month := range []time.Month{time.March, time.October} {
		k := Schedule{Clock: true, Every: 24 * time.Hour, Next: time.Date(2026, month, 20, 8, 0, 0, 0, berlin)}
		for range 20 {
			k.plan(k.Next.Add(time.Second))
		}
		if h, m, _ := k.Next.Clock(); h != 8 || m != 0 || k.Next.Day() != time.Date(2026, month, 40, 0, 0, 0, 0, berlin).Day() {
			t.Errorf("20 days later: %v", k.Next)
		}
	}
}
