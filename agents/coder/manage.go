package coder

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/verbalize"
)

var (
	timesIn = regexp.MustCompile(`\b(?:\d+ times|once|twice|thrice)\b`)
	listing = regexp.MustCompile(`^(?:what (?:are you doing|do you do|else do you do|things do you do|have i asked you to do|are you supposed to do|did i ask you to do) (?:regularly|periodically|in the background|every (?:hour|day)|all the time|on a schedule)|(?:list|show|show me|read|tell me|what are|which are|name) (?:all |me )?(?:of )?(?:the |my |your |all your |all my |all )*(?:schedules?|reminders?|timers?|watchers|watches|routines?|regular (?:things|tasks|jobs)|background (?:tasks|jobs))(?: (?:there are|you have|are there|do you have|running|active))?|(?:what|which|how many) (?:schedules?|reminders?|timers?|watchers|routines?|regular tasks) (?:are there|are running|are active|do (?:you|i) have|have you|are set|did i set)|do (?:i|you) have (?:any )?(?:schedules?|reminders?|timers?|routines?)|what are you (?:watching|waiting|looking out) for|how long (?:is left )?(?:on|for) (?:the|my) timer|how much time is left(?: on (?:the|my) timer)?)$`)
	ending  = regexp.MustCompile(`^(?:cancel|end|delete|remove|drop|forget(?: about)?|quit|finish|kill|clear|turn off|switch off|stop|no more|do not|don't|abort) (?:.+)$`)
	goingOn = regexp.MustCompile(`^(?:go on(?: with (?:it|that|them|everything|your (?:routines?|schedules?)))?|resume(?: (?:it|that|them|everything|your (?:routines?|schedules?)|the (?:routines?|schedules?)))?|continue(?: (?:with )?(?:it|that|them|doing that|doing it|your (?:routines?|schedules?)))?|carry on|you may go on|start again)$`)
)

// manages finds out whether a sentence is about what is done regularly, and returns what answers it.
func (c *Coder) manages(s *sentence, p planner.Plan) func() string {
	switch {
	case p.Outcome == planner.OutcomeRefuse || s.lower == "":
		return nil
	case listing.MatchString(s.lower):
		return func() string { return c.tellAll(c.o.Now(), kindsNamed(s)) }
	case ending.MatchString(s.lower):
		if ids := c.clock.named(s); len(ids) > 0 {
			return func() string { return c.endAll(ids) }
		}
		if about := kindsNamed(s); len(about) > 0 && strings.HasPrefix(s.lower, "cancel") {
			return func() string { return "There is nothing of that kind to cancel." }
		}
	case goingOn.MatchString(s.lower):
		for _, k := range c.clock.list() {
			if k.Paused {
				return func() string {
					n := c.clock.resume()
					return fmt.Sprintf("I go on with %s.", counted(float64(n), "thing that I had paused", "things that I had paused"))
				}
			}
		}
	}
	return nil
}

// tellAll tells what is done regularly, or what of it is of certain kinds.
func (c *Coder) tellAll(now time.Time, kinds []Kind) string {
	all := c.clock.list()
	if len(kinds) > 0 && kinds[0] != "" {
		all = slices.DeleteFunc(all, func(k Schedule) bool { return !slices.Contains(kinds, k.Kind) })
		if len(all) == 0 {
			return "There is nothing of that kind."
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
	return upper(strings.Join(said, "; ")) + "."
}

// describe says what a schedule does.
func (k *Schedule) describe(now time.Time) string {
	var text string
	what := strings.TrimRight(k.Text, ".")
	switch {
	case k.Kind == Watcher:
		text = "I watch until " + what
		if k.Watch != nil && k.Watch.Again {
			text = "I watch and tell you whenever " + what
		}
	case k.Kind == Reminder && k.Every > 0:
		text = fmt.Sprintf("I remind you %s: %s", sayEvery(k.Every), what)
	case k.Kind == Reminder && k.Text == timerText:
		text = fmt.Sprintf("your timer has %s left", sayDuration(max(0, k.Next.Sub(now)).Round(time.Second)))
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
			if k.Text == timerText {
				said = append(said, "your timer")
				continue
			}
			said = append(said, strings.TrimRight(k.Text, "."))
		}
	}
	c.clock.end(ids)
	return "I ended this: " + verbalize.And(said) + "."
}

// kindWords are words for kinds of schedules.
var kindWords = map[string]Kind{
	"timer": Reminder, "alarm": Reminder, "reminder": Reminder, "remind": Reminder, "countdown": Reminder, "watch": Watcher, "watcher": Watcher, "watching": Watcher,
	"routine": Routine, "schedule": "", "job": "", "task": "",
}

func kindsNamed(s *sentence) (kinds []Kind) {
	for _, w := range s.words {
		if k, ok := kindWords[w]; ok {
			kinds = append(kinds, k)
		} else if k, ok := kindWords[strings.TrimSuffix(w, "s")]; ok {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

var (
	endWords  = regexp.MustCompile(`^(?:please )?(?:cancel|end|delete|remove|drop|forget(?: about)?|quit|finish|kill|clear|turn off|switch off|stop|no more|do not|don't|halt|abort)\b`)
	pointing  = map[string]bool{"that": true, "it": true, "this": true}
	fillers   = map[string]bool{"doing": true, "do": true, "thing": true, "regular": true, "more": true, "now": true, "again": true, "everything": true, "all": true, "and": true, "will": true, "anymore": true, "any": true, "your": true, "my": true, "every": true, "each": true, "regularly": true}
	intervals = map[string]time.Duration{"hourly": time.Hour, "hour": time.Hour, "daily": dayLong, "day": dayLong, "weekly": 7 * dayLong, "minute": time.Minute, "morning": dayLong, "evening": dayLong}
)

// named are the schedules that a sentence wants to be ended: those that explain all of its words.
func (s *scheduler) named(t *sentence) (ids []int) {
	all := s.list()
	if len(all) == 0 || !endWords.MatchString(t.lower) {
		return nil
	}
	words := strings.Fields(strings.ReplaceAll(endWords.ReplaceAllString(t.lower, ""), ",", " "))
	if len(words) == 0 {
		return nil
	}
	everything, points := false, true
	for _, w := range words {
		everything = everything || w == "all" || w == "everything"
		points = points && (pointing[w] || fillers[w] || w == "the")
	}
	if points {
		if everything || strings.Contains(t.lower, "all ") {
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
		kind, isKind := kindWords[w]
		if !isKind {
			kind, isKind = kindWords[bare]
		}
		switch every, isInterval := intervals[w]; {
		case isInterval && k.Every == every:
		case isKind && (kind == "" || kind == k.Kind) && (bare != "timer" || k.Text == timerText):
		case about[stem(w)]:
		default:
			return false
		}
	}
	return meant > 0
}
