package coder

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
)

const (
	watchEvery = 5 * time.Second // and what was seen is believed when it is still there at the next look
	watchLong  = time.Hour
)

var (
	tellWhen  = regexp.MustCompile(`^(?:tell me|let me know|notify me|warn me|inform me|alert me|say something|give me a (?:sign|shout|call|hint)|ping me|call me|shout|beep|watch (?:out )?and tell me|watch the (?:table|desk|room|door) and tell me) (when|whenever|if|as soon as|once|every time|each time) (.+)$`)
	watchFor  = regexp.MustCompile(`^(?:watch out|watch|keep an eye out|look out|keep watch|be on the lookout) for (?:a |an |the |my )?([a-z]+(?: [a-z]+)?)$`)
	place     = regexp.MustCompile(` (?:on|at|in|near|before|in front of) (?:the |my |your |this )?(?:table|desk|view|sight|room|picture|camera|scene|you|me|front of you|floor|shelf|door)$`)
	anyNew    = regexp.MustCompile(`^(?:there is |there's |there are |you see |you notice |you spot |you detect )?(?:something|anything|a thing|things?)(?: is| are)?(?: new| else| different| changes| changed| appears?| shows up| comes into view| turns up| is there| added| is added| is put)(?: (?:is|appears|there|turns up|shows up|comes))?$`)
	anyGone   = regexp.MustCompile(`^(?:something|anything)(?: is| has)? (?:gone|missing|disappears?|disappeared|taken away|taken|removed|vanishes|vanished|stolen)$`)
	somebody  = regexp.MustCompile(`^(?:you see |you notice |there is |there's )?(?:someone|somebody|anyone|anybody|a person|people|a face|a visitor|a human)(?: (?:comes|enters|is|appears|walks|shows|there|arrives|in|up|by|home|back|here|new|at|the|door|room|into|view|sits|down))*$`)
	youSee    = regexp.MustCompile(`^(?:you (?:can )?(?:see|spot|notice|detect|find|recognise|recognize)|there is|there's) (?:a |an |the |my |your |some |another )?([a-z]+(?: [a-z]+)?)(?: again)?$`)
	thingHere = regexp.MustCompile(`^(?:a |an |the |my |your )([a-z]+(?: [a-z]+)?) (?:appears|shows up|turns up|comes into view|is visible|is back|comes back|is put|lies|is lying|stands|is standing|is)$`)
	thingGone = regexp.MustCompile(`^(?:a |an |the |my |your )([a-z]+(?: [a-z]+)?) (?:is gone|disappears|is missing|is taken(?: away)?|is removed|vanishes|is not there any ?more|is no longer there|leaves)$`)
)

// watcher finds out whether a sentence wants something to be watched for.
func (c *Coder) watcher(s *sentence, p planner.Plan) *regular {
	if !s.hasAny("tell", "let", "notify", "warn", "inform", "alert", "say", "give", "ping", "call", "shout", "beep", "watch", "keep", "look", "be") {
		return nil
	}
	w := &Watch{Known: []string{}}
	g := &regular{kind: Watcher, every: max(watchEvery, c.o.MinPoll), long: watchLong, watch: w}
	rest := s.nums
	if m := forLong.FindStringSubmatch(rest); m != nil && s.has("for") {
		if long, ok := period(m[1], m[2]); ok {
			g.long, rest = min(long, dayLong), cut(rest, forLong)
		}
	}
	if m := watchFor.FindStringSubmatch(rest); m != nil {
		g.what, w.Name, w.Based = "I see "+article(m[1]), m[1], true
		return g
	}
	m := tellWhen.FindStringSubmatch(rest)
	if m == nil || p.Outcome == planner.OutcomePlan && !s.hasAny("when", "whenever", "if", "once", "as", "time") {
		return nil
	}
	w.Again = m[1] == "whenever" || strings.HasSuffix(m[1], "time")
	what := m[2]
	there := place.FindString(what)
	what = strings.TrimSuffix(what, there)
	switch {
	case somebody.MatchString(what):
		g.what, w.Name, w.Based = "I see somebody", "face", true
	case anyNew.MatchString(what):
		g.what = "I see something new"
	case anyGone.MatchString(what):
		g.what, w.Gone = "something is gone", true
	default:
		if m := thingGone.FindStringSubmatch(what); m != nil {
			g.what, w.Name, w.Gone = "the "+m[1]+" is gone", m[1], true
		} else if m := youSee.FindStringSubmatch(what); m != nil {
			g.what, w.Name, w.Based = "I see "+article(m[1]), m[1], true
		} else if m := thingHere.FindStringSubmatch(what); m != nil && (there != "" || !strings.HasSuffix(what, " is")) {
			g.what, w.Name, w.Based = "I see "+article(m[1]), m[1], true
		} else {
			return nil
		}
	}
	return g
}

// args are the arguments of the watcher's tool.
func (w *Watch) args() json.RawMessage {
	a := args{"known": w.Known[:min(len(w.Known), 200)]}
	if w.Name != "" {
		a["name"] = w.Name
	}
	return raw(a)
}

// look takes in what was seen and says what a person should be told; empty: nothing.
func (w *Watch) look(res tool.Result) string {
	var now struct{ Seen, Appeared, Gone []string }
	text, err := json.Marshal(res.Data)
	if err != nil || json.Unmarshal(text, &now) != nil {
		return ""
	}
	if now.Seen == nil {
		now.Seen = []string{}
	}
	if !w.Based { // the first look says what there is
		w.Based, w.Known = true, now.Seen
		return ""
	}
	changed, other := now.Appeared, now.Gone
	if w.Gone {
		changed, other = other, changed
	}
	if len(changed) == 0 {
		w.Maybe = nil
		if len(other) > 0 { // what went away may come again
			w.Known = now.Seen
		}
		return ""
	}
	if !slices.Equal(changed, w.Maybe) { // a glimpse is not believed
		w.Maybe = changed
		return ""
	}
	w.Known, w.Maybe = now.Seen, nil
	return w.words(changed)
}

func (w *Watch) words(names []string) string {
	slices.Sort(names)
	names = slices.Compact(slices.Clone(names))
	things := make([]string, len(names))
	for i, n := range names {
		things[i] = "the " + n
		if n == "face" {
			things[i] = "somebody"
		}
	}
	switch {
	case w.Gone && len(things) == 1:
		return upper(things[0]) + " is gone."
	case w.Gone:
		return upper(verbalize.And(things)) + " are gone."
	case w.Name != "":
		return "I see " + verbalize.And(things) + "."
	}
	for i, n := range names {
		if n != "face" {
			things[i] = article(n)
		}
	}
	return "There is something new: " + verbalize.And(things) + "."
}

func article(n string) string {
	if strings.ContainsAny(n[:1], "aeiou") {
		return "an " + n
	}
	return "a " + n
}
