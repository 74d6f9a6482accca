package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestToolArguments(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string // "" for an error
	}{
		{nil, `{}`},
		{[]string{`{"yaw": 30}`}, `{"yaw": 30}`},
		{[]string{"yaw=-30.5", "on=true", "x=null"}, `{"on":true,"x":null,"yaw":-30.5}`},
		{[]string{"text=hello you"}, `{"text":"hello you"}`},
		{[]string{"text=a=b"}, `{"text":"a=b"}`},
		{[]string{"text="}, `{"text":""}`},
		{[]string{`text="5"`}, `{"text":"5"}`},
		{[]string{`steps=[{"tool":"nod"}]`}, `{"steps":[{"tool":"nod"}]}`},
		{[]string{"text=nan"}, `{"text":"nan"}`},
		{[]string{"=5"}, ""},
		{[]string{"yaw"}, ""},
		{[]string{"yaw=1", "yaw=2"}, ""},
		{[]string{`{"yaw":`}, ""},
		{[]string{`{"yaw":1}`, "pitch=1"}, ""},
	} {
		got, err := toolArguments(c.words)
		if (err != nil) != (c.want == "") || string(got) != c.want {
			t.Errorf("%q: %s, %v", c.words, got, err)
		}
	}
}

func FuzzToolArguments(f *testing.F) {
	for _, s := range []string{"yaw=30 on=true", `{"a":1}`, `text="x`, "=", "{", "a=\xff", "a=1e999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := toolArguments(strings.Fields(line))
		if err != nil {
			return
		}
		var object map[string]json.RawMessage // numbers beyond float64 are for the robot to refuse
		if err := json.Unmarshal(got, &object); err != nil {
			t.Errorf("%q became %q: %v", line, got, err)
		}
	})
}
