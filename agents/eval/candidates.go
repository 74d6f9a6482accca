package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// A tool is asked for several times; what a program can put right is put right, and of the candidates that one is taken which
// answers like most others to inputs that a program makes up. The hidden tests have no part in it.

// candidates is how many there are at most; two that answer alike are enough.
const candidates = 4

// lively is the temperature of all but the first.
const lively = 0.7

// candidate is one way in which a model has written a tool.
type candidate struct {
	source  string
	answers []string // to the probes
	broken  string   // why it cannot be right, whatever it answers; empty when it may
	refuses int      // probes that it refuses with an error of which the task says nothing
}

// function is what a task must define.
func (t *Task) function() mend.Function {
	f := mend.Function{Name: t.Name, Signature: t.Signature, Summary: firstSentence(t.Does), Returns: "The result."}
	for _, p := range t.parameters() {
		f.Parameters = append(f.Parameters, mend.Parameter{Name: p[0], Text: p[1]})
	}
	return f
}

func firstSentence(text string) string {
	if at := strings.Index(text, ". "); at > 0 {
		return text[:at]
	}
	return strings.TrimSuffix(text, ".")
}

var parameterText = regexp.MustCompile(`(\w+): ((?:[^,\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])+)`)

// parameters are the names and types of a task.
func (t *Task) parameters() (out [][2]string) {
	inside := t.Signature[1:strings.LastIndex(t.Signature, ")")]
	for _, m := range parameterText.FindAllStringSubmatch(inside, -1) {
		kind, _, _ := strings.Cut(m[2], "=")
		out = append(out, [2]string{m[1], strings.TrimSpace(kind)})
	}
	return out
}

// values are what a parameter of a type is tried with.
var values = map[string][]string{
	"str":              {`"Hello, World 12!"`, `""`, `"a"`, `"level"`, `"2024-02-29"`, `"one two two three"`},
	"int":              {`7`, `0`, `1`, `-3`, `12`, `2024`},
	"float":            {`2.5`, `0`, `-1.5`, `100`, `0.1`, `7`},
	"bool":             {`true`, `false`},
	"list[int]":        {`[3,1,2]`, `[]`, `[5]`, `[2,2,-1,0]`},
	"list[float]":      {`[3,1,2.5]`, `[]`, `[5]`, `[2,2,-1,0]`},
	"list[str]":        {`["pear","Apple","fig"]`, `[]`, `["a","a","b"]`, `["listen","silent"]`},
	"dict[str, int]":   {`{"a":1,"b":2}`, `{}`, `{"b":3,"c":-1}`},
	"dict[str, str]":   {`{"a":"x","b":"y"}`, `{}`},
	"dict[str, float]": {`{"a":1.5}`, `{}`},
	"list[list[int]]":  {`[[1,2],[3,4]]`, `[]`, `[[1],[2]]`}, "list[list[float]]": {`[[1,2],[3,4]]`, `[]`, `[[1.5]]`},
}

// probes are inputs made of the types of a task alone.
func (t *Task) probes() []tester.Case {
	ps := t.parameters()
	most := 1
	for _, p := range ps {
		most = max(most, len(values[p[1]]))
	}
	var out []tester.Case
	for i := range most {
		in := map[string]json.RawMessage{}
		for k, p := range ps {
			all := values[p[1]]
			if len(all) == 0 {
				return nil
			}
			in[p[0]] = json.RawMessage(all[(i+k*(i/2))%len(all)])
		}
		raw, err := json.Marshal(in)
		if err != nil {
			return nil
		}
		out = append(out, tester.Case{Name: fmt.Sprintf("probe %d", i+1), Input: raw, NoCrash: true})
	}
	return out
}

// wrongAnyway are errors that no tool should end with, whatever it is given.
var wrongAnyway = []string{
	"NameError", "AttributeError", "ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "UnboundLocalError", "RecursionError",
}

// try runs a candidate with the probes.
func (s *Suite) try(ctx context.Context, t *Task, source string) (candidate, error) {
	c := candidate{source: source}
	report, err := tester.Run(ctx, python.Language{Box: s.Sandbox}, source, t.Name, t.probes(), onFake)
	if err != nil {
		return c, err
	}
	for _, o := range report.Outcomes {
		answer := string(o.Value)
		if o.Error != nil {
			answer = o.Error.Type
			if c.broken == "" && slices.Contains(wrongAnyway, o.Error.Type) {
				c.broken = o.Error.Type + ": " + o.Error.Message
			}
			if !strings.Contains(t.Does, o.Error.Type) {
				c.refuses++
			}
		}
		c.answers = append(c.answers, answer)
	}
	return c, nil
}

// agree is how many probes two candidates answer alike.
func agree(a, b *candidate) (n int) {
	for i := range min(len(a.answers), len(b.answers)) {
		if a.answers[i] == b.answers[i] {
			n++
		}
	}
	return n
}

// sound reports whether nothing speaks against a candidate.
func (c *candidate) sound() bool { return c.broken == "" && c.refuses == 0 }

// best is the candidate that answers most like the others, of those that refuse least without having been told to: small models like to
// forbid what nobody forbade. Of equals it is the earlier one, and one that is broken only when all are.
func best(all []candidate) *candidate {
	least := -1
	for i := range all {
		if all[i].broken == "" && (least < 0 || all[i].refuses < least) {
			least = all[i].refuses
		}
	}
	at, most := 0, -1
	for i := range all {
		if all[i].broken == "" && all[i].refuses > least {
			continue
		}
		n := 0
		for k := range all {
			if k != i && all[k].broken == "" {
				n += agree(&all[i], &all[k])
			}
		}
		if all[i].broken != "" {
			n = 0
		} else {
			n++
		}
		if n > most {
			at, most = i, n
		}
	}
	return &all[at]
}

// line writes a tool as the robot does: first is the source of the first reply, which is a candidate, too.
func (s *Suite) line(ctx context.Context, t *Task, first string) (string, error) {
	var all []candidate
	source := first
	for n := 0; ; n++ {
		mended, _ := mend.Python(source, t.function())
		c, err := s.try(ctx, t, mended)
		if err != nil {
			return "", err
		}
		all = append(all, c)
		if slices.ContainsFunc(all[:n], func(o candidate) bool { return o.sound() && agree(&o, &c) == len(c.answers) && c.sound() }) || n+1 == candidates {
			return best(all).source, nil
		}
		if source, err = s.another(ctx, t, &c); err != nil {
			if fatal(ctx, err) {
				return "", err
			}
			return best(all).source, nil // what there is must do
		}
	}
}

// another asks for a tool again: what is broken is shown with its error, else the model begins anew.
func (s *Suite) another(ctx context.Context, t *Task, last *candidate) (string, error) {
	warm := lively
	messages := []llm.Message{{Who: llm.User, Text: t.prompt()}}
	if last.broken != "" {
		messages = append(messages, llm.Message{Who: llm.Assistant, Text: "```python\n" + last.source + "```"},
			llm.Message{Who: llm.User, Text: "It fails: " + last.broken + "\nWrite the whole corrected code."})
	}
	r, err := s.Model.Chat(ctx, llm.Request{Role: llm.RoleCode, System: codeInstructions, Temperature: &warm, Messages: messages}, nil)
	return code(r.Text), err
}

// Line measures tools that are written as the robot writes them, beside those of one reply, in the same run: an item of each for
// every task. only keeps the tasks whose place it divides; 1 for all.
func (s *Suite) Line(ctx context.Context, only int) ([]Item, error) {
	tasks, err := Tasks()
	if err != nil {
		return nil, err
	}
	var items []Item
	for i := range tasks {
		if i%max(only, 1) != 0 {
			continue
		}
		t := &tasks[i]
		cold := 0.0
		start := time.Now()
		r, err := s.Model.Chat(ctx, llm.Request{
			Role: llm.RoleCode, System: codeInstructions, Temperature: &cold, Messages: []llm.Message{{Who: llm.User, Text: t.prompt()}},
		}, nil)
		if err != nil && (fatal(ctx, err) || !errors.Is(err, llm.ErrTooLong)) {
			return items, err
		}
		once := Item{Kind: KindOnce, Name: t.Name, Took: time.Since(start)}
		if err := s.judge(ctx, &once, t, code(r.Text)); err != nil {
			return items, err
		}
		source, err := s.line(ctx, t, code(r.Text))
		if err != nil {
			return items, err
		}
		ours := Item{Kind: KindTask, Name: t.Name, Took: time.Since(start)}
		if err := s.judge(ctx, &ours, t, source); err != nil {
			return items, err
		}
		items = s.add(s.add(items, once), ours)
	}
	return items, nil
}

// judge runs the hidden tests.
func (s *Suite) judge(ctx context.Context, item *Item, t *Task, source string) error {
	cases, err := t.cases()
	if err != nil {
		return err
	}
	report, err := tester.Run(ctx, python.Language{Box: s.Sandbox}, source, t.Name, cases, onFake)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	item.Passed, item.Partly = report.OK, report.Passed > 0
	item.Got = fmt.Sprintf("%d of %d tests", report.Passed, len(cases))
	for _, o := range report.Outcomes {
		if !o.Passed {
			item.Got = oneLine(item.Got + "; " + o.Name + ": " + o.Message)
			break
		}
	}
	return nil
}
