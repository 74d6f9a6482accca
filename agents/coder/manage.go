package coder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// The sentences are in perception/language/en/coder.txt.
var (
	schedules     = language.Sentences("schedules")
	scheduleEnds  = language.Patterns("schedule-ends")
	scheduleKinds = language.Map("schedule-kinds")
)

// manages finds out whether a sentence is about what is done regularly, and returns what answers it.
func (c *Coder) manages(s *language.Request, p planner.Plan) func() string {
	if p.Outcome == planner.OutcomeRefuse || s.Lower == "" {
		return nil
	}
	if act := c.errand(s); act != nil {
		return act
	}
	m := schedules.Find(s.Small)
	if m == nil {
		return nil
	}
	switch m.Rule.Name {
	case "left":
		return func() string { return c.tellLeft(s) }
	case "list":
		return func() string { return c.tellAll(s) }
	case "end":
		if timers.Rule("end").Find(s.Small) != nil {
			return func() string { return c.endTimers(s) }
		}
		if ids := c.clock.named(s); len(ids) > 0 {
			return func() string { return c.endAll(ids) }
		}
		if about := kindsNamed(s); len(about) > 0 && strings.HasPrefix(s.Lower, "cancel") {
			return func() string { return "There is nothing of that kind to cancel." }
		}
	default:
		if slices.ContainsFunc(c.clock.list(), func(k Schedule) bool { return k.Paused }) {
			return func() string {
				n := c.clock.resume()
				return fmt.Sprintf("I go on with %s.", counted(float64(n), "thing that I had paused", "things that I had paused"))
			}
		}
	}
	return nil
}

// End ends what a sentence names of what is done regularly or later ("stop the timer", "no more reminders"), and says what it
// ended; ok is false when the sentence names nothing of the kind.
func (c *Coder) End(u *language.Utterance) (text string, ok bool) {
	s := u.Request()
	if timers.Rule("end").Find(s.Small) != nil {
		return c.endTimers(s), true
	}
	if ids := c.clock.named(s); len(ids) > 0 {
		return c.endAll(ids), true
	}
	return "", false
}

// tellAll tells what is done regularly, or what of it is of certain kinds, counted where that is asked.
func (c *Coder) tellAll(s *language.Request) string {
	now, kinds, count := c.o.Now(), kindsNamed(s), strings.HasPrefix(s.Lower, "how many")
	all := c.clock.list()
	if len(kinds) > 0 && kinds[0] != "" {
		alarms, timers := s.HasAny("alarm", "alarms"), s.HasAny("timer", "timers")
		all = slices.DeleteFunc(all, func(k Schedule) bool {
			return !slices.Contains(kinds, k.Kind) || alarms != timers && (alarms && !isAlarm(k.Text) || timers && !isTimer(k.Text))
		})
		if len(all) == 0 {
			return nothingOf(s)
		}
	}
	if len(all) == 0 {
		return "I am doing nothing regularly, and no reminder is set."
	}
	said := make([]string, 0, len(all))
	for _, k := range all[:min(len(all), 6)] {
		said = append(said, k.describe(now))
	}
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	if count {
		return fmt.Sprintf("%d: %s.", len(all), strings.Join(said, "; "))
	}
	return upper(strings.Join(said, "; ")) + "."
}

// nothingOf says that nothing is kept of what a sentence asks for.
func nothingOf(s *language.Request) string {
	switch {
	case s.HasAny("alarm", "alarms"):
		return "No alarm is set."
	case s.HasAny("timer", "timers", "countdown", "countdowns"):
		return noTimer
	case s.HasAny("reminder", "reminders", "remind"):
		return "No reminder is set."
	}
	return "There is nothing of that kind."
}

// describe says what a schedule does.
func (k *Schedule) describe(now time.Time) string {
	var text string
	what := strings.TrimRight(k.Text, ".")
	switch {
	case k.Kind == Watcher:
		text = "I watch until " + what
		if k.Does != "" {
			what += " and then do this: " + k.Does
			text = "I watch until " + what
		}
		if k.Watch != nil && k.Watch.Again {
			text = "I watch and tell you whenever " + what
			if k.Does != "" {
				text = "I watch, and do something whenever " + what
			}
		}
	case k.Kind == Reminder && k.Every > 0 && isAlarm(k.Text):
		text = "your alarm rings " + often(k.Every, k.Days, k.Next)
	case k.Kind == Reminder && k.Every > 0 && k.Clock:
		text = fmt.Sprintf("I remind you %s: %s", often(k.Every, k.Days, k.Next), what)
	case k.Kind == Reminder && k.Every > 0:
		text = fmt.Sprintf("I remind you %s: %s", sayEvery(k.Every), what)
	case k.Kind == Reminder && isTimer(k.Text):
		text = fmt.Sprintf("your %s has %s left", k.timer(false), sayDuration(max(0, k.Next.Sub(now)).Round(time.Second)))
	case k.Kind == Reminder && isAlarm(k.Text):
		text = "your alarm rings " + sayTime(k.Next, now)
	case k.Kind == Reminder:
		text = fmt.Sprintf("I remind you %s: %s", sayTime(k.Next, now), what)
	default:
		text = fmt.Sprintf("I do this %s: %s", sayEvery(k.Every), what)
		if k.Rounds > 0 {
			text += fmt.Sprintf(", %d more to go", k.Rounds)
		}
	}
	if k.Paused {
		text += " (paused)"
	}
	return text
}

func (c *Coder) endAll(ids []int) string {
	var said []string
	for _, k := range c.clock.list() {
		for _, id := range ids {
			if k.ID != id {
				continue
			}
			switch {
			case isTimer(k.Text):
				said = append(said, "your "+k.timer(false))
				continue
			case isAlarm(k.Text):
				said = append(said, "your alarm")
				continue
			}
			said = append(said, strings.TrimRight(k.Text, "."))
		}
	}
	return "I ended this: " + verbalize.And(said) + "." + c.endKept(ids)
}

// endKept takes schedules out, and says what is to be said where that cannot be kept.
func (c *Coder) endKept(ids []int) string {
	if err := c.clock.end(ids); err != nil {
		return " I cannot keep that, since " + unkept(err) + ": after a restart it begins again."
	}
	return ""
}

// kindOf is the kind of schedules that a word names; empty for any.
func kindOf(word string) (kind Kind, ok bool) {
	name, ok := scheduleKinds[word]
	if !ok {
		name, ok = scheduleKinds[strings.TrimSuffix(word, "s")]
	}
	if name == "any" {
		return "", ok
	}
	return Kind(name), ok
}

func kindsNamed(s *language.Request) (kinds []Kind) {
	for _, w := range s.Words {
		if k, ok := kindOf(w); ok {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

var (
	pointing  = language.Words("schedule-pointers")
	fillers   = language.Words("schedule-fillers")
	intervals = language.Map("schedule-intervals") // seconds
)

// named are the schedules that a sentence wants to be ended: those that explain all of its words.
func (s *scheduler) named(t *language.Request) (ids []int) {
	all := s.list()
	end := scheduleEnds.Rule("end").Find(t.Small)
	if len(all) == 0 || end == nil {
		return nil
	}
	words := strings.Fields(strings.ReplaceAll(end.After(), ",", " "))
	if len(words) == 0 {
		return nil
	}
	everything, points := false, true
	for _, w := range words {
		everything = everything || w == "all" || w == "everything"
		points = points && (pointing[w] || fillers[w] || w == "the")
	}
	if points {
		if everything || strings.Contains(t.Lower, "all ") {
			for _, k := range all {
				ids = append(ids, k.ID)
			}
			return ids
		}
		for _, w := range words {
			if pointing[w] {
				return []int{all[len(all)-1].ID} // what began last
			}
		}
		return nil
	}
	for _, k := range all {
		if k.explains(words) {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// explains says whether all words that mean something are about the schedule.
func (k *Schedule) explains(words []string) bool {
	about := content(k.Text)
	meant := 0
	for _, w := range words {
		if fillers[w] || pointing[w] || len(content(w)) == 0 {
			continue
		}
		meant++
		bare := strings.TrimSuffix(w, "s")
		kind, isKind := kindOf(w)
		switch every := atoi(intervals[w]); {
		case every > 0 && k.Every == time.Duration(every)*time.Second:
		case isKind && (kind == "" || kind == k.Kind) && (bare != "timer" || isTimer(k.Text)):
		case about[language.Stem(w)]:
		default:
			return false
		}
	}
	return meant > 0
}
