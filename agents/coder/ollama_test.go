package coder

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/ollamatest"
	"github.com/reachyd/reachyd/agents/trace"
)

// A tool is written by a model of a real server: specified, tested by another question than the code, wrong at first,
// repaired from what the tests said in the real sandbox, and run.
func TestARealServerWritesAndRepairsATool(t *testing.T) {
	// The server writes the fields of an object in the order of the alphabet, those that must be there first.
	const spec = `{"behaviour":"Counts a, e, i, o, u in any case and divides by the letters. A text without letters is a ValueError.",` +
		`"examples":[{"expected":"0.5","input":{"text":"banana"}}],"name":"vowel_share","parameters":[{"description":"the text","name":"text","type":"str"}],` +
		`"returns":"float","summary":"Says what share of the letters of a text are vowels.","call":{"text":"robot"}}`
	const tests = `{"cases":[{"input":{"text":"aei"},"name":"all","expected":"1"},{"input":{"text":"xyz"},"name":"none","expected":"0"},` +
		`{"input":{"text":"AB"},"name":"case","expected":"0.5"},{"input":{"text":""},"name":"empty","error":"ValueError"}]}`
	s := ollamatest.Start(t,
		ollamatest.Rule{On: wish, Say: spec},
		ollamatest.Rule{On: "\"expected\": \"0.5\"\n  }\n ]\n}", Say: tests},
		ollamatest.Rule{On: "must raise ValueError\n", Say: vowelWrong},
		ollamatest.Rule{On: "Write the whole corrected code.", Say: vowelCode},
	)
	model, err := llm.New(llm.Config{URL: s.URL, Context: ollamatest.Context, Threads: 1, Models: map[llm.Role][]string{
		llm.RoleTalk: {ollamatest.Parrot}, llm.RoleCall: {ollamatest.Parrot}, llm.RoleCode: {ollamatest.Parrot},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	if _, err := model.Doctor(t.Context()); err != nil { // it has looked at the server
		t.Fatal(err)
	}
	w := newWorkshop(t, false)
	c := New(Options{Maker: w, Tools: w, Call: w.call, Model: model, Policy: Auto})
	rec := trace.NewRecorder(nil)
	a := c.Make(trace.With(t.Context(), rec), coordinator.Request{Session: "s", Text: wish, Call: w.call})
	if a.Text != "I wrote the tool vowel_share for that. The result is 0.4." {
		var tree strings.Builder
		spans, _ := rec.Spans()
		_ = trace.Draw(&tree, spans, 300)
		t.Fatalf("%+v\n%s", a, tree.String())
	}
	v, err := w.Version("vowel_share", 0)
	if err != nil || !strings.Contains(v.Notes[0].Text, string(OutcomeRefined)) || !strings.HasPrefix(v.Provenance.Model, ollamatest.Parrot) {
		t.Errorf("%+v, %v", v, err)
	}
}
