// Package official runs programs that were written for the official daemon against a whole robot.
package official

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reachyd/reachyd/e2e/chromium"
	"github.com/reachyd/reachyd/hal/waittest"
)

// patience is how long a test waits for something.
const patience = 2 * time.Minute

// robot is one that runs already: cross/sdk-javascript.sh starts it, and ends it.
type robot struct {
	t   *testing.T
	url string // of its web server
	sim string // the socket of the simulation
}

// started is the robot that the script has started, and what its loudspeaker has played.
func started(t *testing.T) (r *robot, heard string) {
	t.Helper()
	dir := os.Getenv("OFFICIAL_ROBOT")
	if dir == "" {
		t.Skip("NOT TESTED here: make sdk-javascript runs it against a whole robot")
	}
	return &robot{t, "http://127.0.0.1:" + os.Getenv("OFFICIAL_PORT"), filepath.Join(dir, "reachyd", "sim.sock")}, filepath.Join(dir, "heard.wav")
}

// headYaw is how far the simulated head is turned, rad.
func (r *robot) headYaw() float64 {
	r.t.Helper()
	over := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.sim)
	}}
	defer over.CloseIdleConnections()
	resp, err := (&http.Client{Transport: over, Timeout: patience}).Get("http://sim/state")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var s struct{ Head struct{ Yaw float64 } }
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		r.t.Fatal(err)
	}
	return s.Head.Yaw
}

// goroutines is how many reachyd has.
func (r *robot) goroutines() (n float64) {
	r.t.Helper()
	resp, err := http.Get(r.url + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "go_goroutines %g", &n); err == nil {
			return n
		}
	}
	r.t.Fatal("the metrics do not tell of goroutines")
	return 0
}

func (r *robot) until(what string, ok func() bool) {
	r.t.Helper()
	if !waittest.Within(patience, ok) {
		r.t.Fatalf("waited %v in vain for %s", patience, what)
	}
}

// A page of another site with the unmodified official JavaScript SDK has all of a whole robot: it moves, is seen, hears, is heard, sleeps,
// and leaves nothing behind.
func TestOfficialJavaScriptSDK(t *testing.T) {
	r, heard := started(t)
	const deg = math.Pi / 180
	p := chromium.NewPage(t, "../..", os.Getenv("OFFICIAL_PAGE"), nil)
	p.Open(r.url + "/webrtc")
	before := r.goroutines()
	p.Do(`await robot.autoConnect({token: "any"})`)
	var awake bool
	if p.Get("robot.ensureAwake()", &awake); !awake {
		t.Error("it does not wake up")
	}
	p.Do(`await robot.gotoTarget({head: sdk.rpyToMatrix(0, 0, 20).flat(), duration: 0.5})`)
	r.until("the head to turn", func() bool { return math.Abs(r.headYaw()-20*deg) < 3*deg })
	// What it sees is the camera's picture, smaller on a busy host, not one colour, and it goes on.
	p.Do(`while (![640, 320].includes(v.videoWidth) || v.currentTime < 1) await new Promise(r => setTimeout(r, 50))`)
	const looks = `(() => { const c = document.createElement("canvas"); c.width = 64; c.height = 36; const g = c.getContext("2d");
		g.drawImage(v, 0, 0, 64, 36); return Array.from(g.getImageData(0, 0, 64, 36).data).filter((_, i) => i % 4 !== 3) })()`
	var left, right []float64
	p.Get(looks, &left)
	if d := deviation(left); d < 10 {
		t.Errorf("the picture shows nothing: its colours differ by %.1f", d)
	}
	p.Do(`await robot.gotoTarget({head: sdk.rpyToMatrix(0, 0, -20).flat(), duration: 0.5})`)
	r.until("the head to turn back", func() bool { return math.Abs(r.headYaw()+20*deg) < 3*deg })
	r.until("the picture to change", func() bool { p.Get(looks, &right); return distance(left, right) > 5 })
	if hz := p.Pitch(); math.Abs(hz-500) > 15 {
		t.Errorf("the page hears %.0f Hz, the microphone 500", hz)
	}
	t.Logf("it hears in %s", p.HeardCodec())
	p.Speak("1000")
	r.until("what the page says to be heard", func() bool { return math.Abs(lastPitch(heard)-1000) < 30 })
	t.Logf("%.0f goroutines in a session, %.0f before", r.goroutines(), before)
	p.Do(`await robot.gotoSleep({timeoutMs: 60000})`)
	p.Do(`await robot.stopSession(); robot.disconnect()`)
	r.until("its goroutines to end", func() bool { return r.goroutines() <= before+5 }) // connections of this test's own among them
	var errors []string
	if p.Get("errors", &errors); len(errors) > 0 {
		t.Errorf("%q", errors)
	}
}

// deviation is how much values differ from their mean.
func deviation(v []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(v))
	return math.Sqrt(squares/n - sum*sum/n/n)
}

// distance is how much two pictures differ in the mean.
func distance(a, b []float64) (sum float64) {
	for i := range a {
		sum += math.Abs(a[i]-b[i]) / float64(len(a))
	}
	return sum
}

// lastPitch is the tone of the last half second of a WAV file that is being written, Hz, by how often it rises through 0.
func lastPitch(file string) float64 {
	data, err := os.ReadFile(file)
	if err != nil || len(data) < 64 {
		return 0
	}
	channels, rate := int(data[22]), int(data[24])|int(data[25])<<8|int(data[26])<<16
	step := 2 * channels
	data = data[44:]
	data = data[:len(data)/step*step]
	data = data[max(0, len(data)-rate/2*step):]
	rises, last := 0, int16(0)
	for i := 0; i < len(data); i += step {
		v := int16(uint16(data[i]) | uint16(data[i+1])<<8)
		if last < 0 && v >= 0 {
			rises++
		}
		last = v
	}
	return float64(rises) * float64(rate) / float64(max(1, len(data)/step))
}
