package javascript

import (
	"strings"
	"testing"
)

const doubleJS = `/**
 * Doubles a number.
 *
 * @param {number} number - what is doubled
 * @param {integer} [times=1] - how often
 * @param {"left"|"right"} [side="left"] - where
 * @param {string[]} names - of whom
 * @returns {number} the result
 */
export async function double_it(number, times = 1, side = "left", names) {
	reachy.move_head({yaw: number});
	reachy.call("speak", {text: "x"});
	reachy.sleep(1);
	return 2 * number;
}
`

func TestJSDoc(t *testing.T) {
	d, line := docOf(doubleJS, "double_it")
	if d == nil || line != 10 || d.summary != "Doubles a number." || len(d.wrong) > 0 || d.documented() != 1 || string(marshal(d.returns)) != `{"type":"number"}` {
		t.Fatalf("line %d: %+v", line, d)
	}
	want := `{"additionalProperties":false,"properties":{` +
		`"names":{"description":"of whom","items":{"type":"string"},"type":"array"},` +
		`"number":{"description":"what is doubled","type":"number"},` +
		`"side":{"default":"left","description":"where","enum":["left","right"],"type":"string"},` +
		`"times":{"default":1,"description":"how often","type":"integer"}},"required":["number","names"],"type":"object"}`
	if got := string(d.schema()); got != want {
		t.Errorf("schema:\n%s\n%s", got, want)
	}
	if got := strings.Join(callsIn(doubleJS), " "); got != "move_head speak" {
		t.Errorf("calls: %s", got)
	}
	if d, _ := docOf("export function f() {}", "f"); d != nil {
		t.Errorf("%+v of nothing", d)
	}
	if d, _ := docOf("/** x\n@param {Date} a - b\n@returns {Map} c */\nexport const f = (a) => a", "f"); len(d.wrong) != 2 {
		t.Errorf("wrong: %v", d.wrong)
	}
}

func FuzzJSDoc(f *testing.F) {
	f.Add(doubleJS, "double_it")
	f.Add("/** x\n@param {} [a= */\nexport let a", "a")
	f.Add("/**/export function f(", "f")
	f.Fuzz(func(t *testing.T, source, name string) {
		if d, line := docOf(source, name); line < 1 || d != nil && len(d.schema()) == 0 {
			t.Errorf("line %d, %+v", line, d)
		}
		callsIn(source)
	})
}
