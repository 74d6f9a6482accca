package toolmanager

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

const nodJS = `/**
 * Turns the head to both sides.
 *
 * @param {number} angle - degrees, up to 40
 * @returns {number} the angle
 */
export function look_around_js(angle) {
	if (Math.abs(angle) > 40) throw new RangeError("allowed are up to 40°");
	reachy.move_head({yaw: angle});
	reachy.move_head({yaw: -angle});
	return angle;
}
`

// A tool in JavaScript is checked, tested, kept and called as one in Python is.
func TestJavaScriptTools(t *testing.T) {
	if !guest.Installed(guest.JavaScript) {
		if out, err := exec.Command("../../cross/quickjs-wasm.sh").CombinedOutput(); err != nil {
			t.Fatalf("QuickJS is not here: %v\n%s", err, out)
		}
	}
	b := newBench(t)
	cases := []map[string]any{
		{"name": "a little", "input": map[string]any{"angle": 10}, "expected": 10},
		{"name": "too far", "input": map[string]any{"angle": 50}, "error": "RangeError"},
		{"name": "stuck", "input": map[string]any{"angle": 10}, "robot": map[string]any{"fail": map[string]string{"move_head": "overload"}}, "error": "overload"},
	}
	args := map[string]any{"source": nodJS, "cases": cases, "language": "javascript"}
	if got := b.done(
		"add",
		args,
	); !strings.Contains(got, `"name":"look_around_js","version":1,"active":true`) || !strings.Contains(got, `"grants":["move_head"]`) ||
		!strings.Contains(got, `"language":"javascript"`) ||
		!strings.Contains(got, `"passed":3`) {
		t.Errorf("add: %s", got)
	}
	if r := b.call("look_around_js", `{"angle":20}`); !r.OK() || jsonText(t, r.Data) != "20" || jsonText(t, b.moves) != `["20","−20"]` {
		t.Errorf("%+v, moves %v", r, b.moves)
	}
	if spec, _ := b.tools.Get("look_around_js"); !spec.Moves || spec.Parameters.Properties["angle"].Description != "degrees, up to 40" {
		t.Errorf("%+v", spec)
	}
	b.close()
	b.open()
	if r := b.call("look_around_js", `{"angle":50}`); r.OK() || !strings.Contains(r.Message, "RangeError: allowed are up to 40°") {
		t.Errorf("after a restart: %+v", r)
	}
	for says, source := range map[string]string{
		"cannot be loaded":    strings.Replace(nodJS, "{number} angle)", "", 1) + "}}",
		"has no JSDoc":        nodJS[strings.Index(nodJS, "export"):],
		"angle has no type":   strings.Replace(nodJS, " * @param {number} angle - degrees, up to 40\n", "", 1),
		"no tool fly":         strings.Replace(nodJS, "reachy.move_head", "reachy.fly", 1),
		"exports 2 things":    nodJS + "export const other = 1;\n",
		"What it returns has": strings.Replace(nodJS, "@returns", "@gives", 1),
	} {
		args["source"] = source
		b.refused(codeRefused, says, "add", args)
	}
	args["source"], args["language"] = nodJS, "cobol"
	b.refused("invalid", `language: "cobol", allowed are [javascript python wasm]`, "add", args)
	args["language"] = "javascript"
	args["cases"] = []map[string]any{{"name": "p", "input": map[string]any{"angle": 1}, "predicate": "result == 1"}}
	b.refused("invalid", "it is Python", "test", args)
}

// five is a WebAssembly module that answers every task with 5: one fd_write of one line.
const five = "\x00asm\x01\x00\x00\x00" +
	"\x01\x0c\x02\x60\x04\x7f\x7f\x7f\x7f\x01\x7f\x60\x00\x00" + // types
	"\x02\x23\x01\x16wasi_snapshot_preview1\x08fd_write\x00\x00" + // imports
	"\x03\x02\x01\x01" + // functions
	"\x05\x03\x01\x00\x01" + // memory
	"\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x01" + // exports
	"\x0a\x0f\x01\x0d\x00\x41\x01\x41\x00\x41\x01\x41\x20\x10\x00\x1a\x0b" + // fd_write(1, iovec at 0, 1, result at 32)
	"\x0b\x1f\x02\x00\x41\x00\x0b\x08\x08\x00\x00\x00\x0c\x00\x00\x00\x00\x41\x08\x0b\x0c{\"value\":5}\n" // data

// Any WASI module can be run, held by the same sandbox.
func TestWASIModulesRun(t *testing.T) {
	b := newBench(t)
	args := map[string]any{
		"name": "five", "language": "wasi", "source": "five.wasm", "skip_checks": true, "files": []pipeline.Attachment{{Name: "five.wasm", Data: []byte(five)}},
	}
	if got := b.done("run", args); !strings.Contains(got, `"value":5`) {
		t.Errorf("%s", got)
	}
	delete(args, "files")
	b.refused("invalid", "WebAssembly", "run", args)
	args["skip_checks"] = false
	b.refused("invalid", "WebAssembly", "run", args)
}
