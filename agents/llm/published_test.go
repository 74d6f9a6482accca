package llm

import (
	"os"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/llm/ollamatest"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/models"
)

// chatML is how SmolLM2 was shown conversations.
const chatML = `{{ range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`

// Weights that were published speak: words come piece by piece, what stood there before is not read anew, and a schema is kept to.
func TestPublishedWeights(t *testing.T) {
	path, err := models.NewStore("", os.Getenv).Find("smollm2-135m")
	if err != nil {
		t.Skipf("NOT TESTED with a model that was published: make models MODELS=smollm2-135m: %v", err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := ollamatest.Start(t)
	ctx := limited(t)
	if err := s.Create(ctx, "smollm2:latest", chatML, "", file); err != nil {
		t.Fatal(err)
	}
	c := open(t, s.URL, func(c *Config) {
		c.Models = map[Role][]string{RoleTalk: {"smollm2"}, RoleCall: {"smollm2"}}
	})
	ask := Request{System: "You are a robot. Answer in one short sentence.", Messages: user("What is the capital of France?"), MaxTokens: 40}
	var told strings.Builder
	pieces := 0
	r, err := c.Chat(ctx, ask, func(d Delta) { told.WriteString(d.Text); pieces++ })
	if err != nil || !strings.Contains(r.Text, "Paris") || told.String() != r.Text || pieces < 4 {
		t.Errorf("%q in %d pieces, %v", told.String(), pieces, err)
	}
	first := r.Usage
	ask.Messages = append(ask.Messages, r.Message(), Message{Who: User, Text: "And of Italy?"})
	if r, err = c.Chat(ctx, ask, nil); err != nil || r.Usage.CachedTokens == 0 || r.Usage.CachedTokens >= r.Usage.PromptTokens {
		t.Errorf("%+v, %v", r, err)
	}
	t.Logf("%+v, then %+v", first, r.Usage)

	schema := tool.Object(map[string]tool.Schema{"city": tool.OneOf("", "Paris", "Rome"), "sure": tool.Integer("", 0, 9)}, "city", "sure")
	var out struct {
		City string
		Sure int
	}
	_, err = Structured(ctx, c, Request{Role: RoleCall, Messages: user("What is the capital of Italy?"), Schema: &schema, MaxTokens: 100}, &out)
	if err != nil || out.City != "Paris" && out.City != "Rome" || out.Sure < 0 || out.Sure > 9 {
		t.Errorf("%+v, %v", out, err)
	}
}
