package ollamatest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/ollama/ollama/api"
)

func TestModelsSayWhatTheyShould(t *testing.T) {
	s := Start(t,
		Rule{On: "say hello", Say: "Hello! I am the robot."},
		Rule{On: "turn to me", Say: "I turn. " + UseTool("move_head", `{"yaw": 20}`)},
		Rule{On: "what is this?", Say: "I see a red cup."})
	c := s.client()
	ask := func(model, text string, images ...api.ImageData) (string, []api.ToolCall) {
		t.Helper()
		stream := false
		props := api.NewToolPropertiesMap()
		props.Set("yaw", api.ToolProperty{Type: api.PropertyType{"number"}})
		req := &api.ChatRequest{Model: model, Stream: &stream, Messages: []api.Message{{Role: "user", Content: text, Images: images}}}
		if model == Parrot {
			req.Tools = api.Tools{{Type: "function", Function: api.ToolFunction{Name: "move_head", Parameters: api.ToolFunctionParameters{Type: "object", Properties: props}}}}
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
