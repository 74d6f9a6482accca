package coder

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language"
)

// revision is something that is to be done with a tool that is there, or an order to write one.
type revision struct {
	do      string // write, change, faster, rollback, upgrade
	about   string // words that name the tool
	version int    // 0: none named
	name    string // of the tool
}

// The sentences are in perception/language/en/coder.txt.
var (
	ordersForTools = language.Patterns("orders-for-tools")
	revisions      = language.Sentences("revisions")
)

// known is a revision of a tool that is there; nil when it is not.
func (c *Coder) known(v *revision) *revision {
	if v == nil || v.do == "write" {
		return v
	}
	found := *v
	if found.name = c.named(v.about); found.name == "" {
		return nil
	}
	return &found
}

// meant is what a sentence wants to be done with what it calls a tool; nil when it wants nothing of the kind.
func (c *Coder) meant(s *language.Request, p planner.Plan) *revision {
	if !mayRevise(s, p) {
		return nil
	}
	return c.wants(s)
}

func (c *Coder) wants(s *language.Request) *revision {
	if ordersForTools.Find(s.Small) != nil {
		return &revision{do: "write"}
	}
	m := revisions.Find(s.Counted)
	if m == nil {
		return nil
	}
	v := &revision{do: m.Rule.Name, about: m.Slot("tool"), version: atoi(strings.TrimPrefix(m.Slot("version"), "v"))}
	if v.do == "back" {
		v.do = "rollback"
	}
	return v
}

// named finds the self-made tool that words name: all of them must be in its name or in what it says of itself.
func (c *Coder) named(about string) string {
	wanted := content(strings.TrimPrefix(about, "tool "))
	delete(wanted, "tool")
	delete(wanted, "version")
	if len(wanted) == 0 {
		return ""
	}
	best, most := "", 0.0
	for _, s := range c.o.Tools.List() {
		has := content(s.Name + " " + s.Description)
		all := true
		for w := range wanted {
			all = all && has[w]
		}
		score := overlap(wanted, content(s.Name))
		if !all || score <= most {
			continue
		}
		if _, err := c.o.Maker.Version(s.Name, 0); err == nil { // not one of the robot's own
			best, most = s.Name, score
		}
	}
	return best
}

// make does what was meant.
func (v *revision) make(ctx context.Context, c *Coder, r coordinator.Request) coordinator.Answer {
	switch v.do {
	case "write":
		return c.write(ctx, r)
	case "rollback", "upgrade":
		return v.switchTo(ctx, c)
	}
	if c.o.Policy == Never {
		return coordinator.Answer{Outcome: coordinator.OutcomeRefuse, Text: "I am not allowed to change my tools."}
	}
	return v.change(ctx, c, r)
}

// change writes a new version.
func (v *revision) change(ctx context.Context, c *Coder, r coordinator.Request) coordinator.Answer {
	if refused := guard.Input(r.Said()); !refused.OK() {
		return coordinator.Answer{Outcome: coordinator.OutcomeRefuse, Text: refused.Text}
	}
	if c.o.Model == nil || c.o.Model.Ready(llm.RoleCode) != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "I can change my tools only with a language model, and there is none just now."}
	}
	present, err := c.o.Maker.Version(v.name, 0)
	if err != nil {
		return failed(ctx, "I cannot reach that tool just now.")
	}
	trace.Note(ctx, trace.Search, "tools", fmt.Sprintf("%s v%d is to be changed", present.Name, present.Number))
	w := &writing{c: c, request: r.Text, present: present, faster: v.do == "faster"}
	return w.run(ctx, r)
}

// switchTo makes another version the one that is called.
func (v *revision) switchTo(ctx context.Context, c *Coder) coordinator.Answer {
	if c.o.Do == nil {
		return failed(ctx, "I cannot change versions here.")
	}
	a, action := args{"name": v.name, "author": Writer}, "rollback"
	if v.version > 0 {
		a["version"], action = v.version, "activate"
	} else if v.do == "upgrade" {
		latest := 0
		for n := 1; n < 1000; n++ {
			if _, err := c.o.Maker.Version(v.name, n); err != nil {
				break
			}
			latest = n
		}
		a["version"], action = latest, "activate"
	}
	ctx, span := trace.Start(ctx, trace.Code, action, v.name)
	_, err := c.o.Do(ctx, action, raw(a))
	span.End(err)
	if err != nil {
		return failed(ctx, fmt.Sprintf("I could not do that: %s.", strings.TrimRight(err.Error(), ".")))
	}
	now := "its version of before"
	if version, err := c.o.Maker.Version(v.name, 0); err == nil {
		now = fmt.Sprintf("version %d", version.Number)
	}
	return answered(fmt.Sprintf("The tool %s is %s again.", v.name, now))
}

// mayRevise says whether a sentence may be about a tool: the planner takes "roll back the greeting tool" for a movement.
func mayRevise(s *language.Request, p planner.Plan) bool {
	return p.Outcome == planner.OutcomeNone || p.Outcome != planner.OutcomeRefuse && (s.HasAny("tool", "version") || slices.ContainsFunc(s.Words, namesTool))
}

// namesTool reports whether a word is the name of a tool as people write it: count_books.
func namesTool(word string) bool { return strings.Contains(word, "_") }
