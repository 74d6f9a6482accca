package toolmanager

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/waittest"
	"github.com/reachyd/reachyd/toolsandbox/template"
)

func (b *bench) event(typ string) map[string]any {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e["type"] == typ {
			return e
		}
	}
	b.t.Errorf("there was no event %s: %v", typ, b.events)
	return nil
}

func TestReviewOfTools(t *testing.T) {
	strict := func(o *Options) { o.Review = true }
	b := newBench(t, strict)
	if got := b.done(
		"add",
		map[string]any{"source": distance("1"), "cases": distanceCases, "author": "ann"},
	); !strings.Contains(got, `"state":"pending"`) ||
		!strings.Contains(got, `"active":false`) {
		t.Errorf("add: %s", got)
	}
	waits := func(when string) {
		t.Helper()
		if r := b.call("distance", `{"x":3,"y":4}`); r.Code != tool.CodeUnavailable || !strings.Contains(r.Message, "v1 waits for review") {
			t.Errorf("%s: %+v", when, r)
		}
		if len(b.bare) > 0 {
			t.Errorf("%s: planners know %v", when, b.bare)
		}
	}
	waits("registered")
	b.refused(codeReview, "waits for review", "activate", map[string]any{"name": "distance", "version": 1})
	b.close()
	b.open(strict)
	waits("after a restart")
	if got := b.done(
		"review",
		map[string]any{"action": "list"},
	); !strings.Contains(got, `"name":"distance","version":1`) || !strings.Contains(got, `"author":"ann"`) ||
		!strings.Contains(got, "def distance") {
		t.Errorf("list: %s", got)
	}
	b.refused(command.CodeInvalid, "reason", "review", map[string]any{"action": "reject", "name": "distance"})
	b.refused(command.CodeInvalid, "name", "review", map[string]any{"action": "approve"})
	b.refused(command.CodeUnknownTool, "", "review", map[string]any{"action": "approve", "name": "nothing"})
	b.done("review", map[string]any{"action": "reject", "name": "distance", "reason": "use inches", "author": "bob"})
	if e := b.event("tool_reviewed"); e["review"] != "rejected" || e["reason"] != "use inches" || e["version"] != 1.0 {
		t.Errorf("event: %v", e)
	}
	if r := b.call("distance", `{"x":3,"y":4}`); r.Code != tool.CodeUnknownTool {
		t.Errorf("rejected: %+v", r)
	}
	if got := b.done("show", map[string]any{"name": "distance"}); !strings.Contains(got, `"review":"rejected","reason":"use inches"`) {
		t.Errorf("show: %s", got)
	}
	if got := b.done("review", map[string]any{"action": "list"}); !strings.Contains(got, `"pending":[]`) || !strings.Contains(got, `"reason":"use inches"`) {
		t.Errorf("list: %s", got)
	}
	again := map[string]any{"source": distance("1"), "cases": distanceCases, "author": "ann"}
	b.refused(codeRefused, "the same as v1, which was rejected: use inches", "add", again)
	b.refused(command.CodeInvalid, "kind of a note", "review", map[string]any{"action": "note", "name": "distance", "kind": "gossip", "reason": "x"})
	b.refused(command.CodeInvalid, "allowed 1 to", "review", map[string]any{"action": "note", "name": "distance", "kind": "vulnerability"})
	b.refused(command.CodeUnknownTool, "", "review", map[string]any{"action": "note", "name": "nothing", "kind": "vulnerability", "reason": "x"})
	b.done("review", map[string]any{"action": "note", "name": "distance", "kind": "vulnerability", "reason": "believes what it reads", "author": "bob"})
	if got := b.done(
		"show",
		map[string]any{"name": "distance"},
	); !strings.Contains(got, `- note on vulnerability: believes what it reads`) ||
		!strings.Contains(got, `"documentation":"# distance v1`) {
		t.Errorf("show: %s", got)
	}
	b.done("add", map[string]any{"source": distance("2"), "cases": distanceCases})
	b.refused(codeRefused, "the same as v2, which waits for review", "add", map[string]any{"source": distance("2"), "cases": distanceCases})
	b.done("review", map[string]any{"action": "approve", "name": "distance"})
	if r := b.call("distance", `{"x":3,"y":4}`); !r.OK() || jsonText(t, r.Data) != "10.0" {
		t.Errorf("approved: %+v", r)
	}
	if got := b.done("review", map[string]any{"action": "list"}); got != `{"pending":[]}` {
		t.Errorf("list: %s", got)
	}
}

// What was refused is told, too, with where it ended.
func TestRefusalsAreTold(t *testing.T) {
	b := newBench(t)
	b.refused(codeRefused, "", "add", map[string]any{"source": "import os\n" + distance("1"), "cases": distanceCases, "author": "ann"})
	if e := b.event("tool_refused"); e["name"] != "distance" || e["stage"] != "check" || e["author"] != "ann" || !strings.Contains(e["reason"].(string), "os") {
		t.Errorf("event: %v", e)
	}
}

// slowBody notes how long moves were to take.
type slowBody struct {
	tools.Body
	mu    sync.Mutex
	asked []hal.Request
}

func (s *slowBody) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	return hal.Answer{Outcome: hal.Accepted}, nil
}

func TestTheFirstRunIsSlow(t *testing.T) {
	body := &slowBody{}
	b := newBench(t, func(o *Options) {
		o.FirstSlow = true
		must(t, o.Tools.Replace(tool.Func(tool.Spec{Name: "move_head", Description: "Turn the head.", Moves: true, Parameters: tool.Object(map[string]tool.Schema{
			"yaw": tool.Number("", "°", -180, 180).WithDefault(0.0), "duration": tool.Number("", "s", 0.05, 60).WithDefault(1.0),
		})}, func(ctx context.Context, a struct{ Duration float64 }) tool.Result {
			_, err := SpeedLimited{body}.Do(ctx, hal.Request{Verb: hal.VerbGoto, Duration: a.Duration})
			must(t, err)
			return tool.Success("moved", map[string]any{"yaw": 0})
		})))
	})
	source, cases, err := template.New("shake_it")
	must(t, err)
	b.done("add", map[string]any{"source": source, "cases": json.RawMessage(cases)})
	took := func() float64 {
		t.Helper()
		body.asked = nil
		if r := b.call("shake_it", `{"times":1}`); !r.OK() || len(body.asked) == 0 {
			t.Fatalf("%+v, moved %d times", r, len(body.asked))
		}
		return body.asked[0].Duration
	}
	first, second := took(), took()
	if first != slowFactor*second {
		t.Errorf("the first run moves in %v s, the second in %v s", first, second)
	}
}

func TestCarefulBody(t *testing.T) {
	slow, usual := slowly(t.Context()), t.Context()
	recording := &hal.Recording{Time: []float64{0, 1, 2}}
	for name, c := range map[string]struct{ req, want hal.Request }{
		"goto":    {hal.Request{Verb: hal.VerbGoto, Duration: 0.5}, hal.Request{Verb: hal.VerbGoto, Duration: 1.5}},
		"default": {hal.Request{Verb: hal.VerbGoto}, hal.Request{Verb: hal.VerbGoto, Duration: 3}},
		"longest": {hal.Request{Verb: hal.VerbGoto, Duration: 50}, hal.Request{Verb: hal.VerbGoto, Duration: 60}},
		"stream":  {hal.Request{Verb: hal.VerbTarget, Source: "tool"}, hal.Request{Verb: hal.VerbGoto, Duration: 3}},
		"gesture": {hal.Request{Verb: hal.VerbGesture, Name: "nod"}, hal.Request{Verb: hal.VerbGesture, Name: "nod", Duration: 18}},
		"stop":    {hal.Request{Verb: hal.VerbStop}, hal.Request{Verb: hal.VerbStop}},
		"play":    {hal.Request{Verb: hal.VerbPlay, Recording: recording}, hal.Request{Verb: hal.VerbPlay, Recording: &hal.Recording{Time: []float64{0, 3, 6}}}},
	} {
		body := &slowBody{}
		for _, ctx := range []context.Context{slow, usual} {
			_, err := SpeedLimited{body}.Do(ctx, c.req)
			must(t, err)
		}
		if got, want := jsonText(t, body.asked), jsonText(t, []hal.Request{c.want, c.req}); got != want {
			t.Errorf("%s: asked %s, want %s", name, got, want)
		}
	}
	if recording.Time[1] != 1 {
		t.Error("the recording of the caller was changed")
	}
}

// endless computes for ever and swallows every error that it can.
const endless = `import reachy


def f():
    reachy.speak(text="I begin")
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
`

// A stop ends every self-made tool, also one that neither moves nor listens, soon and wherever it was started.
func TestAStopEndsRunningTools(t *testing.T) {
	b := newBench(t)
	must(
		t,
		b.tools.Add(
			tool.Func(
				tool.Spec{Name: stopTool, Description: "Stop.", Parameters: tool.Object(nil)},
				func(context.Context, struct{}) tool.Result { return tool.Success("stopped", nil) },
			),
		),
	)
	b.done("run", map[string]any{"name": "f", "source": "def f():\n    return 1\n", "skip_checks": true}) // warm
	for name, stop := range map[string]func(){
		"the tool": func() { b.call(stopTool, "{}") },
		"a switch": b.box.Stopped,
	} {
		done := make(chan error, 1)
		b.said = 0
		go func() {
			_, err := b.do("run", map[string]any{"name": "f", "source": endless, "skip_checks": true, "grants": []string{"speak"}})
			done <- err
		}()
		b.until("the tool to run", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return b.said == 1 })
		began := time.Now()
		stop()
		select {
		case err := <-done:
			var e *command.Error
			if !errors.As(err, &e) || e.Code != command.CodeInterrupted || !strings.Contains(e.Message, "stop was said") {
				t.Errorf("%s: %v", name, err)
			}
			t.Logf("%s: ended %v after the stop", name, time.Since(began).Round(time.Millisecond))
		case <-time.After(time.Minute):
			t.Fatalf("%s: it still runs", name)
		}
	}
	b.refused(command.CodeInvalid, "source and module: both empty", "run", map[string]any{"name": "f", "source": "", "skip_checks": true})
	b.refused(command.CodeInvalid, "grants: name of a host call", "run",
		map[string]any{"name": "f", "source": "def f():\n    return 1\n", "skip_checks": true, "grants": []string{""}})
	if got := b.done("run", map[string]any{"name": "f", "source": "def f():\n    return 1\n", "skip_checks": true}); !strings.Contains(got, `"value":1`) {
		t.Errorf("the next call: %s", got)
	}
}

func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	waittest.Until(b.t, what, ok)
}

// A source that may move the robot takes its turn; one that may not waits for nobody.
func TestRunTakesItsTurn(t *testing.T) {
	turns := 0
	b := newBench(t, func(o *Options) {
		o.Act = func(ctx context.Context, fn func(context.Context) tool.Result) tool.Result {
			turns++
			if turns == 2 {
				return tool.Errorf(tool.CodeCancelled, "a newer command took over")
			}
			return fn(ctx)
		}
	})
	args := map[string]any{
		"name":        "f",
		"source":      "import reachy\n\n\ndef f():\n    return reachy.move_head(yaw=10)\n",
		"skip_checks": true,
		"grants":      []string{"move_head"},
	}
	b.done("run", args)
	if turns != 1 || len(b.moves) != 1 {
		t.Errorf("%d turns, moves %v", turns, b.moves)
	}
	b.refused(command.CodeInterrupted, "took over", "run", args)
	args["grants"] = []string{"speak"}
	b.done("run", args)
	if turns != 2 || len(b.moves) != 1 {
		t.Errorf("%d turns, moves %v", turns, b.moves)
	}
}
