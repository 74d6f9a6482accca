package coder

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Reminders of days come on these, at the hour that was asked for, over a restart, too.
func TestRemindersOfDays(t *testing.T) {
	friday := time.Date(2026, 11, 27, 9, 0, 30, 0, time.Local)
	synctest.Test(t, func(t *testing.T) {
		w := newClockwork(t)
		w.setClock(friday)
		w.pass(time.Second)
		for _, c := range []struct{ text, says string }{
			{"remind me every weekday at 9:55 to join", "every weekday at 09:55: join."},
			{"remind me every monday and saturday at 8 pm to water the palm", "every Monday and Saturday at 20:00"},
			{"remind me on sunday at 3 to ring Bob", "on Sunday, 29 November at 15:00: ring Bob."},
			{"remind me on 3 december at 9 am to pay", "on Thursday, 3 December at 09:00"},
			{"set an alarm on saturday at 7", "I will wake you tomorrow at 07:00."},
			{"remind me every weekend at 10 to rest", "every Saturday and Sunday at 10:00"},
		} {
			if got := w.ask(w.c, c.text).Text; !strings.Contains(got, c.says) {
				t.Errorf("%s: %q, want …%s", c.text, got, c.says)
			}
		}
		for _, c := range []struct {
			day  int // of the week that follows
			want []string
		}{
			{27, []string{"join"}},
			{28, []string{alarmText, "rest", "water the palm"}},
			{29, []string{"rest", "ring Bob"}},
			{30, []string{"join", "water the palm"}},
			{31, []string{"join"}}, // 1 December
			{32, []string{"join"}},
			{33, []string{"pay", "join"}},
		} {
			if c.day == 30 {
				w.end()
				w.start()
			}
			before := len(w.says())
			w.pass(time.Until(time.Date(2026, 11, c.day+1, 0, 0, 1, 0, time.Local).Add(-w.ahead)))
			got := w.says()[before:]
			if len(got) != len(c.want) {
				t.Errorf("day %d: %q, want %q", c.day, got, c.want)
				continue
			}
			for i := range got {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("day %d: %q, want %q", c.day, got, c.want)
				}
			}
		}
	})
}

// What is no day of a week is no reminder.
func TestDaysOf(t *testing.T) {
	for said, want := range map[string]int{
		"day": 0, "weekday": 5, "weekend": 2, "monday , wednesday and friday": 3, "tuesdays and thursdays": 2, "monday to friday": 5,
	} {
		if days, ok := daysOf(said); !ok || len(days) != want {
			t.Errorf("%q: %v, %v", said, days, ok)
		}
	}
	for _, said := range []string{"moonday", "other", ""} {
		if days, ok := daysOf(said); ok {
			t.Errorf("%q: %v", said, days)
		}
	}
}
