package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/template"
)

// withPython lets a robot, whose home is a folder of the test, find the interpreter of this machine.
func (r *robot) withPython() {
	r.t.Helper()
	if _, err := os.Stat(filepath.Join(guest.DefaultPython(), "SHA256SUMS")); err != nil {
		r.t.Fatalf("the Python interpreter for self-made tools is not here: make python (%v)", err)
	}
	r.setenv("REACHYD_CACHE=" + filepath.Dir(guest.DefaultPython()))
}

// What a person does who writes a tool: begin, add, call it by every way in, change it, go back.
func TestAPersonsToolMovesTheRobot(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.withPython()
	r.start()
	c := r.client()

	source, cases, err := template.New("shake_it")
	if err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(r.dir, "shake_it.py"), filepath.Join(r.dir, "second.py")
	write(t, first, source)
	write(t, second, strings.Replace(source, `return {"angle": angle, "times": times}`, `return {"angle": angle, "times": times, "version": 2}`, 1))
	write(t, filepath.Join(r.dir, "cases.json"), cases)
	write(t, filepath.Join(r.dir, "cases2.json"), strings.Replace(cases, `"times": 2}, "tolerance"`, `"times": 2, "version": 2}, "tolerance"`, 1))

	if out, code := r.ctl("tool", "add", first, "--cases", filepath.Join(r.dir, "cases.json")); code != 0 || !strings.Contains(out, "shake_it v1, active") ||
		!strings.Contains(out, "6 of 6 tests passed; may call move_head") {
		t.Fatalf("add: exit %d\n%s", code, out)
	}
	c.wait("the event", event("tool_registered", "name", "shake_it", "version", 1.0))

	// Over MQTT it is a tool like any other, and the head really moves.
	seen := r.watchTruth()
	reply := c.command("tool", `{"id":"call","name":"shake_it","args":{"angle":25,"times":1}}`)
	lo, hi := seen()
	if reply["ok"] != true || !strings.Contains(mustJSON(reply), `"data":{"angle":25,"times":1}`) {
		t.Fatalf("reply: %v", reply)
	}
	if turned := (hi.Head.Yaw - lo.Head.Yaw) * 180 / 3.141592653589793; turned < 35 || turned > 60 {
		t.Errorf("the head turned by %.1f° in all, asked for 25° to each side", turned)
	}
	c.wait("the event of the inner call", event("tool_call", "tool", "move_head"))
	if out, code := r.ctl("say", "run shake it"); code != 0 || !strings.Contains(out, "the times is 2") {
		t.Errorf("say: exit %d\n%s", code, out)
	}

	if out, code := r.ctl("tool", "add", second, "--cases", filepath.Join(r.dir, "cases2.json")); code != 0 || !strings.Contains(out, "shake_it v2, active") {
		t.Fatalf("add: exit %d\n%s", code, out)
	}
	if reply := c.command("tool", `{"id":"two","name":"shake_it","args":{"times":1}}`); !strings.Contains(mustJSON(reply), `"version":2`) {
		t.Errorf("v2: %v", reply)
	}
	if reply := c.command("tools/rollback", `{"id":"back","name":"shake_it","version":1}`); reply["ok"] != true ||
		!strings.Contains(mustJSON(reply), `"active":1`) {
		t.Errorf("rollback: %v", reply)
	}

	// It is still there after reachyd was killed, as it was.
	r.kill()
	r.start()
	c = r.client()
	if reply := c.command("tool", `{"id":"again","name":"shake_it","args":{"times":1}}`); reply["ok"] != true || strings.Contains(mustJSON(reply), `"version":2`) {
		t.Errorf("after kill -9: %v", reply)
	}
}

// Without the interpreter the robot does everything else, and says how to get it.
func TestSelfMadeToolsWithoutTheInterpreter(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.setenv("REACHYD_CACHE=" + filepath.Join(r.dir, "nothing"))
	r.start()
	source, _, err := template.New("shake_it")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(r.dir, "shake_it.py")
	write(t, file, source)
	if out, code := r.ctl("tool", "add", file); code != 1 || !strings.Contains(out, "make python") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := r.ctl("say", "look left"); code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
