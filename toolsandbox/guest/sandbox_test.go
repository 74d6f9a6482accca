package guest

import (
	"context"
	"encoding/json"
	"testing"
)

func openTestSandbox(tb testing.TB, c Config) *Sandbox {
	tb.Helper()
	c.Image = testConfig(tb)
	s, err := Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestSandboxCall(t *testing.T) {
	s := openTestSandbox(t, Config{})
	if w := s.Walls(); !w.Seccomp {
		t.Errorf("walls: %+v", w)
	}
	t.Logf("%+v", s.Walls())
	for range 3 {
		r, err := s.Call(t.Context(), &trivial)
		t.Logf("%+v %v", r, err)
		if err != nil || r.Reason != ReasonOK || string(r.Value) != "5" {
			t.Fatal("want 5")
		}
	}
}

func TestHostCall(t *testing.T) {
	s := openTestSandbox(t, Config{})
	r, err := s.Call(t.Context(), &Request{
		Source:   source("import reachy", "async def f() -> dict:", "    print('hi')", "    return reachy.move_head(yaw=30)"),
		Function: "f", Grants: []string{"move_head"},
		Host: func(_ context.Context, c HostCall) (json.RawMessage, error) { return c.Args, nil },
	})
	if err != nil || string(r.Value) != `{"yaw":30}` || r.Log != "hi\n" || r.Usage.Calls != 1 {
		t.Fatalf("%+v %v", r, err)
	}
}
