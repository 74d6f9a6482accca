package javascript

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
)

func TestMain(m *testing.M) { guesttest.Main(m) }

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

func TestCheck(t *testing.T) {
	if !guest.Installed(guest.JavaScript) {
		if out, err := exec.Command("../../../cross/quickjs-wasm.sh").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	box, err := guest.Open(t.Context(), guest.Config{Workers: 1, Image: guest.ImageConfig{Language: guest.JavaScript}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}()
	l, calls := Language{box}, lang.Options{Calls: []string{"move_head", "speak"}}
	r, err := l.Check(t.Context(), "sweep", goodJavaScript, calls)
	if err != nil || !r.OK || len(r.Findings) > 0 || !r.Async || r.Summary != "Turns the head by steps." ||
		!slices.Equal(r.Calls, []string{"move_head", "speak"}) ||
		r.Metrics.Documented != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if want := `{"additionalProperties":false,"properties":{"angles":{"description":"degrees, one after the ` +
		`other","items":{"type":"number"},"type":"array"},"text":{"default":"done","description":"what to say at the ` +
		`end","type":"string"}},"required":["angles"],"type":"object"}`; string(
		r.Schema,
	) != want {
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
		{"no type of a parameter", "/** Does it.\n @returns {null} */\nexport function f(a) {}", "T002"},
		{"no result", "/** Does it. */\nexport function f() {}", "T003"},
		{"strange type", "/** Does it.\n @param {Map} a - x\n @returns {null} */\nexport function f(a) {}", "T001"},
		{"no such parameter", "/** Does it.\n @param {number} b - x\n @returns {null} */\nexport function f() {}", "D003"},
		{"import", "import x from 'os';\nexport function f() {}", "I001"},
		{"work at import", "reachy.speak({text: 'x'});\nexport function f() {}", "X002"},
		{"no such tool", "/** Does it.\n @returns {Array<string>} */\nexport function f() { reachy.fly() }", "H001"},
		{"too long", "/*" + strings.Repeat("é", 10_000) + "*/", "C002"},
		{"loop at import", "for (;;);\nexport function f() {}", "X002"},
	} {
		r, err := l.Check(t.Context(), "f", tc.source, calls)
		if err != nil || r.OK || !slices.ContainsFunc(r.Findings, func(f lang.Finding) bool { return f.Code == tc.code && f.Line > 0 && f.Fix != "" }) {
			t.Errorf("%s: %+v %v, want %s", tc.name, r, err, tc.code)
		}
	}
}
