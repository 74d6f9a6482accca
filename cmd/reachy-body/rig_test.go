package main

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/powerkey"
	"github.com/reachyd/reachyd/hal/servo"
	"github.com/reachyd/reachyd/hal/virtual"
	"github.com/reachyd/reachyd/hal/waittest"
)

// childEnv makes the test program be reachy-body, so that a real process can be killed.
const childEnv = "REACHY_BODY_CHILD"

// inputEnv is the directory of the child's input devices.
const inputEnv = "REACHY_BODY_INPUT"

// patience is how long a test waits for what will surely come.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		busTimes = servo.Options{CycleTime: 100 * time.Millisecond, TorqueTime: 5 * time.Second, AnswerTime: time.Second, Silence: 2 * time.Second}
		powerKeys = func(log zerolog.Logger) powerkey.Keys {
			return powerkey.Keys{Class: os.Getenv(inputEnv), Devices: filepath.Join(os.Getenv(inputEnv), "devices"), Log: log}
		}
		os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	}
	// The tests wait for motors more than for processors.
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// witness is a plant that remembers what the servos were told.
type witness struct {
	virtual.Plant
	mu   sync.Mutex
	seen []sight
}

// sight is a change of the goals.
type sight struct {
	at   time.Time
	goal hal.Joints
	on   hal.JointMask
}

func (w *witness) Step(dt float64, drive *virtual.Drives, out *virtual.Motions) {
	w.mu.Lock()
	s := sight{at: time.Now()}
	for j := range drive {
		s.goal[j] = drive[j].Position
		if drive[j].On {
			s.on = s.on.With(hal.Joint(j))
		}
	}
	w.seen = append(w.seen, s)
	w.mu.Unlock()
	w.Plant.Step(dt, drive, out)
}

// since returns what was seen from a moment on.
func (w *witness) since(t time.Time) []sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.seen {
		if !w.seen[i].at.Before(t) {
			return w.seen[i:len(w.seen):len(w.seen)]
		}
	}
	return nil
}

func (w *witness) now() sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.seen) == 0 {
		return sight{}
	}
	return w.seen[len(w.seen)-1]
}

// checkJumps fails when a goal of a joint with torque leaves the envelope, or comes faster than its speed allows. A
// step of the plant may see the writes of two ticks, and one more because ticks and steps are not aligned. Where this process did not
// get the processor, writes have waited for it: the longest pause between the steps of late says how long.
func checkJumps(t *testing.T, seen []sight) {
	t.Helper()
	const resolution = 2 * math.Pi / 4096
	const slack, late = 0.02, 300 * time.Millisecond
	first := 0
	for i := range seen {
		for seen[i].at.Sub(seen[first].at) > late {
			first++
		}
		pause := 0.0
		for k := first + 1; k <= i; k++ {
			pause = max(pause, seen[k].at.Sub(seen[k-1].at).Seconds())
		}
		for j := range seen[i].goal {
			if !seen[i].on.Has(hal.Joint(j)) {
				continue
			}
			lim, q := hal.JointLimits[j], seen[i].goal[j]
			if !(q >= lim.Min-resolution && q <= lim.Max+resolution) {
				t.Fatalf("%v was told to go to %g, allowed is %g…%g", hal.Joint(j), q, lim.Min, lim.Max)
			}
			if i == 0 || !seen[i-1].on.Has(hal.Joint(j)) {
				continue
			}
			took := seen[i].at.Sub(seen[i-1].at).Seconds()
			if d := math.Abs(q - seen[i-1].goal[j]); d > motion.DefaultLimits[j].Speed*(took+slack+pause)+2*resolution {
				t.Fatalf("%v jumped by %g rad within %.0f ms (longest pause of late %.0f ms)", hal.Joint(j), d, 1000*took, 1000*pause)
			}
		}
	}
}

// testbed is a simulated robot with a bus.
type testbed struct {
	*virtual.Chain
	*witness
	t    *testing.T
	dir  string
	bus  string
	sock string
}

// newTestbed returns a robot that stands, or lies, without torque. Tests run side by side, each with its own.
func newTestbed(t *testing.T, stands bool) *testbed {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	joints := virtual.SleepJoints
	if stands {
		f, err := kinematics.NearestHead(hal.AwakeHead, 0, hal.AwakeAntennas)
		if err != nil {
			t.Fatal(err)
		}
		joints = f.Joints
	}
	w := &witness{Plant: virtual.NewSimple(joints)}
	b := &testbed{
		Chain: virtual.New(virtual.Options{Plant: w, Boot: 50 * time.Millisecond}), witness: w, t: t, dir: dir,
		bus: filepath.Join(dir, "bus"), sock: filepath.Join(dir, "body"),
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	ready := make(chan struct{})
	wg.Go(func() { b.Run(ctx, 1) })
	wg.Go(func() {
		if err := b.ServeUnix(ctx, b.bus, func() { close(ready) }); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	<-ready
	return b
}

// until waits for something that the bus brings about.
func (b *testbed) until(what string, is func() bool) {
	b.t.Helper()
	waittest.Until(b.t, what, is)
}

// child is a running reachy-body.
type child struct {
	*body.Client
	cmd  *exec.Cmd
	log  *bytes.Buffer
	once sync.Once
	err  error
}

func (b *testbed) start(args ...string) *child {
	b.t.Helper()
	c := &child{Client: body.New(b.sock), log: &bytes.Buffer{}}
	c.cmd = exec.Command(os.Args[0], append([]string{"-port", "unix:" + b.bus, "-socket", b.sock, "-owner-timeout", "0", "-priority", "0"}, args...)...)
	c.cmd.Env = append(os.Environ(), childEnv+"=1", inputEnv+"="+filepath.Join(b.dir, "input"))
	c.cmd.Stderr = c.log
	if err := c.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		c.cmd.Process.Kill()
		c.wait()
		c.Close()
		if b.t.Failed() {
			b.t.Logf("reachy-body said:\n%s", c.log)
		}
	})
	return c
}

func (c *child) wait() error {
	c.once.Do(func() { c.err = c.cmd.Wait() })
	return c.err
}

// until watches the child until its state is as wanted; it may not be there yet.
func (c *child) until(t *testing.T, what string, want func(*hal.State) bool) (s hal.State) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	found := false
	for ctx.Err() == nil {
		c.Watch(ctx, 100, func(m body.Message) {
			if m.State != nil && !found {
				s = *m.State
				if found = want(m.State); found {
					done()
				}
			}
		})
		if !found {
			time.Sleep(5 * time.Millisecond) // between two attempts to connect
		}
	}
	if !found {
		t.Fatalf("never %s; last state %+v", what, s)
	}
	return s
}

func online(s *hal.State) bool { return s.Mode != hal.ModeOffline }

func (c *child) do(t *testing.T, req hal.Request) hal.Answer {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	a, err := c.Do(ctx, req)
	if err != nil {
		t.Fatalf("%s: %v", req.Verb, err)
	}
	return a
}

// busy calls try again until it reports no fault: where the machine is so busy that servos answer too late, the robot rightly
// refuses for a moment.
func busy(t *testing.T, what string, try func() (end string, fault bool)) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		end, fault := try()
		switch {
		case !fault:
			return
		case time.Now().After(deadline):
			t.Fatalf("%s: %s", what, end)
		}
		t.Logf("%s, again: %s", what, end)
		time.Sleep(20 * time.Millisecond) // between two attempts
	}
}

// accepted asks until the robot is well enough to do it.
func (c *child) accepted(t *testing.T, req hal.Request) (a hal.Answer) {
	t.Helper()
	busy(t, string(req.Verb), func() (string, bool) {
		a = c.do(t, req)
		return a.Reason, a.Code == hal.CodeFault
	})
	if a.Outcome == hal.Rejected {
		t.Fatalf("%s: %+v", req.Verb, a)
	}
	return a
}

// act does something to its end.
func (c *child) act(t *testing.T, req hal.Request) {
	t.Helper()
	busy(t, string(req.Verb), func() (string, bool) {
		a := c.accepted(t, req)
		ctx, done := context.WithTimeout(context.Background(), patience)
		defer done()
		e, err := c.Wait(ctx, a.Move)
		if err != nil || e.End != hal.EndDone && e.End != hal.EndFailed {
			t.Fatalf("%s: %+v: %+v %v", req.Verb, a, e, err)
		}
		return e.Reason, e.End == hal.EndFailed
	})
}

// looksAway begins to look away, and waits until the head is under way.
func (c *child) looksAway(t *testing.T) {
	t.Helper()
	const yaw = 0.3
	busy(t, "looking away", func() (string, bool) {
		move := c.accepted(t, lookAway()).Move
		s := c.until(t, "under way", func(s *hal.State) bool { return s.Head.Yaw > yaw || s.Move != move && !s.Moving })
		return "it stopped at once", s.Head.Yaw <= yaw
	})
}

func (b *testbed) awake(args ...string) *child {
	b.t.Helper()
	c := b.start(args...)
	c.until(b.t, "online", online)
	c.accepted(b.t, hal.Request{Verb: hal.VerbMotors, On: ptr(true)})
	return c
}

func lookAway() hal.Request {
	return hal.Request{
		Verb: hal.VerbGoto, Head: hal.Head{Yaw: 0.9, Pitch: 0.2}.Goal(), BodyYaw: ptr(0.5), Antennas: hal.Antennas{Left: 1, Right: -1}.Goal(), Duration: 2,
	}
}

func ptr[T any](v T) *T { return &v }

// ticking wants n states.
func ticking(n int) func(*hal.State) bool {
	return func(*hal.State) bool { n--; return n <= 0 }
}

// hasOther reports whether there is a fault but that one: that the control loop is late is the fault of a busy machine.
func hasOther(s *hal.State, but hal.FaultName) bool {
	return slices.ContainsFunc(s.Faults, func(f hal.Fault) bool { return f.Name != but })
}

func hasFault(s *hal.State, name hal.FaultName) bool {
	for i := range s.Faults {
		if s.Faults[i].Name == name {
			return true
		}
	}
	return false
}
