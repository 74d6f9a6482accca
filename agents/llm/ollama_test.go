package llm

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/llm/ollamatest"
	"github.com/reachyd/reachyd/agents/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var moveHead = tool.Spec{
	Name: "move_head", Description: "Turns the head.",
	Parameters: tool.Object(map[string]tool.Schema{
		"yaw":      tool.Number("to the left", "°", -180, 180),
		"duration": tool.Number("how long it takes", "s", 0.1, 10).WithDefault(1.0),
	}, "yaw"),
}

var rules = []ollamatest.Rule{
	{On: "say hello", Say: "Hello there, I am a robot."},
	{On: "look left", Say: "I look left. " + ollamatest.UseTool("move_head", `{"yaw": 30}`)},
	{On: "look behind you", Say: ollamatest.UseTool("move_head", `{"yaw": 500}`)},
	{On: "look nowhere", Say: ollamatest.UseTool("move_head", `{"yaw": "north"}`)},
	{On: "I turned.", Say: "Done, I look at you."},
	{On: "count for ever", Say: "one two three four", Loop: true},
	{On: "what do you see?", Say: "I see a red square."},
	{On: "think first", Say: "<think>Let me see.</think>It is four."},
}

// open returns a client that is patient enough for a busy machine.
func open(t testing.TB, url string, change func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		URL: url, Short: time.Minute, FirstToken: time.Minute, Between: time.Minute, Context: 2048, Threads: 1,
		Models: map[Role][]string{RoleTalk: {"parrot"}, RoleEmbed: {"all-minilm"}, RoleSee: {"qwen3-vl:4b"}},
	}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func user(text string) []Message { return []Message{{Who: User, Text: text}} }

func TestRealServer(t *testing.T) {
	s := ollamatest.Start(t, rules...)
	s.AddEye(t, rules...)
	c := open(t, s.URL, nil)
	for _, x := range []struct {
		name string
		run  func(ctx context.Context, t *testing.T, s *ollamatest.Server, c *Client)
	}{
		{"talk", realTalk},
		{"tool, its result, and the reply", realCall},
		{"out of range", realOutOfRange},
		{"schema", realSchema},
		{"pictures", realPictures},
		{"vectors", realVectors},
		{"thinking without the server's help", realThinking},
		{"cut off", realCutOff},
		{"longer than it can keep in mind", realTooLong},
		{"interrupted", realInterrupted},
		{"the model's process dies", realRunnerDies},
		{"models and the doctor", realDoctor},
		{"a server that dies in the middle, and comes back", realServerDies},
	} {
		if !t.Run(x.name, func(t *testing.T) { x.run(limited(t), t, s, c) }) {
			return // what comes after it would wait for the same thing
		}
	}
}

// limited returns a context that ends what hangs before the tests of other packages are ended with it.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Minute, errors.New("this step hangs"))
	t.Cleanup(cancel)
	return ctx
}

func realTalk(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	var told strings.Builder
	pieces := 0
	r, err := c.Chat(ctx, Request{System: "You are a robot.", Messages: user("Please say hello")}, func(d Delta) {
		told.WriteString(d.Text)
		pieces++
	})
	if err != nil || r.Text != "Hello there, I am a robot." || told.String() != r.Text || pieces < 4 {
		t.Errorf("%+v, %v; told %q in %d pieces", r, err, told.String(), pieces)
	}
	if r.Model != ollamatest.Parrot || r.Cut || r.Usage.PromptTokens < 10 || r.Usage.ReplyTokens < 4 ||
		r.Usage.FirstToken <= 0 || r.Usage.FirstToken > r.Usage.Total {
		t.Errorf("model %s, usage %+v", r.Model, r.Usage)
	}
}

func realCall(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	talk := user("Please look left")
	r, err := c.Chat(ctx, Request{Role: RoleCall, Messages: talk, Tools: []tool.Spec{moveHead}}, nil)
	if err != nil || len(r.Calls) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	call := r.Calls[0]
	if call.Name != "move_head" || string(call.Args) != `{"duration":1,"yaw":30}` || call.Err != nil || call.ID == "" || len(call.Fixes) > 0 {
		t.Errorf("called %+v", call)
	}
	talk = append(talk, r.Message(), call.Result("I turned."))
	r, err = c.Chat(ctx, Request{Role: RoleCall, Messages: talk, Tools: []tool.Spec{moveHead}}, nil)
	if err != nil || r.Text != "Done, I look at you." || len(r.Calls) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func realOutOfRange(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	r, err := c.Chat(ctx, Request{Role: RoleCall, Messages: user("look behind you"), Tools: []tool.Spec{moveHead}}, nil)
	if err != nil || len(r.Calls) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	call := r.Calls[0]
	if string(call.Args) != `{"duration":1,"yaw":180}` || len(call.Fixes) != 1 || call.Fixes[0].String() != "yaw: 500 became 180" || !call.Fixes[0].Clamp {
		t.Errorf("called %+v", call)
	}
	r, err = c.Chat(ctx, Request{Role: RoleCall, Messages: user("look nowhere"), Tools: []tool.Spec{moveHead}}, nil)
	var wrong tool.ArgumentErrors
	if err != nil || len(r.Calls) != 1 || !errors.As(r.Calls[0].Err, &wrong) {
		t.Errorf("%+v, %v", r, err)
	}
}

func realSchema(ctx context.Context, t *testing.T, s *ollamatest.Server, c *Client) {
	schema := tool.Object(map[string]tool.Schema{
		"mood":  tool.OneOf("", "happy", "sad"),
		"level": tool.Integer("", 0, 3),
		"angle": tool.Number("", "°", -40, 40),
		"note":  tool.Text("", 2000),
	}, "mood", "level")
	hot := 1.0
	good := 0
	for range 5 {
		var out struct {
			Mood  string
			Level int
			Angle float64
		}
		_, err := Structured(ctx, open(t, s.URL, func(c *Config) { c.Models = map[Role][]string{RoleCode: {"random"}} }),
			Request{Role: RoleCode, Messages: user("How are you?"), Schema: &schema, MaxTokens: 200, Temperature: &hot}, &out)
		switch {
		case errors.Is(err, ErrTooLong): // a random model may not find the end of a text
		case err != nil:
			t.Error(err)
		case (out.Mood != "happy" && out.Mood != "sad") || out.Level < 0 || out.Level > 3 || math.Abs(out.Angle) > 40:
			t.Errorf("got %+v", out)
		default:
			good++
		}
	}
	if good == 0 {
		t.Error("not one reply satisfied the schema")
	}
}

func realPictures(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	red := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		red.Set(i%64, i/64, color.RGBA{R: 255, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, red); err != nil {
		t.Fatal(err)
	}
	blind, err := c.Chat(ctx, Request{Role: RoleSee, Messages: user("what do you see?")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Describe(ctx, c, "what do you see?", nil, b.Bytes())
	if err != nil || r.Text != "I see a red square." || r.Model != ollamatest.Eye {
		t.Errorf("%+v, %v", r, err)
	}
	if r.Usage.PromptTokens <= blind.Usage.PromptTokens {
		t.Errorf("the picture was not sent: %d tokens with it, %d without", r.Usage.PromptTokens, blind.Usage.PromptTokens)
	}
}

func realVectors(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	v, model, err := c.Embed(ctx, []string{"look left", "left look", "zzzz"})
	if err != nil || model != ollamatest.Vectors || len(v) != 3 {
		t.Fatalf("%v %s %v", v, model, err)
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if math.Abs(dot(v[0], v[0])-1) > 1e-3 || dot(v[0], v[1]) <= dot(v[0], v[2]) {
		t.Errorf("lengths and likeness: %v %v %v", dot(v[0], v[0]), dot(v[0], v[1]), dot(v[0], v[2]))
	}
}

func realThinking(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	r, err := c.Chat(ctx, Request{Messages: user("think first")}, nil)
	if err != nil || r.Text != "It is four." || r.Thinking != "Let me see." {
		t.Errorf("%+v, %v", r, err)
	}
}

func realCutOff(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	r, err := c.Chat(ctx, Request{Messages: user("count for ever"), MaxTokens: 7}, nil)
	if err != nil || !r.Cut || r.Usage.ReplyTokens != 7 {
		t.Errorf("%+v, %v", r, err)
	}
}

func realTooLong(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	r, err := c.Chat(ctx, Request{Messages: user(strings.Repeat("la ", 3000) + "say hello")}, nil)
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("%+v, %v", r, err)
	}
}

// The server has one place for this model: it replies again only because it stopped. One time in fifty it does not stop.
func realInterrupted(ctx context.Context, t *testing.T, s *ollamatest.Server, _ *Client) {
	c := open(t, s.URL, func(c *Config) { c.FirstToken = 20 * time.Second })
	for range 40 {
		interrupted, cancel := context.WithCancel(ctx)
		r, err := c.Chat(interrupted, Request{Messages: user("count for ever"), MaxTokens: 30000}, func(Delta) { cancel() })
		if !errors.Is(err, context.Canceled) || r.Text == "" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if r, err := c.Chat(ctx, Request{Messages: user("say hello")}, nil); err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func realRunnerDies(ctx context.Context, t *testing.T, s *ollamatest.Server, c *Client) {
	var said *ServerError
	var once sync.Once
	r, err := c.Chat(ctx, Request{Messages: user("count for ever"), MaxTokens: 30000}, func(Delta) {
		once.Do(func() { s.KillRunners() })
	})
	if !errors.As(err, &said) || r.Text == "" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := c.Chat(ctx, Request{Messages: user("say hello")}, nil); err != nil || r.Text == "" {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}

func realDoctor(ctx context.Context, t *testing.T, _ *ollamatest.Server, c *Client) {
	report, err := c.Doctor(ctx)
	if err != nil || report.Away != nil || len(report.Models) != 5 {
		t.Fatalf("%+v, %v", report, err)
	}
	text := report.String()
	for _, want := range []string{
		"5 models", "parrot:latest", "completion, tools", "talk  parrot:latest, then",
		"see   eye:latest stands in; better: ollama pull qwen3-vl:4b",
		"embed vectors:latest stands in; better: ollama pull all-minilm",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
}

func realServerDies(ctx context.Context, t *testing.T, s *ollamatest.Server, _ *Client) {
	c := open(t, s.URL, func(c *Config) { c.Retries, c.Away = -1, 20*time.Millisecond })
	r, err := c.Chat(ctx, Request{Messages: user("count for ever"), MaxTokens: 30000}, func(Delta) { s.Kill() })
	// The model's process may die a moment before the server, which then has time to say so.
	var last *ServerError
	if (!errors.Is(err, ErrIncomplete) && !errors.As(err, &last)) || !strings.HasPrefix(r.Text, "one") {
		t.Errorf("%+v, %v", r, err)
	}
	for c.Ready(RoleTalk) == nil { // the watch was told to look
		if _, err := c.Doctor(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Chat(ctx, Request{Messages: user("say hello")}, nil); !errors.Is(err, ErrAway) {
		t.Errorf("without a server: %v", err)
	}
	s.Restart(t)
	for c.Ready(RoleTalk) != nil {
		if _, err := c.Doctor(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := c.Chat(ctx, Request{Messages: user("say hello")}, nil); err != nil || r.Text == "" {
		t.Errorf("with the server again: %+v, %v", r, err)
	}
}
