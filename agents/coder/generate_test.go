package coder

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// A tool that is asked for with tests must pass them: its author knows them, they are kept with it, and each step is told.
func TestGenerateWithTests(t *testing.T) {
	b := newBench(t)
	b.tests = []func(registry.Draft) (*tester.Report, error){fails("returned 0.3, must return 0.4", fromThePerson+"mine")}
	model := author(vowelWrong, vowelCode)
	var steps []string
	c := b.coder(func(o *Options) {
		o.Model, o.Policy = model, Auto
		o.Publish = func(_ string, p api.Payload) {
			if p, ok := p.(api.ToolProgress); ok {
				steps = append(steps, p.Step)
			}
		}
	})
	mine := tester.Case{Name: "mine", Input: json.RawMessage(`{"text":"robot"}`), Expected: json.RawMessage(`0.4`)}
	made, err := c.Generate(t.Context(), "s", "a tool that says what share of the letters of a text are vowels", []tester.Case{mine})
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.Version(made.Name, 0)
	var kept []tester.Case
	if err != nil || json.Unmarshal(v.Cases, &kept) != nil ||
		!slices.ContainsFunc(kept, func(c tester.Case) bool { return c.Name == fromThePerson+"mine" && string(c.Expected) == "0.4" }) {
		t.Errorf("%s, %v", v.Cases, err)
	}
	if asked := model.Asked(); !strings.Contains(asked[0].Messages[0].Text, `input {"text":"robot"}: must return 0.4`) {
		t.Errorf("the specification's author was asked %q", asked[0].Messages[0].Text)
	}
	if want := []string{"specification", "tests", "code", "check", "code", "check", "register"}; !slices.Equal(steps, want) {
		t.Errorf("%v, want %v", steps, want)
	}
}

// A template of ours that does not pass a person's tests is not taken; without a language model that is said.
func TestTemplateAgainstTests(t *testing.T) {
	b := newBench(t)
	b.tests = []func(registry.Draft) (*tester.Report, error){fails("returned 3, must return 4", "mine")}
	c := b.coder()
	mine := []tester.Case{{Name: "mine", Input: json.RawMessage(`{"text":"banana"}`), Expected: json.RawMessage(`4`)}}
	const asked = "how many vowels are in banana"
	if _, err := c.Generate(t.Context(), "s", asked, mine); err == nil || !strings.Contains(err.Error(), "must return 4") {
		t.Errorf("%v", err)
	}
	if len(b.versions) > 0 {
		t.Errorf("kept %v", b.versions)
	}
	if made, err := c.Generate(t.Context(), "s", asked, mine); err != nil || made.Name == "" {
		t.Errorf("%+v, %v", made, err)
	}
}
