package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// tool makes or finds the tool of one round, and returns its name and arguments. A reminder is said by the robot's own speech:
// it must come in time, also where no tool can be made.
func (g *regular) tool(ctx context.Context, c *Coder, prompt string) (name string, a args, err error) {
	var k *toolTemplate
	switch g.kind {
	case Reminder:
		text := g.what
		if !ownText(text) {
			text = "I was to remind you: " + sentenceEnd(g.what)
		}
		return "speak", args{"text": text}, nil
	case Watcher:
		k, a = newInView, args{"known": g.watch.Known}
		if g.watch.Name != "" {
			a["name"] = g.watch.Name
		}
	default:
		k, a = round(g)
	}
	t, err := c.ensure(ctx, k, prompt)
	return t.name, a, err
}

var newInView = &toolTemplate{
	name: "new_in_view", does: "Compare what the robot sees with what it saw before.",
	cases: []tester.Case{
		seen("something new", `{"known":["apple"]}`, `{"seen":["apple","cup"],"appeared":["cup"],"gone":[]}`, "cup", "apple"),
		seen("something gone", `{"known":["apple","cup"]}`, `{"seen":["cup"],"appeared":[],"gone":["apple"]}`, "cup"),
		seen("a second one", `{"known":["cup"]}`, `{"seen":["cup","cup"],"appeared":["cup"],"gone":[]}`, "cup", "cup"),
		seen("only cups", `{"known":[],"name":"cup"}`, `{"seen":["cup"],"appeared":["cup"],"gone":[]}`, "cup", "apple"),
		{Name: "no camera", Input: json.RawMessage(`{"known":[]}`), Robot: tester.Conditions{CameraAway: true}, Error: "RuntimeError"},
		{Name: "too many", Input: raw(args{"known": slices.Repeat([]string{"x"}, 201)}), Error: "ValueError"},
	},
}

func seen(name, input, expected string, things ...string) tester.Case {
	c := tester.Case{Name: name, Input: json.RawMessage(input), Expected: json.RawMessage(expected)}
	for i, t := range things {
		c.Robot.Objects = append(c.Robot.Objects, tester.Object{Name: t, Box: [4]float64{float64(100 * i), 100, 50, 50}, Confidence: 0.9})
	}
	return c
}

// slug makes a name of words: "look left and right" is look_left_and_right.
func slug(what, ending string) string {
	const most = 48
	var words []string
	n := len(ending)
	for _, w := range strings.FieldsFunc(strings.ToLower(what), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(words) > 0 && slices.Contains([]string{"a", "an", "the", "your", "my", "times"}, w) || len(w) == 1 {
			continue
		}
		if n += len(w) + 1; n > most-2 { // room for _2
			break
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		words = []string{"do"}
	}
	return strings.Join(append(words, ending), "_")
}

// withoutTimes takes "3 times" and its like out of a text.
func withoutTimes(text string) string {
	for m := find("times", text); m != nil; m = find("times", text) {
		text = m.Before() + "   " + m.After()
	}
	return text
}

// round makes the tool that does one round of a routine.
func round(g *regular) (*toolTemplate, args) {
	steps, times := g.steps, 1
	if len(steps) == 1 && steps[0].Tool == "repeat" && asNumber(steps[0].Args["interval"]) == 0 {
		times = int(asNumber(steps[0].Args["times"]))
		steps, _ = steps[0].Args["steps"].([]planner.Step)
	}
	const most = 20
	times = min(max(times, 1), most)
	name := slug(withoutTimes(g.what), "round")
	does := docText(withoutTimes(g.what))
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"A routine.\"\"\"\n%simport reachy\n\n\ndef %s(times: int = 1) -> dict[str, int]:\n", importTime(steps), name)
	fmt.Fprintf(&b, "    \"\"\"Does one round of this: %s.\n\n    Args:\n        times: how often it is done within the round, 1 to %d.\n\n", does, most)
	fmt.Fprintf(&b, "    Returns:\n        How often it was done.\n    \"\"\"\n    if not 1 <= times <= %d:\n        raise ValueError(f\"times {times}: "+
		"allowed are 1 to %d\")\n", most, most)
	b.WriteString("    try:\n        for _ in range(times):\n")
	writeSteps(&b, steps, "            ")
	b.WriteString("    except reachy.HostError as error:\n        raise RuntimeError(f\"the robot did not do it: {error}\") from error\n    return " +
		"{\"times\": times}\n")
	calls := callsOf(steps)
	k := &toolTemplate{name: name, does: "One round of: " + does + ".", source: b.String(), cases: []tester.Case{
		{Name: "once", Expected: json.RawMessage(`{"times":1}`), Predicate: fmt.Sprintf("len(calls) == %d", calls)},
		{Name: "thrice", Input: json.RawMessage(`{"times":3}`), Predicate: fmt.Sprintf("result['times'] == 3 and len(calls) == %d", 3*calls)},
		{Name: "too often", Input: json.RawMessage(`{"times":21}`), Error: "ValueError"},
		{Name: "never", Input: json.RawMessage(`{"times":0}`), Error: "ValueError"},
	}}
	k.cases = append(k.cases, refusing(steps)...)
	return k, args{"times": times}
}

// repeatedly makes the tool that does all rounds of a routine.
func repeatedly(g *regular) *toolTemplate {
	name := slug(g.what, "repeatedly")
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"A routine.\"\"\"\nimport time\nimport reachy\n\n\ndef %s(interval: float = 5.0, duration: float = 60.0) -> dict[str, int]:\n", name)
	fmt.Fprintf(&b, "    \"\"\"Does this again and again: %s.\n\n    Args:\n        interval: seconds from the beginning of one round to that of the "+
		"next, 1 to 60.\n", docText(g.what))
	fmt.Fprintf(&b, "        duration: seconds for all rounds, 1 to %d.\n\n    Returns:\n        How many rounds there were.\n    \"\"\"\n",
		int(foreground.Seconds()))
	fmt.Fprintf(&b, "    if not 1 <= interval <= 60:\n        raise ValueError(f\"interval {interval}: allowed are 1 to 60 seconds\")\n")
	fmt.Fprintf(&b, "    if not 1 <= duration <= %d:\n        raise ValueError(f\"duration {duration}: allowed are 1 to %d seconds\")\n",
		int(foreground.Seconds()), int(foreground.Seconds()))
	b.WriteString("    rounds = max(1, int(duration / interval + 0.5))\n    began = time.monotonic()\n    try:\n        for number in range(rounds):\n")
	b.WriteString("            time.sleep(max(0.0, began + number * interval - time.monotonic()))\n")
	writeSteps(&b, g.steps, "            ")
	b.WriteString("    except reachy.HostError as error:\n        raise RuntimeError(f\"the robot did not do it: {error}\") from error\n    return " +
		"{\"rounds\": rounds}\n")
	calls := callsOf(g.steps)
	k := &toolTemplate{name: name, does: "Again and again: " + docText(g.what) + ".", source: b.String()}
	for _, c := range [][2]float64{{5, 60}, {20, 60}, {60, 20}} {
		rounds := max(1, math.Floor(c[1]/c[0]+0.5))
		k.cases = append(k.cases, tester.Case{
			Name: fmt.Sprintf("every %v of %v seconds", c[0], c[1]), Input: raw(args{"interval": c[0], "duration": c[1]}), Expected: raw(args{"rounds": rounds}),
			Predicate: fmt.Sprintf("len(calls) == %v and seconds >= %v", rounds*float64(calls), (rounds-1)*c[0]-0.01),
		})
	}
	k.cases = append(
		k.cases,
		tester.Case{Name: "too often", Input: json.RawMessage(`{"interval":0}`), Error: "ValueError"},
		tester.Case{Name: "too long", Input: json.RawMessage(`{"duration":100000}`), Error: "ValueError"},
	)
	k.cases = append(k.cases, refusing(g.steps)...)
	return k
}

// docText is a text as it may stand in a docstring.
func docText(what string) string {
	text := strings.Join(strings.FieldsFunc(what, func(r rune) bool { return r < ' ' || strings.ContainsRune(" \"\\", r) }), " ")
	return truncate.Runes(text, 120)
}

func importTime(steps []planner.Step) string {
	need := false
	var look func([]planner.Step)
	look = func(steps []planner.Step) {
		for _, s := range steps {
			need = need || s.Tool == "wait" || s.Tool == "repeat" && asNumber(s.Args["interval"]) > 0
			if inner, ok := s.Args["steps"].([]planner.Step); ok {
				look(inner)
			}
		}
	}
	if look(steps); need {
		return "import time\n"
	}
	return ""
}

// writeSteps writes steps as Python.
func writeSteps(b *strings.Builder, steps []planner.Step, indent string) {
	for _, s := range steps {
		inner, _ := s.Args["steps"].([]planner.Step)
		switch s.Tool {
		case "repeat":
			fmt.Fprintf(b, "%sfor _ in range(%d):\n", indent, int(asNumber(s.Args["times"])))
			writeSteps(b, inner, indent+"    ")
			if pause := asNumber(s.Args["interval"]); pause > 0 {
				fmt.Fprintf(b, "%s    time.sleep(%v)\n", indent, pause)
			}
		case "wait":
			fmt.Fprintf(b, "%stime.sleep(%v)\n", indent, asNumber(s.Args["seconds"]))
		default:
			given := make([]string, 0, len(s.Args))
			for _, name := range slices.Sorted(maps.Keys(s.Args)) {
				given = append(given, name+"="+literal(s.Args[name]))
			}
			fmt.Fprintf(b, "%sreachy.%s(%s)\n", indent, s.Tool, strings.Join(given, ", "))
		}
	}
}

// literal is a plain value in Python.
func literal(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case nil:
		return "None"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "None"
	}
	return string(text)
}

// callsOf is how many calls of the robot steps make.
func callsOf(steps []planner.Step) int {
	n := 0
	for _, s := range steps {
		switch inner, ok := s.Args["steps"].([]planner.Step); {
		case ok && s.Tool == "repeat":
			n += int(asNumber(s.Args["times"])) * callsOf(inner)
		case s.Tool != "wait":
			n++
		}
	}
	return n
}

// refusing is the case in which the robot does not do the first step.
func refusing(steps []planner.Step) []tester.Case {
	first := ""
	walk(steps, func(s planner.Step) {
		if first == "" && s.Tool != "wait" {
			first = s.Tool
		}
	})
	if first == "" {
		return nil
	}
	return []tester.Case{{
		Name: "the robot refuses", Robot: tester.Conditions{Fail: map[string]string{first: "the emergency stop is latched"}},
		Error: "emergency stop",
	}}
}
