//go:build mujoco

package vision

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
)

// startPart builds a program of ours and runs it until the test ends.
func startPart(t testing.TB, dir, name string, args ...string) {
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

// BenchmarkLookAt is looking at the things on the table with the real parts on their real sockets: simulated servos and
// eye, the control loop, and the eyes between them. Each look begins straight ahead. That it ends where the thing is, is
// tested by TestLookAtCentres and, with reachyd, by e2e.
func BenchmarkLookAt(b *testing.B) {
	dir, err := os.MkdirTemp("", "eyes") // short: it holds sockets
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	bus, sim, socket := filepath.Join(dir, "bus"), filepath.Join(dir, "sim"), filepath.Join(dir, "body")
	startPart(b, dir, "reachy-sim", "--bus", "unix:"+bus, "--http", sim)
	startPart(b, dir, "reachy-body", "-port", "unix:"+bus, "-socket", socket, "-owner-timeout", "0", "-priority", "0", "-log-level", "error")
	ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
	defer cancel()
	c := body.New(socket)
	defer c.Close()
	do := func(req hal.Request) {
		b.Helper()
		for {
			a, err := c.Do(ctx, req)
			if err == nil && a.Outcome != hal.Rejected {
				if e, err := c.Wait(ctx, a.Move); err != nil || e.End != hal.EndDone {
					b.Fatalf("%s: %+v, %v", req.Verb, e, err)
				}
				return
			}
			pause := time.NewTimer(100 * time.Millisecond) // until both programs serve and the bus is there
			select {
			case <-pause.C:
			case <-ctx.Done():
				b.Fatalf("%s: %+v, %v", req.Verb, a, err)
			}
		}
	}
	do(hal.Request{Verb: hal.VerbWake})
	e := &Eyes{Camera: &camera.Camera{Source: camera.Sim{Socket: sim}, Patience: time.Minute}, Body: c, Table: true}
	if err := e.Open(); err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	names := []string{scene.Apple, scene.Duck, scene.Croissant}
	var took, off []float64
	moves := 0
	for b.Loop() {
		do(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Duration: 0.6})
		look, err := e.LookAt(ctx, names[len(took)%len(names)])
		if err != nil {
			b.Fatal(err)
		}
		took, off = append(took, look.Duration.Seconds()), append(off, look.Error)
		moves += look.Moves
	}
	slices.Sort(took)
	slices.Sort(off)
	b.ReportMetric(0, "ns/op") // with the way back to straight ahead: says nothing
	b.ReportMetric(took[len(took)/2], "s-p50")
	b.ReportMetric(took[len(took)-1], "s-max")
	b.ReportMetric(off[len(off)-1], "degrees-off-max")
	b.ReportMetric(float64(moves)/float64(len(took)), "moves")
}
