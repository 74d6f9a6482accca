package coder

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

const dayLong = 24 * time.Hour

var (
	looseCounts = language.Map("loose-counts") // "half an", "a few"
	longPeriods = language.Map("periods")      // seconds
)

// period is the length of so many units: ("5", "minutes"). No number is one; ok is false for what is no time.
func period(n, unit string) (time.Duration, bool) {
	var length float64 // seconds
	if u := language.UnitOf(unit); u.Dim == language.Time {
		length = u.Scale
	} else if length, _ = number(longPeriods[unit]); length == 0 {
		return 0, false
	}
	x := 1.0
	if n = strings.TrimSpace(n); n != "" {
		loose, ok := looseCounts[n]
		if !ok {
			loose = n
		}
		if x, ok = number(loose); !ok || x <= 0 {
			return 0, false
		}
	}
	d := x * length * float64(time.Second)
	if d > float64(100*366*dayLong) {
		return 0, false
	}
	return time.Duration(math.Round(d)), true
}

// sayDuration says "5 minutes", "1 hour and 30 minutes".
func sayDuration(d time.Duration) string {
	var parts []string
	for _, u := range []struct {
		length time.Duration
		one    string
	}{{7 * dayLong, "week"}, {dayLong, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := d / u.length; n > 0 {
			parts = append(parts, counted(float64(n), u.one, u.one+"s"))
			d -= n * u.length
		}
	}
	if d > 0 || len(parts) == 0 {
		parts = append(parts, counted(math.Round(d.Seconds()*10)/10, "second", "seconds"))
	}
	return verbalize.And(parts)
}

// sayEvery says "every hour", "every 5 minutes".
func sayEvery(d time.Duration) string {
	for length, name := range map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour", dayLong: "day", 7 * dayLong: "week"} {
		if d == length {
			return "every " + name
		}
	}
	return "every " + sayDuration(d)
}

// sayTime says when something will be, as seen from now.
func sayTime(t, now time.Time) string {
	t = t.In(now.Location())
	switch int(day(t).Sub(day(now)).Hours() / 24) {
	case 0:
		return "at " + t.Format("15:04")
	case 1:
		return "tomorrow at " + t.Format("15:04")
	}
	return fmt.Sprintf("on %s at %s", t.Format("Monday, 2 January"), t.Format("15:04"))
}
