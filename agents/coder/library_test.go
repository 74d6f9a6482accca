package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// What is there is used before anything is written.
func TestReuse(t *testing.T) {
	b := newBench(t)
	if _, err := b.Register(t.Context(), registry.Draft{Name: "vowel_share", Source: "x"}); err != nil {
		t.Fatal(err)
	}
	b.results["vowel_share"] = func(json.RawMessage) tool.Result { return tool.Success("", json.RawMessage(`0.4`)) }
	model := llmtest.New().In(llm.RoleCall, llmtest.Say(`{"reason":"It does that.","decision":"reuse","tool":"vowel_share","arguments":{}}`))
	c := b.coder(func(o *Options) { o.Model = model })
	a, spans := b.make(c, "vowel share of robot")
	if a.Text != "The result is 0.4." || spans[0].Kind != trace.Search || spans[0].Data["decision"] != "reuse" || spans[0].Detail != "reuse: It does that." {
		t.Errorf("%+v %+v", a, spans)
	}
}

// Meanings are computed once for every version, and again when the model is another one.
func TestFindByMeaning(t *testing.T) {
	b := newBench(t)
	for i := range 3 {
		if _, err := b.Register(t.Context(), registry.Draft{
			Name: fmt.Sprintf("tool_%c", 'a'+i), Source: "x",
			Prompt: []string{"count the apples", "greet a person", "measure the light"}[i],
		}); err != nil {
			t.Fatal(err)
		}
		b.listed = append(b.listed, tool.Spec{Name: fmt.Sprintf("tool_%c", 'a'+i)})
		b.versions[fmt.Sprintf("tool_%c", 'a'+i)][0].Digest = fmt.Sprint(i)
	}
	e := &embedder{Script: llmtest.New()}
	c := b.coder(func(o *Options) { o.Model = e })
	if got := c.Find(t.Context(), "tool b: tool b greet a person", 2); len(got) == 0 || got[0] != "tool_b" {
		t.Error(got)
	}
	c.Find(t.Context(), "greet", 2)
	if e.texts != 4+1 {
		t.Errorf("%d texts", e.texts)
	}
	e.Away(llm.ErrAway)
	if got := c.Find(t.Context(), "something else", 2); len(got) != 0 {
		t.Error(got)
	}
}

type embedder struct {
	*llmtest.Script
	texts int
}

func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, string, error) {
	e.texts += len(texts)
	return e.Script.Embed(ctx, texts)
}

// Writing takes minutes, so it is said before it begins; who cannot write does not say so.
func TestThatItWritesIsSaidFirst(t *testing.T) {
	for want, model := range map[string]llm.Model{writes: author(vowelCode), "": nil} {
		w, told := newWorkshop(t, false), ""
		c := New(Options{Maker: w, Tools: w, Call: w.call, Model: model, Policy: Auto})
		a := c.Make(t.Context(), coordinator.Request{Session: "s", Text: wish, Call: w.call, Partial: func(text string) { told += text }})
		if told != want || (a.Outcome == coordinator.OutcomeAnswered) != (want != "") {
			t.Errorf("told %q, want %q; %+v", told, want, a)
		}
	}
}

// A near-duplicate is not kept, and it is said of what.
func TestADuplicateIsNotKept(t *testing.T) {
	w := newWorkshop(t, false)
	for i, want := range []string{"I wrote the tool vowel_share for that.", "I did not keep the tool that I wrote: "} {
		model := author(vowelCode)
		if i == 1 {
			other := func(s string) string { return strings.ReplaceAll(s, "vowel_share", "share_of_vowels") }
			model = llmtest.New().In(llm.RoleTalk, llmtest.Say(vowelTests)).In(llm.RoleCode, llmtest.Say(other(vowelSpec)), llmtest.Say(other(vowelCode)))
			model.In(llm.RoleCall, llmtest.Say(`{"reason":"another one","decision":"create"}`))
		}
		c := New(Options{Maker: w, Tools: w, Call: w.call, Model: model, Policy: Auto})
		a := c.Make(t.Context(), coordinator.Request{Session: "s", Text: wish, Call: w.call})
		if !strings.HasPrefix(a.Text, want) || i == 1 && !strings.Contains(a.Text, "vowel_share") {
			t.Errorf("%+v, want %s…", a, want)
		}
	}
}

// A new tool may call one that is there: it is pinned, and asks for nothing else.
func TestComposition(t *testing.T) {
	w := newWorkshop(t, false)
	c := New(Options{Maker: w, Tools: w, Call: w.call, Model: author(vowelCode), Policy: Auto})
	if a := c.Make(t.Context(), coordinator.Request{Session: "s", Text: wish, Call: w.call}); a.Outcome != coordinator.OutcomeAnswered {
		t.Fatal(a)
	}
	spec := `{"name":"mostly_vowels","summary":"Says whether more than half of the letters are vowels.",
"parameters":[{"name":"text","type":"str","description":"the text"}],
"returns":"bool","behaviour":"True when the share is above one half.","robot_calls":["vowel_share"],
"examples":[{"input":{"text":"aaab"},"expected":"true"},{"input":{"text":"xyz"},"expected":"false"}],"call":{"text":"Aeolia"}}`
	code := "```python\n\"\"\"Vowels.\"\"\"\nimport reachy\n\n\ndef mostly_vowels(text: str) -> bool:\n" +
		strings.ReplaceAll(strings.ReplaceAll(vowelDoc, "what share of the letters of a text are vowels", "whether more than half of the letters are vowels"),
			"The share, 0 to 1", "Whether they are") +
		"    try:\n        return reachy.vowel_share(text=text) > 0.5\n    except reachy.HostError as error:\n        raise ValueError(f\"that cannot be said: " +
		"{error}\") from error\n```"
	model := llmtest.New().In(llm.RoleTalk, llmtest.Say(`{"cases":[{"name":"half","input":{"text":"ab"},"expected":"false"},{"name":"none","input":{"text":""},`+
		`"error":"ValueError"}]}`)).
		In(llm.RoleCode, llmtest.Say(spec), llmtest.Say(code)).In(llm.RoleCall, llmtest.Say(`{"reason":"the share is there","decision":"compose"}`))
	c = New(Options{Maker: w, Tools: w, Call: w.call, Model: model, Policy: Auto})
	if a := c.Make(t.Context(), coordinator.Request{
		Session: "s", Text: "are most of the letters of Aeolia vowels, by their share",
		Call: w.call,
	}); a.Text != "I wrote the tool mostly_vowels for that. Yes." {
		t.Errorf("%+v", a)
	}
	v, err := w.Version("mostly_vowels", 0)
	if err != nil || len(v.Uses) != 1 || v.Uses[0].Name != "vowel_share" || v.Uses[0].Version != 1 || len(v.Grants) != 0 || v.Depth != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}
