package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
)

type bound struct {
	Yaw, Duration float64
	Times         int
	Name, Text    string
	Loud          bool
	Pitch         *float64
	List          []float64
	Free          json.RawMessage
	Inner         struct{ A *int }
	Kind          Type  `json:"inner_kind"`
	Steps         []any `json:"steps"`
}

// What is bound from values is what JSON would have made of them.
func TestBindIsUnmarshal(t *testing.T) {
	for _, in := range []string{
		`{}`, `{"yaw":30,"duration":2.5,"times":3,"name":"nod","text":"äöü","loud":true}`, `{"YAW":1,"pitch":-0.5,"list":[0,1]}`,
		`{"inner":{"a":7},"free":{"x":[1,{"y":null}]},"inner_kind":"array"}`, `{"pitch":null,"list":null,"name":null}`, `{"times":9007199254740993}`,
		`{"steps":[{"tool":"nod"},1,"x",null,true]}`, `{"inner":{}}`,
	} {
		values, err := Decode(json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		var got, want bound
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatal(err)
		}
		if err := Bind(values, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v %v\nwant %+v", in, got, err, want)
		}
	}
	for _, in := range []string{`{"yaw":"x"}`, `{"times":1.5}`, `{"name":1}`, `{"loud":0}`, `{"inner":[]}`, `{"list":{}}`, `{"yaw":1e999}`} {
		values, err := Decode(json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		var got bound
		if Bind(values, &got) == nil {
			t.Errorf("%s was bound: %+v", in, got)
		}
	}
}

// Defaults are values of Go, and what a program has made is read as if it had been JSON.
func TestPlainIsDecode(t *testing.T) {
	for _, in := range []map[string]any{
		nil,
		{"a": 1, "b": 2.5, "c": "x", "d": nil, "e": true, "f": -1e300},
		{"list": []any{1, "x", map[string]any{"y": 0.1}}, "steps": []struct{ Tool string }{{"nod"}}},
	} {
		got, err := Plain(in)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(in)
		if in == nil {
			raw = []byte("{}")
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(number(got)), fmt.Sprint(number(want)); a != b {
			t.Errorf("%v: got %s, want %s", in, a, b)
		}
	}
	for _, v := range []any{math.NaN(), math.Inf(1), func() {}} {
		if got, err := Plain(map[string]any{"a": v}); err == nil {
			t.Errorf("%v became %v", v, got)
		}
	}
	inner := map[string]any{"x": 1}
	got, err := Plain(map[string]any{"inner": inner})
	if err != nil {
		t.Fatal(err)
	}
	got["inner"].(map[string]any)["x"] = 2
	if inner["x"] != 1 {
		t.Error("the caller's arguments were changed")
	}
}

// number makes numbers comparable, however they are written.
func number(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return err
		}
		return f
	case map[string]any:
		for name := range v {
			v[name] = number(v[name])
		}
	case []any:
		for i := range v {
			v[i] = number(v[i])
		}
	}
	return v
}

// FuzzBind: binding values and decoding JSON agree, whatever comes.
func FuzzBind(f *testing.F) {
	for _, seed := range []string{`{"yaw":30}`, `{"list":[0,1e2],"inner":{"a":1}}`, `{"inner_kind":"x","free":[[]]}`, `{"times":1e2}`, `{"Yaw":1,"times":2}`} {
		f.Add([]byte(seed))
	}
	s := Object(map[string]Schema{
		"yaw": Number("", "°", -180, 180), "times": Integer("", -100, 100), "name": OneOf("", "nod", "shake"), "loud": Boolean(""),
		"pitch": Number("", "°", -40, 40), "list": {Type: TypeArray, Items: ptr(Number("", "", 0, 1))}, "free": {Type: TypeObject, Open: true},
	})
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := s.Check(in)
		if err != nil {
			return
		}
		values, err := Decode(in)
		if err == nil {
			values, err = s.CheckValues(values)
		}
		if err != nil {
			t.Fatalf("%s: Check accepts what CheckValues refuses: %v", in, err)
		}
		var got, want bound
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		if err := Bind(values, &got); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		got.Free, want.Free = nil, nil // its text may be written in two ways
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\ngot  %+v\nwant %+v", in, got, want)
		}
	})
}
