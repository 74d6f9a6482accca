package coordinator

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// chat is the reply to what is no command where there is no runtime to answer it.
const chat = `Try "look left" or "nod twice".`

// words makes the reply of a turn.
func (c *Coordinator) words(t *Trace) string {
	switch t.Plan.Outcome {
	case planner.OutcomePlan:
	case planner.OutcomeNone:
		return unplanned(t.Plan.Message)
	case planner.OutcomeError:
		return or(t.Plan.Message, "I cannot do that.")
	default:
		return or(t.Plan.Message, "I must not do that.")
	}
	if len(t.Steps) == 0 {
		return or(t.Plan.Message, "There was nothing to do.")
	}
	last := t.Steps[len(t.Steps)-1]
	if last.Result.OK() {
		return done(t.Steps)
	}
	return failed(done(t.Steps[:len(t.Steps)-1]), last, t.steps()[len(t.Steps)-1:])
}

// unplanned is the reply to what is no command: a question back stands alone, else it is said what the robot can do.
func unplanned(message string) string {
	switch {
	case message == "":
		return chat
	case strings.HasSuffix(message, "?"):
		return message
	}
	return message + " " + chat
}

// Did says in words what steps have done: "I looked left, nodded twice and bowed."
func Did(steps []Step) string { return done(steps) }

// Infinitive names a step as what is still to be done: "look at the apple".
func Infinitive(s planner.Step) string { return infinitive(s) }

// done says what was done: the results that begin with "I " become one sentence, the others follow.
func done(steps []Step) string {
	var acts, rest []string
	times := 1 // that the last of acts was done
	for _, s := range steps {
		text := strings.TrimSpace(s.Result.Message)
		act, isAct := strings.CutPrefix(text, "I ")
		act = strings.TrimSuffix(act, ".")
		switch {
		case text == "":
		// A sentence within, or one after others that cannot be joined, stands alone.
		case !isAct || strings.Contains(act, ". ") || strings.Contains(act, ";") || len(rest) > 0:
			rest = append(rest, text)
		case len(acts) > 0 && acts[len(acts)-1] == act:
			times++
		default:
			count(acts, times)
			acts, times = append(acts, act), 1
		}
	}
	count(acts, times)
	if len(acts) > 0 {
		rest = append([]string{"I " + verbalize.List(acts) + "."}, rest...)
	}
	return strings.Join(rest, " ")
}

// count says that the last of acts was done several times.
func count(acts []string, times int) {
	switch {
	case times == 2:
		acts[len(acts)-1] += " twice"
	case times > 2:
		acts[len(acts)-1] += fmt.Sprintf(" %d times", times)
	}
}

// failed says what was done, which step failed and why, and what was therefore not done. todo begins with the step.
func failed(before string, bad Step, todo []planner.Step) string {
	var b strings.Builder
	why, sofar, _ := strings.Cut(bad.Result.Message, byThen)
	switch bad.Result.Code {
	case hal.CodeEStop:
		if before == "" {
			return why // how it goes on, and nothing else
		}
		fmt.Fprintf(&b, "I could not %s: %s", infinitive(todo[0]), lower(why))
	case tool.CodeCancelled, tool.CodeStopped:
		fmt.Fprintf(&b, "%s before I was done with this: %s.", interrupted(why), infinitive(todo[0]))
	default:
		doing := "I could not " + infinitive(todo[0])
		if !strings.HasPrefix(why, doing) { // a tool may say itself what it could not
			why = doing + ": " + lower(why)
		}
		b.WriteString(why)
	}
	if sofar != "" {
		b.WriteString(byThen + sofar)
	}
	text := b.String()
	if before != "" {
		text = strings.TrimSuffix(before, ".") + ", but " + lower(text)
		if strings.Contains(before, ". ") {
			text = before + " But " + lower(b.String())
		}
	}
	if len(todo) > 1 {
		rest := make([]string, 0, len(todo)-1)
		for _, s := range todo[1:] {
			rest = append(rest, infinitive(s))
		}
		text += " So I did not " + verbalize.Either(rest) + "."
	}
	return text
}

// byThen begins what tools say of what they had done when they were interrupted.
const byThen = " By then I had "

// interrupted is the result's sentence without its end: "I was interrupted: a newer command took over" and its like.
func interrupted(why string) string {
	why = strings.TrimSuffix(why, ".")
	if !strings.HasPrefix(why, "I was ") {
		return "I was interrupted"
	}
	if at := strings.Index(why, ": "); at >= 0 {
		return why[:at] + " (" + why[at+2:] + ")"
	}
	return why
}

// infinitive names a step: "look at the apple".
func infinitive(s planner.Step) string {
	t := catalog.ToolNamed(s.Tool)
	if t == nil {
		return "use " + s.Tool
	}
	arg := func(name string) string {
		v, _ := s.Args[name].(string)
		return v
	}
	switch {
	case t.Name == "look_at" && arg("target") == "":
		return "look there"
	case t.Name == "repeat":
		return "repeat " + repeated(s.Args["steps"])
	case t.Name == "gesture":
		if g := catalog.GestureNamed(arg("name")); g != nil {
			return g.Act
		}
	}
	act := t.Act
	for _, a := range t.Arguments {
		act = strings.ReplaceAll(act, "{"+a.Name+"}", arg(a.Name))
	}
	return act
}

// repeated names the steps of a repeat, which are Go values or came from JSON.
func repeated(steps any) string {
	var all []planner.Step
	raw, err := json.Marshal(steps)
	if err != nil || json.Unmarshal(raw, &all) != nil || len(all) == 0 {
		return "that"
	}
	var names []string
	for _, s := range all {
		if s.Tool == "repeat" {
			names = append(names, "something")
			continue
		}
		names = append(names, "to "+infinitive(s))
	}
	return "this: " + verbalize.List(names)
}

// lower writes the first letter small, unless the word is "I".
func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if strings.HasPrefix(s, "I ") || n == 0 {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
