package coder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// What the robot says by itself.
const (
	timerText  = "Your timer is over."
	namedTimer = "Your %s timer is over."
	alarmText  = "It is time: this is your alarm."
	wakeText   = "Wake up!"
)

// The sentences are in perception/language/en/coder.txt.
var (
	reminders     = language.Sentences("reminders")
	reminderParts = language.Patterns("reminder-parts")
	reminderWords = language.Words("reminder-words")
	regularWords  = language.Words("regular-words")
	reminderTails = language.Words("reminder-tails")
	timers        = language.Patterns("timers")
)

func anyOf(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

// isTime says whether a word is a unit of time.
func isTime(word string) bool {
	return language.UnitOf(word).Dim == language.Time || longPeriods[word] != ""
}

// remind finds out whether a sentence wants a reminder or a timer.
func (c *Coder) remind(s *language.Request, p planner.Plan) *regular {
	if p.Outcome != planner.OutcomeNone && p.Outcome != planner.OutcomeError || !anyOf(s.Words, reminderWords) {
		return nil
	}
	text := language.WithTimes(s.Lower)
	if g := c.dated(s, text); g != nil || anyOf(s.Words, regularWords) {
		return g
	}
	m := reminderIn(withoutTail(text))
	if m == nil {
		m = reminderIn(text)
	}
	if m == nil {
		return nil
	}
	what := s.Original(m.Slot("what"))
	switch m.Rule.Name {
	case "timer":
		if what = timerText; m.Slot("name") != "" {
			what = fmt.Sprintf(namedTimer, m.Slot("name"))
		}
	case "alarm":
		what = alarmText
	case "wake-in", "wake-at":
		what = wakeText
	}
	if m.Slot("time") != "" {
		return c.remindAt(m, what)
	}
	d, ok := span(m)
	if !ok || d < time.Second {
		return nil
	}
	g := (&regular{}).reminder(what)
	g.in = d
	return g
}

// reminderIn is what a text in small letters wants to be reminded of.
func reminderIn(text string) *template.Match {
	return reminders.Find(template.Split(strings.ReplaceAll(text, " , ", " ")))
}

// withoutTail is a text without what is told behind its last comma: "take the butter out, I always forget".
func withoutTail(text string) string {
	at := strings.LastIndex(text, ",")
	if at < 0 {
		return text
	}
	if tail := strings.Fields(text[at+1:]); len(tail) == 0 || !reminderTails[strings.Trim(tail[0], ".!?")] {
		return text
	}
	return strings.TrimSpace(text[:at])
}

// span is the length of time in the slots of a match: "1 hour and 20 minutes".
func span(m *template.Match) (d time.Duration, ok bool) {
	if d, ok = period(m.Slot("count"), m.Slot("unit")); !ok || m.Slot("unitofmore") == "" {
		return d, ok
	}
	more, ok := period(m.Slot("more"), m.Slot("unitofmore"))
	return d + more, ok
}

// remindAt is a reminder at a time of day.
func (c *Coder) remindAt(at *template.Match, what string) *regular {
	now := c.o.Now()
	t, ok := c.nextTime(at.Slot("time"), ownText(what), at.Slot("tomorrow") != "")
	if !ok {
		return nil
	}
	if at.Slot("tomorrow") != "" && day(t).Equal(day(now)) {
		t = t.AddDate(0, 0, 1)
	}
	return reminderAt(t, what)
}

// The hours in which people are awake: a reminder "at four" is for the afternoon, an alarm may be for the morning.
const (
	awakeFrom = 7
	awakeTo   = 21
	halfDay   = 12
)

// nextTime is the next time that a clock shows a time of day, of a reminder when people are awake; dated: it is of another day.
func (c *Coder) nextTime(said string, alarm, dated bool) (t time.Time, ok bool) {
	m := find("time", "at "+said)
	if m == nil || m.After() != "" || m.Slot("name") == "" && atoi(strings.FieldsFunc(m.Slot("time"), notDigit)[0]) > 24 {
		return t, false
	}
	hour, minute := clock(m)
	now := c.o.Now()
	t = nextAt(now, hour, minute)
	if later := nextAt(now, hour+halfDay, minute); !alarm && hour < halfDay && hour > 0 && m.Slot("name") == "" && m.Slot("half") == "" {
		awake := func(t time.Time) bool { return t.Hour() >= awakeFrom && t.Hour() <= awakeTo }
		if awake(later) && (!awake(t) || later.Before(t) && !dated) {
			t = later
		}
	}
	return t, true
}

// postpone has what is kept under a number come by so much later, or earlier.
func (c *Coder) postpone(id int, by time.Duration) {
	c.clock.each(func(k *Schedule) bool {
		if k.ID == id {
			k.Next, k.late = k.Next.Add(by), k.late+by
		}
		return k.ID == id
	})
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
	g.kind, g.what = Reminder, what
	switch {
	case what == "":
		g.what = "you wanted to be reminded now"
	case !ownText(what):
		g.what = truncate.Runes(toYou(what), 200)
	}
	return g
}

// ownText says whether the robot speaks by itself.
func ownText(text string) bool { return isTimer(text) || isAlarm(text) }

// isAlarm says whether a text is what the robot says when an alarm rings.
func isAlarm(text string) bool { return text == alarmText || text == wakeText }

// isTimer says whether a text is what the robot says at the end of a timer.
func isTimer(text string) bool {
	return text == timerText || strings.HasPrefix(text, "Your ") && strings.HasSuffix(text, " timer is over.")
}

// timer is what a timer is called: "timer", "pasta timer", and with its length when there is another of that name.
func (k *Schedule) timer(length bool) string {
	name := strings.TrimSuffix(strings.TrimPrefix(k.Text, "Your "), " is over.")
	if length {
		return name + " of " + sayDuration(k.length())
	}
	return name
}

// length is how long a timer runs in all.
func (k *Schedule) length() time.Duration { return k.Next.Sub(k.Created).Round(time.Second) }

// running are the timers that run.
func (s *scheduler) running() []Schedule {
	return slices.DeleteFunc(s.list(), func(k Schedule) bool { return k.Kind != Reminder || k.Every > 0 || !isTimer(k.Text) })
}

// tellLeft says how long the timers still run, or that of them which a sentence names.
func (c *Coder) tellLeft(s *language.Request) string {
	all := c.clock.running()
	now := c.o.Now()
	if len(all) == 0 {
		return noTimer + c.reminderLeft(now)
	}
	if some := meant(all, s); len(some) > 0 {
		all = some
	}
	said := make([]string, len(all))
	for i := range all {
		said[i] = fmt.Sprintf("your %s has %s left", all[i].timer(len(all) > 1), sayDuration(max(0, all[i].Next.Sub(now)).Round(time.Second)))
	}
	if s.Has("many") && !s.Has("minutes") && !s.Has("minute") {
		return fmt.Sprintf("%s: %s.", upper(counted(float64(len(all)), "timer runs", "timers run")), verbalize.And(said))
	}
	return upper(verbalize.And(said)) + "."
}

// reminderLeft says when the next reminder comes; empty where there is none.
func (c *Coder) reminderLeft(now time.Time) string {
	var next *Schedule
	all := c.clock.list()
	for i := range all {
		if k := &all[i]; k.Kind == Reminder && !k.Paused && (next == nil || k.Next.Before(next.Next)) {
			next = k
		}
	}
	if next == nil {
		return ""
	}
	return fmt.Sprintf(" In %s I remind you: %s.", sayDuration(max(0, next.Next.Sub(now)).Round(time.Second)), strings.TrimRight(next.Text, ".!"))
}

const noTimer = "No timer is running."

// meant are the timers that a sentence names by their name or length; none when it names none of them.
func meant(all []Schedule, s *language.Request) []Schedule {
	text := template.Split(language.Amounts(s.Lower, isTime))
	var length time.Duration
	if m := timers.Rule("length").Find(text); m != nil {
		length, _ = span(m)
	}
	return slices.DeleteFunc(slices.Clone(all), func(k Schedule) bool {
		name := strings.TrimSuffix(k.timer(false), "timer")
		return (length == 0 || k.length() != length) && (name == "" || !s.Has(strings.TrimSpace(name)))
	})
}

// endTimers ends the timers that a sentence means, and says which; it asks when it could be any of several.
func (c *Coder) endTimers(s *language.Request) string {
	all := c.clock.running()
	if len(all) == 0 {
		return noTimer
	}
	if some := meant(all, s); len(some) > 0 {
		all = some
	} else if timers.Rule("length").Find(template.Split(language.Amounts(s.Lower, isTime))) != nil {
		return "There is no timer of that length. " + c.tellLeft(s)
	}
	said := make([]string, len(all))
	ids := make([]int, len(all))
	for i := range all {
		said[i], ids[i] = all[i].timer(len(all) > 1), all[i].ID
	}
	if len(all) > 1 && timers.Rule("several").Find(s.Small) == nil {
		return fmt.Sprintf("There is a %s. %s You can also say \"cancel all timers\".", strings.Join(said, " and a "), coordinator.WhichOne)
	}
	return "I cancelled your " + verbalize.And(said) + "." + c.endKept(ids)
}
