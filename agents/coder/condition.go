package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// conditions are sentences in which something is done when something is seen; see perception/language/en/coder.txt.
var conditions = language.Sentences("conditions")

// condition is what is done at once if something is seen, and else.
type condition struct {
	name      string // of the thing
	does      string
	then      []planner.Step
	other     string // what is done when it is not seen; empty: nothing
	otherwise []planner.Step
}

// when finds out whether a sentence wants something to be done as soon as something is seen: "when you see the duck, nod".
func (c *Coder) when(s *language.Request, p planner.Plan) *regular {
	for _, m := range conditions.All(s.Counted) {
		if m.Rule.Name == "if" || m.Rule.Name == "when-behind" && feels(p) {
			continue
		}
		w := &Watch{Known: []string{}, Again: m.Slot("when") != "when" && m.Slot("when") != "as soon as" && m.Slot("when") != "once"}
		g := &regular{kind: Watcher, every: max(watchEvery, c.o.MinInterval), long: watchLong, watch: w}
		for what, does := range partings(m) {
			if !g.watchesFor(what) {
				continue
			}
			if g.steps = c.doable(does); g.steps != nil {
				g.does = does
				return g
			}
		}
	}
	return nil
}

// feels says whether a plan only shows a feeling, which "when you see me" tells of rather than waits for.
func feels(p planner.Plan) bool {
	return p.Outcome == planner.OutcomePlan && len(p.Steps) == 1 && p.Steps[0].Tool == "express_emotion"
}

// partings goes through the ways to part a sentence into its condition and what is done, where no word stands between them.
func partings(m *template.Match) func(yield func(what, does string) bool) {
	trim := func(t string) string { return strings.Trim(t, " ,") }
	return func(yield func(what, does string) bool) {
		if does := m.Slot("do"); does != "" {
			yield(trim(m.Slot("what")), trim(does))
			return
		}
		words := strings.Fields(m.Slot("both"))
		for i := len(words) - 1; i > 1; i-- {
			if !yield(trim(strings.Join(words[:i], " ")), trim(strings.Join(words[i:], " "))) {
				return
			}
		}
	}
}

// ifSeen finds out whether a sentence wants something to be done now if something is seen, and perhaps something else if not.
func (c *Coder) ifSeen(s *language.Request) *condition {
	for _, m := range conditions.All(s.Counted) {
		if m.Rule.Name != "if" {
			continue
		}
		for what, does := range partings(m) {
			g := &regular{watch: &Watch{}}
			if !g.watchesFor(what) || g.watch.Name == "" || g.watch.Gone {
				continue
			}
			k := &condition{name: g.watch.Name, does: does, then: c.doable(does), other: strings.Trim(m.Slot("else"), " ,")}
			if k.then == nil {
				continue
			}
			if k.other != "" {
				if k.otherwise = c.doable(k.other); k.otherwise == nil {
					continue
				}
			}
			return k
		}
	}
	return nil
}

// template is the tool that looks and does it.
func (k *condition) template() *toolTemplate {
	name := slug(k.does, "if_seen")
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"A routine with a condition.\"\"\"\n%simport reachy\n\n\ndef %s(name: str) -> dict[str, bool]:\n",
		importTime(append(append([]planner.Step{}, k.then...), k.otherwise...)), name)
	fmt.Fprintf(&b, "    \"\"\"Looks, and does this if a thing is seen: %s.\n\n    Args:\n"+
		"        name: the thing's name, 1 to 60 characters.\n\n", docText(k.does))
	b.WriteString("    Returns:\n        Whether it was seen.\n    \"\"\"\n    if not 1 <= len(name) <= 60:\n" +
		"        raise ValueError(f\"{len(name)} characters: allowed are 1 to 60\")\n    try:\n" +
		"        seen = any(thing[\"name\"] == name for thing in reachy.detect_objects()[\"objects\"])\n        if seen:\n")
	writeSteps(&b, k.then, "            ")
	if len(k.otherwise) > 0 {
		b.WriteString("        else:\n")
		writeSteps(&b, k.otherwise, "            ")
	}
	b.WriteString("    except reachy.HostError as error:\n        raise RuntimeError(f\"the robot did not do it: {error}\") from error\n" +
		"    return {\"seen\": seen}\n")
	input := raw(args{"name": k.name})
	with := tester.Conditions{Objects: []tester.Object{{Name: k.name, Box: [4]float64{100, 100, 50, 50}, Confidence: 0.9}}}
	return &toolTemplate{
		name: name, source: b.String(), does: "If a thing is seen: " + docText(k.does) + ".",
		cases: []tester.Case{
			{
				Name: "it is there", Input: input, Robot: with, Expected: json.RawMessage(`{"seen":true}`),
				Predicate: fmt.Sprintf("len(calls) == %d", 1+callsOf(k.then)),
			},
			{
				Name: "it is not there", Input: input, Expected: json.RawMessage(`{"seen":false}`),
				Predicate: fmt.Sprintf("len(calls) == %d", 1+callsOf(k.otherwise)),
			},
			{Name: "no camera", Input: input, Robot: tester.Conditions{CameraAway: true}, Error: "RuntimeError"},
			{Name: "no name", Input: json.RawMessage(`{"name":""}`), Error: "ValueError"},
		},
	}
}

// make looks and does it, and says what was seen and done.
func (k *condition) make(ctx context.Context, c *Coder, r coordinator.Request) coordinator.Answer {
	g := &regular{kind: Watcher, steps: append(append([]planner.Step{}, k.then...), k.otherwise...)}
	if why := g.lacks(c); why != "" {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "I cannot do that: " + why + "."}
	}
	t, err := c.ensure(ctx, k.template(), r.Text)
	if err != nil {
		return failed(ctx, err.Error())
	}
	res := r.Call(ctx, t.name, raw(args{"name": k.name}))
	if !res.OK() {
		return c.unable(ctx, res)
	}
	var out struct{ Seen bool }
	if text, err := json.Marshal(res.Data); err != nil || json.Unmarshal(text, &out) != nil {
		return failed(ctx, "I do not know what came of that.")
	}
	thing := article(k.name)
	if k.name == "face" {
		thing = "anybody"
	}
	switch {
	case out.Seen:
		return answered(fmt.Sprintf("I see %s, so I did this: %s.", strings.Replace(thing, "anybody", "somebody", 1), k.does))
	case k.other == "":
		return answered(fmt.Sprintf("I do not see %s, so I did nothing.", thing))
	}
	return answered(fmt.Sprintf("I do not see %s, so I did this: %s.", thing, k.other))
}
