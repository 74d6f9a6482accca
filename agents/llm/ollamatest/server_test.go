package ollamatest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestModelsSayWhatTheyShould(t *testing.T) {
	s := Start(t,
		Rule{On: "say hello", Say: "Hello! I am the robot."},
		Rule{On: "turn to me", Say: "I turn. " + UseTool("move_head", `{"yaw": 20}`)})
	s.AddEye(t, Rule{On: "what is this?", Say: "I see a red cup."})
	c := s.client()
	ask := func(model, text string, images ...api.ImageData) (string, []api.ToolCall) {
		t.Helper()
		stream := false
		props := api.NewToolPropertiesMap()
		props.Set("yaw", api.ToolProperty{Type: api.PropertyType{"number"}})
		req := &api.ChatRequest{Model: model, Stream: &stream, Messages: []api.Message{{Role: "user", Content: text, Images: images}}}
		if model == Parrot {
			req.Tools = api.Tools{{
				Type:     "function",
				Function: api.ToolFunction{Name: "move_head", Parameters: api.ToolFunctionParameters{Type: "object", Properties: props}},
			}}
		}
		var said string
		var calls []api.ToolCall
		err := c.Chat(context.Background(), req, func(r api.ChatResponse) error {
			said += r.Message.Content
			calls = append(calls, r.Message.ToolCalls...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return said, calls
	}
	for _, model := range []string{Parrot, Deaf} {
		if said, _ := ask(model, "Please say hello"); said != "Hello! I am the robot." {
			t.Errorf("%s said %q", model, said)
		}
		if said, _ := ask(model, "Something else"); said != Unknown {
			t.Errorf("%s said %q", model, said)
		}
	}
	said, calls := ask(Parrot, "turn to me")
	if len(calls) != 1 || calls[0].Function.Name != "move_head" || calls[0].Function.Arguments.String() != `{"yaw":20}` {
		t.Errorf("said %q and called %v", said, calls)
	}
	if said, _ := ask(Eye, "what is this?"); said != "I see a red cup." {
		t.Errorf("the eye said %q", said)
	}
	for model, want := range map[string]string{
		Parrot: `["completion","tools"]`, Deaf: `["completion"]`, Random: `["completion","tools"]`,
		Vectors: `["embedding"]`, Eye: `["completion","vision"]`,
	} {
		show, err := c.Show(context.Background(), &api.ShowRequest{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		if can, _ := json.Marshal(show.Capabilities); string(can) != want {
			t.Errorf("%s can %s, want %s", model, can, want)
		}
	}
	v, err := c.Embed(context.Background(), &api.EmbedRequest{Model: Vectors, Input: []string{"abc", "cab", "xyz"}})
	if err != nil || len(v.Embeddings) != 3 || len(v.Embeddings[0]) != 64 {
		t.Fatalf("vectors: %v, %v", v, err)
	}
}

func TestKillAndRestart(t *testing.T) {
	s := Start(t, Rule{On: "say hello", Say: "Hello!"})
	before := s.URL
	s.Kill()
	s.Kill() // twice is as good
	if err := s.client().Heartbeat(context.Background()); err == nil {
		t.Error("it answers though it was killed")
	}
	s.Restart(t)
	if s.URL != before {
		t.Errorf("it moved from %s to %s", before, s.URL)
	}
	list, err := s.client().List(context.Background())
	if err != nil || len(list.Models) != 4 {
		t.Errorf("after the restart: %v, %v", list, err)
	}
}

func TestRulesThatCannotBe(t *testing.T) {
	for name, rules := range map[string][]Rule{
		"too short":   {{On: "x", Say: "yes"}},
		"given twice": {{On: "hello", Say: "yes"}, {On: "hello", Say: "no"}},
		"too alike":   {{On: "hello", Say: "ok"}, {On: "there", Say: "ok"}},
	} {
		if _, err := ParrotFile(rules...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestPiecesAreTheText(t *testing.T) {
	v := byteVocabulary()
	seen := map[string]bool{}
	for _, text := range []string{"I am here.", "I am here. And there", "a b c d e f", "ä ö ü", "I am here. And"} {
		pieces, err := v.pieces(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(pieces, ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
		for _, p := range pieces {
			if seen[p] {
				t.Errorf("the piece %q is used twice", p)
			}
			seen[p] = true
			v.add(p, kindNormal)
		}
	}
}
