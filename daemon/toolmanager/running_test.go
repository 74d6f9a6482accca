package toolmanager

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

const sleepy = `import time


def sleepy(seconds: float) -> str:
    """Wait for so long, then say that it is awake.

    Args:
        seconds: how long

    Returns:
        what follows
    """
    time.sleep(seconds)
    return "awake"
`

const quick = `def quick(n: int) -> int:
    """Count one further from a number that is given.

    Args:
        n: from here

    Returns:
        the next number
    """
    return n + 1
`

// Tools that hang keep no other from running, can be listed, and ended.
func TestHangingToolsKeepNobody(t *testing.T) {
	b := newBench(t, ownSandbox)
	b.done("add", map[string]any{"source": sleepy, "cases": json.RawMessage(`[{"name": "at once", "input": {"seconds": 0}, "expected": "awake"}]`)})
	b.done("add", map[string]any{"source": quick, "cases": json.RawMessage(`[{"name": "one", "input": {"n": 1}, "expected": 2}]`)})
	const hang = 4
	results := make(chan tool.Result, hang)
	for range hang {
		go func() { results <- b.call("sleepy", `{"seconds": 1e9}`) }()
	}
	var list struct{ Running []api.RunningTool }
	b.until("all of them run", func() bool {
		must(t, json.Unmarshal([]byte(b.done("ps", nil)), &list))
		return len(list.Running) == hang
	})
	if r := b.call("quick", `{"n": 1}`); !r.OK() {
		t.Errorf("beside %d that hang: %+v", hang, r)
	}
	b.done("kill", map[string]any{"run": list.Running[0].Run})
	if r := <-results; r.OK() || !strings.Contains(r.Message, "somebody ended it") {
		t.Errorf("the one that was ended: %+v", r)
	}
	b.done("kill", map[string]any{"name": "sleepy"})
	for range hang - 1 {
		<-results
	}
	b.refused("invalid", "no such tool runs", "kill", map[string]any{"name": "sleepy"})
	b.refused("invalid", "neither is given", "kill", nil)
}

// Who waits in vain is told for whom.
func TestBusyNamesWhatRuns(t *testing.T) {
	var r running
	_, end := r.begin(t.Context(), "patrol", 2)
	defer end()
	_, end2 := r.begin(tool.Unattended(t.Context()), "watch", 1)
	defer end2()
	if got := r.busy(); !strings.Contains(got, "busy: 2 tools run: patrol (run 1, for 0 s), watch (run 2, for 0 s)") {
		t.Error(got)
	}
	if l := r.list(); l[0].Unattended || !l[1].Unattended {
		t.Errorf("%+v", l)
	}
	if limits.Wall <= unattendedTime {
		t.Error("who waits has less time than nobody")
	}
}
