package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/mujoco"
	"github.com/reachyd/reachyd/hal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// models are those that this program contains.
func models() []string {
	if mujoco.Built {
		return []string{modelSimple, modelMuJoCo}
	}
	return []string{modelSimple}
}

// sim is a running reachy-sim.
type sim struct {
	t    *testing.T
	dir  string
	stop func() int
	http http.Client
	log  *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func start(t *testing.T, args ...string) *sim {
	t.Helper()
	dir := t.TempDir()
	s := &sim{t: t, dir: dir, log: &safeBuffer{}}
	args = append([]string{"--bus", "unix:" + s.path("bus"), "--http", s.path("http"), "--pty", s.path("tty")}, args...)
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, nil, io.Discard, s.log) }()
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", s.path("http"))
	}}
	s.http.Transport = transport
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if code := s.stop(); code != program.ExitOK {
			t.Errorf("exit code %d: %s", code, s.log)
		}
	})
	s.eventually("all sockets", func() bool { return strings.Count(s.log.String(), `"serving"`) == 3 })
	return s
}

func (s *sim) path(name string) string { return filepath.Join(s.dir, name) }

func (s *sim) eventually(what string, ok func() bool) {
	s.t.Helper()
	if !waittest.Within(waittest.Patience, ok) {
		s.t.Fatalf("waited %v in vain for %s\n%s", waittest.Patience, what, s.log)
	}
}

func (s *sim) do(method, path, body string) (int, []byte) {
	s.t.Helper()
	req, err := http.NewRequest(method, "http://sim"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", method, path, err, s.log)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, b
}

func (s *sim) state() (st state) {
	s.t.Helper()
	code, b := s.do(http.MethodGet, "/state", "")
	if err := json.Unmarshal(b, &st); code != http.StatusOK || err != nil {
		s.t.Fatalf("state: %d %v %s", code, err, b)
	}
	return st
}

// bus is a client of the servo bus over its real socket.
type bus struct {
	net.Conn
	t      *testing.T
	parser dxl.Parser
}

func (s *sim) dial() *bus {
	s.t.Helper()
	c, err := net.Dial("unix", s.path("bus"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return &bus{Conn: c, t: s.t}
}

func (b *bus) send(packet []byte) {
	b.t.Helper()
	if _, err := b.Write(packet); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bus) receive(patience time.Duration) (dxl.Packet, error) {
	b.SetReadDeadline(time.Now().Add(patience))
	buf := make([]byte, 512)
	for {
		if p, ok := b.parser.Next(); ok {
			return p, nil
		}
		n, err := b.Read(buf)
		if err != nil {
			return dxl.Packet{}, err
		}
		b.parser.Feed(buf[:n])
	}
}

// ask sends a packet and returns the answer.
func (b *bus) ask(packet []byte) dxl.Packet {
	b.t.Helper()
	b.send(packet)
	p, err := b.receive(10 * time.Second)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bus) goal(j hal.Joint, rad float64) {
	v := int32(4096 * (math.Pi + rad) / (2 * math.Pi))
	b.ask(dxl.AppendWrite(nil, j.ServoID(), dxl.AddrGoalPosition, []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}))
}

func (b *bus) torque(j hal.Joint, on byte) {
	b.ask(dxl.AppendWrite(nil, j.ServoID(), dxl.AddrTorque, []byte{on}))
}

func TestBusMovesTheRobotInRealTime(t *testing.T) {
	for _, model := range models() {
		t.Run(model, func(t *testing.T) {
			s := start(t, "--model", model, "--realtime", "4")
			if st := s.state(); st.Model != model || len(st.Torque) != 0 || math.Abs(st.Head.Pitch-hal.SleepHead.Pitch) > 0.02 {
				t.Errorf("it begins as %+v, want asleep", st)
			}
			b := s.dial()
			b.goal(hal.BodyYaw, 0.5)
			b.torque(hal.BodyYaw, 1)
			st := s.state()
			s.eventually("the body to turn, and the head on it", func() bool { // it may swing past before it stays
				st = s.state()
				return math.Abs(st.BodyYaw-0.5) < 0.03 && math.Abs(st.Head.Yaw-0.5) < 0.05
			})
			if len(st.Torque) != 1 || st.Torque[0] != "body_rotation" || math.Abs(st.Goals[0]-0.5) > 0.01 || st.Clients != 1 {
				t.Errorf("state %+v", st)
			}
			if code, body := s.do(http.MethodPost, "/step", `{"n":1}`); code != http.StatusConflict {
				t.Errorf("step in real time: %d %s", code, body)
			}
			if code, body := s.do(http.MethodPost, "/reset", ""); code != http.StatusOK {
				t.Errorf("reset: %d %s", code, body)
			}
			if st := s.state(); math.Abs(st.BodyYaw) > 0.01 || len(st.Torque) != 0 {
				t.Errorf("after the reset %+v", st)
			}
		})
	}
}

func TestStepByStep(t *testing.T) {
	for _, model := range models() {
		t.Run(model, func(t *testing.T) {
			s := start(t, "--model", model, "--step")
			b := s.dial()
			b.goal(hal.LeftAntenna, 1)
			b.torque(hal.LeftAntenna, 1)
			if st := s.state(); st.Ticks != 0 || st.Time != 0 {
				t.Fatalf("it moved by itself: %+v", st)
			}
			code, body := s.do(http.MethodPost, "/step", `{"n":200}`)
			var st state
			if err := json.Unmarshal(body, &st); code != http.StatusOK || err != nil {
				t.Fatalf("%d %v %s", code, err, body)
			}
			if st.Ticks != 200 || math.Abs(st.Time-2) > 1e-9 || math.Abs(st.Joints[hal.LeftAntenna]-1) > 0.03 {
				t.Errorf("after 2 s: %+v", st)
			}
			if p := b.ask(dxl.AppendRead(nil, 18, dxl.AddrPresentPosition, 4)); math.Abs(float64(int(p.Params[0])|int(p.Params[1])<<8)-2700) > 20 {
				t.Errorf("the servo says %v", p.Params)
			}
			for _, bad := range []string{`{}`, `{"n":0}`, `{"n":6001}`, `{"n":1.5}`, `{"m":1}`, `{"n":1}{}`, ``} {
				if code, body := s.do(http.MethodPost, "/step", bad); code != http.StatusBadRequest || !bytes.Contains(body, []byte("error")) {
					t.Errorf("step %q: %d %s", bad, code, body)
				}
			}
			if s.state().Ticks != 200 {
				t.Error("a refused step was done")
			}
		})
	}
}

func TestFaultsEndToEnd(t *testing.T) {
	s := start(t, "--model", modelSimple)
	b := s.dial()
	ping := dxl.AppendPing(nil, 11)
	put := func(f string) {
		t.Helper()
		if code, body := s.do(http.MethodPut, "/faults", f); code != http.StatusOK {
			t.Fatalf("%d %s", code, body)
		}
	}
	put(`{"mute":["stewart_1"]}`)
	b.send(ping)
	if p, err := b.receive(50 * time.Millisecond); err == nil {
		t.Errorf("a mute servo said %+v", p)
	}
	if p := b.ask(dxl.AppendPing(nil, 12)); p.ID != 12 {
		t.Errorf("the next one says %+v", p)
	}
	put(`{"overload":["stewart_1"]}`)
	if p := b.ask(ping); !p.Error.Alert() {
		t.Error("no alert of an overloaded servo")
	}
	put(`{"voltage":3}`)
	b.send(ping)
	if p, err := b.receive(50 * time.Millisecond); err == nil {
		t.Errorf("a servo without power said %+v", p)
	}
	s.do(http.MethodDelete, "/faults", "")
	s.eventually("the servos to boot", func() bool {
		b.send(ping)
		p, err := b.receive(20 * time.Millisecond)
		return err == nil && p.ID == 11 && !p.Error.Alert()
	})
	put(`{"unplug":true}`)
	s.eventually("the line to close", func() bool {
		_, err := b.receive(time.Second)
		return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
	})
	s.eventually("bus and terminal to go", func() bool {
		_, bus := os.Lstat(s.path("bus"))
		_, tty := os.Lstat(s.path("tty"))
		return bus != nil && tty != nil
	})
	put(`{}`)
	s.eventually("the line to come back", func() bool {
		c, err := net.Dial("unix", s.path("bus"))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	if code, body := s.do(http.MethodPut, "/faults", `{"drop":7}`); code != http.StatusBadRequest || !bytes.Contains(body, []byte("drop = 7")) {
		t.Errorf("%d %s", code, body)
	}
}

func TestFrames(t *testing.T) {
	s := start(t, "--step")
	if !mujoco.Built {
		if code, body := s.do(http.MethodGet, "/frame.jpg", ""); code != http.StatusNotImplemented || !bytes.Contains(body, []byte("cannot draw")) {
			t.Errorf("%d %s", code, body)
		}
		return
	}
	_, b := s.do(http.MethodGet, "/frame.jpg", "")
	if img, err := jpeg.Decode(bytes.NewReader(b)); err != nil || img.Bounds().Dx() != 640 || img.Bounds().Dy() != 480 {
		t.Errorf("jpeg: %v", err)
	}
	_, b = s.do(http.MethodGet, "/frame.png?camera=studio_close&width=160&height=120", "")
	if img, err := png.Decode(bytes.NewReader(b)); err != nil || img.Bounds().Dx() != 160 || img.Bounds().Dy() != 120 {
		t.Errorf("png: %v", err)
	}
	if _, b = s.do(http.MethodGet, "/frame.rgba?width=64&height=32", ""); len(b) != 64*32*4 {
		t.Errorf("rgba: %d bytes", len(b))
	}
	for _, q := range []string{"camera=nose", "width=5", "height=100000", "width=x"} {
		for _, path := range []string{"/frame.jpg?", "/stream.mjpg?"} {
			if code, b := s.do(http.MethodGet, path+q, ""); code != http.StatusBadRequest {
				t.Errorf("%s%s: %d %s", path, q, code, b)
			}
		}
	}
	if code, _ := s.do(http.MethodGet, "/stream.mjpg?fps=31", ""); code != http.StatusBadRequest {
		t.Errorf("31 frames a second: %d", code)
	}
	resp, err := s.http.Get("http://sim/stream.mjpg?width=64&height=48&fps=30")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 2048)
	if n, err := io.ReadFull(resp.Body, first); err != nil || !bytes.Contains(first, []byte("--frame\r\nContent-Type: image/jpeg")) {
		t.Errorf("stream: %d bytes, %v", n, err)
	}
}

func TestObjects(t *testing.T) {
	s := start(t, "--step")
	if !mujoco.Built {
		if code, b := s.do(http.MethodPost, "/objects", `{"name":"apple","position":[0.4,0,0.1]}`); code != http.StatusBadRequest ||
			!bytes.Contains(b, []byte("no objects")) {
			t.Errorf("%d %s", code, b)
		}
		return
	}
	code, b := s.do(http.MethodPost, "/objects", `{"name":"apple","position":[0.4,0,0.1],"quaternion":[1,0,0,0]}`)
	var st state
	if err := json.Unmarshal(b, &st); code != http.StatusOK || err != nil || st.Objects[0].Position != (hal.Vec3{0.4, 0, 0.1}) {
		t.Errorf("%d %v %s", code, err, b)
	}
	for _, bad := range []string{
		`{"name":"pear","position":[0,0,0]}`, `{"name":"apple"}`, `{"name":"apple","position":[0,0]}`,
		`{"name":"apple","position":[0,0,9]}`, `{"name":"apple","position":[0,0,0],"quaternion":[1]}`, `x`,
	} {
		if code, b := s.do(http.MethodPost, "/objects", bad); code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", bad, code, b)
		}
	}
}

func TestArrange(t *testing.T) {
	s := start(t, "--step")
	code, a := s.do(http.MethodPost, "/arrange", `{"seed":7}`)
	if !mujoco.Built {
		if code != http.StatusBadRequest {
			t.Errorf("%d %s", code, a)
		}
		return
	}
	objects := func(b []byte) []mujoco.Object {
		var st state
		if err := json.Unmarshal(b, &st); err != nil || len(st.Objects) != 3 {
			t.Fatalf("%v: %s", err, b)
		}
		return st.Objects
	}
	_, b := s.do(http.MethodPost, "/arrange", `{"seed":8}`)
	_, again := s.do(http.MethodPost, "/arrange", `{"seed":7}`)
	if objects(a)[0] == objects(b)[0] || objects(a)[0] != objects(again)[0] {
		t.Errorf("seed 7: %v, seed 8: %v, seed 7 again: %v", objects(a)[0], objects(b)[0], objects(again)[0])
	}
	if code, b := s.do(http.MethodPost, "/arrange", `{"sed":7}`); code != http.StatusBadRequest {
		t.Errorf("%d %s", code, b)
	}
}

func TestFrameTellsWhenItWasTaken(t *testing.T) {
	s := start(t, "--step")
	if !mujoco.Built {
		return // there are no frames, which TestFrames sees
	}
	before := time.Now()
	resp, err := s.http.Get("http://sim/frame.jpg?width=64&height=48")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	taken, err := time.Parse(time.RFC3339Nano, resp.Header.Get(camera.TimeHeader))
	if err != nil || taken.Before(before.Truncate(0)) || taken.After(time.Now()) {
		t.Errorf("taken at %v, %v", taken, err)
	}
}

func TestHealthTellsThePID(t *testing.T) {
	s := start(t, "--step", "--model", modelSimple)
	var got struct{ PID int }
	if code, b := s.do(http.MethodGet, "/healthz", ""); code != http.StatusOK || json.Unmarshal(b, &got) != nil || got.PID != os.Getpid() {
		t.Errorf("%d %s", code, b)
	}
}
