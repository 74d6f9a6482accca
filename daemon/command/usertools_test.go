package command

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
)

// box notes what it was asked for.
type box struct {
	asked  []string
	result any
	err    error
}

func (b *box) Do(_ context.Context, action string, args json.RawMessage) (any, error) {
	b.asked = append(b.asked, action+string(args))
	return b.result, b.err
}

func TestSelfMadeToolsGoToTheToolbox(t *testing.T) {
	d, _ := newDispatcher()
	b := &box{result: map[string]any{"active": 1}}
	d.UserTools = b
	if r := do(t, d, "tools/rollback", `{"id":"1","name":"far","version":1}`); !r.OK || b.asked[0] != `rollback{"name":"far","version":1}` {
		t.Errorf("%+v %v", r, b.asked)
	}
	do(t, d, "tools/rollback", `{"id":"1","name":"far","version":1}`) // the same id acts once
	for range 2 {
		do(t, d, "tools/check", `{"id":"2","source":"x"}`) // reading again is harmless
	}
	if len(b.asked) != 3 {
		t.Errorf("asked %v", b.asked)
	}
	for payload, part := range map[string]string{
		`{"name":"far","version":-1}`: "version", `{"version":1}`: "name", `{"name":"far","colour":1}`: "colour",
	} {
		if r := do(t, d, "tools/rollback", payload); r.OK || r.Error.Code != CodeInvalid || !strings.Contains(r.Error.Message, part) {
			t.Errorf("%s: %+v", payload, r)
		}
	}
	if r := do(t, d, "tools/add", `{"source":"`+strings.Repeat("x", maxSource+1)+`"}`); r.OK || r.Error.Code != CodeInvalid {
		t.Errorf("too long: %+v", r.Error)
	}
	// What was refused comes with the reasons.
	b.result, b.err = map[string]any{"findings": []string{"no"}}, &Error{Code: "refused", Message: "not good enough"}
	if r := do(t, d, "tools/add", `{"id":"3","source":"x"}`); r.OK || r.Error.Code != "refused" || r.Result == nil {
		t.Errorf("%+v", r)
	}
}

func TestShowPrefersSelfMadeTools(t *testing.T) {
	d, _ := newDispatcher()
	b := &box{result: map[string]any{"number": 1}}
	d.UserTools = b
	if r := do(t, d, "tools/show", `{"id":"1","name":"far"}`); !r.OK || !strings.Contains(string(encode(r)), `"number":1`) {
		t.Errorf("%+v", r)
	}
	b.err = &Error{Code: CodeUnknownTool, Message: "not found"}
	if r := do(t, d, "tools/show", `{"id":"2","name":"move_head"}`); !r.OK || !strings.Contains(string(encode(r)), "moves") {
		t.Errorf("%+v", r)
	}
	if r := do(t, d, "tools/show", `{"id":"3","name":"move_head","version":2}`); r.OK || r.Error.Code != CodeUnknownTool {
		t.Errorf("%+v", r)
	}
	b.err = errors.New("broken")
	if r := do(t, d, "tools/show", `{"id":"4","name":"far"}`); r.OK || r.Error.Code != CodeInternal {
		t.Errorf("%+v", r)
	}
}

func TestWithoutAToolbox(t *testing.T) {
	d, _ := newDispatcher()
	d.Tools = fakeTools{tool.Success("done", nil)}
	if r := do(t, d, "tools/export", `{}`); r.OK || r.Error.Code != CodeNotAvailable {
		t.Errorf("%+v", r)
	}
	if r := do(t, d, "tools/show", `{"name":"move_head"}`); !r.OK {
		t.Errorf("%+v", r)
	}
}
