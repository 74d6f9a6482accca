package training

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/demonstration"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/learner/demo"
	"github.com/reachyd/reachyd/learner/imitate"
	"github.com/reachyd/reachyd/learner/train"
	practice "github.com/reachyd/reachyd/learner/worker"
)

// realTrainer is the trainer of reachy-learn, with the plain servo model.
func realTrainer(socket string) {
	dir := filepath.Join(filepath.Dir(socket), "runs")
	l, err := local.Listen(socket)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	t := &practice.Trainer{Dir: dir, Plants: train.SimplePlants, Log: zerolog.Nop()}
	s := &practice.Server{Trainer: t}
	t.Changed = s.Tell
	_ = s.Serve(context.Background(), l) // until the supervisor ends it
}

type noEvents struct{}

func (noEvents) Publish(string, api.Payload) {}

// showing is a recorder of a simulated robot, whose frames come when the hand has placed the joints.
type showing struct {
	*demonstration.Recorder

	robot  *bodytest.Robot
	frames chan time.Time
	at     atomic.Pointer[hal.State] // measured with the frame
}

func newShowing(t *testing.T) *showing {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close(0) })
	dir := t.TempDir()
	s := &showing{frames: make(chan time.Time)}
	s.at.Store(&hal.State{})
	s.robot = bodytest.New(t, dir, motion.Config{}, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l, Log: zerolog.Nop()} })
	s.Recorder = &demonstration.Recorder{
		Body: s.robot.Client, State: func() hal.State { return *s.at.Load() }, Kept: store.NewBucket[demo.Demo](st, "demonstrations", store.Keep{}),
		Moves: filepath.Join(dir, "moves"), Events: noEvents{}, Tick: func() (<-chan time.Time, func()) { return s.frames, func() {} },
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *showing) must(t *testing.T, args string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bodytest.Patience)
	defer cancel()
	if _, err := s.Demonstrate(ctx, json.RawMessage(args)); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
}

// guide leads the joints of the robot, which the motors have let go, along a movement, and records what the robot measures of it.
func (s *showing) guide(t *testing.T, d *demo.Demo, name string) {
	t.Helper()
	s.must(t, fmt.Sprintf(`{"action":"record","name":%q,"task":%q,"how":"hand"}`, name, d.Task))
	if held := s.robot.Servos.Torque(); held != 0 {
		t.Fatalf("the motors hold %v", held)
	}
	for _, q := range d.Joints {
		s.robot.Servos.Place(q)
		at := s.robot.Until(t, "the joints where the hand placed them", func(st *hal.State) bool {
			for j := range q {
				if math.Abs(st.Joints[j]-q[j]) > 1e-3 {
					return false
				}
			}
			return true
		})
		s.at.Store(&at)
		s.frames <- time.Time{}
	}
	s.must(t, `{"action":"stop"}`)
}

// Moves that a hand guides on the joints of the simulated robot are recorded, kept, cloned by the trainer and tried on starts and targets that
// nobody has shown.
func TestWhatAHandShowsIsPractised(t *testing.T) {
	const moves = 6
	shown, rng := newShowing(t), rand.New(rand.NewPCG(5, 6)) //nolint:gosec // a simulation
	for k := range moves {
		d, err := imitate.Guided(rng)
		if err != nil {
			t.Fatal(err)
		}
		shown.guide(t, d, fmt.Sprintf("reach %d", k))
	}
	heads, err := shown.Heads("reach", decisions)
	if err != nil || len(heads) != moves {
		t.Fatalf("%d movements, %v", len(heads), err)
	}
	s, _, _ := rigAs(t, time.Hour, "TRAINER_TEST_REAL")
	s.Shown = shown.Heads
	ctx, cancel := context.WithTimeout(t.Context(), 10*bodytest.Patience)
	defer cancel()
	got, err := s.Train(ctx, json.RawMessage(`{"action":"start","from_demo":"reach","episodes":1,"seed":1}`))
	if err != nil {
		t.Fatal(err)
	}
	var st practice.Status
	if err := json.Unmarshal(got.(json.RawMessage), &st); err != nil || st.Best == nil {
		t.Fatalf("%s, %v", got, err)
	}
	t.Logf("after %d moves, on %d unseen starts: success %.0f %%, return %.2f", moves, st.Best.Episodes, 100*st.Best.Success, st.Best.Return)
	if st.Best.Success < 0.2 || st.Best.Return < -4 {
		t.Errorf("the clone of %d moves: %+v", moves, st.Best)
	}
}
