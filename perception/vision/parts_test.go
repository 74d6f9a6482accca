//go:build mujoco

package vision

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
)

// startPart builds a program of ours and runs it until the test ends.
func startPart(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-tags", "mujoco", "-o", path, "../../cmd/"+name).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	cmd := exec.Command(path, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// The real parts on their real sockets: simulated servos and eye, the control loop, and the eyes between them. Times
// are told, not judged: the host decides them.
func TestRealPartsLookAtThings(t *testing.T) {
	dir, err := os.MkdirTemp("", "eyes") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bus, sim, socket := filepath.Join(dir, "bus"), filepath.Join(dir, "sim"), filepath.Join(dir, "body")
	startPart(t, dir, "reachy-sim", "--bus", "unix:"+bus, "--http", sim)
	startPart(t, dir, "reachy-body", "-port", "unix:"+bus, "-socket", socket, "-owner-timeout", "0", "-priority", "0", "-log-level", "error")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c := body.New(socket)
	defer c.Close()
	do := func(req hal.Request) {
		t.Helper()
		for {
			a, err := c.Do(ctx, req)
			if err == nil && a.Outcome != hal.Rejected {
				if e, err := c.Wait(ctx, a.Move); err != nil || e.End != hal.EndDone {
					t.Fatalf("%s: %+v, %v", req.Verb, e, err)
				}
				return
			}
			pause := time.NewTimer(100 * time.Millisecond) // until both programs serve and the bus is there
			select {
			case <-pause.C:
			case <-ctx.Done():
				t.Fatalf("%s: %+v, %v", req.Verb, a, err)
			}
		}
	}
	do(hal.Request{Verb: hal.VerbWake})
	e := &Eyes{Camera: &camera.Camera{Source: camera.Sim{Socket: sim}, Patience: time.Minute}, Body: c, Table: true}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, name := range []string{scene.Apple, scene.Duck, scene.Croissant} {
		do(hal.Request{Verb: hal.VerbGoto, Head: &hal.Head{}, Duration: 0.6})
		look, err := e.LookAt(ctx, name)
		if err != nil || !look.Centred {
			t.Errorf("%s: %+v, %v", name, look, err)
			continue
		}
		t.Logf("%s: centred within %.1f° after %v and %d movements", name, look.Error, look.Duration.Round(time.Millisecond), look.Moves)
	}
	if text, err := e.Describe(ctx, "where is the duck?"); err != nil {
		t.Error(err)
	} else {
		t.Log(text)
	}
	if got := e.Camera.Stats(); got.Opened != 1 || got.Failed != 0 {
		t.Errorf("%+v", got)
	}
}
