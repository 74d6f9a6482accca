package event

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"
)

func TestEventOnTheWire(t *testing.T) {
	ts := time.Date(2026, 3, 1, 12, 0, 0, 7_500_000, time.FixedZone("", 3600))
	for _, c := range []struct {
		e    Event
		want string
	}{
		{
			Event{ID: 7, TS: ts, Trace: "t\"1", Type: ToolCall, Data: map[string]any{"tool": "nod", "n": 1.5}},
			`{"id":7,"ts":"2026-03-01T11:00:00.007Z","trace":"t\"1","type":"tool_call","n":1.5,"tool":"nod"}`,
		},
		{Event{ID: 1, TS: ts, Type: EStop, Lost: 3}, `{"id":1,"ts":"2026-03-01T11:00:00.007Z","type":"estop"}`},
		{
			Event{ID: 2, TS: ts, Type: Fault, Data: map[string]any{"id": 9, "ts": 1, "trace": "x", "type": "y", "a": nil}},
			`{"id":2,"ts":"2026-03-01T11:00:00.007Z","type":"fault","a":null,"data_id":9,"data_trace":"x","data_ts":1,"data_type":"y"}`,
		},
		{
			Event{ID: 3, TS: ts, Type: Reward, Data: map[string]any{"r": math.NaN()}},
			`{"id":3,"ts":"2026-03-01T11:00:00.007Z","type":"reward","data_error":"json: unsupported value: NaN"}`,
		},
		{Event{ID: 4, TS: ts, Type: Photo, Data: map[string]any{}}, `{"id":4,"ts":"2026-03-01T11:00:00.007Z","type":"photo"}`},
	} {
		got, err := json.Marshal(c.e)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s (%v)\nwant %s", got, err, c.want)
		}
	}
	data := map[string]any{"id": 9}
	if _, err := json.Marshal(Event{Data: data}); err != nil || data["id"] != 9 {
		t.Errorf("marshalling changed the data of others: %v, %v", data, err)
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"id":7,"ts":"2026-03-01T11:00:00.007Z","trace":"t","type":"tool_call","tool":"nod","n":12345678901234567890}`))
	f.Add([]byte(`{"id":1,"type":"x","data_id":{"a":[1,null]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var e Event
		if json.Unmarshal(in, &e) != nil {
			return
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
