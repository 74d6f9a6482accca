package toolmanager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/modules"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

// buildModule makes the module whose function add_up speaks and then adds.
func buildModule(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "../../toolsandbox/guest/testdata/wasitool")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

func manifestOf(name, sum string, calls ...string) string {
	text, err := json.Marshal(append([]string{}, calls...))
	if err != nil {
		panic(err) // strings only
	}
	return fmt.Sprintf(`{
  "module": "sha256:%s", "name": %q, "description": "Adds two whole numbers.",
  "parameters": {"type": "object", "properties": {"a": {"type": "integer", "description": "one"},
     "b": {"type": "integer", "description": "the other"}}, "required": ["a", "b"]},
  "returns": {"type": "integer"}, "calls": %s
}`, sum, name, text)
}

var addCases = []map[string]any{{"name": "two and three", "input": map[string]any{"a": 2, "b": 3}, "expected": 5}}

// wasmArgs are those of add for a module of a manifest.
func wasmArgs(source string, cases any, files ...pipeline.Attachment) map[string]any {
	args := map[string]any{"language": "wasm", "source": source, "cases": cases}
	if len(files) > 0 {
		args["files"] = files
	}
	return args
}

// kept are the names of the modules that lie on the disk.
func (b *bench) kept() string {
	all, err := filepath.Glob(filepath.Join(b.dir, "modules", "*"))
	must(b.t, err)
	for i := range all {
		all[i] = filepath.Base(all[i])
	}
	return strings.Join(all, " ")
}

// A WebAssembly module with a manifest is checked, tested, kept and called as a tool in Python is.
func TestWasmTools(t *testing.T) {
	b := newBench(t)
	data := buildModule(t)
	sum := modules.Sum(data)
	file := pipeline.Attachment{Name: "add.wasm", Data: data}
	args := wasmArgs(manifestOf("add_up", sum, "speak"), addCases, file)
	if got := b.done("check", args); !strings.Contains(got, `"ok":true`) || !strings.Contains(got, `"calls":["speak"]`) {
		t.Errorf("check: %s", got)
	}
	if got := b.done("test", args); !strings.Contains(got, `"passed":1`) {
		t.Errorf("test: %s", got)
	}
	if got := b.kept(); got != "" {
		t.Errorf("kept by check and test: %s", got)
	}
	if got := b.done(
		"add",
		args,
	); !strings.Contains(got, `"name":"add_up","version":1,"active":true`) || !strings.Contains(got, `"grants":["speak"]`) ||
		!strings.Contains(got, `"language":"wasm"`) {
		t.Errorf("add: %s", got)
	}
	if got := b.kept(); got != sum+".wasm" {
		t.Errorf("kept: %s", got)
	}
	if spec, _ := b.tools.Get("add_up"); spec.Description != "Adds two whole numbers." || spec.Parameters.Properties["b"].Description != "the other" {
		t.Errorf("%+v", spec)
	}
	b.close()
	b.open()
	if r := b.call("add_up", `{"a":20,"b":3}`); !r.OK() || jsonText(t, r.Data) != "23" || b.said != 1 {
		t.Errorf("after a restart: %+v, said %d times", r, b.said)
	}
	if r := b.call("add_up", `{"a":"x","b":3}`); r.Code != tool.CodeInvalid {
		t.Errorf("%+v", r)
	}
	// The second version may not speak; its module is there already.
	if got := b.done(
		"add",
		wasmArgs(manifestOf("add_up", sum), addCases),
	); !strings.Contains(got, `"version":2,"active":true`) ||
		!strings.Contains(got, `"grants":[]`) {
		t.Errorf("add: %s", got)
	}
	if r := b.call("add_up", `{"a":20,"b":3}`); r.OK() || !strings.Contains(r.Message, "denied") || b.said != 1 {
		t.Errorf("not granted: %+v, said %d times", r, b.said)
	}
	if got := b.done("rollback", map[string]any{"name": "add_up"}); !strings.Contains(got, `"active":1`) {
		t.Errorf("rollback: %s", got)
	}
	if got := b.done("show", map[string]any{"name": "add_up"}); !strings.Contains(got, sum) || !strings.Contains(got, `"number":1`) {
		t.Errorf("show: %s", got)
	}
	// Another one of the same shape is no duplicate: what the words of a manifest say counts.
	small := pipeline.Attachment{Name: "five.wasm", Data: []byte(five)}
	b.done("add", wasmArgs(manifestOf("five", modules.Sum(small.Data)), addCases, small))

	// Another robot takes it over with its module, and not without.
	var out struct{ File string }
	must(t, json.Unmarshal([]byte(b.done("export", map[string]any{"names": []string{"add_up"}})), &out))
	other := newBench(t)
	other.refused(codeRefused, "module sha256:"+sum+": the module is not here", "import", map[string]any{"file": out.File})
	other.refused("invalid", "allowed are those that a tool of the file names", "import", map[string]any{"file": out.File, "files": []pipeline.Attachment{small}})
	other.refused("invalid", "not an intact file of tools", "import", map[string]any{"file": out.File + " ", "files": []pipeline.Attachment{file}})
	if got := other.kept(); got != "" {
		t.Errorf("kept though it was refused: %s", got)
	}
	other.done("import", map[string]any{"file": out.File, "files": []pipeline.Attachment{file}})
	if r := other.call("add_up", `{"a":1,"b":3}`); !r.OK() || jsonText(t, r.Data) != "4" {
		t.Errorf("imported: %+v", r)
	}
	// A module that was changed on the disk is never run.
	other.close()
	must(t, os.WriteFile(filepath.Join(other.dir, "modules", sum+".wasm"), data[:len(data)-1], 0o600))
	other.open()
	if r := other.call("add_up", `{"a":1,"b":3}`); r.OK() || !strings.Contains(r.Message, "is damaged") {
		t.Errorf("changed: %+v", r)
	}
	if got := other.done(
		"check",
		map[string]any{"language": "wasm", "source": manifestOf("add_up", sum)},
	); !strings.Contains(got, "is damaged") ||
		!strings.Contains(got, `"ok":false`) {
		t.Errorf("changed: %s", got)
	}
}

func TestBadModules(t *testing.T) {
	b := newBench(t)
	sum := modules.Sum([]byte(five))
	cut := []byte(five[:len(five)-3])
	senseless := []byte(strings.Replace(five, "\x10\x00\x1a\x0b", "\x10\x07\x1a\x0b", 1)) // calls a function that is not there
	whole := pipeline.Attachment{Name: "five.wasm", Data: []byte(five)}
	for _, c := range []struct {
		code, says, source string
		files              []pipeline.Attachment
	}{
		{
			"invalid", `file "five.wasm": not a module that can be kept: module: section 11 at byte`, manifestOf("five", modules.Sum(cut)),
			[]pipeline.Attachment{{Name: "five.wasm", Data: cut}},
		},
		{"invalid", `begins with "no modul"`, manifestOf("five", sum), []pipeline.Attachment{{Name: "five.wasm", Data: []byte("no module")}}},
		{
			"invalid", "16777224 bytes, allowed 16777216", manifestOf("five", sum),
			[]pipeline.Attachment{{Name: "five.wasm", Data: []byte(five[:8] + strings.Repeat("\x00", 16<<20))}},
		},
		{"invalid", "allowed is one WebAssembly module", manifestOf("five", sum), []pipeline.Attachment{whole, whole}},
		{"invalid", "allowed is one WebAssembly module", manifestOf("five", sum), []pipeline.Attachment{{Name: "x.txt", Data: []byte("x")}}},
		{codeRefused, "what came has sha256:" + sum, manifestOf("five", strings.Repeat("a", 64)), []pipeline.Attachment{whole}},
		{codeRefused, "the module is not here", manifestOf("five", sum), nil},
		{codeRefused, "which the robot has not", manifestOf("five", sum, "fly"), []pipeline.Attachment{whole}},
		{codeRefused, "name: empty", manifestOf("", sum), []pipeline.Attachment{whole}},
		{"not_available", "invalid function", manifestOf("five", modules.Sum(senseless)), []pipeline.Attachment{{Name: "five.wasm", Data: senseless}}},
		{codeRefused, "result is 5, want 6", manifestOf("five", sum), []pipeline.Attachment{whole}},
	} {
		cases := []map[string]any{{"name": "wrong", "input": map[string]any{"a": 1, "b": 1}, "expected": 6}}
		b.refused(c.code, c.says, "add", wasmArgs(c.source, cases, c.files...))
	}
	args := wasmArgs("x", nil, whole)
	args["language"] = "python"
	for _, action := range []string{"check", "test", "add"} {
		b.refused("invalid", `with language "python"`, action, args)
	}
	args = wasmArgs(manifestOf("five", sum), []map[string]any{{"name": "p", "input": map[string]any{}, "predicate": "result == 5"}}, whole)
	b.refused("invalid", "it is Python", "test", args)
	if got := b.kept(); got != "" {
		t.Errorf("kept though it was refused: %s", got)
	}
}

// watched calls see before every call.
type watched struct {
	sandbox
	see func()
}

func (w watched) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	w.see()
	return w.sandbox.Call(ctx, r)
}

// A version is written after its tests, and its module before them: whenever reachyd is killed, no tool lacks its module.
func TestModuleIsKeptBeforeItsTool(t *testing.T) {
	sum := modules.Sum([]byte(five))
	var b *bench
	seen := 0
	b = newBench(t, func(o *Options) {
		o.sandbox = watched{o.sandbox, func() {
			if seen++; b.kept() != sum+".wasm" || b.box.library.Opened() != nil && len(b.box.library.Opened().List()) > 0 {
				t.Errorf("kept while it is tested: %q and %v", b.kept(), b.box.library.Opened().List())
			}
		}}
	})
	b.done(
		"add",
		wasmArgs(
			manifestOf("five", sum),
			[]map[string]any{{"name": "five", "input": map[string]any{"a": 1, "b": 1}, "expected": 5}},
			pipeline.Attachment{Name: "five.wasm", Data: []byte(five)},
		),
	)
	if seen == 0 {
		t.Error("it was never tested")
	}
	// An error that is no refusal says nothing of whether there is a tool now: its module stays.
	unknown := errors.New("the disk does not answer")
	other := []byte(five[:len(five)-3] + "6}\n")
	err := b.box.keeping(t.Context(), map[string][]byte{modules.Sum(other): other}, func() error { return unknown })
	if !errors.Is(err, unknown) || !strings.Contains(b.kept(), modules.Sum(other)) {
		t.Errorf("%v, kept %s", err, b.kept())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b.box.putting <- struct{}{}
	if err := b.box.keeping(ended, map[string][]byte{"x": nil}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-b.box.putting
}
