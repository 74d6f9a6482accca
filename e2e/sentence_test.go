package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/png" // frames of the simulation
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/virtual"
)

// simState is what the simulation says is true, in SI units: what the robot's own state is checked against.
type simState struct {
	Head struct {
		X, Y, Z, Roll, Pitch, Yaw float64
	}
	Joints  []float64
	Ticks   uint64 // of 10 ms
	Resyncs uint64 // times that the simulation gave ticks up because it was late
}

// simulated is how far the simulation has come from another state, in its own time: a busy machine delays that, too.
func (s simState) simulated(from simState) time.Duration {
	return time.Duration(s.Ticks-from.Ticks) * virtual.Tick //nolint:gosec // a test ends before that overflows
}

func (r *robot) truth() simState {
	r.t.Helper()
	data, err := r.get("sim", "/state")
	if err != nil {
		r.t.Fatal(err)
	}
	var s simState
	if err := json.Unmarshal(data, &s); err != nil {
		r.t.Fatalf("state of the simulation %s: %v", data, err)
	}
	return s
}

func (r *robot) picture() image.Image {
	r.t.Helper()
	data, err := r.get("sim", "/frame.png?camera=studio_close&width=320&height=240")
	if err != nil {
		r.t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		r.t.Fatal(err)
	}
	return img
}

// different counts the pixels in which two pictures differ clearly.
func different(a, b image.Image) int {
	n := 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if diff(r1, r2)+diff(g1, g2)+diff(b1, b2) > 3*0x1800 {
				n++
			}
		}
	}
	return n
}

func diff(a, b uint32) uint32 {
	if a > b {
		return a - b
	}
	return b - a
}

// watchTruth looks at the simulation until the returned function is called, which tells the extremes.
func (r *robot) watchTruth() func() (lo, hi simState) {
	stop, done := make(chan struct{}), make(chan struct{})
	lo := r.truth()
	hi := lo
	hi.Joints, lo.Joints = append([]float64(nil), hi.Joints...), append([]float64(nil), lo.Joints...)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
			data, err := r.get("sim", "/state")
			var s simState
			if err != nil || json.Unmarshal(data, &s) != nil {
				continue
			}
			lo.Head.Yaw, hi.Head.Yaw = min(lo.Head.Yaw, s.Head.Yaw), max(hi.Head.Yaw, s.Head.Yaw)
			lo.Head.Pitch, hi.Head.Pitch = min(lo.Head.Pitch, s.Head.Pitch), max(hi.Head.Pitch, s.Head.Pitch)
			for j := range s.Joints {
				lo.Joints[j], hi.Joints[j] = min(lo.Joints[j], s.Joints[j]), max(hi.Joints[j], s.Joints[j])
			}
		}
	}()
	return func() (simState, simState) { close(stop); <-done; return lo, hi }
}

const sentence = `{"id":"1","text":"look left, then nod and wiggle your antennas"}`

// sayWithMosquitto does what the README says: mosquitto_pub speaks, mosquitto_sub hears the reply.
func (r *robot) sayWithMosquitto(host, port string) map[string]any {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	sub := exec.CommandContext(ctx, "mosquitto_sub", "-h", host, "-p", port, "-q", "1", "-t", "reachy/mini/reply/1", "-C", "1", "-i", "e2e-sub")
	var heard bytes.Buffer
	sub.Stdout = &heard
	if err := sub.Start(); err != nil {
		r.t.Fatalf("mosquitto_sub: %v: make setup-test", err)
	}
	// The reply is kept for nobody: publish again until the subscription stands. The same id acts once.
	done := make(chan error, 1)
	go func() { done <- sub.Wait() }()
	for {
		if out, err := exec.CommandContext(ctx, "mosquitto_pub", "-h", host, "-p", port, "-q", "1", "-t", "reachy/mini/cmd/chat", "-m",
			sentence).CombinedOutput(); err != nil {
			r.t.Fatalf("mosquitto_pub: %v %s", err, out)
		}
		select {
		case err := <-done:
			if err != nil {
				r.t.Fatalf("mosquitto_sub: %v", err)
			}
			var reply map[string]any
			if err := json.Unmarshal(heard.Bytes(), &reply); err != nil {
				r.t.Fatalf("reply %q: %v", heard.String(), err)
			}
			return reply
		case <-time.After(2 * time.Second):
		}
	}
}

func (r *robot) checkSentence(host, port string) {
	t := r.t
	t.Helper()
	asked := r.watchTruth()
	var before image.Image
	if physics {
		before = r.picture()
	}
	reply := r.sayWithMosquitto(host, port)
	lo, hi := asked()
	if reply["ok"] != true {
		t.Fatalf("reply: %v", reply)
	}
	text := strings.ToLower(mustJSON(reply))
	for _, word := range []string{"left", "nod", "antenna"} {
		if !strings.Contains(text, word) {
			t.Errorf("the reply does not speak of %q: %s", word, text)
		}
	}
	if turned := (hi.Head.Yaw - lo.Head.Yaw) * 180 / 3.141592653589793; turned < 25 || turned > 40 {
		t.Errorf("the head turned %.1f°, asked for 30°", turned)
	}
	if nodded := (hi.Head.Pitch - lo.Head.Pitch) * 180 / 3.141592653589793; nodded < 8 {
		t.Errorf("the head nodded by %.1f° only", nodded)
	}
	for _, j := range []int{7, 8} {
		if wiggled := hi.Joints[j] - lo.Joints[j]; wiggled < 0.2 {
			t.Errorf("antenna %d moved by %.2f rad only", j, wiggled)
		}
	}
	if physics {
		if n := different(before, r.picture()); n < 300 {
			t.Errorf("the pictures before and after differ in %d pixels only", n)
		}
	}
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestSentenceMovesTheRobot(t *testing.T) {
	r := newRobot(t)
	r.start()
	host, port, _ := strings.Cut(strings.TrimPrefix(r.broker(), "mqtt://"), ":")
	r.checkSentence(host, port)
}

func TestSentenceMovesTheRobotThroughAnExternalBroker(t *testing.T) {
	port := freePort(t)
	url, _ := mosquitto(t, port)
	r := newRobot(t)
	r.setenv("REACHYD_MQTT_BROKER=" + url)
	r.start()
	host, p, _ := strings.Cut(strings.TrimPrefix(url, "mqtt://"), ":")
	r.checkSentence(host, p)
}
