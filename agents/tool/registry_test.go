package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type none = struct{}

// said returns a tool that runs fn.
func said(name string, moves bool, fn func(context.Context) Result) Tool {
	return Func(Spec{Name: name, Parameters: Object(nil), Moves: moves}, func(ctx context.Context, _ none) Result { return fn(ctx) })
}

func ok(context.Context) Result { return Success("I did it.", nil) }

func registry(t testing.TB, tools ...Tool) *Registry {
	t.Helper()
	r := NewRegistry(nil)
	for _, tl := range tools {
		if err := r.Add(tl); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestAddReplaceRemoveList(t *testing.T) {
	r := registry(t, said("nod", true, ok), said("blink", false, ok))
	if err := r.Add(said("nod", true, ok)); !errors.Is(err, ErrExists) {
		t.Errorf("added twice: %v", err)
	}
	if err := r.Replace(said("nod", false, ok)); err != nil {
		t.Error(err)
	}
	if s, known := r.Get("nod"); !known || s.Moves {
		t.Errorf("not replaced: %+v", s)
	}
	var names []string
	for _, s := range r.List() {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"blink", "nod"}) {
		t.Errorf("list: %v", names)
	}
	if again := r.List(); &again[0] != &r.List()[0] {
		t.Error("nothing has changed, and the list is made anew")
	}
	if !r.Remove("nod") || r.Remove("nod") {
		t.Error("removed once, not twice")
	}
	if left := r.List(); len(left) != 1 || left[0].Name != "blink" {
		t.Errorf("left: %v", left)
	}
	if err := r.Replace(said("blink", true, ok)); err != nil || !r.List()[0].Moves {
		t.Errorf("the list has what was replaced: %v", err)
	}
	for _, bad := range []string{"", "Nod", "9", "a b", strings.Repeat("a", 65)} {
		if err := r.Add(said(bad, false, ok)); err == nil {
			t.Errorf("name %q was accepted", bad)
		}
	}
	broken := Func(Spec{Name: "x", Parameters: Object(nil, "gone")}, func(ctx context.Context, _ none) Result { return ok(ctx) })
	if err := r.Add(broken); err == nil || !strings.Contains(err.Error(), "tool x") {
		t.Errorf("a broken schema was accepted: %v", err)
	}
}

func TestCallAnswersWhatGoesWrong(t *testing.T) {
	blind := Func(Spec{Name: "take_photo", Parameters: Object(nil), Unavailable: "no camera"}, func(context.Context, none) Result {
		t.Error("an unavailable tool was called")
		return Result{}
	})
	r := registry(t, blind, said("gesture", true, ok), said("get_robot_state", false, ok), said("wake_up", false, ok),
		said("faint", true, func(context.Context) Result { panic("oh no") }),
		said("mute", false, func(context.Context) Result { return Result{} }))
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel2 := context.WithTimeout(context.Background(), 0)
	defer cancel2()
	why, cancel3 := context.WithCancelCause(context.Background())
	cancel3(errors.New("dinner is ready"))
	for _, c := range []struct {
		ctx              context.Context
		name, args       string
		code, wantInText string
	}{
		{nil, "gestur", "", CodeUnknownTool, `There is no tool "gestur"; did you mean gesture?`},
		{nil, "robot-state", "", CodeUnknownTool, "did you mean get_robot_state?"},
		{nil, "WakeUp", "", CodeUnknownTool, "did you mean wake_up?"},
		{nil, "zzzzzzzzz", "", CodeUnknownTool, `There is no tool "zzzzzzzzz".`},
		{nil, strings.Repeat("x", 5000), "", CodeUnknownTool, "…"},
		{nil, "take_photo", "", CodeUnavailable, "take_photo is not available: no camera."},
		{nil, "gesture", `{"name":"nod"}`, CodeInvalid, `gesture: name: "nod" is not expected; there are no arguments`},
		{nil, "faint", "", CodePanic, "faint is broken: oh no"},
		{nil, "mute", "", CodePanic, "mute is broken: it returned no result"},
		{gone, "gesture", "", CodeCancelled, "I was interrupted."},
		{late, "gesture", "", CodeTimeout, "That took too long"},
		{why, "gesture", "", CodeCancelled, "I was interrupted: dinner is ready."},
	} {
		if c.ctx == nil {
			c.ctx = context.Background()
		}
		res := r.Call(c.ctx, c.name, json.RawMessage(c.args))
		if res.OK() || res.Code != c.code || !strings.Contains(res.Message, c.wantInText) || len(res.Message) > 300 {
			t.Errorf("%.20s: %+v; want %s: %s", c.name, res, c.code, c.wantInText)
		}
	}
	if res := r.Call(context.Background(), "gesture", nil); !res.OK() {
		t.Errorf("after a moving tool had panicked: %+v", res) // its place must be free again
	}
}

// busy returns a moving tool that says who called it, and ends when it is told to or its context ends.
func busy(name string, begun *[]string, end <-chan none) Tool {
	return said(name, true, func(ctx context.Context) Result {
		*begun = append(*begun, Trace(ctx))
		select {
		case <-end:
			return ok(ctx)
		case <-ctx.Done():
			return Interrupted(ctx)
		}
	})
}

func TestMovingToolsRunOneAtATimeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun []string // guarded by the rule under test: the race detector sees when it is broken
		end := make(chan none)
		r := registry(t, busy("a", &begun, end), busy("b", &begun, end), said("stop", false, ok))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		results := make([]Result, 6)
		for i := range results {
			call := WithTrace(context.Background(), fmt.Sprint(i))
			if i == 3 {
				call = WithTrace(ctx, "3")
			}
			go func() { results[i] = r.Call(call, []string{"a", "b"}[i%2], nil) }()
			synctest.Wait()
		}
		if res := r.Call(context.Background(), "stop", nil); !res.OK() {
			t.Errorf("stop was queued: %+v", res)
		}
		cancel() // 3 gives up while it waits
		synctest.Wait()
		if results[3].Code != CodeCancelled {
			t.Errorf("3 waits though its context has ended: %+v", results[3])
		}
		for i, want := range []string{"0", "0 1", "0 1 2", "0 1 2 4", "0 1 2 4 5"} {
			if got := strings.Join(begun, " "); got != want {
				t.Errorf("begun after %d ends: %s; want %s", i, got, want)
			}
			end <- none{}
			synctest.Wait()
		}
		for i, res := range results {
			if i != 3 && !res.OK() {
				t.Errorf("%d: %+v", i, res)
			}
		}
	})
}

// A moving tool may call moving tools: they belong to it and to nobody else, and among each other run one at a time.
func TestToolsWithinAMovingToolDoNotWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun []string
		end := make(chan none)
		r := registry(t, busy("a", &begun, end))
		outer := said("outer", true, func(ctx context.Context) Result {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { r.Call(ctx, "a", nil) })
			}
			wg.Wait()
			return ok(ctx)
		})
		if err := r.Add(outer); err != nil {
			t.Fatal(err)
		}
		var depths []int
		r.Observe(observer{after: func(c Call, _ Result) { depths = append(depths, c.Depth) }})
		go r.Call(WithTrace(context.Background(), "outer"), "outer", nil)
		synctest.Wait()
		go r.Call(WithTrace(context.Background(), "other"), "a", nil)
		synctest.Wait()
		for i, want := range []string{"outer", "outer outer", "outer outer other"} {
			if got := strings.Join(begun, " "); got != want {
				t.Errorf("begun after %d ends: %s; want %s", i, got, want)
			}
			end <- none{}
			synctest.Wait()
		}
		if !slices.Equal(depths, []int{1, 1, 0, 0}) {
			t.Errorf("depths: %v", depths)
		}
	})
}

func TestObserversSeeEveryCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		slow := Func(Spec{Name: "slow", Parameters: Object(map[string]Schema{"n": Integer("", 0, 9).WithDefault(4)})},
			func(ctx context.Context, _ none) Result {
				time.Sleep(3 * time.Second)
				return ok(ctx)
			})
		r := registry(t, slow)
		r.Observe(observer{
			before: func(c Call) {
				seen = append(seen, fmt.Sprint("before ", c.ID, c.Trace, c.Tool, string(c.Args), c.Depth))
			},
			after: func(c Call, res Result) {
				seen = append(seen, fmt.Sprint("after ", c.ID, c.Trace, string(c.Args), c.Duration, res.Code))
			},
		})
		r.Call(WithTrace(context.Background(), "t1"), "slow", nil)
		r.Call(context.Background(), "unknown", nil)
		want := []string{"before 1t1slow0", `after 1t1{"n":4}3s`, "before 2unknown0", "after 20sunknown_tool"}
		if !slices.Equal(seen, want) {
			t.Errorf("got  %q\nwant %q", seen, want)
		}
	})
}

type observer struct {
	before func(Call)
	after  func(Call, Result)
}

func (o observer) Before(c Call) {
	if o.before != nil {
		o.before(c)
	}
}

func (o observer) After(c Call, r Result) {
	if o.after != nil {
		o.after(c, r)
	}
}

func BenchmarkCall(b *testing.B) {
	move := Func(Spec{Name: "move", Moves: true, Parameters: Object(map[string]Schema{
		"yaw": Number("", "°", -180, 180), "duration": Number("", "s", 0, 60).WithDefault(1.0),
	})}, func(_ context.Context, _ struct{ Yaw, Duration float64 }) Result {
		return Success("I looked left.", nil)
	})
	r := registry(b, move)
	ctx, args := WithTrace(context.Background(), "t"), json.RawMessage(`{"yaw":30}`)
	b.ReportAllocs()
	for b.Loop() {
		if res := r.Call(ctx, "move", args); !res.OK() {
			b.Fatal(res)
		}
	}
}
