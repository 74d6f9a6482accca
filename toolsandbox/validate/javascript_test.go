package validate

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

const goodJavaScript = `/**
 * Turns the head by steps.
 *
 * @param {number[]} angles - degrees, one after the other
 * @param {string} [text=done] - what to say at the end
 * @returns {Promise<integer>} how many steps there were
 */
export async function sweep(angles, text = "done") {
  for (const yaw of angles) reachy.move_head({ yaw });
  reachy.call("speak", { text });
  return angles.length;
}
`

func TestCheckJavaScript(t *testing.T) {
	if !guest.Installed(guest.JavaScript) {
		if out, err := exec.Command("../../cross/quickjs-wasm.sh").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s := openSandbox(t)
	r, err := CheckJavaScript(t.Context(), s, "sweep", goodJavaScript)
	if err != nil || !r.OK || len(r.Findings) > 0 || !r.Async || r.Summary != "Turns the head by steps." || !slices.Equal(r.Calls, []string{"move_head", "speak"}) || r.Metrics.Documented != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if want := `{"additionalProperties":false,"properties":{"angles":{"description":"degrees, one after the other","items":{"type":"number"},"type":"array"},"text":{"description":"what to say at the end","type":"string"}},"required":["angles"],"type":"object"}`; string(r.Schema) != want {
		t.Errorf("schema %s\nwant %s", r.Schema, want)
	}
	if string(r.Returns) != `{"type":"integer"}` {
		t.Errorf("returns %s", r.Returns)
	}
	for _, tc := range []struct{ name, source, code string }{
		{"syntax", "export function f( {", "S001"},
		{"no export", "function f() {}", "F001"},
		{"another name", "/** x\n@returns {null} */\nexport function g() {}", "F001"},
		{"two", "export function f() {}\nexport function g() {}", "F001"},
		{"no comment", "export function f() {}", "D001"},
		{"no summary", "/** @returns {null} nothing */\nexport function f() {}", "D002"},
		{"no type of a parameter", "/** Does it.\n @returns {null} */\nexport function f(a) {}", "T001"},
		{"no result", "/** Does it. */\nexport function f() {}", "T002"},
		{"strange type", "/** Does it.\n @param {Map} a - x\n @returns {null} */\nexport function f(a) {}", "T003"},
		{"no such parameter", "/** Does it.\n @param {number} b - x\n @returns {null} */\nexport function f() {}", "D003"},
		{"import", "import x from 'os';\nexport function f() {}", "I001"},
		{"work at import", "reachy.speak({text: 'x'});\nexport function f() {}", "X002"},
		{"loop at import", "for (;;);\nexport function f() {}", "X002"},
	} {
		r, err := CheckJavaScript(t.Context(), s, "f", tc.source)
		if err != nil || r.OK || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == tc.code && f.Line > 0 && f.Fix != "" }) {
			t.Errorf("%s: %+v %v, want %s", tc.name, r, err, tc.code)
		}
	}
}

func FuzzJSDoc(f *testing.F) {
	f.Add(goodJavaScript)
	f.Add("/** x @param {number[][]} [a] */ export const sweep")
	f.Fuzz(func(_ *testing.T, source string) {
		c := &jsChecker{report: &Report{}, source: source}
		c.document("sweep", []string{"angles"})
		jsCalls(source)
	})
}
