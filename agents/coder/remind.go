package coder

import (
	"regexp"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
)

// What the robot says by itself.
const (
	timerText = "Your timer is over."
	alarmText = "It is time: this is your alarm."
	wakeText  = "Wake up!"
)

var (
	timer1    = regexp.MustCompile(`^(?:(?:set|start|make|begin|give me|i need|run) )?(?:a |an |the |my |me a )?(?:timer|alarm|egg timer|countdown|kitchen timer) (?:for|of|to|in) ` + countWord + ` ` + unitWord + `$`)
	timer2    = regexp.MustCompile(`^(?:set|start|make|begin|give me|i need|run) (?:a |an |the |my |me a )?` + countWord + ` ` + unitWord + ` (?:timer|alarm|countdown)$`)
	alarm     = regexp.MustCompile(`^(?:set|make) (?:a |an |the |my )?(?:alarm|timer) (?:for )?(?:at )?(tomorrow )?(.+)$`)
	remindIn1 = regexp.MustCompile(`^remind me (?:again )?(?:in|after) ` + countWord + ` ` + unitWord + `(?: from now)?(?: (.+))?$`)
	remindIn2 = regexp.MustCompile(`^remind me (.+?) (?:in|after) ` + countWord + ` ` + unitWord + `(?: from now)?$`)
	remindIn3 = regexp.MustCompile(`^in ` + countWord + ` ` + unitWord + ` remind me (.+)$`)
	remindAt1 = regexp.MustCompile(`^remind me (?:today )?(tomorrow )?at (\S+(?: ?(?:am|pm|a\.m|p\.m))?(?: o'clock)?)(?: (tomorrow|today))? ((?:to|that|about|of) .+)$`)
	remindAt2 = regexp.MustCompile(`^remind me ((?:to|that|about|of) .+?) (?:today )?(tomorrow )?at (\S+(?: ?(?:am|pm|a\.m|p\.m))?(?: o'clock)?)(?: (tomorrow|today))?$`)
	wake      = regexp.MustCompile(`^wake me(?: up)? (?:(?:in|after) ` + countWord + ` ` + unitWord + `|(tomorrow )?at (.+))$`)
	tellIn    = regexp.MustCompile(`^(?:tell me|say|call out|shout|let me know) (?:in|after) ` + countWord + ` ` + unitWord + ` (that|to) (.+)$`)
	joined    = regexp.MustCompile(`^(?:to|that|about|of|and say|and tell me) `)
)

// remind finds out whether a sentence wants a reminder or a timer.
func (c *Coder) remind(s *sentence, p planner.Plan) *regular {
	if p.Outcome != planner.OutcomeNone && p.Outcome != planner.OutcomeError || !s.hasAny("remind", "timer", "alarm", "countdown", "wake", "tell", "say", "let") || s.hasAny("every", "each", "hourly", "daily") {
		return nil
	}
	now := c.o.Now()
	in := func(n, unit, what string) *regular {
		d, ok := period(n, unit)
		if !ok || d < time.Second {
			return nil
		}
		return reminderAt(now.Add(d), s.original(what))
	}
	at := func(tomorrow bool, when, what string) *regular {
		m := atTime.FindStringSubmatch("at " + when)
		if m == nil || m[0] != "at "+when || m[4] == "" && (atoi(m[1]) > 24) {
			return nil
		}
		hour, minute := clock(m)
		t := nextAt(now, hour, minute)
		if tomorrow && day(t).Equal(day(now)) {
			t = t.AddDate(0, 0, 1)
		}
		return reminderAt(t, s.original(what))
	}
	n := strings.ReplaceAll(s.nums, " , ", " ")
	for _, t := range []*regexp.Regexp{timer1, timer2} {
		if m := t.FindStringSubmatch(n); m != nil {
			return in(m[1], m[2], timerText)
		}
	}
	if m := remindIn1.FindStringSubmatch(n); m != nil {
		return in(m[1], m[2], m[3])
	}
	if m := remindIn3.FindStringSubmatch(n); m != nil {
		return in(m[1], m[2], m[3])
	}
	if m := remindAt1.FindStringSubmatch(n); m != nil {
		return at(m[1] != "" || m[3] == "tomorrow", m[2], m[4])
	}
	if m := remindAt2.FindStringSubmatch(n); m != nil {
		return at(m[2] != "" || m[4] == "tomorrow", m[3], m[1])
	}
	if m := remindIn2.FindStringSubmatch(n); m != nil {
		return in(m[2], m[3], m[1])
	}
	if m := wake.FindStringSubmatch(n); m != nil {
		if m[1] != "" {
			return in(m[1], m[2], wakeText)
		}
		return at(m[3] != "", m[4], wakeText)
	}
	if m := tellIn.FindStringSubmatch(n); m != nil {
		return in(m[1], m[2], m[4])
	}
	if m := alarm.FindStringSubmatch(n); m != nil {
		return at(m[1] != "", m[2], alarmText)
	}
	return nil
}

// reminderAt is a reminder of something at a time.
func reminderAt(t time.Time, what string) *regular {
	g := (&regular{}).reminder(what)
	g.first = t
	return g
}

// reminder makes a reminder of what is to be said.
func (g *regular) reminder(what string) *regular {
	what = strings.TrimSpace(joined.ReplaceAllString(what, ""))
	if what == "" {
		what = "you wanted to be reminded now"
	}
	g.kind, g.what = Reminder, what
	if !ownText(what) {
		g.what = shorten(toYou(what), 200)
	}
	return g
}

// ownText says whether the robot speaks by itself.
func ownText(text string) bool { return text == timerText || text == alarmText || text == wakeText }
