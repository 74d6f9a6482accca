package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// newSmallDisk makes reachyd keep what must not be lost on a file system of so many MiB, and returns where that is seen from
// outside. It is there until the test ends. An error means that this machine does not let anybody make one.
func newSmallDisk(r *robot, size int) (seen string, err error) {
	data := filepath.Join(r.dir, "small")
	if err := os.Mkdir(data, 0o700); err != nil {
		return "", err
	}
	line := fmt.Sprintf("mount -t tmpfs -o size=%dm small %s && echo mounted && exec cat", size, data)
	keeper := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", line)
	in, err := keeper.StdinPipe() // it ends with the test, also when that is killed
	if err != nil {
		return "", err
	}
	out, err := keeper.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := keeper.Start(); err != nil {
		return "", err
	}
	r.t.Cleanup(func() { _ = in.Close(); _ = keeper.Process.Kill(); _ = keeper.Wait() })
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return "", fmt.Errorf("%s %w", said, err)
	}
	pid := strconv.Itoa(keeper.Process.Pid)
	r.wrap = []string{"nsenter", "--user", "--mount", "--preserve-credentials", "--target", pid}
	r.args = append(r.args, "--data-dir", data)
	return "/proc/" + pid + "/root" + data, nil
}

// healthz is what whoever looks after the robot over HTTP is told.
func (r *robot) healthz() (code int, text string) {
	r.t.Helper()
	url, err := os.ReadFile(filepath.Join(r.run(), "http"))
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.Get(strings.TrimSpace(string(url)) + "/healthz")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// On a full disk the robot works and says that it cannot keep anything; what is to be kept is refused, until there is room.
func TestFullDisk(t *testing.T) {
	r := newRobot(t)
	disk, err := newSmallDisk(r, 64)
	if err != nil {
		t.Skipf("NOT TESTED: this machine lets nobody make a small file system for a disk that is full: %v", err)
	}
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 44<<20), 0o600); err != nil {
		t.Fatal(err)
	}
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
		if code, text := r.healthz(); code != http.StatusServiceUnavailable || !strings.Contains(text, string(hal.FaultDiskFull)) {
			t.Errorf("%s: healthz says %d %s", when, code, text)
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
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	c.waitFrom(from, "the end of the fault", event("fault", "name", string(hal.FaultDiskFull), "active", false))
	if reply := chat("remember", "remember that my name is Ada"); !strings.Contains(reply, "I will remember") {
		t.Errorf("with room: %s", reply)
	}

	from = c.mark()
	if err := os.WriteFile(filler, make([]byte, 50<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	c.waitFrom(from, "the fault", event("fault", "name", string(hal.FaultDiskFull), "active", true))
	check("later")
	if reply := chat("recall", "what do you remember"); !strings.Contains(reply, "Ada") {
		t.Errorf("what was kept is not read: %s", reply)
	}
}
