package coder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// What is kept for later is named by its number in the usual words of language.Errand: "add 5 minutes to errand 3".

var errands = language.Sentences("errands-kept")

// kind is what something that is kept is, by what the robot says of it.
func (k *Schedule) kind() string {
	switch {
	case isTimer(k.Text):
		return language.KeptTimer
	case isAlarm(k.Text):
		return language.KeptAlarm
	}
	return language.KeptReminder
}

// Kept implements runtime.Coder.
func (c *Coder) Kept() []language.Kept {
	var kept []language.Kept
	for _, k := range c.clock.list() {
		if k.Kind != Reminder {
			continue
		}
		about := content(k.Text)
		if isTimer(k.Text) {
			about = content(strings.TrimSuffix(k.timer(false), language.KeptTimer) + " " + k.Said)
		}
		if isAlarm(k.Text) {
			about = nil
		}
		kept = append(kept, language.Kept{ID: k.ID, Kind: k.kind(), About: about, Length: k.length(), Next: k.Next})
	}
	return kept
}

// errand is what answers a sentence that names what is kept by its number; nil where it names none.
func (c *Coder) errand(s *language.Request) func() string {
	m := errands.Find(template.Split(language.WithTimes(s.Lower)))
	if m == nil {
		return nil
	}
	var all []Schedule
	kept := c.clock.list()
	for _, word := range strings.FieldsFunc(m.Slot("ids"), notDigit) {
		id := atoi(word)
		at := slices.IndexFunc(kept, func(k Schedule) bool { return k.ID == id })
		if at < 0 {
			return nil
		}
		all = append(all, kept[at])
	}
	if len(all) == 0 {
		return nil
	}
	k := all[len(all)-1]
	by, timed := spanIn(m.Slot("by"))
	switch m.Rule.Name {
	case "off":
		return func() string { return c.endErrands(all, false) }
	case "off-all":
		return func() string { return c.endErrands(all, true) }
	case "left":
		return func() string { return tellWhen(all, c.o.Now()) }
	case "about":
		return func() string { return k.about(c.o.Now()) }
	case "swap":
		return func() string { return c.swap(&k, s.Original(m.Slot("old")), s.Original(m.Slot("new"))) }
	case "at":
		if to, ok := c.nearTime(m.Slot("by"), k.Next); ok {
			return func() string { return c.move(&k, to.Sub(k.Next)) }
		}
	case "more":
		if timed {
			return func() string { return c.move(&k, by) }
		}
	case "less":
		if timed {
			return func() string { return c.move(&k, -by) }
		}
	case "last":
		if timed {
			return func() string { return c.move(&k, by-k.length()) }
		}
	case "in":
		if timed {
			return func() string { return c.move(&k, c.o.Now().Add(by).Sub(k.Next)) }
		}
	}
	return nil
}

// swap says one word of a reminder otherwise.
func (c *Coder) swap(k *Schedule, from, to string) string {
	words := strings.Fields(k.Text)
	for i, w := range words {
		if bare := strings.Trim(w, ".,!?"); strings.EqualFold(bare, from) {
			words[i] = strings.Replace(w, bare, to, 1)
		}
	}
	k.Text = strings.Join(words, " ")
	c.clock.each(func(o *Schedule) bool {
		if o.ID == k.ID {
			o.Text = k.Text
		}
		return o.ID == k.ID
	})
	return tellWhen([]Schedule{*k}, c.o.Now())
}

// spanIn is the length of time that a text says.
func spanIn(text string) (time.Duration, bool) {
	m := timers.Rule("length").Find(template.Split(language.Amounts(text, isTime)))
	if m == nil {
		return 0, false
	}
	return span(m)
}

// nearTime is the time of day nearest to when something was to be: "to five" is 17:00 of a reminder at 16:00.
func (c *Coder) nearTime(said string, was time.Time) (t time.Time, ok bool) {
	now := c.o.Now()
	if t, ok = c.nextTime(said, true, false); !ok {
		return t, false
	}
	best := t
	t = time.Date(was.Year(), was.Month(), was.Day(), t.Hour(), t.Minute(), 0, 0, was.Location())
	const half = 12 * time.Hour
	for _, by := range []time.Duration{-half, 0, half} {
		at := t.Add(by)
		if by != 0 && halfNamed(said) || !at.After(now) {
			continue
		}
		if best.Equal(at) || !best.After(now) || at.Sub(was).Abs() < best.Sub(was).Abs() {
			best = at
		}
	}
	return best, true
}

// halfNamed reports whether a time of day says which half of the day it is in: "5 pm", "17:30", "noon".
func halfNamed(said string) bool {
	hour := strings.FieldsFunc(said, notDigit)
	return strings.ContainsAny(said, "pn") || strings.Contains(said, "am") || strings.Contains(said, "a.m") || len(hour) > 0 && atoi(hour[0]) > 12
}

// about says what something is kept for.
func (k *Schedule) about(now time.Time) string {
	text := upper(k.describe(now)) + "."
	if k.Said != "" {
		text += " You said: “" + strings.TrimRight(k.Said, ".!?") + "”."
	}
	return text
}

// move has what is kept come by so much later, or earlier, and says when it comes.
func (c *Coder) move(k *Schedule, by time.Duration) string {
	now := c.o.Now()
	if k.Next.Add(by).Before(now) {
		by = now.Sub(k.Next)
	}
	c.postpone(k.ID, by)
	k.Next = k.Next.Add(by)
	return tellWhen([]Schedule{*k}, now)
}

// tellWhen says when what is kept comes.
func tellWhen(all []Schedule, now time.Time) string {
	said := make([]string, len(all))
	for i := range all {
		said[i] = all[i].describe(now)
		if k := &all[i]; isTimer(k.Text) {
			said[i] = fmt.Sprintf("your %s has %s left", k.timer(len(all) > 1), sayDuration(max(0, k.Next.Sub(now)).Round(time.Second)))
		}
	}
	return upper(strings.Join(said, ", and ")) + "."
}

// errandName is what is kept in the words in which the robot speaks of it.
func (k *Schedule) errandName(several bool) string {
	switch k.kind() {
	case language.KeptTimer:
		return k.timer(several)
	case language.KeptAlarm:
		return "alarm"
	}
	return "reminder: " + strings.TrimRight(k.Text, ".!")
}

// endErrands ends what is kept; where one of several is meant it asks which.
func (c *Coder) endErrands(all []Schedule, every bool) string {
	said := make([]string, len(all))
	ids := make([]int, len(all))
	for i := range all {
		said[i], ids[i] = all[i].errandName(len(all) > 1), all[i].ID
	}
	if len(all) > 1 && !every {
		return fmt.Sprintf("There is a %s. %s You can also say \"cancel all timers\".", strings.Join(said, " and a "), coordinator.WhichOne)
	}
	return "I cancelled your " + verbalize.And(said) + "." + c.endKept(ids)
}
