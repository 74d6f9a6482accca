package toolmanager

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// counting is a sandbox that counts what it is asked for, by the module that does it: reachyd_validator, reachyd_tester.
type counting struct {
	sandbox
	mu    *sync.Mutex
	calls map[string]int
}

func (c counting) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	c.mu.Lock()
	c.calls[r.Module]++
	c.mu.Unlock()
	return c.sandbox.Call(ctx, r)
}

// count makes a manager count what reaches its sandbox.
func count(calls map[string]int) func(*Options) {
	return func(o *Options) { o.sandbox = counting{o.sandbox, &sync.Mutex{}, calls} }
}

const fartherSource = `import reachy


def farther(x: float, y: float) -> float:
    """Says twice how far a point is from the robot.

    Args:
        x: metres forward.
        y: metres to the left.

    Returns:
        Twice the distance in metres.
    """
    if abs(x) > 100 or abs(y) > 100:
        raise ValueError(f"x {x}, y {y}: allowed are 0 to 100 m")
    return 2 * reachy.distance(x=x, y=y)
`

// On its way into the library a source is looked at once, and each of its cases runs once; so it is with every tool of a
// file, also where one calls another that the file brings.
func TestASourceIsCheckedOnceAndEachCaseRunsOnce(t *testing.T) {
	calls := map[string]int{}
	b := newBench(t, count(calls))
	fartherCases := []map[string]any{{"name": "ten", "input": map[string]any{"x": 3, "y": 4}, "expected": 10}}
	b.done("add", map[string]any{"source": distance("1"), "cases": distanceCases})
	if calls["reachyd_validator"] != 1 || calls["reachyd_tester"] != len(distanceCases) {
		t.Errorf("a tool: %v", calls)
	}
	b.done("add", map[string]any{"source": fartherSource, "cases": fartherCases})
	clear(calls)
	if got := b.refused(codeRefused, "it is the same as v1", "add", map[string]any{"source": fartherSource, "cases": fartherCases}); calls["reachyd_tester"] != 0 {
		t.Errorf("%s was tested, though it is there: %v", got, calls)
	}
	var exported struct{ File string }
	must(t, json.Unmarshal([]byte(b.done("export", map[string]any{"names": []string{"farther"}})), &exported))
	calls = map[string]int{}
	other := newBench(t, count(calls))
	if got := other.done(
		"import",
		map[string]any{"file": exported.File},
	); !strings.Contains(got, `"name":"distance"`) ||
		!strings.Contains(got, `"name":"farther"`) {
		t.Errorf("import: %s", got)
	}
	if calls["reachyd_validator"] != 2 || calls["reachyd_tester"] != len(distanceCases)+len(fartherCases) {
		t.Errorf("an import: %v", calls)
	}
	if r := other.call("farther", `{"x":3,"y":4}`); !r.OK() || jsonText(t, r.Data) != "10.0" {
		t.Errorf("%+v", r)
	}
}
