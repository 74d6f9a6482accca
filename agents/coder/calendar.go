package coder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Reminders and alarms of a day, or of some days of each week, in the usual words of language.Appointments: "remind me every weekday at 9:55 to join".

var appointments = language.Sentences("appointments")

// The days of a week by their names.
var (
	workdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	weekends = []time.Weekday{time.Saturday, time.Sunday}
)

// dated is the reminder of a day that a sentence asks for; nil where it asks for none.
func (c *Coder) dated(s *language.Request, text string) *regular {
	m := appointments.Find(template.Split(text))
	if m == nil {
		return nil
	}
	alarm := m.Rule.Name == "alarm"
	at, ok := c.nextTime(m.Slot("time"), alarm, true)
	if !ok {
		return nil
	}
	what := s.Original(m.Slot("what"))
	if alarm {
		what = alarmText
	}
	now := c.o.Now()
	g := reminderAt(at, what)
	said := m.Slot("day")
	if of, every := strings.CutPrefix(said, "every "); every {
		days, ok := daysOf(of)
		if !ok {
			return nil
		}
		g.every, g.days = dayLong, days
		g.first = onDay(g.first, days)
		return g
	}
	d, ok := comingDay(strings.TrimPrefix(said, "on "), day(now))
	if !ok {
		return nil
	}
	g.first = time.Date(d.Year(), d.Month(), d.Day(), at.Hour(), at.Minute(), 0, 0, at.Location())
	if !g.first.After(now) { // "today at 8" in the evening, "this Saturday" on one
		return nil
	}
	return g
}

// comingDay is the next day of a name: "friday", "3 december", "3rd".
func comingDay(said string, today time.Time) (time.Time, bool) {
	if d, ok := dateOf(said, today, false); ok {
		return d, true
	}
	n := atoi(bareDay(said))
	for d := today; n > 0 && d.Before(today.AddDate(0, 3, 0)); d = d.AddDate(0, 0, 1) {
		if d.Day() == n {
			return d, true
		}
	}
	return time.Time{}, false
}

// daysOf are the days of a week that a text names; none where it is every day.
func daysOf(said string) (days []time.Weekday, ok bool) {
	switch strings.TrimSuffix(said, "s") {
	case "day":
		return nil, true
	case "weekday", "monday to friday", "monday till friday", "monday through friday":
		return workdays, true
	case "weekend":
		return weekends, true
	}
	for _, w := range language.SplitWords(said) {
		if at := slices.Index(weekdays, strings.TrimSuffix(w, "s")); at >= 0 {
			days = append(days, time.Weekday(at))
		} else if w != "and" && w != "every" && w != "each" && w != "on" {
			return nil, false
		}
	}
	return days, len(days) > 0
}

// onDay is the first time from t on that is on one of the days; t where there are none.
func onDay(t time.Time, days []time.Weekday) time.Time {
	for len(days) > 0 && !slices.Contains(days, t.Weekday()) {
		t = t.AddDate(0, 0, 1)
	}
	return t
}

// often says how often a schedule comes: "every 5 minutes", "every weekday at 09:55".
func often(every time.Duration, days []time.Weekday, first time.Time) string {
	text := sayEvery(every)
	switch {
	case slices.Equal(days, workdays):
		text = "every weekday"
	case slices.Equal(days, weekends):
		text = "every Saturday and Sunday"
	case len(days) > 0:
		names := make([]string, len(days))
		for i, d := range days {
			names[i] = d.String()
		}
		text = "every " + verbalize.And(names)
	}
	if every%dayLong == 0 && !first.IsZero() {
		return fmt.Sprintf("%s at %s", text, first.Format("15:04"))
	}
	return text
}
