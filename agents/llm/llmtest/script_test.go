package llmtest

import (
	"context"
	"errors"
	"testing"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
)

var ask = llm.Request{Messages: []llm.Message{{Who: llm.User, Text: "hi"}}}

func TestScript(t *testing.T) {
	nod := tool.Spec{Name: "nod", Parameters: tool.Object(map[string]tool.Schema{"times": tool.Integer("", 1, 3)})}
	schema := tool.Object(map[string]tool.Schema{"n": tool.Integer("", 0, 9)}, "n")
	s := New(Say("I am here."), Use("nod", `{"times": 7}`), Say(`{"n": 12}`), Say("no JSON"), Step{Text: "I am", Err: llm.ErrIncomplete}).
		In(llm.RoleCode, Step{Do: func(r llm.Request) Step { return Say("You said " + r.Messages[0].Text) }})

	pieces := 0
	r, err := s.Chat(t.Context(), ask, func(llm.Delta) { pieces++ })
	if err != nil || r.Text != "I am here." || pieces != 3 {
		t.Errorf("%+v, %v in %d pieces", r, err, pieces)
	}
	withTool := ask
	withTool.Tools = []tool.Spec{nod}
	r, err = s.Chat(t.Context(), withTool, nil)
	if err != nil || len(r.Calls) != 1 || string(r.Calls[0].Args) != `{"times":3}` || r.Calls[0].ID == "" || len(r.Calls[0].Fixes) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	withSchema := ask
	withSchema.Schema = &schema
	var out struct{ N int }
	if _, err := llm.Structured(t.Context(), s, withSchema, &out); err != nil || out.N != 9 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := s.Chat(t.Context(), withSchema, nil); !errors.Is(err, llm.ErrBadOutput) {
		t.Errorf("%v", err)
	}
	if r, err := s.Chat(t.Context(), ask, nil); !errors.Is(err, llm.ErrIncomplete) || r.Text != "I am" {
		t.Errorf("%+v, %v", r, err)
	}
	code := ask
	code.Role = llm.RoleCode
	if r, err := s.Chat(t.Context(), code, nil); err != nil || r.Text != "You said hi" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.Chat(t.Context(), ask, nil); err == nil || s.Left() != 0 || len(s.Asked()) != 7 {
		t.Errorf("beyond the script: %v, %d left, %d asked", err, s.Left(), len(s.Asked()))
	}
	s.Away(llm.ErrAway)
	if _, err := s.Chat(t.Context(), ask, nil); !errors.Is(err, llm.ErrAway) || !errors.Is(s.Ready(llm.RoleTalk), llm.ErrAway) {
		t.Errorf("away: %v", err)
	}
}

func TestStallEndsWithTheCaller(t *testing.T) {
	s := New(Step{Text: "well", Stall: true})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Chat(ctx, ask, func(llm.Delta) { cancel() })
	if !errors.Is(err, context.Canceled) || r.Text != "well" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestVectorsOfLikeTextsAreAlike(t *testing.T) {
	v, _, err := New().Embed(t.Context(), []string{"look to the left", "Look left!", "sing a song"})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	if dot(v[0], v[0]) < 0.999 || dot(v[0], v[1]) <= dot(v[0], v[2]) {
		t.Errorf("%v %v %v", dot(v[0], v[0]), dot(v[0], v[1]), dot(v[0], v[2]))
	}
}
