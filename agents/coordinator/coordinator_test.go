package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

func TestTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		start := time.Now()
		r, err := s.Turn(context.Background(), "", "look left; nod; wiggle_antennas")
		if err != nil || r.Text != "I looked left, nodded, and wiggled my antennas." {
			t.Fatalf("%+v, %v", r, err)
		}
		if d := time.Since(start); d != 3*moveTime {
			t.Errorf("it took %v: moves must be waited for, one after the other", d)
		}
		if got := s.robot.did(); got != "goto, gesture nod, gesture wiggle_antennas" {
			t.Errorf("the robot did: %s", got)
		}
		tr := r.Trace
		if !tr.OK() || tr.Session != DefaultSession || tr.Text != "look left; nod; wiggle_antennas" || tr.Reply != r.Text ||
			len(tr.Steps) != 3 || string(tr.Steps[0].Args) != `{"yaw":30}` || !tr.Steps[2].Result.OK() ||
			tr.Steps[1].DurationMS != 2000 || tr.DurationMS != 6000 || !tr.TS.Equal(start) {
			t.Errorf("trace %+v", tr)
		}
		var seen []string
		for _, e := range s.diary.events {
			if e["trace"] != tr.ID {
				t.Errorf("event of another trace: %v", e)
			}
			what := fmt.Sprint(e["type"])
			if e["tool"] != nil {
				what += " " + fmt.Sprint(e["tool"])
			}
			seen = append(seen, what)
		}
		want := "utterance, tool_call move_head, tool_result move_head, tool_call gesture, tool_result gesture, " +
			"tool_call gesture, tool_result gesture, reply"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("events: %s\nwant    %s", got, want)
		}
		if len(s.store.traces) != 1 || s.store.traces[0] != tr {
			t.Errorf("stored traces: %v", s.store.traces)
		}
		text, err := json.Marshal(tr)
		if err != nil || !strings.Contains(string(text), `"steps":[{"tool":"move_head","args":{"yaw":30},"result":{"status":"success"`) {
			t.Errorf("trace as JSON: %s, %v", text, err)
		}
	})
}

func TestRepliesInWords(t *testing.T) {
	off := func(at int) func(hal.Request) *hal.Answer {
		n := 0
		return func(hal.Request) *hal.Answer {
			if n++; n == at {
				return &hal.Answer{Outcome: hal.Rejected, Code: hal.CodeTorqueOff}
			}
			return nil
		}
	}
	clamp := func(hal.Request) *hal.Answer {
		return &hal.Answer{Outcome: hal.Clamped, Changes: []hal.Change{{Field: "head.yaw", Asked: 1, Given: 0.5, Limit: "neck"}}}
	}
	for _, c := range []struct {
		text    string
		asked   func(hal.Request) *hal.Answer
		outcome Outcome
		says    string
	}{
		{"nod", nil, OutcomePlan, "I nodded."},
		{"nod; nod; bow", nil, OutcomePlan, "I nodded twice and bowed."},
		{"bow; nod; nod; nod", nil, OutcomePlan, "I bowed and nodded 3 times."},
		{"nod; bow", nil, OutcomePlan, "I nodded and bowed."},
		{"nod; state", nil, OutcomePlan, "I nodded. I am awake and still; I look straight ahead"},
		{"state", nil, OutcomePlan, "I am awake and still;"},
		{"look left; nod", clamp, OutcomePlan, "I could only turn my head 28.6° left instead of 57.3° left (neck)"},
		{"thrice bow", nil, OutcomePlan, "I bowed, 3 times."},
		{"nod", off(1), OutcomeFailed, `I could not nod: my motors are off: say "wake up".`},
		{"look left; nod; bow; dance", off(2), OutcomeFailed, `I looked left, but I could not nod: my motors are off: say "wake up". So I did not bow or dance.`},
		{"nod; state; bow", off(2), OutcomeFailed, "I could not bow: my motors are off"},
		{"look far; nod", nil, OutcomeFailed, "I could not turn my head: move_head: yaw: 300 is out of range −180…180°"},
		{"take_photo; nod", nil, OutcomeFailed, "I could not take a photo: take_photo is not available: no camera. So I did not nod."},
		{"fly", nil, OutcomeFailed, `I could not use fly: there is no tool "fly"`},
		{"thrice nod", off(2), OutcomeFailed, "I could not repeat this: to nod: step 1 (gesture) of round 2 failed: My motors are off"},
		{"bad", nil, OutcomeFailed, "I could not wait: wait: json: unsupported type"},
		{"?I do not know that.", nil, OutcomeNone, "I do not know that. Try \"look left\""},
		{"?Which way?", nil, OutcomeNone, "Which way?"},
		{"", nil, OutcomeNone, "Try \"look left\""},
		{"refuse I must not do that to you.", nil, OutcomeRefuse, "I must not do that to you."},
		{"refuse", nil, OutcomeRefuse, "refuse"},
		{"error I cannot turn that far: at most 160°.", nil, OutcomeError, "I cannot turn that far: at most 160°."},
		{"panic", nil, OutcomeError, "please say it in other words"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := stage(t, nil)
			s.robot.asked = c.asked
			r, err := s.Turn(context.Background(), "s", c.text)
			if err != nil || !strings.Contains(r.Text, c.says) || r.Trace.Outcome != c.outcome {
				t.Errorf("%q: %s: %q, %v\nwant %s: %q", c.text, r.Trace.Outcome, r.Text, err, c.outcome, c.says)
			}
			if (c.text == "panic") != (len(s.fails) > 0) {
				t.Errorf("%q: told as failures: %v", c.text, s.fails)
			}
		})
	}
}

func TestTheNewestTurnTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		first := s.begin(t, "a", "dance; nod; bow")
		time.Sleep(moveTime + time.Second)
		second := s.begin(t, "b", "look left") // another session
		r1 := first()
		if r1.Text != "I danced, but I was interrupted (a newer command took over) before I was done with this: nod. So I did not bow." ||
			r1.Trace.Outcome != OutcomeInterrupted {
			t.Errorf("%s: %s", r1.Trace.Outcome, r1.Text)
		}
		third := s.begin(t, "b", "look right") // the same session, which has a turn at work
		fourth := s.begin(t, "b", "nod")
		for i, r := range []Reply{second(), third()} {
			if r.Trace.Outcome != OutcomeInterrupted {
				t.Errorf("turn %d: %s: %s", i+2, r.Trace.Outcome, r.Text)
			}
		}
		if r := fourth(); r.Text != "I nodded." {
			t.Errorf("the newest: %s", r.Text)
		}
		if got, want := s.robot.did(), "gesture dance, gesture nod, hold, goto, hold, goto, hold, gesture nod"; got != want {
			t.Errorf("did  %s\nwant %s", got, want)
		}
	})
}

func TestTurnsThatWaitAreSupersededToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		slow := tool.Func(tool.Spec{Name: "stubborn", Parameters: tool.Object(nil), Moves: true}, func(context.Context, struct{}) tool.Result {
			time.Sleep(10 * time.Second) // does not look at its context
			return tool.Success("I was stubborn.", nil)
		})
		if err := s.reg.Add(slow); err != nil {
			t.Fatal(err)
		}
		first := s.begin(t, "a", "stubborn")
		second := s.begin(t, "b", "bow")
		third := s.begin(t, "c", "nod")
		if r := second(); r.Trace.Outcome != OutcomeInterrupted || r.Text != "I did not begin with that: a newer command took over." {
			t.Errorf("%s: %s", r.Trace.Outcome, r.Text)
		}
		if r := third(); r.Text != "I nodded." || r.Trace.DurationMS != 12000 {
			t.Errorf("%s after %v ms", r.Text, r.Trace.DurationMS)
		}
		first()
		if got := s.robot.did(); got != "gesture nod" {
			t.Errorf("did %s", got)
		}
	})
}

func TestStopActsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) { o.MaxWaiting = 1 })
		for _, text := range []string{"dance; nod", "wait 100; nod", "thrice nod"} {
			s.robot.latch, s.robot.log = false, nil
			running := s.begin(t, "a", text)
			time.Sleep(time.Second)
			start := time.Now()
			stop := s.begin(t, "a", "stop")() // same session, and the place for turns is full
			if !strings.HasPrefix(stop.Text, "I stopped") || time.Since(start) != 0 {
				t.Errorf("%s: stop: %s after %v", text, stop.Text, time.Since(start))
			}
			r := running()
			if r.Trace.Outcome != OutcomeInterrupted || !strings.Contains(r.Text, "I was interrupted (stop was said)") &&
				!strings.Contains(r.Text, "I was stopped") || time.Since(start) != 0 {
				t.Errorf("%s: %s: %s after %v", text, r.Trace.Outcome, r.Text, time.Since(start))
			}
			if got := s.robot.did(); !strings.Contains(got, "stop") || strings.Count(got, "nod") > 1 {
				t.Errorf("%s: did %s", text, got)
			}
		}
		if r := s.begin(t, "a", "nod")(); r.Text != `I was told to stop: say "you may move again" first.` {
			t.Errorf("after stop: %s", r.Text)
		}
	})
}

func TestTurnsOfASessionRunInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		moving := s.begin(t, "a", "nod")
		asking := s.begin(t, "a", "state") // does not move: interrupts nothing, and waits for its turn
		other := s.begin(t, "b", "state")
		if r := other(); r.Trace.DurationMS != 0 {
			t.Errorf("another session waited %v ms", r.Trace.DurationMS)
		}
		if r := moving(); r.Text != "I nodded." {
			t.Errorf("%s", r.Text)
		}
		if r := asking(); r.Trace.DurationMS != 2000 {
			t.Errorf("it did not wait: %v ms", r.Trace.DurationMS)
		}
		var texts []string
		for _, x := range s.History("a") {
			texts = append(texts, x.Text)
		}
		if !slices.Equal(texts, []string{"nod", "state"}) {
			t.Errorf("history: %v", texts)
		}
	})
}

func TestDirectCallsTakePartInTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		dance := s.begin(t, "a", "dance")
		if res := s.Call(context.Background(), "get_robot_state", nil); !res.OK() {
			t.Errorf("%+v", res)
		}
		if res := s.Call(context.Background(), "gesture", json.RawMessage(`{"name":"nod"}`)); !res.OK() {
			t.Errorf("%+v", res)
		}
		if r := dance(); r.Trace.Outcome != OutcomeInterrupted {
			t.Errorf("%s", r.Text)
		}
		dance = s.begin(t, "a", "dance")
		if res := s.Call(context.Background(), "stop", nil); !res.OK() {
			t.Errorf("%+v", res)
		}
		if r := dance(); r.Trace.Outcome != OutcomeInterrupted {
			t.Errorf("%s", r.Text)
		}
		for _, e := range s.diary.events {
			if trace, _ := e["trace"].(string); len(trace) != 24 {
				t.Errorf("an event without a trace: %v", e)
			}
		}
		if len(s.List()) != len(s.reg.List()) {
			t.Error("list")
		}
	})
}

func TestLimitsOfTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) { o.MaxWaiting, o.MaxText, o.TurnTime = 2, 30, 5*time.Second })
		ctx := context.Background()
		for _, c := range []struct {
			session, text string
			want          error
		}{
			{"a", strings.Repeat("ä", 31), ErrText},
			{"a", "\xff", ErrText},
			{"a b", "nod", ErrSession},
			{strings.Repeat("a", 65), "nod", ErrSession},
		} {
			if _, err := s.Turn(ctx, c.session, c.text); !errors.Is(err, c.want) || len(err.Error()) > 300 {
				t.Errorf("%.10q %.10q: %v", c.session, c.text, err)
			}
		}
		one, two := s.begin(t, "a", "nod"), s.begin(t, "a", "state")
		if _, err := s.Turn(ctx, "c", "state"); !errors.Is(err, ErrBusy) {
			t.Errorf("a third turn: %v", err)
		}
		if res := s.Call(ctx, "get_robot_state", nil); res.Code != tool.CodeLimit {
			t.Errorf("a third call: %+v", res)
		}
		one()
		two()
		r, err := s.Turn(ctx, "a", "nod; wait 4; bow")
		if err != nil || r.Trace.Outcome != OutcomeFailed || r.Trace.DurationMS != 5000 ||
			r.Text != "I nodded, but I could not wait: that took too long, so I stopped. By then I had waited 3 of 4 seconds. So I did not bow." {
			t.Errorf("%+v, %v", r, err)
		}
		// Nobody waits for the answer any more: the robot holds.
		gone, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		s.robot.log = nil
		if r, err := s.Turn(gone, "a", "dance"); err != nil || r.Trace.OK() {
			t.Errorf("%+v, %v", r, err)
		}
		if got := s.robot.did(); got != "gesture dance, hold" {
			t.Errorf("did %s", got)
		}
	})
}

// The history says which tools did something in a turn; one that failed did nothing.
func TestHistoryOfDeeds(t *testing.T) {
	good, bad := Step{Tool: "gesture", Result: tool.Success("done", nil)}, Step{Tool: "take_photo", Result: tool.Errorf(tool.CodeFailed, "no camera")}
	if got := (&Trace{Steps: []Step{good, bad}}).did(); !slices.Equal(got, []string{"gesture"}) {
		t.Errorf("%q", got)
	}
}

func TestSessionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		s.store.sessions["a"] = Session{ID: "a", History: []Exchange{{Text: "of old"}}}
		for range MaxHistory {
			s.begin(t, "a", "?")()
		}
		h := s.History("a")
		if len(h) != MaxHistory || h[0].Text != "?" {
			t.Errorf("%d exchanges, the first is %q", len(h), h[0].Text)
		}
		if kept := s.store.sessions["a"].History; len(kept) != MaxHistory || kept[0].Trace != h[0].Trace {
			t.Errorf("stored: %d exchanges", len(kept))
		}
		for i := range 2 * maxSessions {
			s.begin(t, fmt.Sprint("s", i), "?")()
			time.Sleep(time.Second)
		}
		if n := len(s.sessions.open); n > maxSessions {
			t.Errorf("%d sessions in memory", n)
		}
		if h := s.History("s0"); len(h) != 1 { // from the store
			t.Errorf("forgotten session: %v", h)
		}
		if s.History("no such session!") != nil {
			t.Error("history of an impossible name")
		}
	})
}

// What is said while the store cannot be read does not take the place of what it has, and comes after that.
func TestASessionThatCannotBeReadIsNotWrittenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		s.store.sessions["a"] = Session{ID: "a", First: 7, Oldest: 7, History: []Exchange{{Text: "of old"}, {Text: "after it"}}}
		s.store.err = errors.New("cannot be read")
		s.begin(t, "a", "first")()
		if h := s.History("a"); len(h) != 1 {
			t.Errorf("remembered meanwhile: %v", h)
		}
		s.store.err = nil
		s.begin(t, "a", "second")()
		for name, h := range map[string][]Exchange{"remembered": s.History("a"), "kept": s.store.sessions["a"].History} {
			var texts []string
			for _, x := range h {
				texts = append(texts, x.Text)
			}
			if got := strings.Join(texts, ", "); got != "of old, after it, first, second" {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

func TestASessionIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		s.begin(t, "a", "nod")()
		s.begin(t, "b", "nod")()
		if err := s.Forget("a"); err != nil {
			t.Fatal(err)
		}
		_, kept := s.store.sessions["a"]
		if kept || len(s.History("a")) != 0 || len(s.History("b")) != 1 || len(s.store.traces) != 1 {
			t.Errorf("kept %v; %v, %v; %d traces", kept, s.History("a"), s.History("b"), len(s.store.traces))
		}
		s.begin(t, "a", "nod")() // it begins anew
		if h := s.History("a"); len(h) != 1 {
			t.Errorf("%v", h)
		}
		if err := s.Forget("no such session!"); !errors.Is(err, ErrSession) {
			t.Errorf("an impossible name: %v", err)
		}
		s.store.err = errors.New("disk full")
		if err := s.Forget("b"); err == nil || len(s.History("b")) != 1 {
			t.Errorf("%v; what could not be forgotten is still there: %v", err, s.History("b"))
		}
	})
}

func TestStoreThatFailsDoesNotStopTheRobot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		s.store.err = errors.New("disk full")
		if r := s.begin(t, "a", "nod")(); r.Text != "I nodded." {
			t.Errorf("%s", r.Text)
		}
		if len(s.fails) != 2 || !strings.Contains(errors.Join(s.fails...).Error(), "save turn") { // the session could not be read either
			t.Errorf("told: %v", s.fails)
		}
		none := stage(t, func(o *Options) { o.Store, o.Failed = nil, nil })
		if r := none.begin(t, "a", "nod")(); r.Text != "I nodded." || len(none.History("a")) != 1 {
			t.Errorf("without a store: %s", r.Text)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, nil)
		dance := s.begin(t, "a", "dance")
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if r := dance(); !strings.Contains(r.Text, "the robot shuts down") {
			t.Errorf("%s", r.Text)
		}
		if _, err := s.Turn(context.Background(), "a", "stop"); !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}

		s = stage(t, nil)
		asking := s.begin(t, "a", "state; wait 0")
		asking()
		stubborn := tool.Func(tool.Spec{Name: "stubborn", Parameters: tool.Object(nil)}, func(context.Context, struct{}) tool.Result {
			time.Sleep(time.Minute)
			return tool.Success("I was stubborn.", nil)
		})
		if err := s.reg.Add(stubborn); err != nil {
			t.Fatal(err)
		}
		slow := s.begin(t, "a", "stubborn")
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 turns") {
			t.Errorf("%v", err)
		}
		slow()
	})
}

func TestTraceIDsRise(t *testing.T) {
	var g ids
	now := time.UnixMilli(1_700_000_000_000)
	last := ""
	for i := range 200_000 {
		switch i {
		case 100:
			now = now.Add(time.Hour)
		case 200:
			now = now.Add(-2 * time.Hour) // the clock is set back
		}
		id := g.next(now)
		if id <= last || len(id) != 24 || !g.issued(id) {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
	var other ids
	for _, id := range []string{"", "t1", last[:16] + "00000000", last[1:] + "0", strings.ToUpper(last), last + "0", other.next(now)} {
		if g.issued(id) {
			t.Errorf("%q was given out", id)
		}
	}
}

func TestEventsCarryBrokenArgumentsAsText(t *testing.T) {
	s := stage(t, nil)
	s.Call(context.Background(), "wait", json.RawMessage(`{"seconds":`))
	s.Call(context.Background(), "wait", json.RawMessage(`{"x":"`+strings.Repeat("x", 2*maxArgs)+`"}`))
	if got := s.diary.events[0]["args"]; got != `{"seconds":` {
		t.Errorf("args: %v", got)
	}
	if got := s.diary.events[2]["args"].(string); len(got) != maxArgs {
		t.Errorf("%d bytes of arguments", len(got))
	}
	if e := s.diary.events[1]; e["code"] != tool.CodeInvalid || e["status"] != tool.StatusError {
		t.Errorf("result: %v", e)
	}
}

// BenchmarkTurn is the overhead of a turn: moves take no time here.
func BenchmarkTurn(b *testing.B) {
	s := stage(b, func(o *Options) { o.Store, o.Publisher = nil, silence{} })
	s.robot.asked = func(hal.Request) *hal.Answer { return &hal.Answer{Outcome: hal.Accepted} }
	b.ReportAllocs()
	for b.Loop() {
		s.robot.log = nil
		s.diary.events = nil
		if r, err := s.Turn(context.Background(), "a", "look left; nod; wiggle_antennas"); err != nil || !r.Trace.OK() {
			b.Fatal(r, err)
		}
	}
}
