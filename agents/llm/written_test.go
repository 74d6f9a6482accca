package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
)

// shelf has the tools of these tests.
var shelf = []tool.Spec{
	{Name: "look", Also: []string{"turn_head"}, Parameters: tool.Object(map[string]tool.Schema{
		"direction": tool.OneOf("", "left", "right"), "degrees": tool.Integer("", 1, 90),
	}, "direction")},
	{Name: "gesture", Parameters: tool.Object(map[string]tool.Schema{"name": tool.OneOf("", "nod", "shake", "look_around")}, "name")},
	{Name: "express_emotion", Parameters: tool.Object(map[string]tool.Schema{"emotion": tool.OneOf("", "happy", "scared")}, "emotion")},
	{Name: "detect_objects", Parameters: tool.Object(map[string]tool.Schema{"name": tool.Text("", 50)})},
	{Name: "take_photo", Parameters: tool.Object(nil)},
}

func inWords(calls []Call) string {
	var all []string
	for _, c := range calls {
		text := c.Name + string(c.Args)
		if c.Err != nil {
			text = c.Name + "!"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestWrittenCalls(t *testing.T) {
	const left, nod = `look{"direction":"left"}`, `gesture{"name":"nod"}`
	for text, want := range map[string]string{
		`{"name":"look","arguments":{"direction":"left"}}`:                                           left,
		`{"tool":"look","args":{"direction":"left"}}`:                                                left,
		`{"tool":"look","direction":"left"}`:                                                         left,
		`{"function":{"name":"look","arguments":"{\"direction\":\"left\"}"},"type":"function"}`:      left,
		`{"tool_calls":[{"function":"look","parameters":{"direction":"left"}}]}`:                     left,
		`{"action":"look","action_input":{"direction":"left"}}`:                                      left,
		`{"look":{"direction":"left"}}`:                                                              left,
		"```json\n{\"tool\":\"look\",\"direction\":\"left\"}\n```":                                   left,
		"Of course.\n```\nlook(direction='left')\n```\nThere.":                                       left,
		"```python\nprint(look(\"left\"))\n```":                                                      left,
		"```tool_code\nlook(direction=\"left\")\ntake_photo()\n```":                                  left + " take_photo{}",
		`<tool_call>{"name":"look","arguments":{"direction":"left"}}</tool_call>`:                    left,
		"<tool_call>\n{\"name\":\"look\",\"arguments\":{\"direction\":\"left\"}}":                    left,
		`<function=look>{"direction":"left"}</function>`:                                             left,
		`<function=look><parameter=direction>left</parameter></function>`:                            left,
		`<|python_tag|>look(direction="left")`:                                                       left,
		`[TOOL_CALLS][{"name":"look","arguments":{"direction":"left"}}]`:                             left,
		`[look(direction="left"), gesture(name="nod")]`:                                              left + " " + nod,
		"Thought: I turn.\nAction: look\nAction Input: {\"direction\": \"left\"}\nObservation: done": left,
		// What is near is put right: names, shapes, spellings.
		`{"name":"turn_head","arguments":{"direction":"Left"}}`:       left,
		`{"name":"Look","arguments":{"direction":["left"]}}`:          left,
		`{"name":"shake","arguments":{}}`:                             `gesture{"name":"shake"}`,
		`{"name":"gesture","arguments":{"tool":"nod"}}`:               nod,
		`{"name":"gesture","arguments":"nodding"}`:                    nod,
		`{"name":"gesture","arguments":[{"name":"nod"}]}`:             nod,
		`express_emotion({"emotion":"scared"})`:                       `express_emotion{"emotion":"scared"}`,
		`{"name":"expres_emotion","arguments":{"emotion":"scared"}}`:  `express_emotion{"emotion":"scared"}`,
		`{"name":"detect_objects","arguments":{"name":["cup"]}}`:      `detect_objects{"name":"cup"}`,
		`{"name":"detect_objects","arguments":{"object":"cup"}}`:      `detect_objects{"name":"cup"}`,
		`{"name":"functions.take_photo","arguments":{"a":1,"b":[2]}}`: `take_photo{}`,
		`{"name":"look","arguments":{"direction":"sideways"}}`:        `look!`,
		// What is no call is left to be read.
		`Look to the left, said the fox.`:            ``,
		`{"name":"Anna","age":7}`:                    ``,
		"Here is how:\n```python\nprint(1 + 2)\n```": ``,
		`[1, 2, 3]`: ``,
		`{"name":"fly","arguments":{"direction":"left"}}`: ``,
		`look( `: ``,
		"```json\n{\"name\":\"look\",\"arguments\":{\"dir":  ``,
		`The function look(direction) turns the head.`:      ``,
		`{"name":"look_at_me_now_please","arguments":null}`: ``,
	} {
		if got := inWords(WrittenCalls(text, shelf)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What was changed is told.
func TestRepairsAreTold(t *testing.T) {
	c := CheckCall(shelf, "turn_head", json.RawMessage(`{"direction":["left"]}`))
	if c.Err != nil || len(c.Fixes) != 2 ||
		c.Fixes[0].String() != `tool: "turn_head" became "look"` || c.Fixes[1].String() != `direction: ["left"] became "left"` {
		t.Errorf("%v, %v", c.Fixes, c.Err)
	}
	if c = CheckCall(shelf, "fly_away", nil); c.Err == nil {
		t.Error("a tool that there is not was called")
	}
	// The same near to two things is near to none.
	two := append(shelf[:len(shelf):len(shelf)], tool.Spec{Name: "play", Parameters: tool.Object(map[string]tool.Schema{"what": tool.OneOf("", "nod")}, "what")})
	if c = CheckCall(two, "nod", nil); c.Err == nil {
		t.Errorf("nod is %s", c.Name)
	}
}

func FuzzWrittenCalls(f *testing.F) {
	f.Add(`look(direction="left"`)
	f.Add(`<function=look><parameter=direction>`)
	f.Add(`[{"tool":{"function":[{"name":"look"}]}}]`)
	f.Add("```json\n[look('\\'), [{(")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range WrittenCalls(text, shelf) {
			if c.Err == nil && !json.Valid(c.Args) {
				t.Errorf("%q: %s%s", text, c.Name, c.Args)
			}
		}
	})
}

// Text around a call in a stream is passed on at once, the call is not.
func TestFilterOfMarkedCalls(t *testing.T) {
	var f filter
	f.expect(shelf)
	var text strings.Builder
	for _, piece := range []string{"Sure", ", I will. `", "``json\n{\"tool\":\"take_photo\"}", "\n```"} {
		for _, d := range f.add(piece) {
			text.WriteString(d.Text)
		}
	}
	rest, calls := f.end(shelf, true)
	if text.String() != "Sure, I will. " || len(rest) > 0 || inWords(calls) != "take_photo{}" {
		t.Errorf("%q, %v, %s", text.String(), rest, inWords(calls))
	}
}
