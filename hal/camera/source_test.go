package camera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/waittest"
)

func frames(t *testing.T, c *Camera, n int) []Frame {
	t.Helper()
	var all []Frame
	var seq uint64
	for range n {
		f, err := c.Next(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		seq = f.Seq
		all = append(all, f)
	}
	return all
}

func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.jpg", pictureOf(10, 20, color.White))
	write(t, dir, "b.png", encodePNG(t, image.NewRGBA(image.Rect(0, 0, 30, 40))))
	write(t, dir, "notes.txt", []byte("no picture"))
	film := write(t, t.TempDir(), "film.mjpeg", append(append(pictureOf(11, 1, color.White), "\xff\xd8\xff\xd9 damaged"...), pictureOf(12, 1, color.White)...))
	for path, want := range map[string][]int{a: {10, 10, 10}, dir: {10, 30, 10, 30}, film: {11, 12, 11, 12, 11}} {
		c := &Camera{Source: File{Path: path, FPS: 500}}
		// A slow test machine may miss pictures, but not their order within a second of waiting.
		got := map[int]bool{}
		for _, f := range frames(t, c, len(want)) {
			got[f.Width] = true
			if w, h, err := Size(f.JPEG); err != nil || w != f.Width || h != f.Height {
				t.Errorf("%s: %v", path, err)
			}
		}
		for _, w := range want {
			delete(got, w)
		}
		if len(got) != 0 {
			t.Errorf("%s: unexpected widths %v", path, got)
		}
		c.Close()
	}
}

func TestSlidesInOrder(t *testing.T) {
	dir := t.TempDir()
	for i := 1; i <= 3; i++ {
		write(t, dir, fmt.Sprintf("%d.jpg", i), pictureOf(i, 1, color.White))
	}
	s, err := File{Path: dir, FPS: 1000}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 7 {
		if f, err := s.Next(); err != nil || f.Width != i%3+1 {
			t.Errorf("picture %d is %d wide, %v", i, f.Width, err)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	empty := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "nothing.jpg"):                     "no such file",
		write(t, dir, "x.jpg", []byte("no picture")):          "unusable picture",
		write(t, dir, "x.mjpeg", []byte("no picture at all")): "no picture in it",
		empty: "no pictures in it",
	} {
		c := &Camera{Source: File{Path: path}}
		if _, err := c.Frame(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
		c.Close()
	}
}

// simulator serves pictures as reachy-sim does, until stop is called.
func simulator(t *testing.T, answer http.HandlerFunc) (socket string, stop func()) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: answer}
	go srv.Serve(l)
	stop = func() { srv.Close() }
	t.Cleanup(stop)
	return socket, stop
}

func TestSimulatedEyeOverItsSocket(t *testing.T) {
	taken := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	var asked atomic.Int64
	socket, stop := simulator(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if got := r.URL.String(); got != "/frame.jpg?width=320&height=240" {
			t.Errorf("asked for %s", got)
		}
		w.Header().Set(TimeHeader, taken.Format(time.RFC3339Nano))
		w.Write(pictureOf(320, 240, color.White))
	})
	c := &Camera{Source: Sim{Socket: socket, Width: 320, Height: 240, FPS: 200}, Patience: 30 * time.Second}
	defer c.Close()
	for _, f := range frames(t, c, 5) {
		if f.Width != 320 || f.Height != 240 || !f.Time.Equal(taken) {
			t.Errorf("got %d×%d of %v", f.Width, f.Height, f.Time)
		}
	}
	stop()
	for c.Stats().Failed == 0 { // it notices
		c.Frame(t.Context())
	}
}

// Others may have the processor, and one that has gone keeps nobody waiting.
func TestASimulatorHasTime(t *testing.T) {
	c := &Camera{Source: Sim{Socket: filepath.Join(t.TempDir(), "gone")}}
	defer c.Close()
	if device := (&Camera{Source: File{}}).patience(); c.patience() <= device {
		t.Errorf("it has %v, a device %v", c.patience(), device)
	}
	if _, err := c.Frame(t.Context()); err == nil || errors.Is(err, ErrStalled) {
		t.Errorf("gone: %v", err)
	}
}

func TestSimulatorWithoutPictures(t *testing.T) {
	for _, said := range []string{`{"error":"no pictures: the simple model cannot draw"}`, "no pictures"} {
		socket, _ := simulator(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotImplemented)
			w.Write([]byte(said))
		})
		c := &Camera{Source: Sim{Socket: socket}}
		if _, err := c.Frame(t.Context()); err == nil || !strings.Contains(err.Error(), "status 501: no pictures") {
			t.Errorf("%v", err)
		}
		c.Close()
	}
	c := &Camera{Source: Sim{Socket: filepath.Join(t.TempDir(), "none")}}
	if _, err := c.Frame(t.Context()); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("%v", err)
	}
	c.Close()
}

// standInSource is this test program in the place of rpicam-vid.
func standInSource(t *testing.T, kind string) (Process, string) {
	t.Helper()
	pid := filepath.Join(t.TempDir(), "pid")
	t.Setenv(childVar, kind)
	t.Setenv(childVar+"_PID", pid)
	return Process{Args: []string{os.Args[0]}, Latency: rpicamLatency}, pid
}

func TestChildRunsOnlyWhileSomebodyLooks(t *testing.T) {
	src, pidFile := standInSource(t, "good")
	c := &Camera{Source: src, Idle: 50 * time.Millisecond, Patience: 30 * time.Second}
	defer c.Close()
	for round := uint64(1); round <= 2; round++ {
		for _, f := range frames(t, c, 5) {
			if f.Width != 64 || time.Since(f.Time) < rpicamLatency {
				t.Errorf("got %d wide, %v old", f.Width, time.Since(f.Time))
			}
		}
		data, err := os.ReadFile(pidFile)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(string(data))
		if err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "the child to be gone", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH && !c.Stats().Open })
		if got := c.Stats(); got.Open || got.Opened != round || got.Failed != 0 {
			t.Errorf("%+v", got)
		}
	}
}

func TestChildThatEndsIsStartedAgain(t *testing.T) {
	src, _ := standInSource(t, "ends")
	c := &Camera{Source: src, Patience: 30 * time.Second}
	defer c.Close()
	frames(t, c, 3) // one picture a life
	if got := c.Stats(); got.Opened < 3 {
		t.Errorf("%+v", got)
	}
}

func TestChildThatIsSilent(t *testing.T) {
	src, _ := standInSource(t, "silent")
	c := &Camera{Source: src, Patience: 300 * time.Millisecond}
	defer c.Close()
	_, err := c.Frame(t.Context())
	if err == nil {
		t.Fatal("a picture of nothing")
	}
	waittest.Until(t, "the child to be given up", func() bool { return c.Stats().Failed > 0 })
}

func TestChildThatIsNotThere(t *testing.T) {
	p := RPiCam(0, 0, 0)
	p.Args[0] = "rpicam-vid-that-is-not-there"
	c := &Camera{Source: p}
	defer c.Close()
	if _, err := c.Frame(t.Context()); err == nil || !strings.Contains(err.Error(), "apt install") {
		t.Errorf("%v", err)
	}
	if _, err := (Process{}).Open(context.Background()); err == nil {
		t.Error("no program was started")
	}
}

func TestStatsAsJSON(t *testing.T) {
	data, err := json.Marshal(Stats{Open: true, Frames: 3})
	if want := `{"open":true,"opened":0,"failed":0,"frames":3,"dropped":0}`; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}
