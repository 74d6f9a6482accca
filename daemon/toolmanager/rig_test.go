package toolmanager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == guest.WorkerArg {
		os.Exit(guest.WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == ReaderArg {
		os.Exit(files.WorkerMain(os.Stdin, os.Stdout, guest.Seal))
	}
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil { // a reader of files is gone when it is done
		panic(err)
	}
	goleak.VerifyTestMain(shared{m})
}

// shared are tests that share their workers, which end before anybody looks for what was left behind. Every call begins
// with a pristine interpreter, so that no test sees another.
type shared struct{ *testing.M }

// theSandbox is that of all tests that ask for no other; the first that needs it starts its workers.
var theSandbox = newSandbox(Options{RunDir: os.TempDir(), Idle: time.Hour})

// Run implements goleak.TestingM.
func (s shared) Run() int {
	code := s.M.Run()
	if err := theSandbox.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "the workers:", err)
		return 1
	}
	return code
}

// stay is a sandbox that outlives the manager that uses it.
type stay struct{ sandbox }

func (stay) Close() error { return nil }

// ownSandbox makes a manager open a sandbox of its own.
func ownSandbox(o *Options) { o.sandbox = nil }

// away is a sandbox that there is not.
type away struct{}

func (away) Call(context.Context, *guest.Request) (guest.Result, error) {
	return guest.Result{}, fmt.Errorf("%w: no interpreter", guest.ErrUnavailable)
}

func (away) Close() error { return nil }

// bench is a toolbox beside a robot that notes what it is asked for.
type bench struct {
	t     *testing.T
	box   *Manager
	tools *tool.Registry
	store registry.Store
	dir   string

	mu     sync.Mutex
	moves  []string // arguments of move_head
	said   int      // calls of speak
	events []map[string]any
	bare   []string // tools that can be called by their names alone
}

func newBench(t *testing.T, change ...func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, store: registry.NewMemory(), dir: filepath.Join(t.TempDir(), "tools")}
	b.open(change...)
	t.Cleanup(func() { b.close() })
	return b
}

func (b *bench) open(change ...func(*Options)) {
	b.t.Helper()
	b.tools = tool.NewRegistry(nil)
	must(b.t, b.tools.Add(tool.Func(tool.Spec{
		Name: "move_head", Description: "Turn the head.", Moves: true,
		Parameters: tool.Object(map[string]tool.Schema{
			"yaw": tool.Number("", "°", -180, 180).WithDefault(0.0), "duration": tool.Number("", "s", 0.05, 60).WithDefault(1.0),
		}),
	}, func(_ context.Context, a struct{ Yaw, Duration float64 }) tool.Result {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.moves = append(b.moves, tool.FormatNumber(a.Yaw))
		return tool.Success("moved", map[string]any{"yaw": a.Yaw})
	})))
	must(b.t, b.tools.Add(tool.Func(tool.Spec{Name: "speak", Description: "Say something.", Parameters: tool.Object(map[string]tool.Schema{
		"text": tool.Text("", 200),
	}, "text")}, func(context.Context, struct{ Text string }) tool.Result {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.said++
		return tool.Success("said", nil)
	})))
	o := Options{
		Store: b.store, Dir: b.dir, RunDir: os.TempDir(), Tools: b.tools, Idle: time.Hour, sandbox: stay{theSandbox},
		Publish: func(_ string, data api.Payload) {
			b.mu.Lock()
			defer b.mu.Unlock()
			event := api.Fields(data)
			event["type"] = string(data.EventType())
			b.events = append(b.events, event)
		},
		Changed: func(names []string) { b.mu.Lock(); defer b.mu.Unlock(); b.bare = names },
		Failed:  func(err error) { b.t.Error(err) },
	}
	for _, c := range change {
		c(&o)
	}
	box, err := Open(o)
	must(b.t, err)
	b.box = box
}

func (b *bench) close() {
	b.t.Helper()
	must(b.t, b.box.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do carries out an action and returns its result as JSON.
func (b *bench) do(action string, args map[string]any) (string, error) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	must(b.t, err)
	result, err := b.box.Do(b.t.Context(), action, raw)
	text, bad := json.Marshal(result)
	must(b.t, bad)
	return string(text), err
}

func (b *bench) done(action string, args map[string]any) string {
	b.t.Helper()
	text, err := b.do(action, args)
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", action, err, text)
	}
	return text
}

func (b *bench) refused(code, part, action string, args map[string]any) string {
	b.t.Helper()
	text, err := b.do(action, args)
	var e *command.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, part) {
		b.t.Errorf("%s: %v, want %s …%s…\n%s", action, err, code, part, text)
	}
	return text
}

func (b *bench) call(name, args string) tool.Result {
	b.t.Helper()
	return b.tools.Call(b.t.Context(), name, json.RawMessage(args))
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}

// distance is the simplest tool that passes; unit is a piece of it that versions differ in.
func distance(factor string) string {
	return `import math


def distance(x: float, y: float, z: float = 0.0) -> float:
    """Says how far a point is from the robot.

    Args:
        x: metres forward.
        y: metres to the left.
        z: metres up.

    Returns:
        The distance.
    """
    if max(abs(x), abs(y), abs(z)) > 1000:
        raise ValueError("allowed are up to 1000 m")
    return ` + factor + ` * math.sqrt(x * x + y * y + z * z)
`
}

var distanceCases = []map[string]any{{"name": "3-4-5", "input": map[string]any{"x": 3, "y": 4}, "predicate": "result % 5 == 0"}}
