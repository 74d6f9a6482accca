package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/motion"
)

// noJump fails the test when the measured joints ever moved faster than the speed limits allow (with room for the
// overshoot of a physical servo) between two looks at the simulation.
func (r *robot) noJump() (check func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	var worst string
	go func() {
		defer close(done)
		var last simState
		var asked time.Time
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			before := time.Now()
			data, err := r.get("sim", "/state")
			after := time.Now()
			var s simState
			if err != nil || json.Unmarshal(data, &s) != nil {
				last = simState{}
				continue
			}
			// A simulation that was so late that it left ticks out shows how the machine jumps, not how the robot does.
			if last.Joints != nil && s.Resyncs == last.Resyncs && s.Ticks >= last.Ticks {
				// The longest time that can lie between the two measurements, plus one tick of the physics. A simulation that
				// catches up passes more of its own time than that.
				dt := max(after.Sub(asked), s.simulated(last)).Seconds() + 0.02
				for j := range s.Joints {
					limit := motion.DefaultLimits[j].Speed*dt*1.3 + 0.05
					if d := math.Abs(s.Joints[j] - last.Joints[j]); d > limit {
						worst = fmt.Sprintf("%v moved %.3f rad in %.3f s, at most %.3f are allowed", hal.Joint(j), d, dt, limit)
					}
				}
			}
			last, asked = s, before
		}
	}()
	return func() {
		r.t.Helper()
		close(stop)
		<-done
		if worst != "" {
			r.t.Errorf("a jump: %s", worst)
		}
	}
}

func event(typ string, want ...any) func(message) bool {
	return func(m message) bool {
		if m.topic != "event/"+typ {
			return false
		}
		for i := 0; i < len(want); i += 2 {
			if m.payload[want[i].(string)] != want[i+1] {
				return false
			}
		}
		return true
	}
}

func awake(t testing.TB, args ...string) (*robot, *client) {
	t.Helper()
	r := newRobot(t, args...)
	r.start()
	c := r.client()
	c.moves("tool", `{"id":"wake","name":"wake_up"}`)
	return r, c
}

// sway starts a long slow move to and fro and returns the id of its first part.
func sway(c *client, id string) (first string) {
	c.t.Helper()
	for i, yaw := range []int{30, -30, 30} {
		part := c.moves("goto", fmt.Sprintf(`{"id":"%s%d","head":{"yaw":%d},"antennas":{"left":%d,"right":%d},"duration":2,"queue":%t}`, id, i, yaw, yaw, yaw,
			i > 0))
		first = cmp.Or(first, part)
	}
	return first
}

func (r *robot) fault(json string) {
	r.t.Helper()
	if _, err := r.do("sim", "PUT", "/faults", strings.NewReader(json)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *robot) noFaults() {
	r.t.Helper()
	if _, err := r.do("sim", "DELETE", "/faults", nil); err != nil {
		r.t.Fatal(err)
	}
}

func TestStopLatchesAndResetMovesNothing(t *testing.T) {
	r, c := awake(t)
	sway(c, "s")
	from := c.mark()
	if reply := c.command("stop", `{"id":"stop"}`); reply["ok"] != true {
		t.Fatalf("stop: %v", reply)
	}
	c.waitFrom(from, "the stop as event", event("estop", "active", true))
	c.waitFrom(from, "the move's end", event("move_done", "end", hal.EndStopped))
	refused := c.command("goto", `{"id":"g1","body_yaw":20}`)
	if e, _ := refused["error"].(map[string]any); e["code"] != hal.CodeEStop {
		t.Errorf("a goto while stopped: %v", refused)
	}
	if reply := c.command("reset", `{"id":"reset"}`); reply["ok"] != true {
		t.Fatalf("reset: %v", reply)
	}
	r.until("standing still", func() bool { return r.turns(100*time.Millisecond) < 1e-3 })
	c.moves("goto", `{"id":"g2","head":{"yaw":10}}`)
}

func TestStopWorksWithoutBrokerAndDaemon(t *testing.T) {
	r, c := awake(t)
	sway(c, "s")
	r.kill()
	out, code := r.ctl("stop")
	if code != 0 {
		t.Fatalf("reachyctl stop with a dead reachyd: exit %d: %s", code, out)
	}
	data, err := r.get("body", "/state")
	if err != nil {
		t.Fatal(err)
	}
	var s hal.State
	if err := json.Unmarshal(data, &s); err != nil || !s.EStop {
		t.Errorf("state after the stop: %s %v", data, err)
	}
}

func TestRetainedCommandsMoveNothing(t *testing.T) {
	url, _ := mosquitto(t, freePort(t))
	c := newClient(t, url)
	c.publish("cmd/goto", `{"id":"kept","head":{"yaw":40}}`, true)
	r := newRobot(t)
	r.setenv("REACHYD_MQTT_BROKER=" + url)
	r.start()
	reply := c.wait("the refusal", func(m message) bool { return m.topic == "reply/kept" })
	if e, _ := reply.payload["error"].(map[string]any); e["code"] != "retained" {
		t.Errorf("reply to a retained command: %s", reply.raw)
	}
	if r.truthMoves() {
		t.Error("a retained command moved the robot")
	}
}

func TestKilledSimulationComesBack(t *testing.T) {
	r, c := awake(t)
	from := c.mark()
	r.killWorker("sim")
	c.waitFrom(from, "the fault", event("fault", "name", string(hal.FaultBusLost), "active", true))
	c.waitFrom(from, "the end of the fault", event("fault", "name", string(hal.FaultBusLost), "active", false))
	c.moves("tool", `{"id":"again","name":"wake_up"}`)
}

func TestKilledBodyTakesOverWhatItFinds(t *testing.T) {
	r, c := awake(t)
	sway(c, "b")
	check := r.noJump()
	from := c.mark()
	old := r.killWorker("body")
	killed := time.Now()
	c.waitFrom(from, "the fault", event("fault", "name", string(hal.FaultUnreachable), "active", true))
	c.waitFrom(from, "the end of the fault", event("fault", "name", string(hal.FaultUnreachable), "active", false))
	t.Logf("the body was back after %v", time.Since(killed))
	if pid := r.pid("body"); pid == old || pid == 0 {
		t.Errorf("the body has pid %d, the killed one had %d", pid, old)
	}
	state := c.waitFrom(c.mark(), "a state", func(m message) bool { return m.topic == "state" })
	if state.payload["mode"] != string(hal.ModeEnabled) {
		t.Errorf("the torque was not taken over as found: %v", state.payload["mode"])
	}
	c.moves("goto", `{"id":"after","head":{"yaw":5}}`)
	check()
}

// A body that is stopped by a signal answers nobody: it is replaced while the servos' own watchdog holds the robot.
func TestFrozenBodyIsReplaced(t *testing.T) {
	r, c := awake(t)
	check := r.noJump()
	from, old := c.mark(), r.pid("body")
	if err := syscall.Kill(old, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	frozen := time.Now()
	c.waitFrom(from, "the fault", event("fault", "name", string(hal.FaultUnreachable), "active", true))
	c.waitFrom(from, "the end of the fault", event("fault", "name", string(hal.FaultUnreachable), "active", false))
	const allowed = 3 * time.Second
	if took := time.Since(frozen); took > allowed {
		t.Errorf("the body was replaced after %v, at most %v are allowed", took, allowed)
	} else {
		t.Logf("the body was replaced after %v", took)
	}
	if pid := r.pid("body"); pid == old || pid == 0 {
		t.Errorf("the body has pid %d, the frozen one had %d", pid, old)
	}
	if reply := c.command("goto", `{"id":"after","head":{"yaw":5}}`); reply["ok"] != true {
		t.Errorf("a move after the return: %v", reply)
	}
	check()
}

// Two reachyd with one run directory would share one body, and the end of one would park the robot of the other.
func TestSecondReachydDoesNotShareABody(t *testing.T) {
	r, c := awake(t)
	second := exec.Command(filepath.Join(bin, "reachyd"), "run", "--sim", "--data-dir", filepath.Join(r.dir, "other"))
	second.Env = r.env
	out, err := second.CombinedOutput()
	if want := fmt.Sprintf("run_dir %s is used by another reachyd (pid %d)", r.run(), r.cmd.Process.Pid); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("the second one ended with %v:\n%s\nwant …%s…", err, out, want)
	}
	if reply := c.command("goto", `{"id":"still-mine","head":{"yaw":5}}`); reply["ok"] != true {
		t.Errorf("a move afterwards: %v", reply)
	}
}

func TestKilledDaemonFindsItsBodyAgain(t *testing.T) {
	r, c := awake(t)
	first := sway(c, "d")
	check := r.noJump()
	body, sim := r.pid("body"), r.pid("sim")
	r.kill()
	if !alive(body) || !alive(sim) {
		t.Fatal("the body or the simulation died with reachyd")
	}
	r.start()
	if r.pid("body") != body || r.pid("sim") != sim {
		t.Error("the workers were started again instead of being adopted")
	}
	c = r.client()
	state := c.wait("a state", func(m message) bool { return m.topic == "state" && m.payload["mode"] != nil })
	if state.payload["mode"] != string(hal.ModeEnabled) {
		t.Errorf("mode after the return: %v", state.payload["mode"])
	}
	// What was acknowledged before the kill is remembered: the same id acts once, over the restart.
	c.waitFrom(c.mark(), "standing still", func(m message) bool { return m.topic == "state" && m.payload["moving"] == false })
	still := r.truth()
	again := c.command("goto", fmt.Sprintf(`{"id":%q,"head":{"yaw":30},"antennas":{"left":30,"right":30},"duration":2,"queue":false}`, first))
	if again["ok"] != true {
		t.Errorf("the repeated command: %v", again)
	}
	if r.truthMoves() {
		t.Errorf("a repeated id moved the robot again: it stood at yaw %.2f, and is at %.2f", still.Head.Yaw, r.truth().Head.Yaw)
	}
	check()
}

// turns is by how many radians the head turns while so much time of the simulation passes.
func (r *robot) turns(during time.Duration) float64 {
	r.t.Helper()
	from := r.truth()
	to := from
	r.until("the simulation to go on", func() bool { to = r.truth(); return to.simulated(from) >= during })
	return math.Abs(to.Head.Yaw - from.Head.Yaw)
}

// truthMoves reports whether the head turns within a quarter of a second.
func (r *robot) truthMoves() bool {
	r.t.Helper()
	return r.turns(250*time.Millisecond) > 0.02
}

func TestBodyParksWhenTheDaemonIsGone(t *testing.T) {
	r := newRobot(t)
	r.setenv("REACHYD_BODY_PARK_AFTER=1s")
	r.start()
	c := r.client()
	c.moves("tool", `{"id":"wake","name":"wake_up"}`)
	r.kill()
	r.until("the body to park", func() bool {
		data, err := r.get("body", "/state")
		var s hal.State
		return err == nil && json.Unmarshal(data, &s) == nil && s.Mode == hal.ModeDisabled
	})
}

func TestKilledExternalBroker(t *testing.T) {
	port := freePort(t)
	url, kill := mosquitto(t, port)
	r := newRobot(t)
	r.setenv("REACHYD_MQTT_BROKER=" + url)
	r.start()
	c := r.client()
	c.moves("tool", `{"id":"wake","name":"wake_up"}`)
	kill()
	// The robot goes on without a broker, and can be stopped.
	if out, code := r.ctl("stop"); code != 0 {
		t.Errorf("reachyctl stop without a broker: %d %s", code, out)
	}
	_, _ = mosquitto(t, port)
	c2 := newClient(t, url)
	c2.wait("online", isOnline)
	if reply := c2.command("reset", `{"id":"r"}`); reply["ok"] != true {
		t.Errorf("reset: %v", reply)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	r, _ := awake(t)
	body, sim := r.pid("body"), r.pid("sim")
	r.stop()
	if alive(body) || alive(sim) {
		t.Error("a worker outlived reachyd")
	}
	left, err := filepath.Glob(filepath.Join(r.run(), "*.sock"))
	if err != nil || len(left) > 0 {
		t.Errorf("sockets left: %v %v", left, err)
	}
	if out := r.out.String(); !strings.Contains(out, "reachyctl") {
		t.Errorf("reachyd does not say how to talk to it: %s", out)
	}
	if bytes.Contains([]byte(r.log.String()), []byte("panic")) {
		t.Error("a panic in the log")
	}
}
