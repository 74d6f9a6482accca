package coder

import (
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// What the robot says by itself.
const (
	timerText = "Your timer is over."
	alarmText = "It is time: this is your alarm."
	wakeText  = "Wake up!"
)

// The sentences are in perception/language/en/coder.txt.
var (
	reminders     = language.Sentences("reminders")
	reminderParts = language.Patterns("reminder-parts")
)

// remind finds out whether a sentence wants a reminder or a timer.
func (c *Coder) remind(s *language.Request, p planner.Plan) *regular {
	if p.Outcome != planner.OutcomeNone && p.Outcome != planner.OutcomeError || !s.HasAny("remind", "timer", "alarm", "countdown", "wake", "tell", "say",
		"let") || s.HasAny("every", "each", "hourly", "daily") {
		return nil
	}
	m := reminders.Find(template.Split(strings.ReplaceAll(s.Digits, " , ", " ")))
	if m == nil {
		return nil
	}
	what := s.Original(m.Slot("what"))
	switch m.Rule.Name {
	case "timer":
		what = timerText
	case "alarm":
		what = alarmText
	case "wake-in", "wake-at":
		what = wakeText
	}
	if m.Slot("time") != "" {
		return c.remindAt(m, what)
	}
	d, ok := period(m.Slot("count"), m.Slot("unit"))
	if !ok || d < time.Second {
		return nil
	}
	return reminderAt(c.o.Now().Add(d), what)
}

// remindAt is a reminder at a time of day.
func (c *Coder) remindAt(at *template.Match, what string) *regular {
	m := find("time", "at "+at.Slot("time"))
	if m == nil || m.After() != "" || m.Slot("name") == "" && atoi(strings.FieldsFunc(m.Slot("time"), notDigit)[0]) > 24 {
		return nil
	}
	now := c.o.Now()
	hour, minute := clock(m)
	t := nextAt(now, hour, minute)
	if at.Slot("tomorrow") != "" && day(t).Equal(day(now)) {
		t = t.AddDate(0, 0, 1)
	}
	return reminderAt(t, what)
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// reminderAt is a reminder of something at a time.
func reminderAt(t time.Time, what string) *regular {
	g := (&regular{}).reminder(what)
	g.first = t
	return g
}

// reminder makes a reminder of what is to be said.
func (g *regular) reminder(what string) *regular {
	if m := reminderParts.Rule("joined").Find(template.Split(what)); m != nil && m.After() != "" {
		what = m.After()
	}
	what = strings.TrimSpace(what)
	if what == "" {
		what = "you wanted to be reminded now"
	}
	g.kind, g.what = Reminder, what
	if !ownText(what) {
		g.what = truncate.Runes(toYou(what), 200)
	}
	return g
}

// ownText says whether the robot speaks by itself.
func ownText(text string) bool { return text == timerText || text == alarmText || text == wakeText }
