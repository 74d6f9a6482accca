package toolmanager

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/template"
)

func TestNothingIsStartedBeforeTheFirstUse(t *testing.T) {
	b := newBench(t, ownSandbox)
	started := func() uint64 { return b.box.sandbox.(*guest.Sandbox).Stats().Started }
	if _, err := os.Stat(b.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", b.dir, err)
	}
	if started() > 0 {
		t.Error("there are workers")
	}
	b.done("new", map[string]any{"name": "shake_it"})
	b.refused(command.CodeUnknownTool, "not found", "show", map[string]any{"name": "shake_it"})
	b.refused(command.CodeUnknownTool, "not found", "rollback", map[string]any{"name": "shake_it"})
	if started() > 0 {
		t.Error("there are workers")
	}
}

func TestTheTemplatePassesMovesTheRobotAndStays(t *testing.T) {
	b := newBench(t)
	source, cases, err := template.New("shake_it")
	must(t, err)
	args := map[string]any{"source": source, "cases": json.RawMessage(cases), "author": "test"}
	if got := b.done("check", map[string]any{"source": source}); !strings.Contains(got, `"ok":true,"findings":[]`) {
		t.Errorf("check: %s", got)
	}
	if got := b.done("test", map[string]any{"source": source, "cases": json.RawMessage(cases)}); !strings.Contains(got, `"ok":true,"passed":6`) {
		t.Errorf("test: %s", got)
	}
	if got := b.done("add", args); !strings.Contains(got, `"name":"shake_it","version":1,"active":true`) || !strings.Contains(got, `"grants":["move_head"]`) {
		t.Errorf("add: %s", got)
	}
	if jsonText(t, b.bare) != `["shake_it"]` || len(b.events) != 1 || b.events[0]["type"] != "tool_registered" || b.events[0]["version"] != 1.0 {
		t.Errorf("names %v, events %v", b.bare, b.events)
	}
	r := b.call("shake_it", `{"angle":30,"times":1}`)
	if !r.OK() || jsonText(t, r.Data) != `{"angle":30,"times":1}` || jsonText(t, b.moves) != `["30","−30","0"]` {
		t.Errorf("%+v, moves %v", r, b.moves)
	}
	if spec, _ := b.tools.Get("shake_it"); !spec.Moves || spec.Description == "" || len(spec.Parameters.Properties) != 2 {
		t.Errorf("%+v", spec)
	}
	if r := b.call("shake_it", `{"angle":90}`); r.OK() || r.Code != tool.CodeFailed || !strings.Contains(r.Message, "ValueError: angle 90") {
		t.Errorf("%+v", r)
	}
	if r := b.call("shake_it", `{"angle":"wide"}`); r.Code != tool.CodeInvalid {
		t.Errorf("%+v", r)
	}
	b.close()
	b.open() // as after a restart
	if r := b.call("shake_it", `{}`); !r.OK() {
		t.Errorf("after a restart: %+v", r)
	}
	if jsonText(t, b.bare) != `["shake_it"]` {
		t.Errorf("names %v", b.bare)
	}
}

func TestVersions(t *testing.T) {
	b := newBench(t)
	for _, factor := range []string{"1", "2"} {
		b.done("add", map[string]any{"source": distance(factor), "cases": distanceCases})
	}
	value := func() string {
		t.Helper()
		r := b.call("distance", `{"x":3,"y":4}`)
		if !r.OK() {
			t.Fatalf("%+v", r)
		}
		return jsonText(t, r.Data)
	}
	if v := value(); v != "10.0" {
		t.Errorf("v2: %s", v)
	}
	if len(b.bare) != 0 {
		t.Errorf("%v has required arguments", b.bare)
	}
	b.done("rollback", map[string]any{"name": "distance", "version": 1})
	if v := value(); v != "5.0" {
		t.Errorf("rolled back: %s", v)
	}
	if got := b.done(
		"show",
		map[string]any{"name": "distance", "version": 2},
	); !strings.Contains(got, `"number":2`) ||
		!strings.Contains(got, `"active":1,"latest":2`) {
		t.Errorf("show: %s", got)
	}
	b.done("activate", map[string]any{"name": "distance", "version": 2})
	if v := value(); v != "10.0" {
		t.Errorf("activated: %s", v)
	}
	b.done("deactivate", map[string]any{"name": "distance"})
	if r := b.call("distance", `{"x":3,"y":4}`); r.Code != tool.CodeUnknownTool {
		t.Errorf("deactivated: %+v", r)
	}
	b.refused(codeRefused, "the same as v1", "add", map[string]any{"source": distance("1"), "cases": distanceCases})
	b.refused(command.CodeUnknownTool, "", "activate", map[string]any{"name": "distance", "version": 3})
}

func TestWhatIsRefused(t *testing.T) {
	b := newBench(t)
	if got := b.refused(
		codeRefused,
		"os",
		"add",
		map[string]any{"source": "import os\n" + distance("1"), "cases": distanceCases},
	); !strings.Contains(
		got,
		`"code":"I001"`,
	) {
		t.Errorf("import: %s", got)
	}
	wrong := []map[string]any{{"name": "3-4-5", "input": map[string]any{"x": 3, "y": 4}, "expected": 6}}
	if got := b.refused(codeRefused, "3-4-5", "add", map[string]any{"source": distance("1"), "cases": wrong}); !strings.Contains(got, `"passed":false`) {
		t.Errorf("tests: %s", got)
	}
	b.refused(command.CodeInvalid, "cases", "test", map[string]any{"source": distance("1"), "cases": []any{map[string]any{"title": "x"}}})
	b.refused(command.CodeInvalid, "expected, error, predicate", "test", map[string]any{"source": distance("1"), "cases": []any{map[string]any{"name": "x"}}})
	source, cases, err := template.New("shake_it")
	must(t, err)
	b.refused(codeRefused, `"move_head" was not granted`, "add", map[string]any{"source": source, "cases": json.RawMessage(cases), "grants": []string{}})
	b.refused(codeRefused, "reserved", "add", map[string]any{"source": strings.ReplaceAll(source, "shake_it", "speak"), "cases": json.RawMessage(cases)})
	b.refused(command.CodeInvalid, "reserved", "new", map[string]any{"name": "speak"})
	b.refused(command.CodeInvalid, "allowed are 2 to 48", "new", map[string]any{"name": "Speak Up"})
	choice := strings.ReplaceAll(distance("1"), "z: float = 0.0", `z: float | str | None = None`)
	if got := b.done("check", map[string]any{"source": choice}); !strings.Contains(got, `"T010"`) || !strings.Contains(got, `"ok":false`) {
		t.Errorf("choice: %s", got)
	}
	if names := b.box.o.Tools.List(); len(names) != 2 {
		t.Errorf("tools: %v", names)
	}
}

// A source that was never looked at can do nothing, and a tool only what it was granted.
func TestOnlyWhatWasGranted(t *testing.T) {
	b := newBench(t)
	source := "import reachy\n\n\ndef f():\n    return reachy.move_head(yaw=10)\n"
	args := map[string]any{"name": "f", "source": source, "skip_checks": true}
	if got := b.done("run", args); !strings.Contains(got, `"reason":"denied"`) || len(b.moves) > 0 {
		t.Errorf("not granted: %s, moves %v", got, b.moves)
	}
	args["grants"] = []string{"move_head"}
	if got := b.done("run", args); !strings.Contains(got, `"reason":"ok"`) || jsonText(t, b.moves) != `["10"]` {
		t.Errorf("granted: %s, moves %v", got, b.moves)
	}
	args["source"] = "import reachy\n\n\ndef f():\n    return reachy.call('shutdown')\n"
	args["grants"] = []string{"shutdown"}
	if got := b.done("run", args); !strings.Contains(got, "the robot has no tool shutdown") {
		t.Errorf("unknown: %s", got)
	}
}

func TestToolsCallPinnedVersionsOfEachOther(t *testing.T) {
	b := newBench(t)
	b.done("add", map[string]any{"source": distance("1"), "cases": distanceCases})
	far := `import reachy


def is_far(x: float, y: float) -> bool:
    """Says whether a point is out of reach.

    Args:
        x: metres forward.
        y: metres to the left.

    Returns:
        Whether it is more than a metre away.
    """
    return reachy.distance(x=x, y=y) > 6
`
	cases := []map[string]any{
		{"name": "near", "input": map[string]any{"x": 3, "y": 4}, "expected": false},
		{"name": "far", "input": map[string]any{"x": 30, "y": 4}, "expected": true},
	}
	if got := b.done("add", map[string]any{"source": far, "cases": cases}); !strings.Contains(got, `"uses":[{"name":"distance","version":1`) {
		t.Errorf("add: %s", got)
	}
	b.done("add", map[string]any{"source": distance("2"), "cases": distanceCases}) // changes nothing for is_far
	if r := b.call("is_far", `{"x":3,"y":4}`); !r.OK() || jsonText(t, r.Data) != "false" {
		t.Errorf("%+v", r)
	}
}

func TestExportAndImport(t *testing.T) {
	b := newBench(t)
	b.done("add", map[string]any{"source": distance("1"), "cases": distanceCases})
	var exported struct{ File string }
	must(t, json.Unmarshal([]byte(b.done("export", nil)), &exported))
	other := newBench(t)
	if got := other.done("import", map[string]any{"file": exported.File}); !strings.Contains(got, `"name":"distance","version":1,"active":true`) {
		t.Errorf("import: %s", got)
	}
	if r := other.call("distance", `{"x":3,"y":4}`); !r.OK() || jsonText(t, r.Data) != "5.0" {
		t.Errorf("%+v", r)
	}
	i := len(exported.File) / 2
	newBench(t).refused(command.CodeInvalid, "", "import", map[string]any{"file": exported.File[:i] + "~" + exported.File[i+1:]})
}

func TestWithoutTheInterpreterEverythingElseWorks(t *testing.T) {
	b := newBench(t, ownSandbox, func(o *Options) { o.Python = guest.ImageConfig{Python: filepath.Join(t.TempDir(), "nowhere")} })
	for _, action := range []string{"check", "test", "add", "run"} {
		b.refused(command.CodeNotAvailable, "make python", action, map[string]any{"source": distance("1"), "cases": distanceCases})
	}
	if r := b.call("move_head", `{"yaw":1}`); !r.OK() {
		t.Errorf("%+v", r)
	}
}

// Where there is no sandbox a tool can be kept, but not called before it was tested and approved.
func TestKeptWithoutASandbox(t *testing.T) {
	b := newBench(t, func(o *Options) { o.sandbox = away{} })
	source, cases, err := template.New("shake_it")
	must(t, err)
	add := func(source string) map[string]any {
		return map[string]any{"source": source, "cases": json.RawMessage(cases), "allow_untested": true}
	}
	b.refused(command.CodeNotAvailable, "self-made tools cannot run", "add", map[string]any{"source": source})
	key := "KEY = \"AKIA" + "ABCDEFGHIJKLMNOP\"\n"
	b.refused(codeRefused, "an access key", "add", add(source+key))
	b.refused(codeRefused, "cannot be seen", "add", add(source+"# \u202e\n"))
	b.refused(codeRefused, "reserved", "add", add(strings.ReplaceAll(source, "shake_it", "speak")))
	b.refused(command.CodeInvalid, "name", "add", add("x = 1\n"))
	if got := b.done(
		"add",
		add(source),
	); !strings.Contains(got, `"name":"shake_it","version":1,"active":false,"state":"pending"`) ||
		!strings.Contains(got, "nothing of it was run") {
		t.Errorf("add: %s", got)
	}
	waits := func(when string) {
		t.Helper()
		if r := b.call("shake_it", `{}`); r.Code != tool.CodeUnavailable || len(b.moves) > 0 || len(b.bare) > 0 {
			t.Errorf("%s: %+v, moves %v, names %v", when, r, b.moves, b.bare)
		}
		b.refused(codeReview, "", "activate", map[string]any{"name": "shake_it"})
	}
	waits("kept")
	approve := map[string]any{"action": "approve", "name": "shake_it"}
	b.refused(command.CodeNotAvailable, "cannot run", "review", approve)
	waits("approved without a sandbox")
	b.done("add", add(strings.Replace(source, "move_head", "move_heed", 1))) // nobody can tell yet
	b.close()
	b.open()
	waits("after a restart")
	if got := b.done("review", map[string]any{"action": "list"}); strings.Count(got, `"untested":true`) != 2 {
		t.Errorf("list: %s", got)
	}
	b.refused(codeRefused, "move_heed", "review", approve) // the newest
	approve["version"] = 1
	b.refused(codeReview, "wants to call move_head", "review", approve)
	waits("tested, but with rights that nobody has seen")
	b.done("review", approve)
	if r := b.call("shake_it", `{"times":1}`); !r.OK() || len(b.moves) == 0 {
		t.Errorf("%+v, moves %v", r, b.moves)
	}
}

func TestResultsAreChecked(t *testing.T) {
	b := newBench(t)
	lies := strings.Replace(distance("1"), "return 1 *", "return str(x) if x > 100 else", 1)
	b.done("add", map[string]any{"source": lies, "cases": distanceCases})
	if r := b.call("distance", `{"x":200,"y":4}`); r.Code != tool.CodeFailed || !strings.Contains(r.Message, "does not return what it says") {
		t.Errorf("%+v", r)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	b.done("run", map[string]any{"name": "f", "source": "def f():\n    return 1\n", "skip_checks": true}) // warm
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	args := json.RawMessage(`{"name":"f","source":"import time\ndef f():\n    time.sleep(600)\n","skip_checks":true}`)
	_, err := b.box.Do(ctx, "run", args)
	var e *command.Error
	if !errors.As(err, &e) || e.Code != command.CodeInterrupted {
		t.Errorf("%v", err)
	}
}

func TestActionsAreThoseOfTheContract(t *testing.T) {
	for _, v := range command.Verbs() {
		action, ok := strings.CutPrefix(v, "tools/")
		elsewhere := action == "list" || action == "generate" // the latter by whoever writes tools
		if _, known := actions[action]; ok && !known && !elsewhere {
			t.Errorf("cmd/%s is not carried out", v)
		}
	}
	for action := range actions {
		if !slices.Contains(command.Verbs(), "tools/"+action) {
			t.Errorf("no command does %s", action)
		}
	}
}
