package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, Options{Body: &bodyDouble{}})
		start := time.Now()
		if res := call(r, "wait", `{"seconds":2.5}`); res.Message != "I waited 2.5 seconds." || time.Since(start) != 2500*time.Millisecond {
			t.Errorf("%+v after %v", res, time.Since(start))
		}
		if res := call(r, "wait", `{"seconds":0}`); !res.OK() {
			t.Errorf("%+v", res)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start = time.Now()
		res := r.Call(ctx, "wait", json.RawMessage(`{"seconds":600}`))
		if res.Code != tool.CodeTimeout || time.Since(start) != time.Second {
			t.Errorf("%+v after %v", res, time.Since(start))
		}
	})
}

func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bodyDouble{}
		r := registry(t, Options{Body: b})
		start := time.Now()
		res := call(r, "repeat", `{"steps":[{"tool":"gesture","args":{"name":"nod"}},{"tool":"wait","args":{"seconds":1}}],"times":3,"interval":2}`)
		if res.Message != "I nodded and waited 1 second, 3 times." || len(b.seen) != 3 || time.Since(start) != 7*time.Second {
			t.Errorf("%+v, %d requests after %v", res, len(b.seen), time.Since(start))
		}
		// Within a repeat another repeat may stand, and it does not wait for the one around it.
		res = call(r, "repeat", `{"steps":[{"tool":"repeat","args":{"steps":[{"tool":"gesture","args":{"name":"bow"}}],"times":2}}],"times":2}`)
		if res.Message != "I bowed, twice, twice." || len(b.seen) != 7 {
			t.Errorf("%+v, %d requests", res, len(b.seen))
		}
	})
}

func TestRepeatEndsWithTheFirstFailure(t *testing.T) {
	n := 0
	b := &bodyDouble{do: func(context.Context, hal.Request) (hal.Answer, error) {
		if n++; n == 4 {
			return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeTorqueOff}, nil
		}
		return hal.Answer{Outcome: hal.Accepted}, nil
	}}
	r := registry(t, Options{Body: b})
	res := call(r, "repeat", `{"steps":[{"tool":"gesture","args":{"name":"nod"}},{"tool":"wake_up"}],"times":9}`)
	want := `Step 2 (wake_up) of round 2 failed: My motors are off: say "wake up".`
	if res.Code != hal.CodeTorqueOff || res.Message != want || len(b.seen) != 4 {
		t.Errorf("%+v after %d requests", res, len(b.seen))
	}
	if d := res.Data.(map[string]any); d["rounds"] != 1 || d["of"] != 9 {
		t.Errorf("data %+v", d)
	}
}

func TestLimitsOfRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bodyDouble{}
		r := registry(t, Options{Body: b, MaxRepeat: 10 * time.Second})
		nested := `{"tool":"gesture","args":{"name":"nod"}}`
		for range 4 {
			nested = `{"tool":"repeat","args":{"steps":[` + nested + `],"times":1}}`
		}
		step := `{"tool":"gesture","args":{"name":"nod"}}`
		for _, c := range [][3]string{
			{`{"steps":[` + nested + `],"times":1}`, tool.CodeLimit, "nested deeper than 3"},
			{`{"steps":[` + step + `],"times":101}`, tool.CodeInvalid, "times: 101 is out of range 1…100"},
			{`{"steps":[` + step + `],"times":0}`, tool.CodeInvalid, "times: 0 is out of range 1…100"},
			{`{"steps":[],"times":1}`, tool.CodeInvalid, "steps is empty"},
			{`{"steps":[` + strings.Repeat(step+",", 20) + step + `],"times":1}`, tool.CodeInvalid, "21 items; at most 20"},
			{`{"steps":[{"tool":"fly"}],"times":1}`, tool.CodeUnknownTool, "There is no tool"},
			{`{"steps":[{"tool":"wait","args":{"seconds":6}}],"times":2}`, tool.CodeTimeout, "That took too long"},
			{`{"steps":[{"tool":"wait","args":{"seconds":0}}],"times":2,"interval":60}`, tool.CodeTimeout, "That took too long"},
		} {
			if res := call(r, "repeat", c[0]); res.Code != c[1] || !strings.Contains(res.Message, c[2]) {
				t.Errorf("%.60s…: %+v; want %s: %s", c[0], res, c[1], c[2])
			}
		}
		if len(b.seen) > 0 {
			t.Errorf("the body was asked: %+v", b.seen)
		}
	})
}
