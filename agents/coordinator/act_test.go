package coordinator

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/reachyd/reachyd/agents/tool"
)

// What acts and is no tool takes its turn as tools do: it interrupts, is interrupted, and is stopped.
func TestActTakesItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		dance := s.begin(t, "a", "dance")
		forEver := func(ctx context.Context) tool.Result {
			if tool.Trace(ctx) == "" {
				t.Error("no trace")
			}
			<-ctx.Done()
			return tool.Interrupted(ctx)
		}
		act := func() chan tool.Result {
			ended := make(chan tool.Result, 1)
			go func() { ended <- s.Act(context.Background(), forEver) }()
			synctest.Wait()
			return ended
		}
		first := act()
		if r := dance(); r.Trace.Outcome != OutcomeInterrupted {
			t.Errorf("it did not take over: %s", r.Text)
		}
		if res := s.Call(context.Background(), "gesture", json.RawMessage(`{"name":"nod"}`)); !res.OK() {
			t.Errorf("%+v", res)
		}
		if res := <-first; res.Code != tool.CodeCancelled || res.Message != "I was interrupted: a newer command took over." {
			t.Errorf("%+v", res)
		}
		second := act()
		if res := s.Call(context.Background(), "stop", nil); !res.OK() {
			t.Errorf("%+v", res)
		}
		if res := <-second; res.Code != tool.CodeCancelled || res.Message != "I was interrupted: stop was said." {
			t.Errorf("%+v", res)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if res := s.Act(context.Background(), forEver); res.Code != tool.CodeLimit {
			t.Errorf("closed: %+v", res)
		}
	})
}
