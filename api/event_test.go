package api

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 7_500_000, time.FixedZone("", 3600))
	noonZ = `"2026-03-01T11:00:00.007Z"`
)

// The JSON of each event as it has been since the first version; a client may rely on every letter.
var golden = []struct {
	data Payload
	want string
}{
	{Utterance{Session: "s", Text: "look \"left\" <now>"}, `"session":"s","text":"look \"left\" \u003cnow\u003e"`},
	{Partial{Session: "voice", Speaker: SpeakerHuman, Turn: 3, Text: "look"}, `"session":"voice","speaker":"human","text":"look","turn":3`},
	{Partial{Session: "s", Speaker: SpeakerRobot, Text: "I"}, `"session":"s","speaker":"robot","text":"I"`},
	{Reply{Session: "s", Text: "Done.", Outcome: "plan", DurationMS: 1.25}, `"duration_ms":1.25,"outcome":"plan","session":"s","text":"Done."`},
	{Handoff{Session: "s", From: "a", To: "b", Reason: "r"}, `"from":"a","reason":"r","session":"s","to":"b"`},
	{Notification{Session: "s", Schedule: 2, Kind: "reminder", Text: "tea"}, `"kind":"reminder","schedule":2,"session":"s","text":"tea"`},
	{ToolCall{Call: 1, Tool: "nod", Args: json.RawMessage(`{"b": 1, "a": 2}`)}, `"args":{"b":1,"a":2},"call":1,"depth":0,"tool":"nod"`},
	{ToolCall{Call: 1, Tool: "nod", Args: `{"b`, Depth: 2}, `"args":"{\"b","call":1,"depth":2,"tool":"nod"`},
	{
		ToolResult{Call: 1, Tool: "nod", Status: "success", Message: "m", DurationMS: 2},
		`"call":1,"depth":0,"duration_ms":2,"message":"m","status":"success","tool":"nod"`,
	},
	{
		ToolResult{Call: 1, Tool: "nod", Status: "error", Code: "limit", Message: "m", Data: map[string]any{"y": 1, "x": nil}, Depth: 1},
		`"call":1,"code":"limit","data":{"x":null,"y":1},"depth":1,"duration_ms":0,"message":"m","status":"error","tool":"nod"`,
	},
	{
		ToolRegistered{Name: "t", Author: "ann", Version: 1, Digest: "d", Active: true, State: "passed", Score: 0.5},
		`"active":true,"author":"ann","digest":"d","name":"t","score":0.5,"state":"passed","version":1`,
	},
	{ToolProgress{Attempt: 2, Detail: "2 of 6 tests failed", Name: "a", Step: StepCode}, `"attempt":2,"detail":"2 of 6 tests failed","name":"a","step":"code"`},
	{ToolRefused{Name: "t", Author: "ann", Stage: "check", Reason: "os"}, `"author":"ann","name":"t","reason":"os","stage":"check"`},
	{ToolReviewed{Name: "t", Version: 2, Review: "approved", Author: "bob"}, `"author":"bob","name":"t","reason":"","review":"approved","version":2`},
	{MoveStarted{Move: "m1", Name: "goto"}, `"move":"m1","name":"goto"`},
	{MoveDone{Move: "m1", Name: "goto", End: "done"}, `"end":"done","move":"m1","name":"goto"`},
	{MoveDone{Move: "m1", Name: "goto", End: "cancelled", Reason: "replaced"}, `"end":"cancelled","move":"m1","name":"goto","reason":"replaced"`},
	{Detection{}, `"objects":null`},
	{
		Detection{Objects: []Object{{
			Name: "duck", By: "yunet", Score: 0.5, Box: Box{1, 2, 3, 4}, Yaw: 1, Pitch: -2, Place: []float64{0.4, 0.3, 0.03}, ID: 5, Colour: "red", Text: "hi",
		}, {}}},
		`"objects":[{"name":"duck","by":"yunet","score":0.5,"box":{"x":1,"y":2,"w":3,"h":4},"yaw":1,"pitch":-2,"place":[0.4,0.3,0.03],` +
			`"id":5,"colour":"red","text":"hi"},` +
			`{"name":"","by":"","score":0,"box":{"x":0,"y":0,"w":0,"h":0},"yaw":0,"pitch":0}]`,
	},
	{
		ConfigChange{Changes: []SettingChange{{Key: "idle", Value: "lively", Was: "calm", When: WhenNow}}, File: "f"},
		`"changes":[{"key":"idle","value":"lively","was":"calm","when":"now"}],"file":"f","restart":false`,
	},
	{
		ModelFetch{Name: "tiny.en", State: ModelFetching, File: "f", Done: 1, Total: 2},
		`"done":1,"file":"f","name":"tiny.en","state":"fetching","total":2`,
	},
	{Feedback{Session: "s", Text: "good job", Of: "t", Reward: 1}, `"of":"t","reward":1,"session":"s","text":"good job"`},
	{Reward{
		Feedback: "f1", Reward: -0.4, Uncertainty: 0.1, Reason: []string{"fast"}, Meant: []string{"too_fast"}, Credits: []RewardCredit{{"t", 1, "gesture"}},
	}, `"corrected":false,"credits":[{"of":"t","share":1,"tool":"gesture"}],"feedback":"f1",` +
		`"meant":["too_fast"],"reason":["fast"],"reward":-0.4,"uncertainty":0.1`},
	{Photo{Name: "p.jpg", Width: 640, Height: 480}, `"height":480,"name":"p.jpg","width":640`},
	{Fault{Name: "sense", Active: true, Detail: "gone"}, `"active":true,"detail":"gone","name":"sense"`},
	{Fault{Name: "overheat", Joint: "stewart_1", Since: Time(noon)}, `"active":false,"detail":"","joint":"stewart_1","name":"overheat","since":` + noonZ},
	{Handling{Kind: "lifted", Detail: "up", Tilt: 4}, `"detail":"up","kind":"lifted","tilt":4`},
	{Network{}, `"connected":false`},
	{
		Network{Connected: true, Address: "192.168.1.20", Interface: "wlan0", Wireless: true, Name: "home", Signal: new(Number(-53))},
		`"address":"192.168.1.20","connected":true,"interface":"wlan0","name":"home","signal":-53,"wireless":true`,
	},
	{EStop{Active: true, Reason: "button"}, `"active":true,"reason":"button"`},
	{
		Audit{By: "ann", Address: "::1", Method: "POST", Path: "/api/v1/chat", Status: 200},
		`"address":"::1","by":"ann","method":"POST","path":"/api/v1/chat","status":200`,
	},
	{Simulation{Kind: "reseated", Detail: "the head"}, `"detail":"the head","kind":"reseated"`},
	{
		Training{State: "training", Run: "r", Task: "follow", Algorithm: "ppo", Episode: 10, Episodes: 100, SuccessRate: 0.5},
		`"algorithm":"ppo","episode":10,"episodes":100,"human":0,"left_s":0,"reward":0,"run":"r","state":"training","steps_per_s":0,` +
			`"success_rate":0.5,"task":"follow","unsafe":0`,
	},
	{
		Demonstration{Name: "bow", How: "hand", State: "kept", Frames: 50, Length: 2},
		`"frames":50,"how":"hand","name":"bow","seconds":2,"state":"kept"`,
	},
	{ToolResult{Data: math.NaN()}, `"data_error":"json: unsupported value: NaN"`},
	{Raw{TypeTraining, map[string]any{"b": json.Number("12345678901234567890"), "a": nil}}, `"a":null,"b":12345678901234567890`},
}

func TestEventsInJSON(t *testing.T) {
	seen := map[Type]bool{}
	for _, c := range golden {
		typ := c.data.EventType()
		seen[typ] = true
		want := `{"id":7,"ts":` + noonZ + `,"trace":"t\"1","type":"` + string(typ) + `",` + c.want + `}`
		got, err := json.Marshal(Event{ID: 7, TS: noon, Trace: "t\"1", Type: typ, Data: c.data})
		if err != nil || string(got) != want {
			t.Errorf("got  %s (%v)\nwant %s", got, err, want)
			continue
		}
		var back Event
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		if _, isRaw := c.data.(Raw); isRaw {
			if string(again) != want {
				t.Errorf("read and written again %s became %s", want, again)
			}
			continue
		}
		typed, err := back.Data.(Raw).Decode()
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if a, b := Fields(typed), Fields(c.data); b != nil && !reflect.DeepEqual(a, b) {
			t.Errorf("%v was decoded as %v", b, a)
		}
	}
	for _, typ := range Types() {
		if !seen[typ] {
			t.Errorf("there is no golden event %s", typ)
		}
	}
	for _, c := range []struct {
		e    Event
		want string
	}{
		{Event{ID: 1, TS: noon, Type: TypeEStop, Lost: 3}, `{"id":1,"ts":` + noonZ + `,"type":"estop"}`},
		{Event{ID: 4, TS: noon, Type: TypePhoto, Data: Raw{}}, `{"id":4,"ts":` + noonZ + `,"type":"photo"}`},
	} {
		if got, err := json.Marshal(c.e); err != nil || string(got) != c.want {
			t.Errorf("got  %s (%v)\nwant %s", got, err, c.want)
		}
	}
}

// The fields of Event and of its data share one object, and are written in alphabetical order.
func TestFieldNamesOfPayloads(t *testing.T) {
	for _, known := range payloads {
		typ, last := reflect.TypeOf(known.zero), ""
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			for _, r := range reserved {
				if name == r {
					t.Errorf("%s: the field %s is one of Event", typ, name)
				}
			}
			if name <= last {
				t.Errorf("%s: %q stands behind %q", typ, name, last)
			}
			last = name
		}
	}
}

func TestDecodeSaysWhatDoesNotFit(t *testing.T) {
	for want, raw := range map[string]Raw{
		`event "x": its type is unknown; known are [utterance partial`:                     {Type: "x"},
		`event move_done: json: cannot unmarshal number into Go struct field MoveDone.end`: {TypeMoveDone, map[string]any{"end": 1}},
		`event fault: time: "yesterday" is not a time such as "2006-01-02`:                 {TypeFault, map[string]any{"since": "yesterday"}},
	} {
		if p, err := raw.Decode(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, %v; want %s", p, err, want)
		}
	}
	if f := Fields(Raw{Fields: map[string]any{"r": math.NaN()}}); f != nil {
		t.Errorf("what cannot be written has the fields %v", f)
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"id":7,"ts":"2026-03-01T11:00:00.007Z","trace":"t","type":"tool_call","tool":"nod","n":12345678901234567890}`))
	f.Add([]byte(`{"id":1,"type":"x","data_id":{"a":[1,null]}}`))
	f.Add([]byte(`{"id":1,"type":"detection","objects":[{"place":[1,2]}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var e Event
		if json.Unmarshal(in, &e) != nil {
			return
		}
		if raw, ok := e.Data.(Raw); ok {
			if p, err := raw.Decode(); err == nil && p.EventType() != e.Type {
				t.Fatalf("%s was decoded as %s", e.Type, p.EventType())
			}
		}
		if y := e.TS.UTC().Year(); y < 0 || y > 9999 {
			return
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back Event
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e.TS = e.TS.UTC().Truncate(time.Millisecond)
		if !e.TS.Equal(back.TS) {
			t.Fatalf("time %v became %v", e.TS, back.TS)
		}
		e.TS, back.TS = time.Time{}, time.Time{}
		if !reflect.DeepEqual(e, back) {
			t.Fatalf("%+v became %+v", e, back)
		}
	})
}

func BenchmarkMarshal(b *testing.B) {
	e := Event{ID: 7, TS: noon, Trace: "t", Type: TypeToolCall, Data: ToolCall{Tool: "nod", Args: json.RawMessage(`{"n":1.5}`)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}
