package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/tools"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestNewToolOverwritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	ctl(t, []string{"tool", "new", "shake_it"}).is(t, cli.ExitDone,
		"wrote shake_it.py and shake_it.cases.json; next: reachyctl tool add shake_it.py\n", "")
	source, err := os.ReadFile("shake_it.py")
	must(t, err)
	if !strings.Contains(string(source), "def shake_it(") {
		t.Errorf("%s", source)
	}
	must(t, os.Remove("shake_it.py"))
	ctl(t, []string{"tool", "new", "shake_it"}).is(t, cli.ExitFailed, "", "shake_it.cases.json is there already")
	if _, err := os.Stat("shake_it.py"); err == nil {
		t.Error("half of it was written")
	}
	ctl(t, []string{"tool", "new", "Shake-It"}).is(t, cli.ExitUsage, "", "lower-case letters")
}

func TestCheckTool(t *testing.T) {
	source := file(t, "far.py", "import os\n")
	findings := []any{map[string]any{"code": "I001", "severity": "error", "line": 1, "column": 3, "message": "no\x1b[31m os", "fix": "Use json."}}
	bad := newRobot(t, answer(ok(map[string]any{"ok": false, "findings": findings})))
	bad.ctl("tool", "check", source, "--lenient").is(t, cli.ExitFailed,
		source+":1:3: error I001: no [31m os → Use json.\n"+source+": not good enough\n", "")
	if c := bad.only(); c.verb != "tools/check" || c.args["source"] != "import os\n" || c.args["mode"] != "lenient" {
		t.Errorf("sent %+v", c)
	}
	good := newRobot(t, answer(ok(map[string]any{"ok": true, "function": "far", "findings": []any{}, "calls": []string{"speak"}})))
	good.ctl("tool", "check", source).is(t, cli.ExitDone, source+": far is good; it calls speak\n", "")
	newRobot(t, nil).ctl("tool", "check", "no-such.py").is(t, cli.ExitUsage, "", "no such file")
}

func TestTestTool(t *testing.T) {
	source, cases := file(t, "far.py", "x"), file(t, "cases.json", `[{"name":"a"}]`)
	r := newRobot(t, answer(ok(map[string]any{
		"ok": false, "passed": 1, "coverage": 0.5, "missed": []int{4, 5}, "took": 12_000_000,
		"outcomes": []any{map[string]any{"name": "a", "passed": true, "clock": 5_000_000_000}, map[string]any{"name": "b", "message": "returned 1, must be 2"}},
	})))
	r.ctl("tool", "test", source, "--cases", cases).is(t, cli.ExitFailed,
		"ok   a (5.0 s of the robot's time)\nFAIL b: returned 1, must be 2\n1 of 2 passed, 50 % of the lines ran, 12ms\nnot reached: lines 4 5\n", "")
	if c := r.only(); c.verb != "tools/test" || len(c.args["cases"].([]any)) != 1 {
		t.Errorf("sent %+v", c)
	}
	beside := strings.TrimSuffix(source, ".py") + ".cases.json"
	must(t, os.WriteFile(beside, []byte(`[{"name":"a"},{"name":"b"}]`), 0o600))
	again := newRobot(t, answer(ok(map[string]any{"ok": true, "passed": 2})))
	again.ctl("tool", "test", source)
	if c := again.only(); len(c.args["cases"].([]any)) != 2 {
		t.Errorf("the cases beside the source were not sent: %+v", c)
	}
	newRobot(t, nil).ctl("tool", "test", source, "--cases", source).is(t, cli.ExitUsage, "", "is no JSON list of test cases")
}

func TestAddTool(t *testing.T) {
	source := file(t, "far.py", "x")
	r := newRobot(t, answer(ok(map[string]any{
		"name": "far", "version": 2, "active": true, "grants": []string{"speak"}, "score": map[string]any{"total": 0.9}, "report": map[string]any{
			"passed": 3,
			"total":  3,
		},
	})))
	r.ctl("tool", "add", source, "--grant", "speak,stop", "--allow-duplicate", "--inactive", "--allow-untested").is(t, cli.ExitDone,
		"far v2, active, score 0.90, 3 of 3 tests passed; may call speak\n", "")
	c := r.only()
	if grants, _ := c.args["grants"].([]any); c.verb != "tools/add" || len(grants) != 2 || c.args["allow_duplicate"] != true || c.args["inactive"] != true ||
		c.args["allow_untested"] != true {
		t.Errorf("sent %+v", c)
	}
	plain := newRobot(t, answer(map[string]any{
		"ok": false, "result": map[string]any{"findings": []any{map[string]any{"code": "tests", "severity": "error", "message": "failed"}}},
		"error": map[string]any{"code": "refused", "message": `tool "far" was refused: failed`},
	}))
	plain.ctl("tool", "add", source).is(t, cli.ExitFailed, source+": error tests: failed\n", "reachyctl: tool \"far\" was refused\n")
	if _, given := plain.only().args["grants"]; given {
		t.Error("grants were sent that nobody gave")
	}
}

func TestRunTool(t *testing.T) {
	source := file(t, "attack.py", "x")
	r := newRobot(t, answer(ok(map[string]any{
		"reason": "memory", "log": "hello\n", "error": map[string]any{"type": "MemoryError", "message": "too much"},
		"usage": map[string]any{"wall": 1_500_000, "cpu": 1_000_000, "memory": 1 << 20},
	})))
	r.ctl("tool", "run", source, "--skip-checks", "n=5").is(t, cli.ExitFailed,
		"hello\n"+source+": ended (memory): MemoryError too much\n1.5 ms, 1.0 ms of the processor, 1 MiB, 0 calls of the robot\n", "")
	c := r.only()
	if args, _ := c.args["args"].(map[string]any); c.verb != "tools/run" || c.args["name"] != "attack" || c.args["skip_checks"] != true || args["n"] != 5.0 {
		t.Errorf("sent %+v", c)
	}
}

func TestSwitchTools(t *testing.T) {
	for _, c := range []struct {
		args    []string
		verb    string
		version any
	}{
		{[]string{"rollback", "far", "v1"}, "tools/rollback", 1.0},
		{[]string{"activate", "far"}, "tools/activate", nil},
		{[]string{"deactivate", "far"}, "tools/deactivate", nil},
	} {
		r := newRobot(t, answer(ok(map[string]any{"name": "far", "active": 1, "latest": 2})))
		r.ctl(append([]string{"tool"}, c.args...)...).is(t, cli.ExitDone, "far v1 is active; the newest is v2\n", "")
		if sent := r.only(); sent.verb != c.verb || sent.args["name"] != "far" || sent.args["version"] != c.version {
			t.Errorf("sent %+v", sent)
		}
	}
	newRobot(t, nil).ctl("tool", "rollback", "far", "one").is(t, cli.ExitUsage, "", "number of a version")
}

func TestNoteOnATool(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"name": "far", "active": 2})))
	r.ctl("tool", "review", "far", "--note", "it believes what it reads", "--kind", "vulnerability", "--version", "1").is(t, cli.ExitDone,
		"far has a note on vulnerability; tool show tells it\n", "")
	if c := r.only(); c.verb != "tools/review" || c.args["action"] != "note" || c.args["kind"] != "vulnerability" || c.args["version"] != 1.0 {
		t.Errorf("sent %+v", c)
	}
	newRobot(t, nil).ctl("tool", "review", "--note", "x").is(t, cli.ExitUsage, "", "--note needs the name")
	newRobot(t, nil).ctl("tool", "review", "far", "--note", "x", "--approve").is(t, cli.ExitUsage, "", "--note needs the name")
}

func TestExportAndImportTools(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.tools")
	r := newRobot(t, answer(ok(map[string]any{"file": "abc\n"})))
	r.ctl("tool", "export", "far", "--out", out).is(t, cli.ExitDone, "wrote "+out+", 4 bytes\n", "")
	in := newRobot(t, answer(ok(map[string]any{"tools": []any{map[string]any{"name": "far", "version": 1, "active": true}}})))
	in.ctl("tool", "import", out).is(t, cli.ExitDone, "far v1, active, score 0.00\n", "")
	if c := in.only(); c.verb != "tools/import" || c.args["file"] != "abc\n" {
		t.Errorf("sent %+v", c)
	}
}

func TestShowSelfMadeTool(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{
		"name": "far", "description": "Says how far.", "parameters": map[string]any{"type": "object"}, "number": 1, "active": 2, "latest": 2,
		"source": "def far():\n    pass\n", "score": map[string]any{"total": 0.5}, "usage": map[string]any{"calls": 3, "successes": 2}, "grants": []string{"speak"},
		"licence": "MIT", "notes": []any{map[string]any{"kind": "vulnerability", "text": "beware"}},
	})))
	r.ctl("tool", "show", "far", "--version", "1").is(t, cli.ExitDone,
		"far\nSays how far.\nself-made: v1 of 2, v2 is active, score 0.50, called 3 times, 2 of them well; may call speak; licence MIT\nnote on vulnerability: "+
			"beware\ndef far():\n    pass\n", "")
	if c := r.only(); c.args["version"] != 1.0 {
		t.Errorf("sent %+v", c)
	}
}

// wasmFile is a WebAssembly module without anything in it.
const wasmFile = "\x00asm\x01\x00\x00\x00"

func TestAddWasmTool(t *testing.T) {
	module := file(t, "measure.wasm", wasmFile)
	beside := strings.TrimSuffix(module, ".wasm") + ".json"
	newRobot(t, nil).ctl("tool", "add", module).is(t, cli.ExitUsage, "", "measure.json: no such file")
	must(t, os.WriteFile(beside, []byte("[]"), 0o600))
	newRobot(t, nil).ctl("tool", "add", module).is(t, cli.ExitUsage, "", "is no JSON object with name")
	must(t, os.WriteFile(beside, []byte(`{"module": "sha256:abc"}`), 0o600))
	newRobot(t, nil).ctl("tool", "add", module).is(t, cli.ExitUsage, "", `"sha256:abc", but `+module+" has sha256:93a44bbb")
	must(t, os.WriteFile(beside, []byte(`{"description": "Measures."}`), 0o600))
	for _, verb := range []string{"check", "test", "add"} {
		r := newRobot(t, answer(ok(map[string]any{"ok": true, "name": "measure", "version": 1, "active": true})))
		r.ctl("tool", verb, module)
		c := r.only()
		files, _ := c.args["files"].([]any)
		if c.verb != "tools/"+verb || c.args["language"] != "wasm" || len(files) != 1 || files[0].(map[string]any)["data"] != "AGFzbQEAAAA=" {
			t.Errorf("sent %+v", c)
		}
		want := `{
  "description": "Measures.",
  "module": "sha256:93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476",
  "name": "measure"
}
`
		if c.args["source"] != want {
			t.Errorf("source %s, want %s", c.args["source"], want)
		}
	}
	run := newRobot(t, answer(ok(map[string]any{"reason": "ok", "value": 5})))
	run.ctl("tool", "run", module, "--skip-checks")
	if c := run.only(); c.args["language"] != "wasi" {
		t.Errorf("sent %+v", c)
	}
	large := file(t, "large.wasm", "")
	must(t, os.Truncate(large, tools.MaxModule+1))
	newRobot(t, nil).ctl("tool", "add", large).is(t, cli.ExitUsage, "", "has 16777217 bytes, allowed are 16777216")

	tools := file(t, "measure.tools", "x")
	imp := newRobot(t, answer(ok(map[string]any{"tools": []any{}})))
	imp.ctl("tool", "import", tools, module)
	if c := imp.only(); c.args["file"] != "x" || len(c.args["files"].([]any)) != 1 {
		t.Errorf("sent %+v", c)
	}
	newRobot(t, nil).ctl("tool", "import", tools, large).is(t, cli.ExitUsage, "", "has 16777217 bytes")
}
