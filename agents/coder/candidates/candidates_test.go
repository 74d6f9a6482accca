package candidates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

func told(text string, f *mend.Function) (out []string) {
	for _, c := range Beliefs(text, f) {
		out = append(out, fmt.Sprintf("%s %s%s", c.Input, c.Expected, c.Error))
	}
	return out
}

// What a request says of results is believed; what only looks like it is not.
func TestBeliefs(t *testing.T) {
	for _, tc := range []struct {
		text, signature string
		want            []string
	}{
		{"Shouts: 'abc' becomes 'ABC!' and \"x\" -> \"X!\".", "(text: str) -> str", []string{`{"text":"abc"} "ABC!"`, `{"text":"x"} "X!"`}},
		{"Adds; 2 and 3 gives 5, −1 and 4 is 3.", "(a: int, b: int) -> int", []string{`{"a":2,"b":3} 5`, `{"a":-1,"b":4} 3`}},
		{"tool([1, 2], True) returns {'n': 3}", "(items: list[int], up: bool) -> dict[str, int]", []string{`{"items":[1,2],"up":true} {"n":3}`}},
		{"Pairs: 'aab' is [['a', 2], ['b', 1]].", "(text: str) -> list[list]", []string{`{"text":"aab"} [["a",2],["b",1]]`}},
		{"A mile is 1.609344 km. A number below 2 is 1.", "(miles: float) -> float", nil},
		{"There are 3 is 'x' in it.", "(text: str) -> str", nil},
		{"Counts; an empty list is a ValueError.", "(items: list[str]) -> int", []string{`{"items":[]} ValueError`}},
		{"A limit below 1 is a ValueError.", "(text: str, limit: int) -> str", []string{`{"limit":0,"text":"Hello, World 12!"} ValueError`}},
		{"The year must not be negative. A month above 12 is a KeyError.", "(year: int, month: int) -> int", []string{`{"month":13,"year":7} KeyError`}},
		{"Numbers from 1 to 5. Others are a ValueError.", "(number: int) -> int", []string{`{"number":0} ValueError`, `{"number":6} ValueError`}},
		{"A text that is not empty is never a ValueError.", "(text: str) -> int", nil},
		{"More than 9 is a ValueError.", "(a: int, b: int) -> int", nil}, // of which?
		{"Nothing.", "() -> int", nil},
	} {
		f := mend.Function{Name: "tool", Signature: tc.signature}
		if got := told(tc.text, &f); !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
}

func FuzzBeliefs(f *testing.F) {
	f.Add("'a' gives ['b', {'c': 1}]; below 2 is a ValueError.", "(text: str) -> list[str]")
	f.Add("1 is −2.5. [1, [2", "(x: float, y: list[list[int]]) -> float")
	f.Fuzz(func(t *testing.T, text, signature string) {
		fn := mend.Function{Name: "f", Signature: signature}
		for _, c := range slices.Concat(Beliefs(text, &fn), Probes(text, &fn)) {
			if !json.Valid(c.Input) || (c.Expected != nil && !json.Valid(c.Expected)) {
				t.Errorf("%q %q: %s %s", text, signature, c.Input, c.Expected)
			}
		}
	})
}

// table is a sandbox that knows what sources answer: the text behind "answers " up to the line's end, for every input.
func table(_ context.Context, source string, cases []tester.Case) (*tester.Report, error) {
	r := &tester.Report{}
	for i, c := range cases {
		o := tester.Outcome{Name: c.Name}
		_, rest, _ := strings.Cut(source, "answers ")
		rest, _, _ = strings.Cut(rest, "\n")
		answers := strings.Split(rest, ",")
		a := answers[min(i, len(answers)-1)]
		if kind, raised := strings.CutPrefix(a, "!"); raised {
			o.Error = &guest.Error{Type: kind, Message: "no"}
			o.Passed = c.Error == kind
		} else {
			o.Value = json.RawMessage(a)
			o.Passed = c.NoCrash || string(c.Expected) == a
		}
		if !o.Passed {
			o.Message = "gives " + a
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	return r, nil
}

func source(answers string) string {
	return "\"\"\"A.\"\"\"\n\n\ndef f(n: int) -> int:\n    \"\"\"A.\n\n    Args:\n        n: a\n\n    Returns:\n        b\n    \"\"\"\n" +
		"    # answers " + answers + "\n    return n\n"
}

// The first reply is kept unless something speaks against it; what does is told to the model, and of the replies that counts which agrees
// with most.
func TestChoose(t *testing.T) {
	for name, tc := range map[string]struct {
		text    string
		replies []string
		taken   int
		asked   int // replies that were looked at
		wrong   string
	}{
		"two that agree":            {"", []string{"1", "1", "2"}, 0, 2, ""},
		"undecided":                 {"", []string{"1", "2", "3"}, 0, 3, ""},
		"most agree":                {"", []string{"1", "2", "2"}, 1, 3, ""},
		"an example":                {"7 is 2.", []string{"1", "2", "2"}, 1, 3, ""},
		"an example nobody passes":  {"7 is 2.", []string{"1", "1", "1"}, 0, 3, `input {"n":7}: gives 1`},
		"broken":                    {"", []string{"!NameError", "5", "5"}, 1, 3, ""},
		"forbids of its own accord": {"", []string{"1,!ValueError", "1,2", "1,2"}, 1, 3, ""},
		"forbids as it should":      {"A number below 2 is a ValueError.", []string{"!ValueError", "!ValueError"}, 0, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 1
			task := Task{
				Function: mend.Function{Name: "f", Signature: "(n: int) -> int"}, Text: tc.text, Run: table, Most: 3,
				Tests: Beliefs(tc.text, &mend.Function{Name: "f", Signature: "(n: int) -> int"}),
				Another: func(_ context.Context, n int, _, _ string) (string, error) {
					asked++
					return source(tc.replies[n]), nil
				},
			}
			got, err := task.Choose(t.Context(), source(tc.replies[0]))
			if err != nil || got.Taken != tc.taken || asked != tc.asked || got.Replies != asked || got.Wrong != tc.wrong || got.Source == "" {
				t.Errorf("%+v, %v, asked %d", got, err, asked)
			}
		})
	}
	away := errors.New("away")
	task := Task{
		Function: mend.Function{Name: "f", Signature: "(n: int) -> int"}, Run: table, Most: 3,
		Another: func(context.Context, int, string, string) (string, error) { return "", away },
	}
	if got, err := task.Choose(t.Context(), source("1")); err != nil || got.Source != source("1") {
		t.Errorf("the model is away: %+v, %v", got, err)
	}
	task.Run = func(context.Context, string, []tester.Case) (*tester.Report, error) { return nil, away }
	if _, err := task.Choose(t.Context(), source("1")); !errors.Is(err, away) {
		t.Errorf("no sandbox: %v", err)
	}
}

// An invented test is an opinion: who passes it needs no second source, two sources that agree outvote it, one that ends with an error of
// Python is told, and somebody else is asked about what two replies do not pass. What is certain stays.
func TestInventedTests(t *testing.T) {
	three := func(want string) []tester.Case {
		return []tester.Case{
			{Name: "a", Input: json.RawMessage(`{"n":7}`), Expected: json.RawMessage("1")},
			{Name: "b", Input: json.RawMessage(`{"n":8}`), Expected: json.RawMessage(want)},
		}
	}
	for name, tc := range map[string]struct {
		certain, invented []tester.Case
		replies           []string
		judge             bool // says that the test is wrong
		taken, asked      int
		told              []string // what each request for another reply tells
		failed, dropped   []string
		wrong             bool
	}{
		"passed at once": {nil, three("2"), []string{"1,2"}, false, 0, 1, nil, nil, nil, false},
		"outvoted":       {nil, three("3"), []string{"1,2", "1,2,2"}, false, 0, 2, []string{""}, nil, []string{"b"}, false},
		"the same twice": {nil, three("3"), []string{"1,2", "1,2", "1,2"}, false, 0, 3, []string{"", "gives 2"}, []string{"b"}, nil, false},
		"judged":         {nil, three("3"), []string{"1,2", "1,4"}, true, 0, 2, []string{""}, nil, []string{"b"}, false},
		"a better one":   {nil, three("3"), []string{"1,2", "1,3"}, false, 1, 2, []string{""}, nil, nil, false},
		"it broke":       {nil, three("3"), []string{"1,!TypeError", "1,3"}, false, 1, 2, []string{"gives !TypeError"}, nil, nil, false},
		"told once": {
			nil, three("3"),
			[]string{"1,!TypeError", "1,!TypeError", "1,!TypeError"},
			false, 0, 3,
			[]string{"gives !TypeError", ""},
			[]string{"b"},
			nil, true,
		},
		"a certain one": {
			three("3")[1:], three("3")[:1],
			[]string{"1,2", "1,2,2", "2,1"},
			true, 0, 3,
			[]string{"gives 1", ""},
			[]string{"b"},
			[]string{"a"},
			true,
		},
		"half of all stay": {nil, three("3")[1:], []string{"2", "2,2", "2"}, true, 0, 3, []string{"", "gives 2"}, []string{"b"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			task := Task{
				Function: mend.Function{Name: "f", Signature: "(n: int) -> int"}, Text: "", Run: table, Most: 3, Enough: true,
				Tests: tc.certain, Invented: tc.invented, Wrong: func(context.Context, *tester.Case) bool { return tc.judge },
				Another: func(_ context.Context, n int, _, wrong string) (string, error) {
					_, wrong, _ = strings.Cut(wrong, ": ")
					told = append(told, wrong)
					return source(tc.replies[n]), nil
				},
			}
			got, err := task.Choose(t.Context(), source(tc.replies[0]))
			if err != nil || got.Taken != tc.taken || got.Replies != tc.asked || !slices.Equal(told, tc.told) || !slices.Equal(got.Failed, tc.failed) ||
				!slices.Equal(got.Dropped, tc.dropped) || (got.Wrong != "") != tc.wrong {
				t.Errorf("%+v, %v, told %q", got, err, told)
			}
		})
	}
	task := Task{
		Most: 2, Enough: true, Tests: three("2"),
		Run: func(_ context.Context, source string, cases []tester.Case) (*tester.Report, error) {
			if source == "forbidden" {
				return nil, Broken("leave that out")
			}
			return table(t.Context(), source, cases)
		},
		Another: func(_ context.Context, _ int, last, wrong string) (string, error) {
			return "answers 1,2", fmt.Errorf("%s %s", last, wrong)
		},
	}
	if got, err := task.Choose(t.Context(), "forbidden"); err != nil || got.Wrong != "leave that out" || got.Source != "forbidden" {
		t.Errorf("%+v, %v", got, err)
	}
	task.Another = func(context.Context, int, string, string) (string, error) { return "answers 1,2", nil }
	if got, err := task.Choose(t.Context(), "forbidden"); err != nil || got.Wrong != "" || got.Taken != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is known to be wrong is told to the model; else it begins anew, and never twice in the same way.
func TestAsk(t *testing.T) {
	seen := map[string]bool{}
	for n := 1; n < Usual; n++ {
		for _, wrong := range []string{"", "input 7: gives 1"} {
			m, warmth := Ask("do it", n, "def f(): pass\n", wrong)
			last := m[len(m)-1].Text
			if told := strings.Contains(last, "gives 1"); told != (wrong != "") || m[0].Text == "" || *warmth <= 0 {
				t.Errorf("%d %q: %q", n, wrong, last)
			}
			if key := fmt.Sprintf("%q %v %v", last, *warmth, wrong); seen[key] {
				t.Errorf("the same again: %s", key)
			} else {
				seen[key] = true
			}
		}
	}
	for reply, want := range map[string]string{
		"```\nf(1)\n```\nso\n```python\ndef f(): pass\n```": "def f(): pass\n", "def f(): pass": "def f(): pass", "```\nno\n```": "",
	} {
		if got := Code(reply); got != want {
			t.Errorf("%q: %q", reply, got)
		}
	}
}
