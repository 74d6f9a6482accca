package calling

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
)

// got asks a model that writes text what a sentence should lead to, and returns the calls.
func got(t *testing.T, style Style, said, text string) (calls string, reply llm.Reply, script *llmtest.Script) {
	t.Helper()
	script = llmtest.New(llmtest.Say(text), llmtest.Say("Let us talk."))
	m := New(script, Options{Always: true, Style: style})
	reply, err := m.Chat(t.Context(), llm.Request{Role: llm.RoleCall, Tools: catalogued(), Messages: []llm.Message{{Who: llm.User, Text: said}}}, nil)
	if err != nil {
		t.Fatalf("%q: %v", said, err)
	}
	var all []string
	for _, c := range reply.Calls {
		if c.Err != nil {
			t.Errorf("%q: %v", said, c.Err)
		}
		var args map[string]any
		if json.Unmarshal(c.Args, &args) != nil {
			t.Errorf("%q: %s", said, c.Args)
		}
		delete(args, "duration")
		raw, _ := json.Marshal(args)
		all = append(all, c.Name+string(raw))
	}
	return strings.Join(all, " "), reply, script
}

func TestCalls(t *testing.T) {
	for _, c := range []struct{ said, text, want string }{
		// Words are numbers with the right sign, and have a size of their own.
		{"glance left", `[{"tool":"look","direction":"left"}]`, `move_head{"yaw":30}`},
		{"glance right", `[{"tool":"look","direction":"right","degrees":30}]`, `move_head{"yaw":-30}`},
		{"look up 12 degrees", `[{"tool":"look","direction":"up","degrees":12}]`, `move_head{"pitch":-12}`},
		{"look straight ahead", `[{"tool":"look","direction":"ahead"}]`, `move_head{"pitch":0,"roll":0,"yaw":0}`},
		{"cock your head to the right", `[{"tool":"tilt","direction":"right"}]`, `move_head{"roll":20}`},
		{"rotate your body left", `[{"tool":"turn_body","direction":"left"}]`, `turn_body{"yaw":30}`},
		{"put both antennas back", `[{"tool":"set_antennas","position":"back","which":"both"}]`, `set_antennas{"left":120,"right":-120}`},
		{"lower your left antenna", `[{"tool":"set_antennas","position":"down"}]`, `set_antennas{"left":180}`},
		{"stop following me", `[{"tool":"stop_tracking"}]`, `track_face{"enabled":false}`},
		// What a part of the sentence says in so many words is not forgotten; what is denied, or not clear, is not added.
		{"glance up to the ceiling and nod", `[{"tool":"look","direction":"up"}]`, `move_head{"pitch":-20} gesture{"name":"nod"}`},
		{"could you glance up to the ceiling and nod?", `[{"tool":"look","direction":"up"}]`, `move_head{"pitch":-20} gesture{"name":"nod"}`},
		{"nod and glance up to the ceiling", `[{"tool":"look","direction":"up"}]`, `move_head{"pitch":-20}`},
		{"glance up to the ceiling and do not nod", `[{"tool":"look","direction":"up"}]`, `move_head{"pitch":-20}`},
		{"glance up to the ceiling and make a gesture", `[{"tool":"look","direction":"up"}]`, `move_head{"pitch":-20}`},
		// What was said decides: a number that nobody said is left out, one that was said is taken, and so is a choice.
		{"glance left", `[{"tool":"look","direction":"left","degrees":90}]`, `move_head{"yaw":30}`},
		{"turn your head 45 degrees to the left", `[{"tool":"look","direction":"left"}]`, `move_head{"yaw":45}`},
		{"swivel your base a quarter turn to the right", `[{"tool":"turn_body","direction":"right","degrees":25}]`, `turn_body{"yaw":-90}`},
		{"glance left", `[{"tool":"look","direction":"right"}]`, `move_head{"yaw":30}`},
		{"stare at the ceiling", `[{"tool":"look","direction":"down"}]`, `move_head{"pitch":-20}`},
		{"be joyful", `[{"tool":"express_emotion","emotion":"sad"}]`, `express_emotion{"emotion":"happy"}`},
		{"look left, then right", `[{"tool":"look","direction":"left"},{"tool":"look","direction":"right"}]`, `move_head{"yaw":30} move_head{"yaw":-30}`},
		{"pause for 4 seconds", `[{"tool":"wait","seconds":40}]`, `wait{"seconds":4}`},
		// A direction is nothing to look at, and "in front of you" is none.
		{"stretch your neck up and look at the thing that hangs there", `[{"tool":"look_at","target":"up"}]`, `move_head{"pitch":-20}`},
		{"gaze at the ground in front of you", `[{"tool":"look","direction":"ahead"}]`, `move_head{"pitch":20}`},
		{"can you see my pen, where is it", `[{"tool":"find_object","name":"pen"},{"tool":"detect_objects","name":"bottle"}]`, `find_object{"name":"pen"}`},
		{"where is it", `[{"tool":"find_object","name":"pen"}]`, `find_object{"name":"pen"}`},
		// The parts of a sentence are done in their order.
		{"stare down and photograph it", `[{"tool":"take_photo"},{"tool":"look","direction":"down"}]`, `move_head{"pitch":20} take_photo{}`},
		{"stare down after you take a photo", `[{"tool":"take_photo"},{"tool":"look","direction":"down"}]`, `take_photo{} move_head{"pitch":20}`},
		{"turn your voice down to a quarter", `[{"tool":"set_volume","level":1}]`, `set_volume{"level":25}`},
		{"show us how you groove", `[{"tool":"gesture","name":"bow"}]`, `gesture{"name":"dance"}`},
		// What stands there twice is done once.
		{"nod", `[{"tool":"gesture","name":"nod"},{"tool":"gesture","name":"nod"}]`, `gesture{"name":"nod"}`},
		{"nod twice", `[{"tool":"gesture","name":"nod"},{"tool":"gesture","name":"nod"}]`, `gesture{"name":"nod"} gesture{"name":"nod"}`},
		// No tool after all.
		{"nod", `[{"tool":"none"}]`, ``},
	} {
		if calls, _, _ := got(t, Schema, c.said, c.text); calls != c.want {
			t.Errorf("%q, %s: %s, want %s", c.said, c.text, calls, c.want)
		}
	}
}

// Models without a schema write calls as they have learnt to, or text.
func TestCallsInText(t *testing.T) {
	for _, c := range []struct{ said, text, want string }{
		{"glance left", "Sure!\n```json\n{\"name\": \"look\", \"arguments\": {\"direction\": \"left\"}}\n```", `move_head{"yaw":30}`},
		{"glance left", `<tool_call>{"name":"look","arguments":{"direction":"left"}}</tool_call>`, `move_head{"yaw":30}`},
		{"glance left", `look(direction="left")`, `move_head{"yaw":30}`},
		{"glance left", `turn_head("left")`, `move_head{"yaw":30}`},
		{"shake your head", `[{"tool":"shake"}]`, `gesture{"name":"shake"}`},
		{"glance left", `I would rather talk.`, ``},
	} {
		if calls, _, _ := got(t, Text, c.said, c.text); calls != c.want {
			t.Errorf("%q, %s: %s, want %s", c.said, c.text, calls, c.want)
		}
	}
}

// A short prompt: its front is always the same, at most eight tools, the sentence last.
func TestPrompt(t *testing.T) {
	var fronts []string
	for _, said := range []string{"glance left", "take a photo and then say hello, wiggle your antennas, look at the cup and dance"} {
		_, _, script := got(t, Schema, said, `[{"tool":"none"}]`)
		r := script.Asked()[0]
		front, tools, _ := strings.Cut(r.System, "Tools:\n")
		fronts = append(fronts, front)
		if n := strings.Count(tools, "\n") + 1; n > maxOffered {
			t.Errorf("%q: %d tools", said, n)
		}
		size := len(r.System)
		for _, m := range r.Messages {
			size += len(m.Text) + 12
		}
		const most = 500 * 4 // some four letters a token
		if last := r.Messages[len(r.Messages)-1]; last.Text != said || size > most {
			t.Errorf("%q: %d characters, %q comes last", said, size, last.Text)
		}
		if !json.Valid(r.Format) {
			t.Errorf("%q: %s", said, r.Format)
		}
	}
	if fronts[0] != fronts[1] {
		t.Errorf("the front changes: %q, %q", fronts[0], fronts[1])
	}
}

// What speaks for no tool is asked without any.
func TestTalkIsAskedWithoutTools(t *testing.T) {
	_, reply, script := got(t, Schema, "my brother looked left yesterday", "How nice.")
	if reply.Text != "How nice." || len(script.Asked()) != 1 || script.Asked()[0].Format != nil {
		t.Errorf("%+v, asked %+v", reply, script.Asked())
	}
}

func TestAReplyThatIsNoListIsAnError(t *testing.T) {
	m := New(llmtest.New(llmtest.Say("left")), Options{Always: true})
	_, err := m.Chat(t.Context(), llm.Request{Role: llm.RoleCall, Tools: catalogued(), Messages: []llm.Message{{Who: llm.User, Text: "glance left"}}}, nil)
	if !errors.Is(err, llm.ErrBadOutput) {
		t.Errorf("%v", err)
	}
}

// After the start the model is asked for one token, with the front of every prompt; a server that is away is not.
func TestWarm(t *testing.T) {
	script := llmtest.New(llmtest.Say("x"))
	m := New(script, Options{Always: true})
	if err := m.Warm(t.Context()); err != nil || len(script.Asked()) != 1 || script.Asked()[0].MaxTokens != 1 {
		t.Errorf("%v, asked %+v", err, script.Asked())
	}
	if front := m.fill(faces().Front); !strings.HasPrefix(script.Asked()[0].System, strings.TrimSpace(front)) {
		t.Errorf("%q", script.Asked()[0].System)
	}
	script.Away(llm.ErrAway)
	if err := m.Warm(t.Context()); err != nil || len(script.Asked()) != 1 {
		t.Errorf("%v, asked %d times", err, len(script.Asked()))
	}
	if err := New(script, Options{}).Warm(t.Context()); err != nil || len(script.Asked()) != 1 {
		t.Errorf("a model of unknown size: %v, asked %d times", err, len(script.Asked()))
	}
}

// Every face stands for a tool of the catalogue, has words, and its examples can be read.
func TestFaces(t *testing.T) {
	names := map[string]bool{}
	for _, f := range shown(catalogued()) {
		names[f.Name] = true
		if speaks.Rule(f.Name) == nil {
			t.Errorf("%s has no words in perception/language/en/calling.txt", f.Name)
		}
		if err := f.spec.Parameters.Verify(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		for key, words := range f.Means {
			for word := range words {
				args, _ := json.Marshal(map[string]string{key: word})
				if c := f.translate(llm.CheckCall([]tool.Spec{f.spec}, f.Name, args)); c.Err != nil {
					t.Errorf("%s %s: %v", f.Name, word, c.Err)
				}
			}
		}
	}
	for _, f := range faces().Faces {
		if !names[f.Name] {
			t.Errorf("%s stands for %s, which the robot does not have", f.Name, f.Tool)
		}
	}
	if n := len(examples().all); n < 80 {
		t.Errorf("%d examples", n)
	}
}

func FuzzCalls(f *testing.F) {
	f.Add("look left and nod", `[{"tool":"look","direction":"left","degrees":1e99}]`)
	f.Add("nod \xff", "nod(\"")
	f.Fuzz(func(t *testing.T, said, text string) {
		all := offered(said, shown(catalogued()))
		m := New(nil, Options{Style: Text})
		calls, err := m.read(&llm.Reply{Text: text}, all)
		if err != nil {
			return
		}
		for _, c := range settle(said, calls, all, nil) {
			if c.Err == nil && !json.Valid(c.Args) {
				t.Errorf("%q, %q: %s%s", said, text, c.Name, c.Args)
			}
		}
	})
}

// A contraction is two words for the analysis and one for the model, which is shown it once.
func TestContractionsAreShownOnce(t *testing.T) {
	if got := parts("That's enough, I don't like it and you're loud."); !slices.Equal(got, []string{"That's enough", "I don't like it", "you're loud"}) {
		t.Errorf("%q", got)
	}
}

// A request that is only polite besides is one request.
func TestPolitenessIsNoRequest(t *testing.T) {
	for said, want := range map[string]int{"Both ears up, please.": 1, "Hey Reachy, nod!": 1, "Nod and bow, would you?": 2, "Please.": 1} {
		if got := allowed(said); got != want {
			t.Errorf("%q: %d calls, want %d", said, got, want)
		}
	}
}

// The examples that a model is shown are those most like the sentence, the most alike last.
func TestTheExamplesMostAlikeAreShown(t *testing.T) {
	for said, want := range map[string]string{
		"would you turn your head to the left": "Turn your head left.", "lay the antennas back": "Lay both antennas back.",
		"glance a little right": "Look a little to the right.",
	} {
		_, _, script := got(t, Schema, said, `[{"tool":"none"}]`)
		r := script.Asked()[0]
		n := len(r.Messages)
		if n < 3 || n > 1+2*maxExamples || r.Messages[n-3].Text != want || r.Messages[n-2].Who != llm.Assistant {
			t.Errorf("%q: %+v", said, r.Messages)
		}
	}
}

// What had to be changed in a call is in the trace.
func TestRepairsAreInTheTrace(t *testing.T) {
	rec := trace.NewRecorder(nil)
	m := New(llmtest.New(llmtest.Say(`turn_head("left")`)), Options{Always: true, Style: Text})
	ask := llm.Request{Role: llm.RoleCall, Tools: catalogued(), Messages: []llm.Message{{Who: llm.User, Text: "glance left"}}}
	_, err := m.Chat(trace.With(t.Context(), rec), ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	spans, _ := rec.Spans()
	if err := trace.Draw(&told, spans, 0); err != nil || !strings.Contains(told.String(), `tool: "turn_head" became "look"`) {
		t.Errorf("%v\n%s", err, told.String())
	}
}
