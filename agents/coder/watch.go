package coder

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

const (
	watchEvery = 5 * time.Second // and what was seen is believed when it is still there at the next look
	watchLong  = time.Hour
)

// The sentences are in perception/language/en/coder.txt.
var (
	watches = language.Sentences("watches")
	events  = language.Sentences("events")
	places  = language.Patterns("places")
)

// watcher finds out whether a sentence wants something to be watched for.
func (c *Coder) watcher(s *language.Request, p planner.Plan) *regular {
	if !s.HasAny("tell", "let", "notify", "warn", "inform", "alert", "say", "give", "ping", "call", "shout", "beep", "watch", "keep", "look", "be") {
		return nil
	}
	w := &Watch{Known: []string{}}
	g := &regular{kind: Watcher, every: max(watchEvery, c.o.MinPoll), long: watchLong, watch: w}
	rest := s.Digits
	if m := find("long", rest); m != nil && s.Has("for") {
		if long, ok := period(m.Slot("count"), m.Slot("unit")); ok {
			g.long, rest = min(long, dayLong), cut(m)
		}
	}
	m := watches.Find(template.Split(rest))
	if m == nil {
		return nil
	}
	if name := m.Slot("name"); name != "" {
		g.what, w.Name, w.Based = "I see "+article(name), name, true
		return g
	}
	if p.Outcome == planner.OutcomePlan && !s.HasAny("when", "whenever", "if", "once", "as", "time") {
		return nil
	}
	w.Again = m.Slot("when") == "whenever" || strings.HasSuffix(m.Slot("when"), "time")
	if !g.watchesFor(m.Slot("what")) {
		return nil
	}
	return g
}

// watchesFor reads what is to happen before a person is told, and reports whether it can be watched for.
func (g *regular) watchesFor(what string) bool {
	w, there := g.watch, false
	if m := places.Rule("place").Find(template.Split(what)); m != nil && m.Before() != "" {
		what, there = m.Before(), true
	}
	m := events.Find(template.Split(what))
	if m == nil {
		return false
	}
	name := m.Slot("name")
	switch m.Rule.Name {
	case "somebody":
		g.what, w.Name, w.Based = "I see somebody", "face", true
	case "new":
		g.what = "I see something new"
	case "gone":
		g.what, w.Gone = "something is gone", true
	case "thing-gone":
		g.what, w.Name, w.Gone = "the "+name+" is gone", name, true
	case "thing-here":
		if !there && strings.HasSuffix(what, " is") {
			return false
		}
		fallthrough
	default:
		g.what, w.Name, w.Based = "I see "+article(name), name, true
	}
	return true
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
