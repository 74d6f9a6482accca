package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// onSmallDisk makes the next starts keep what must not be lost on a file system of some MiB, which goes with reachyd, and of
// which all but left MiB are taken. It returns where the file system is seen from outside while reachyd runs.
func (r *robot) onSmallDisk(size, left int) func() string {
	data := filepath.Join(r.dir, "small")
	if err := os.Mkdir(data, 0o700); err != nil {
		r.t.Fatal(err)
	}
	fill := fmt.Sprintf("mount -t tmpfs -o size=%dm small %s && head -c %dM /dev/zero > %s/filler && exec \"$@\"", size, data, size-left, data)
	r.wrap = []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", fill, "sh"}
	r.args = append(r.args, "--data-dir", data)
	return func() string { return fmt.Sprintf("/proc/%d/root%s", r.cmd.Process.Pid, data) }
}

// On a full disk the robot works and says that it cannot keep anything; what is to be kept is refused, until there is room.
func TestFullDisk(t *testing.T) {
	if out, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: this machine lets nobody make a small file system for a disk that is full: %v %s", err, out)
	}
	r := newRobot(t)
	disk := r.onSmallDisk(64, 20)
	r.start()
	c := r.client()

	full := func(m message) bool {
		return m.topic == "state" && strings.Contains(mustJSON(m.payload["faults"]), string(hal.FaultDiskFull))
	}
	chat := func(id, text string) string {
		return mustJSON(c.command("chat", fmt.Sprintf(`{"id":%q,"text":%q}`, id, text))["result"])
	}
	check := func(when string) {
		t.Helper()
		c.waitFrom(c.mark(), "the fault "+when, full)
		if out, code := r.ctl("state"); code != 0 || !strings.Contains(out, "nothing can be kept") {
			t.Errorf("%s: reachyctl state, exit %d: %s", when, code, out)
		}
		if reply := c.command("tool", fmt.Sprintf(`{"id":"wake-%s","name":"wake_up"}`, when)); reply["ok"] != true {
			t.Errorf("%s: the robot does not work: %v", when, reply)
		}
		for id, text := range map[string]string{"remind": "remind me in ten minutes to drink", "remember": "remember that my name is Ada"} {
			if reply := chat(id+when, text); strings.Contains(reply, "I will remind you") || strings.Contains(reply, "I will remember") {
				t.Errorf("%s: %q is acknowledged: %s", when, text, reply)
			}
		}
	}
	check("at-the-start")

	from := c.mark()
	if err := os.Remove(filepath.Join(disk(), "filler")); err != nil {
		t.Fatal(err)
	}
	c.waitFrom(from, "the end of the fault", event("fault", "name", string(hal.FaultDiskFull), "active", false))
	if reply := chat("remember", "remember that my name is Ada"); !strings.Contains(reply, "I will remember") {
		t.Errorf("with room: %s", reply)
	}

	from = c.mark()
	if err := os.WriteFile(filepath.Join(disk(), "filler"), make([]byte, 50<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	c.waitFrom(from, "the fault", event("fault", "name", string(hal.FaultDiskFull), "active", true))
	check("later")
	if reply := chat("recall", "what do you remember"); !strings.Contains(reply, "Ada") {
		t.Errorf("what was kept is not read: %s", reply)
	}
}
