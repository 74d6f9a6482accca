package tool

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func head() Schema {
	return Object(map[string]Schema{
		"yaw":      Number("turn", "°", -180, 180),
		"duration": Number("time", "s", 0.1, 60).WithDefault(1.0),
		"name":     OneOf("gesture", "nod", "shake"),
		"times":    Integer("how often", 1, 100),
		"loud":     Boolean("aloud"),
		"text":     Text("words", 5),
		"list":     {Type: TypeArray, Items: ptr(Number("", "", 0, 1)), MaxItems: 3},
		"free":     {Type: TypeObject, Open: true},
		"inner":    Object(map[string]Schema{"a": Integer("", 0, 9).WithDefault(7)}, "b").with("b", Boolean("")),
	}, "yaw")
}

func ptr[T any](v T) *T { return &v }

func (s Schema) with(name string, p Schema) Schema {
	s.Properties[name] = p
	return s
}

func TestCheckFillsInAndNormalises(t *testing.T) {
	s := head()
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"yaw":30}`:                            `{"duration":1,"yaw":30}`,
		`{"yaw":-0.5,"duration":2}`:             `{"duration":2,"yaw":-0.5}`,
		`{"yaw":1,"times":1e1}`:                 `{"duration":1,"times":10,"yaw":1}`,
		`{"yaw":1,"times":3.0}`:                 `{"duration":1,"times":3,"yaw":1}`,
		`{"yaw":1,"inner":{"b":true}}`:          `{"duration":1,"inner":{"a":7,"b":true},"yaw":1}`,
		`{"yaw":1,"free":{"x":[1,{"y":null}]}}`: `{"duration":1,"free":{"x":[1,{"y":null}]},"yaw":1}`,
		` {"yaw":1,"text":"äöüßé"} `:            `{"duration":1,"text":"äöüßé","yaw":1}`,
		`{"yaw":1,"list":[0,0.5,1]}`:            `{"duration":1,"list":[0,0.5,1],"yaw":1}`,
	} {
		got, err := s.Check(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("Check(%s) = %s, %v; want %s", in, got, err, want)
		}
	}
	got, err := Object(nil).Check(nil)
	if err != nil || string(got) != "{}" {
		t.Errorf("no arguments: %s, %v", got, err)
	}
}

func TestCheckNamesFieldValueAndWhatIsAllowed(t *testing.T) {
	s := head()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for in, want := range map[string]string{
		`{"yaw":200}`:                   "yaw: 200 is out of range −180…180°",
		`{"yaw":-180.5}`:                "yaw: −180.5 is out of range −180…180°",
		`{"yaw":"30"}`:                  `yaw: "30" is not a number; it must be a number in −180…180°`,
		`{"yaw":null}`:                  "yaw: null is not a number; it must be a number in −180…180°",
		`{"yaw":1e999}`:                 "yaw: 1e999 is too large for a number; it must be a number in −180…180°",
		`{}`:                            "yaw: is missing; it must be a number in −180…180°",
		`{"yaw":1,"jaw":2}`:             "jaw: 2 is not expected; known are duration, free, inner, list, loud, name, text, times, yaw",
		`{"yaw":1,"name":"dance"}`:      `name: "dance" is not one of nod, shake`,
		`{"yaw":1,"name":3}`:            "name: 3 is not one of nod, shake",
		`{"yaw":1,"times":1.5}`:         "times: 1.5 is not a whole number; it must be a whole number in 1…100",
		`{"yaw":1,"times":1e300}`:       "times: 1e300 is too large for a number; it must be a whole number in 1…100",
		`{"yaw":1,"times":101}`:         "times: 101 is out of range 1…100",
		`{"yaw":1,"loud":"yes"}`:        `loud: "yes" is not true or false`,
		`{"yaw":1,"text":"123456"}`:     `text: "123456" has 6 characters; at most 5 are allowed`,
		`{"yaw":1,"text":5}`:            "text: 5 is not a text",
		`{"yaw":1,"list":[0,0,0,0]}`:    "list: has 4 items; at most 3 are allowed",
		`{"yaw":1,"list":[0,2]}`:        "list[1]: 2 is out of range 0…1",
		`{"yaw":1,"list":{}}`:           "list: {} is not an array",
		`{"yaw":1,"inner":{}}`:          "inner.b: is missing; it must be true or false",
		`{"yaw":1,"inner":[]}`:          "inner: [] is not an object",
		`[]`:                            "[] is not an object",
		`{"yaw":1}{}`:                   "arguments: are not one JSON value: there is something behind it",
		`{"yaw":1`:                      "arguments: are not JSON: they end too early",
		`{"yaw":1,"yaw":2}`:             "arguments: have yaw twice",
		`{"yaw":1,"free":` + deep + `}`: "arguments: are nested deeper than 16",
		"{\"yaw\":\"\xff\"}":            "arguments: are not valid UTF-8",
		`yaw=1`:                         "arguments: are not JSON",
	} {
		_, err := s.Check(json.RawMessage(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check(%s): %v; want %s", in, err, want)
		}
	}
	if _, err := s.Check(make(json.RawMessage, MaxArgs+1)); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("too long arguments: %v", err)
	}
}

func TestCheckTellsSeveralProblemsAndNoEndlessList(t *testing.T) {
	_, err := head().Check(json.RawMessage(`{"times":0,"loud":1,"name":"x"}`))
	if err == nil || strings.Count(err.Error(), "; ") < 3 {
		t.Errorf("four problems expected: %v", err)
	}
	many := `{"yaw":1`
	for _, c := range "abcdefghijklmnopqrs" {
		many += `,"` + string(c) + `":1`
	}
	_, err = head().Check(json.RawMessage(many + "}"))
	var list ArgumentErrors
	if !errors.As(err, &list) || len(list) != maxProblems {
		t.Errorf("got %d problems; want %d", len(list), maxProblems)
	}
	_, err = head().Check(json.RawMessage(`{"yaw":"` + strings.Repeat("ä", 1000) + `"}`))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("a long value is not shortened: %d bytes", len(err.Error()))
	}
}

func TestVerifyRefusesSchemasThatCannotWork(t *testing.T) {
	nested := Boolean("")
	for range 30 {
		nested = Object(map[string]Schema{"a": nested})
	}
	for name, s := range map[string]Schema{
		"must be an object":      Boolean(""),
		"type \"int\" is unknow": Object(map[string]Schema{"a": {Type: "int"}}),
		"above maximum":          Object(map[string]Schema{"a": Number("", "", 2, 1)}),
		"minimum NaN":            Object(map[string]Schema{"a": Number("", "", math.NaN(), 1)}),
		"\"b\" is required":      Object(map[string]Schema{"a": Boolean("")}, "b"),
		"of no use":              Object(map[string]Schema{"a": Boolean("").WithDefault(true)}, "a"),
		"default: a: 5 is out":   Object(map[string]Schema{"a": Number("", "", 0, 1).WithDefault(5)}),
		"property name":          Object(map[string]Schema{"a b": Boolean("")}),
		"only an object":         Object(map[string]Schema{"a": {Type: TypeString, Open: true}}),
		"only an array":          Object(map[string]Schema{"a": {Type: TypeString, MaxItems: 1}}),
		"only a string":          Object(map[string]Schema{"a": {Type: TypeNumber, MaxLength: 1}}),
		"only a number":          Object(map[string]Schema{"a": {Type: TypeString, Unit: "s"}}),
		"negative":               Object(map[string]Schema{"a": Text("", -1)}),
		"nested deeper":          nested,
		"schema of a[]":          Object(map[string]Schema{"a": {Type: TypeArray, Items: &Schema{Type: "x"}}}),
	} {
		if err := s.Verify(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaIsStandardJSONSchema(t *testing.T) {
	s := Object(map[string]Schema{
		"yaw":  Number("turn", "°", -180, 180).WithDefault(0.0),
		"name": OneOf("which", "a", "b"),
	}, "name")
	got, err := json.Marshal(s)
	want := `{"type":"object","properties":{"name":{"type":"string","description":"which","enum":["a","b"]},` +
		`"yaw":{"type":"number","description":"turn","minimum":-180,"maximum":180,"x-unit":"°","default":0}},` +
		`"required":["name"],"additionalProperties":false}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
	empty, err := json.Marshal(Object(nil))
	if err != nil || string(empty) != `{"type":"object","additionalProperties":false,"properties":{}}` {
		t.Errorf("no parameters: %s, %v", empty, err)
	}
	var back Schema
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != want {
		t.Errorf("read and written again: %s, %v", again, err)
	}
	if err := json.Unmarshal([]byte(`{"type":"object","oneOf":[]}`), &back); err == nil {
		t.Error("a keyword that is not understood was accepted")
	}
}

// FuzzCheck: whatever comes, what is accepted satisfies the schema when it is checked again, and is unchanged by it.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{"yaw":30}`, `{"yaw":1e2,"times":3.0,"name":"nod"}`, `{"yaw":1,"inner":{"b":true}}`, `[[[`, `{"yaw":1,"yaw":1}`,
		`{"yaw":-0}`, `{"yaw":1,"free":{"a":[1,"\u0000"]}}`, `{"yaw":1,"times":9007199254740993}`, "\xff", `{"yaw":1}x`,
	} {
		f.Add([]byte(seed))
	}
	s := head()
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := s.Check(in)
		if err != nil {
			if len(err.Error()) > 8<<10 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		var args struct {
			Yaw, Duration float64
			Times         int
			Name, Text    string
			Loud          bool
		}
		if err := json.Unmarshal(out, &args); err != nil {
			t.Fatalf("%s was accepted and cannot be decoded: %v", in, err)
		}
		if !(args.Yaw >= -180 && args.Yaw <= 180) || args.Duration < 0.1 {
			t.Fatalf("%s was accepted: %+v", in, args)
		}
		again, err := s.Check(out)
		if err != nil || string(again) != string(out) {
			t.Fatalf("checked again: %s, %v; was %s", again, err, out)
		}
	})
}

// FuzzSchema: a schema that is read and verified never panics when it is used.
func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"number","minimum":1,"default":2}},"required":[]}`), []byte(`{"a":3}`))
	f.Add([]byte(`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`), []byte(`{"a":["x"]}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		var s Schema
		if json.Unmarshal(schema, &s) != nil || s.Verify() != nil {
			return
		}
		if out, err := s.Check(args); err == nil && !json.Valid(out) {
			t.Fatalf("not JSON: %s", out)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s := head()
	args := json.RawMessage(`{"yaw":30,"duration":2,"name":"nod"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Check(args); err != nil {
			b.Fatal(err)
		}
	}
}
