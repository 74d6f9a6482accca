package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
)

var fitSchema = tool.Object(map[string]tool.Schema{
	"yaw":   tool.Number("", "°", -180, 180),
	"times": tool.Integer("", 1, 5).WithDefault(2),
	"odd":   {Type: tool.TypeInteger, Minimum: ptr(0.5), Maximum: ptr(1.5)},
	"free":  {Type: tool.TypeNumber},
	"mood":  tool.OneOf("", "happy", "very_sad"),
	"on":    tool.Boolean(""),
	"text":  tool.Text("", 10),
	"list":  {Type: tool.TypeArray, MaxItems: 3, Items: &tool.Schema{Type: tool.TypeNumber, Minimum: ptr(0.0), Maximum: ptr(1.0)}},
	"inner": tool.Object(map[string]tool.Schema{"x": tool.Number("", "m", 0, 1)}, "x"),
}, "yaw")

func ptr(f float64) *float64 { return &f }

func TestFit(t *testing.T) {
	for _, x := range []struct{ given, want, fixes string }{
		{`{"yaw":30}`, `{"times":2,"yaw":30}`, ""},
		{`{"yaw":500}`, `{"times":2,"yaw":180}`, "yaw: 500 became 180!"},
		{`{"yaw":-1e300}`, `{"times":2,"yaw":-180}`, "yaw: -1e300 became -180!"},
		{`{"yaw":7230e233142}`, `{"times":2,"yaw":180}`, "yaw: 7230e233142 became 180!"},
		{`{"yaw":"30"}`, `{"times":2,"yaw":30}`, `yaw: "30" became 30`},
		{`{"yaw":"−45°"}`, `{"times":2,"yaw":-45}`, `yaw: "−45°" became -45`},
		{`{"yaw":"500"}`, `{"times":2,"yaw":180}`, `yaw: "500" became 180!`},
		{`{"yaw":1,"times":2.6}`, `{"times":3,"yaw":1}`, "times: 2.6 became 3"},
		{`{"yaw":1,"times":99.5}`, `{"times":5,"yaw":1}`, "times: 99.5 became 5!"},
		{`{"yaw":1,"odd":1.5}`, `{"odd":1,"times":2,"yaw":1}`, "odd: 1.5 became 1"},
		{`{"yaw":1,"odd":0.6}`, `{"odd":1,"times":2,"yaw":1}`, "odd: 0.6 became 1"},
		{`{"yaw":1,"times":null,"mood":null}`, `{"times":2,"yaw":1}`, "mood: null left out; times: null left out"},
		{`{"yaw":1,"mood":"Very sad"}`, `{"mood":"very_sad","times":2,"yaw":1}`, `mood: "Very sad" became "very_sad"`},
		{`{"yaw":1,"on":"Yes"}`, `{"on":true,"times":2,"yaw":1}`, `on: "Yes" became true`},
		{`{"yaw":1,"on":"off"}`, `{"on":false,"times":2,"yaw":1}`, `on: "off" became false`},
		{`{"yaw":1,"text":5}`, `{"text":"5","times":2,"yaw":1}`, `text: 5 became "5"`},
		{`{"yaw":1,"list":[2,"0.5"]}`, `{"list":[1,0.5],"times":2,"yaw":1}`, `list[0]: 2 became 1!; list[1]: "0.5" became 0.5`},
		{`{"yaw":1,"inner":{"x":3,"y":1}}`, `{"inner":{"x":1},"times":2,"yaw":1}`, "inner.x: 3 became 1!; inner.y: 1 left out"},
		{`{"yaw":1,"speed":"fast"}`, `{"times":2,"yaw":1}`, `speed: "fast" left out`},
		{`"{\"yaw\": 5}"`, `{"times":2,"yaw":5}`, `: "{\"yaw\": 5}" became {"yaw":5}`},

		{`{"yaw":"north"}`, "", `yaw: "north" is not a number`},
		{`{"yaw":true}`, "", "yaw: true is not a number"},
		{`{"yaw":null}`, "", "yaw: null is not a number"},
		{`{"yaw":"NaN"}`, "", `yaw: "NaN" is not a number`},
		{`{"yaw":"Inf"}`, "", `yaw: "Inf" is not a number`},
		{`{"yaw":1,"free":1e999}`, "", "free: 1e999 is too large"},
		{`{}`, "", "yaw: is missing"},
		{`{"yaw":1,"mood":"angry"}`, "", `mood: "angry" is not one of`},
		{`{"yaw":1,"on":"maybe"}`, "", `on: "maybe" is not true or false`},
		{`{"yaw":1,"text":"much too long"}`, "", "13 characters"},
		{`{"yaw":1,"list":[1,1,1,1]}`, "", "4 items"},
		{`[1]`, "", "is not an object"},
		{`{"yaw":1} {}`, "", "something behind it"},
		{`{"yaw":1,"yaw":2}`, `{"times":2,"yaw":2}`, ""},
		{`{"yaw":`, "", "end too early"},
		{``, "", "yaw: is missing"},
	} {
		if x.given == `{"yaw":1,"yaw":2}` { // the schema's reader refuses it, and Fit must not pick one
			if out, _, err := Fit(&fitSchema, json.RawMessage(x.given)); err == nil {
				t.Errorf("a property given twice became %s", out)
			}
			continue
		}
		out, fixes, err := Fit(&fitSchema, json.RawMessage(x.given))
		if x.want == "" {
			if err == nil || !strings.Contains(err.Error(), x.fixes) {
				t.Errorf("%s became %s, %v; want %s", x.given, out, err, x.fixes)
			}
			continue
		}
		var told []string
		for _, f := range fixes {
			s := f.String()
			if f.Clamp {
				s += "!"
			}
			told = append(told, s)
		}
		if err != nil || string(out) != x.want || strings.Join(told, "; ") != x.fixes {
			t.Errorf("%s became %s (%s), %v; want %s (%s)", x.given, out, strings.Join(told, "; "), err, x.want, x.fixes)
		}
	}
	many := `{"yaw":1` + strings.Repeat(`,"x`, 0)
	for i := range maxFixes + 1 {
		many += `,"x` + string(rune('a'+i)) + `":1`
	}
	if _, _, err := Fit(&fitSchema, json.RawMessage(many+"}")); !errors.Is(err, ErrBadOutput) {
		t.Errorf("too many fixes: %v", err)
	}
	if _, _, err := Fit(&fitSchema, bytes.Repeat([]byte(" "), tool.MaxArgs+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
}

func TestCheckCall(t *testing.T) {
	c := CheckCall([]tool.Spec{moveHead}, "fly", json.RawMessage(`{}`))
	if c.Err == nil || c.Err.Error() != `there is no tool "fly"; the tools are move_head` {
		t.Errorf("%+v", c)
	}
	c = CheckCall([]tool.Spec{moveHead}, "move_head", json.RawMessage(`{"yaw":"x"}`))
	var wrong tool.ArgumentErrors
	if !errors.As(c.Err, &wrong) || string(c.Args) != `{"yaw":"x"}` {
		t.Errorf("%+v", c)
	}
}

// Whatever a model writes: what Fit lets through satisfies the schema, and is not changed a second time.
func FuzzFit(f *testing.F) {
	for _, s := range []string{
		`{"yaw":30}`, `{"yaw":"500","times":2.6}`, `{"yaw":1e999,"inner":{"x":null}}`, `"{\"yaw\":1}"`, `{"yaw":1,"list":["1",[2]]}`, `[`, `{"yaw":-0}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, fixes, err := Fit(&fitSchema, raw)
		if err != nil {
			return
		}
		if len(fixes) > maxFixes {
			t.Errorf("%d fixes", len(fixes))
		}
		again, err := fitSchema.Check(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("%s became %s, which is %s, %v", raw, out, again, err)
		}
	})
}
