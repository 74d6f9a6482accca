package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/files/filestest"
)

// toolRobot is a running robot with Python, and a way to write files into its folder.
func toolRobot(t *testing.T, env ...string) (r *robot, put func(name, text string) string) {
	t.Helper()
	r = newRobot(t)
	r.withPython()
	for _, kv := range env {
		r.setenv(kv)
	}
	r.start()
	return r, func(name, text string) string {
		t.Helper()
		path := filepath.Join(r.dir, name)
		write(t, path, text)
		return path
	}
}

// says runs reachyctl and wants an exit code and pieces of what it prints.
func (r *robot) says(code int, args []string, pieces ...string) string {
	r.t.Helper()
	out, got := r.ctl(args...)
	if got != code {
		r.t.Errorf("reachyctl %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	for _, p := range pieces {
		if !strings.Contains(out, p) {
			r.t.Errorf("reachyctl %s does not say %q:\n%s", strings.Join(args, " "), p, out)
		}
	}
	return out
}

const double = `def double_it(number: float) -> float:
    """Doubles a number.

    Args:
        number: what is doubled.

    Returns:
        Twice the number.
    """
    return 2 * number
`

const doubleCases = `[{"name":"three","input":{"number":3},"expected":6},{"name":"nothing","input":{"number":0},"expected":0}]`

// The specification's scenarios: what is good is registered as v1, what imports what it must not or fails its tests is
// not; a second version can be rolled back.
func TestSpecificationScenarios(t *testing.T) {
	t.Parallel() // it mostly waits
	r, put := toolRobot(t)
	c := r.client()
	cases := put("cases.json", doubleCases)

	r.says(0, []string{"tool", "add", put("double_it.py", double), "--cases", cases}, "double_it v1, active", "2 of 2 tests passed")
	if reply := c.command("tool", `{"id":"first","name":"double_it","args":{"number":21}}`); reply["ok"] != true ||
		!strings.Contains(mustJSON(reply), `"data":42`) {
		t.Errorf("called: %v", reply)
	}

	// A forbidden import.
	r.says(1, []string{"tool", "add", put("bad_import.py", "import subprocess\n"+strings.ReplaceAll(double, "double_it", "bad_import")), "--cases", cases},
		"bad_import.py:1:", "error I001", "subprocess")
	r.says(1, []string{"tool", "show", "bad_import"}, "bad_import")
	refused := c.wait("the refusal", event("tool_refused", "name", "bad_import", "stage", "check"))
	if !strings.Contains(refused.raw, "subprocess") {
		t.Errorf("event: %s", refused.raw)
	}

	// A wrong implementation.
	wrong := strings.ReplaceAll(strings.ReplaceAll(double, "2 * number", "3 * number"), "double_it", "triple_it")
	r.says(1, []string{"tool", "add", put("triple_it.py", wrong), "--cases", cases, "--allow-duplicate"}, `test "three" failed`)
	if out, _ := r.ctl("tool", "list"); strings.Contains(out, "triple_it") || strings.Contains(out, "bad_import") {
		t.Errorf("registered all the same:\n%s", out)
	}
	c.wait("the refusal", event("tool_refused", "name", "triple_it", "stage", "test"))

	// A second version, what it changes, and back.
	second := put("second.py", strings.Replace(double, "return 2 * number", "twice = number + number\n    return twice", 1))
	r.says(0, []string{"tool", "add", second, "--cases", cases}, "double_it v2, active")
	r.says(0, []string{"tool", "diff", "double_it", "1", "2"}, "-    return 2 * number", "+    twice = number + number")
	r.says(0, []string{"tool", "rollback", "double_it"}, "double_it v1 is active; the newest is v2")
	if reply := c.command("tool", `{"id":"back","name":"double_it","args":{"number":4}}`); !strings.Contains(mustJSON(reply), `"data":8`) {
		t.Errorf("rolled back: %v", reply)
	}
	r.says(0, []string{"tool", "show", "double_it"}, "self-made: v1 of 2, active", "called 2 times, 2 of them well in ")
	// The same under another name is named as such.
	r.says(1, []string{"tool", "add", put("twice.py", strings.ReplaceAll(double, "double_it", "twice")), "--cases", cases}, "double_it")

	// All of it as one file, taken over by another robot.
	bundle := filepath.Join(r.dir, "all.tools")
	r.says(0, []string{"tool", "export", "--out", bundle}, "wrote ")
	other, _ := toolRobot(t)
	other.says(0, []string{"tool", "import", bundle}, "double_it v2")
	other.says(0, []string{"tool", "call", "double_it", "number=5"}, "10")
}

// Photos every second for 5 s are 5, none at all is an error, every 2 s for 6 s are 3: tested in no time.
func TestPeriodicPhotosAreTestedInNoTime(t *testing.T) {
	t.Parallel() // it mostly waits
	r, put := toolRobot(t)
	source, err := os.ReadFile("../toolsandbox/pylib/testdata/periodic_photos.py")
	if err != nil {
		t.Fatal(err)
	}
	file := put("periodic_photos.py", string(source))
	cases := put("cases.json", `[
		{"name":"every second for 5 s","input":{"interval_seconds":1,"duration_seconds":5},"predicate":"len(result) == 5 and 4.9 < seconds < 5.3"},
		{"name":"no interval","input":{"interval_seconds":0,"duration_seconds":5},"error":"ValueError"},
		{"name":"every 2 s for 6 s","input":{"interval_seconds":2,"duration_seconds":6},"predicate":"len(result) == 3"},
		{"name":"every minute for 5","input":{"interval_seconds":60,"duration_seconds":300},"predicate":"len(result) == 5"}]`)
	r.says(0, []string{"tool", "check", file}, "periodic_photos is good") // Python is warm from here on
	out := r.says(0, []string{"tool", "test", file, "--cases", cases, "--json"}, `"passed":4`)
	var reply struct {
		Result struct {
			Took     time.Duration
			Outcomes []struct{ Clock time.Duration }
		}
	}
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		t.Fatal(err)
	}
	clock := time.Duration(0)
	for _, o := range reply.Result.Outcomes {
		clock += o.Clock
	}
	if clock < 311*time.Second || reply.Result.Took > clock/2 { // 1 s is the goal; a machine may be busy
		t.Errorf("%v of the robot's time were tested in %v", clock, reply.Result.Took)
	}
	t.Logf("%v of the robot's time were tested in %v", clock.Round(100*time.Millisecond), reply.Result.Took.Round(time.Millisecond))
	r.says(0, []string{"tool", "add", file, "--cases", cases}, "periodic_photos v1, active, ", "4 of 4 tests passed")
}

const sumCases = `[{"name":"two","input":{"column":"price"},"robot":{"files":{"a.csv":"item,price\nx,1.5\ny,2\n"}},"expected":3.5},
	{"name":"none","input":{"column":"price"},"error":"ValueError"}]`

// Files come with a call by every way in, and what is wrong with one is said by name.
func TestAToolReadsFiles(t *testing.T) {
	t.Parallel() // it mostly waits
	r, put := toolRobot(t)
	added := []string{"tool", "add", put("sum_column.py", filestest.SumColumn), "--cases", put("cases.json", sumCases)}
	r.says(0, added, "sum_column v1, active", "2 of 2 tests passed")
	csv := put("sales.csv", "item,price\napple,1.5\npear,2\nplum,0.25\n")
	r.says(0, []string{"tool", "call", "sum_column", "column=price", "--file", csv}, "3.75")
	r.says(0, []string{"tool", "files", csv}, "sales.csv: csv, ", "3 rows", "price  number")
	excel := put("sales.xlsx", string(filestest.Excel(t, "May", []any{"item", "price"}, []any{"apple", 10}, []any{"pear", 2.5})))
	r.says(0, []string{"tool", "call", "sum_column", "column=price", "--file", excel}, "12.5")
	pdf := put("letter.pdf", string(filestest.PDF("Dear robot", "Yours truly")))
	text := put("letter.py", "import reachy\n\n\ndef letter():\n    return ' / '.join(reachy.read_file(name='letter.pdf')['pages'])\n")
	r.says(0, []string{"tool", "run", text, "--skip-checks", "--file", pdf}, "Dear robot", "Yours truly")

	// More than MQTT takes.
	var large strings.Builder
	large.WriteString("item,price\n")
	const rows = 60_000
	for i := range rows {
		fmt.Fprintf(&large, "item number %d,1\n", i)
	}
	r.says(0, []string{"tool", "call", "sum_column", "column=price", "--file", put("large.csv", large.String())}, fmt.Sprint(rows))

	for says, bad := range map[string]string{
		`file "photo.png": its name ends in ".png", but its content is text`: put("photo.png", "hello"),
		`file "empty.csv": it is empty`:                                      put("empty.csv", ""),
		`file "bomb.zip": `:                                                  put("bomb.zip", string(filestest.Bomb(t, 65<<20))),
		`file "half.json": cannot be read as json`:                           put("half.json", `{"a":`),
	} {
		r.says(1, []string{"tool", "call", "sum_column", "column=price", "--file", bad}, says)
	}
}

// On a robot whose owner reviews tools nothing runs before it was approved, also after a restart.
func TestToolsWaitForReview(t *testing.T) {
	t.Parallel() // it mostly waits
	r, put := toolRobot(t, "REACHYD_TOOLS_REVIEW=always")
	r.says(0, []string{"tool", "add", put("double_it.py", double), "--cases", put("cases.json", doubleCases)}, "double_it v1, waits for review",
		"next: reachyctl tool review double_it")
	r.says(1, []string{"tool", "call", "double_it", "number=1"}, "v1 waits for review")
	r.kill()
	r.start()
	r.says(1, []string{"tool", "call", "double_it", "number=1"}, "v1 waits for review")
	r.says(0, []string{"tool", "review", "double_it"}, "return 2 * number", "may call nothing")
	c := r.client()
	r.says(0, []string{"tool", "review", "double_it", "--reject", "name it twice"}, "double_it v1 was rejected")
	c.wait("the verdict", event("tool_reviewed", "name", "double_it", "review", "rejected", "reason", "name it twice"))
	r.says(1, []string{"tool", "activate", "double_it", "1"}, "name it twice")
	r.says(0, []string{"tool", "review", "double_it", "--approve", "--version", "1"}, "double_it v1 was approved; v1 is active") // minds change
	r.says(0, []string{"tool", "call", "double_it", "number=4"}, "8")
	r.says(0, []string{"tool", "review"}, "nothing waits for review")
}

// reachyctl stop ends a self-made tool, however little it cares.
func TestStopEndsASelfMadeTool(t *testing.T) {
	t.Parallel() // it mostly waits
	r, put := toolRobot(t)
	r.client().wait("the robot awake", func(m message) bool { return m.topic == "state" && m.payload["mode"] == "enabled" })
	file := put("endless.py", `import reachy


def endless():
    while True:
        try:
            reachy.move_head(yaw=20, duration=0.2)
            reachy.move_head(yaw=-20, duration=0.2)
        except BaseException:
            pass
`)
	c := r.client()
	type ended struct {
		out  string
		code int
	}
	done := make(chan ended, 1)
	go func() {
		out, code := r.ctl("tool", "run", file, "--skip-checks", "--grant", "move_head")
		done <- ended{out, code}
	}()
	c.wait("the first move", event("tool_call", "tool", "move_head"))
	began := time.Now()
	r.says(0, []string{"stop"})
	select {
	case e := <-done:
		if e.code != 1 || !strings.Contains(e.out, "stop was said") {
			t.Errorf("exit %d: %s", e.code, e.out)
		}
		t.Logf("ended %v after reachyctl stop was started", time.Since(began).Round(time.Millisecond))
	case <-time.After(patience):
		t.Fatal("it still runs")
	}
}
