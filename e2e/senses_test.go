package e2e

import (
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/network"
)

// sensing starts a robot that hears, speaks and sees.
func sensing(t *testing.T) *robot {
	t.Helper()
	if !physics || !senses {
		t.Fatal("the senses are not built here: make setup-test installs what they need")
	}
	r := newRobot(t)
	r.setenv("REACHYD_SENSE_RUN=auto")
	r.setenv("REACHYD_SENSE_SPEAKER=null")
	r.start()
	r.until("the senses", func() bool { return r.pid("sense") > 0 })
	r.until("the eye to be a tool", func() bool {
		out, _ := r.ctl("say", "what do you see")
		return !strings.Contains(out, "not available")
	})
	return r
}

// truePlace is where an object of the simulation is, world metres.
func (r *robot) truePlace(name string) [3]float64 {
	r.t.Helper()
	data, err := r.get("sim", "/state")
	if err != nil {
		r.t.Fatal(err)
	}
	var s struct {
		Objects []struct {
			Name     string
			Position [3]float64
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		r.t.Fatalf("%s: %v", data, err)
	}
	for _, o := range s.Objects {
		if o.Name == name {
			return o.Position
		}
	}
	r.t.Fatalf("there is no %s on the table: %s", name, data)
	return [3]float64{}
}

func TestItSeesTheTable(t *testing.T) {
	t.Parallel() // it mostly waits
	r := sensing(t)
	out, code := r.ctl("say", "what do you see")
	for _, thing := range []string{"apple", "croissant", "duck"} {
		if code != 0 || !strings.Contains(out, thing) {
			t.Errorf("what do you see: exit %d: %s", code, out)
		}
	}
	for _, thing := range []string{"apple", "duck"} {
		if out, code := r.ctl("say", "look at the "+thing); code != 0 {
			t.Fatalf("look at the %s: exit %d: %s", thing, code, out)
		}
		// Where the eye should look, by the place that only the simulation knows.
		p := r.truePlace(thing)
		want, err := kinematics.LookAt(p[0], p[1], p[2])
		if err != nil {
			t.Fatal(err)
		}
		const deg = math.Pi / 180
		is := r.truth().Head
		if off := math.Hypot(is.Yaw-want.Head().Yaw, is.Pitch-want.Head().Pitch); off > 6*deg {
			t.Errorf("looks at the %s with yaw %.1f°, pitch %.1f°; it is at %.1f°, %.1f°", thing,
				is.Yaw/deg, is.Pitch/deg, want.Head().Yaw/deg, want.Head().Pitch/deg)
		}
		side := "on the right"
		if p[1] > 0 {
			side = "on the left"
		}
		if out, _ := r.ctl("say", "where is the "+thing); !strings.Contains(out, "The "+thing+" is "+side) {
			t.Errorf("where is the %s, which is %s: %s", thing, side, out)
		}
	}
	c := r.client()
	from := c.mark()
	if out, code := r.ctl("say", "take a photo"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	photo := c.waitFrom(from, "the photo", func(m message) bool { return m.topic == "event/photo" })
	c.command("camera", `{"id":"view-1","seconds":5,"rate":5}`)
	c.waitFrom(from, "a picture on MQTT", func(m message) bool { return m.topic == "camera/jpeg" && strings.HasPrefix(m.raw, "\xff\xd8") })
	name, _ := photo.payload["name"].(string)
	if data, err := r.get("sense", "/photo/"+name); err != nil || len(data) < 1000 {
		t.Errorf("photo %q: %d bytes, %v", name, len(data), err)
	}
}

// speech writes a WAV file in which a voice says text.
func speech(t *testing.T, voice, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "speech.wav")
	if out, err := exec.Command("espeak-ng", "-v", voice, "-w", file, text).CombinedOutput(); err != nil {
		t.Fatalf("espeak-ng: %v %s: make setup-test installs it", err, out)
	}
	return file
}

func TestARecordingMovesTheHead(t *testing.T) {
	t.Parallel() // it mostly waits
	r := sensing(t)
	out, code := r.ctl("listen", speech(t, "en-us", "look left"))
	if code != 0 || !strings.Contains(out, "> look left") {
		t.Fatalf("exit %d: %s", code, out)
	}
	if yaw := r.truth().Head.Yaw * 180 / math.Pi; yaw < 20 || yaw > 40 {
		t.Errorf("the head is at %.1f°, want about 30°", yaw)
	}
	noise := filepath.Join(t.TempDir(), "noise.wav")
	if out, err := exec.Command("sox", "-n", "-r", "16000", "-c", "1", "-b", "16", noise, "synth", "4", "pinknoise", "vol", "0.2").CombinedOutput(); err != nil {
		t.Fatalf("sox: %v %s: make setup-test installs it", err, out)
	}
	for _, file := range []string{noise, speech(t, "en-us", "the quarterly figures were disappointing in every respect")} {
		before := r.truth().Head.Yaw
		if out, code := r.ctl("listen", file); code != 1 {
			t.Errorf("exit %d: %s", code, out)
		}
		if after := r.truth().Head.Yaw; math.Abs(after-before) > 0.05 {
			t.Errorf("the head has moved by %.2f rad", after-before)
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.wav")
	if err := exec.Command("cp", "senses_test.go", broken).Run(); err != nil {
		t.Fatal(err)
	}
	if out, code := r.ctl("listen", broken); code != 1 || !strings.Contains(out, "WAV") {
		t.Errorf("a broken recording: exit %d: %s", code, out)
	}
}

func TestTheSensesDieAndTheMoveGoesOn(t *testing.T) {
	r := sensing(t)
	c := r.client()
	for _, how := range []struct {
		name   string
		signal syscall.Signal
	}{{"kill -9", syscall.SIGKILL}, {"abort", syscall.SIGABRT}, {"hang", syscall.SIGSTOP}} {
		t.Run(how.name, func(t *testing.T) {
			from := c.mark()
			done := make(chan string, 1)
			go func() {
				out, _ := r.ctl("tool", "call", "move_head", `{"yaw":-30,"duration":4}`)
				done <- out
			}()
			c.waitFrom(from, "the move to begin", func(m message) bool { return m.topic == "event/move_started" })
			pid := r.pid("sense")
			if pid <= 0 {
				t.Fatal("no reachy-sense")
			}
			start := time.Now()
			if err := syscall.Kill(pid, how.signal); err != nil {
				t.Fatal(err)
			}
			fault := func(active bool) func(message) bool {
				return func(m message) bool {
					return m.topic == "event/fault" && m.payload["name"] == "sense" && m.payload["active"] == active
				}
			}
			c.waitFrom(from, "the user to be told", fault(true))
			told := time.Since(start)
			c.waitFrom(from, "the senses to be back", fault(false))
			t.Logf("told after %v, back after %v", told.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
			if out := <-done; strings.Contains(out, "error") || strings.Contains(out, "could not") {
				t.Errorf("the move: %s", out)
			}
			if r.pid("sense") == pid {
				t.Error("it is the same process")
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			n := 0
			for _, m := range c.got[from:] {
				if fault(true)(m) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("the user was told %d times, want once", n)
			}
			if out, code := r.ctl("say", "look straight ahead"); code != 0 {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// Whoever has no screen at the robot is told where it is, once, by a real voice; and whoever asks.
func TestItSaysItsAddressOnce(t *testing.T) {
	t.Parallel() // it mostly waits
	if !senses {
		t.Fatal("the senses are not built here: make setup-test installs what they need")
	}
	link, err := network.Host().Read()
	if err != nil {
		t.Fatal(err)
	}
	if link.Address == "" {
		t.Skip("NOT TESTED: this host has no address that others could reach")
	}
	r := newRobot(t)
	r.setenv("REACHYD_SENSE_RUN=auto")
	r.setenv("REACHYD_SENSE_SPEAKER=null")
	r.setenv("REACHYD_ROBOT_TELL_ADDRESS=always")
	const said = "the robot has said its address"
	r.start()
	r.until("the address to be said", func() bool { return strings.Contains(r.log.String(), said) })
	m := r.client().wait("the address on MQTT", func(m message) bool { return m.topic == "telemetry" && m.payload["network"] != nil })
	if told, _ := m.payload["network"].(map[string]any); told["address"] != link.Address {
		t.Errorf("telemetry tells %v, want %s", told, link.Address)
	}
	if out, code := r.ctl("say", "what is your address?"); code != 0 || !strings.Contains(out, "I am at "+link.Address) {
		t.Errorf("exit %d: %s", code, out)
	}
	r.stop()
	r.start()
	r.until("the senses", func() bool { return r.pid("sense") > 0 })
	if out, _ := r.ctl("say", "what is your address?"); !strings.Contains(out, link.Address) {
		t.Error(out)
	}
	if n := strings.Count(r.log.String(), said); n != 1 {
		t.Errorf("it has said its address %d times", n)
	}
}
