package training

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/onrobot"
)

// floorRig is a robot in real time on which an environment may act.
type floorRig struct {
	*bodytest.Robot
	floor   *Floor
	arbiter *arbiter.Arbiter
	client  *onrobot.Client
	env     env.Env
	end     context.CancelFunc // of the floor
	obs     []float32
	act     []float32
}

func newFloor(t *testing.T) *floorRig {
	t.Helper()
	dir := t.TempDir()
	r := &floorRig{arbiter: arbiter.New(nil), obs: make([]float32, 16), act: make([]float32, 4)}
	r.Robot = bodytest.New(t, dir, motion.Config{}, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l, Log: zerolog.Nop()} })
	r.floor = &Floor{Body: r.Client, Arbiter: r.arbiter, Socket: filepath.Join(dir, "floor.sock"), Rest: time.Millisecond}
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	done := make(chan error, 1)
	go func() { done <- r.floor.Run(ctx) }()
	r.client = onrobot.NewClient(r.floor.Socket)
	r.env = env.NewReach(env.Options{Live: r.client})
	t.Cleanup(func() {
		r.client.Close()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for end := time.Now().Add(bodytest.Patience); ; time.Sleep(time.Millisecond) { // until it listens
		if _, err := r.client.Begin(hal.Head{}); err == nil {
			t.Fatal("the robot moved before anybody agreed")
		} else if strings.Contains(err.Error(), errNobody.Error()) {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the floor does not answer: %v", err)
		}
	}
	return r
}

func (r *floorRig) state(t *testing.T) hal.State {
	t.Helper()
	s, err := r.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// live lets the classical solution act until the episode is over; before is called before each step. The floor ends with r.end when
// that takes too long, and with it what waits for the robot.
func (r *floorRig) live(seed uint64, before func(step int)) (last env.Outcome, steps int) {
	late := time.AfterFunc(bodytest.Patience, r.end)
	defer late.Stop()
	r.env.Reset(seed, r.obs)
	classic := &env.ClassicReach{}
	for ; !last.Done(); steps++ {
		before(steps)
		classic.Act(r.obs, r.act)
		last = r.env.Step(r.act, r.obs)
	}
	return last, steps
}

// near reports whether heads are at the same place, but for what the solver leaves over.
func near(a, b hal.Head) bool {
	const little = 1e-3 // rad and m
	return max(math.Abs(a.Yaw-b.Yaw), math.Abs(a.Pitch-b.Pitch), math.Abs(a.Roll-b.Roll), math.Abs(a.X-b.X), math.Abs(a.Y-b.Y), math.Abs(a.Z-b.Z)) < little
}

func TestLearningMovesTheRobotOnlyWhenSomebodyAgreesAndUntilAStop(t *testing.T) {
	r := newFloor(t)
	at := r.state(t).Head
	if o, _ := r.live(2, func(int) {}); !o.Halted || o.Stopped || !near(r.state(t).Head, at) {
		t.Fatalf("nobody has agreed: %+v, the head is at %+v", o, r.state(t).Head)
	}
	r.env = env.NewReach(env.Options{Live: r.client})
	r.floor.grant()
	o, n := r.live(2, func(int) {})
	if !o.Success || o.Unsafe > 0 || n < 3 {
		t.Fatalf("after %d steps: %+v", n, o)
	}
	// A stop in the middle of the next episode.
	o, n = r.live(4, func(step int) {
		if step == 2 {
			if _, err := r.Do(t.Context(), hal.Request{Verb: hal.VerbStop, Source: "test"}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if !o.Stopped || !o.Halted || o.Human != -1 || o.Reward > -1 || n != 3 {
		t.Fatalf("stopped, after %d steps: %+v", n, o)
	}
	if _, err := r.Do(t.Context(), hal.Request{Verb: hal.VerbReset, Source: "test"}); err != nil {
		t.Fatal(err)
	}
	at = r.Until(t, "rest", func(s *hal.State) bool { return !s.Moving }).Head
	if o, n := r.live(6, func(int) {}); !o.Halted || o.Stopped || n != 1 {
		t.Fatalf("released, and nobody has agreed anew: %+v", o)
	}
	if now := r.state(t).Head; !near(now, at) {
		t.Errorf("the head moved from %+v to %+v", at, now)
	}
}

// A policy that knows nothing asks for poses that the robot cannot take. The action space ends where the robot does: that is counted
// apart, does not end anything, and the body is asked for nothing that it would have to change.
func TestNonsenseStaysWithinWhatTheRobotCanDo(t *testing.T) {
	r := newFloor(t)
	r.env = env.NewReach(env.Options{Live: r.client})
	r.floor.grant()
	r.env.Reset(2, r.obs)
	unsafe, limited := 0, 0
	for k := range 12 {
		for i := range r.act {
			r.act[i] = float32(1 - 2*(k/4+i)%2)
		}
		o := r.env.Step(r.act, r.obs)
		unsafe, limited = unsafe+o.Unsafe, limited+o.Limited
		if o.Halted {
			t.Fatalf("after %d decisions: %+v, %v", k, o, r.client.Why())
		}
	}
	if limited == 0 {
		t.Error("all of it could be done")
	}
	if unsafe > 0 {
		t.Errorf("the body changed %d of 12 actions", unsafe)
	}
}

// tardy is a body that the first target reaches late: once somebody else has moved, or when they do not for a while.
type tardy struct {
	Body
	arrived, moved chan struct{}
	once           sync.Once
}

func (b *tardy) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	if req.Verb == hal.VerbTarget {
		b.once.Do(func() {
			close(b.arrived)
			select {
			case <-b.moved:
			case <-time.After(time.Second):
			}
		})
		ctx = context.WithoutCancel(ctx) // it is on its way already
	}
	return b.Body.Do(ctx, req)
}

// Somebody says "look left" while a target of the practice is on its way to the body.
func TestATargetOnItsWayDoesNotEndWhatSomebodyAskedFor(t *testing.T) {
	r := newFloor(t)
	b := &tardy{Body: r.Client, arrived: make(chan struct{}), moved: make(chan struct{})}
	r.floor.Body = b
	r.env = env.NewReach(env.Options{Live: r.client})
	r.floor.grant()
	lived := make(chan env.Outcome, 1)
	go func() {
		o, _ := r.live(2, func(int) {})
		lived <- o
	}()
	ctx, cancel := context.WithTimeout(t.Context(), bodytest.Patience)
	defer cancel()
	select {
	case <-b.arrived:
	case <-ctx.Done():
		t.Fatal("the practice has not begun")
	}
	c := r.arbiter.Claim(ctx)
	defer c.End()
	if !c.Begin() {
		t.Fatalf("the robot is not given: %v", context.Cause(c.Context()))
	}
	const left = math.Pi / 6
	a, err := r.Do(ctx, hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: new(left)}, Duration: 1})
	if err != nil || a.Outcome == hal.Rejected {
		t.Fatalf("%+v, %v", a, err)
	}
	close(b.moved)
	end, err := r.Wait(ctx, a.Move)
	if err != nil || end.End != hal.EndDone {
		t.Fatalf("%+v, %v", end, err)
	}
	if yaw := r.state(t).Head.Yaw; math.Abs(yaw-left) > 0.05 {
		t.Errorf("the head is at %.1f°", yaw*180/math.Pi)
	}
	if o := <-lived; !o.Truncated || o.Halted {
		t.Errorf("the episode: %+v", o)
	}
}

func TestWhatIsSaidBrakesLearningAndNewerCommandsTakeTheRobot(t *testing.T) {
	r := newFloor(t)
	r.env = env.NewReach(env.Options{Live: r.client})
	r.floor.grant()
	o, _ := r.live(2, func(step int) {
		if step == 1 {
			c := r.arbiter.Claim(t.Context()) // as "look left" does
			if c.Begin() {
				c.End()
			}
		}
	})
	if o.Halted || o.Stopped || !o.Truncated {
		t.Fatalf("taken over: %+v", o)
	}
	o, _ = r.live(4, func(step int) {
		if step == 1 {
			r.arbiter.InterruptActing(arbiter.ErrStopped) // as "stop moving" does
		}
	})
	if !o.Halted || !o.Stopped {
		t.Fatalf("braked: %+v", o)
	}
}

func TestLearnedMotionIsNeitherFastNorFromElsewhere(t *testing.T) {
	r := newFloor(t)
	for says, ask := range map[string]onrobot.Glide{
		"rad of one decision":            {To: hal.Head{Yaw: 0.2}},
		"rad of one decision; at most":   {To: hal.Head{Pitch: -1}},
		"m of one decision":              {To: hal.Head{Z: 0.02}},
		"where the last movement ended,": {From: hal.Head{Yaw: 0.1}, To: hal.Head{Yaw: 0.1}},
	} {
		r.floor.grant()
		if _, err := r.client.Begin(hal.Head{}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.client.Glide(ask.From, ask.To); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", ask, err, says)
		}
		if _, err := r.client.Begin(hal.Head{}); err == nil {
			t.Error("who asked for that may go on")
		}
	}
	if yaw := r.state(t).Head.Yaw; math.Abs(yaw) > 0.05 {
		t.Errorf("the head is at %.2f rad", yaw)
	}
}

func TestAPersonIsAskedEachTime(t *testing.T) {
	s, events, socket := rig(t, time.Hour)
	s.Floor = &Floor{}
	if _, err := s.Train(t.Context(), json.RawMessage(`{"action":"consent","answer":"yes"}`)); err == nil {
		t.Error("somebody agreed to what nobody asked")
	}
	follow := json.RawMessage(`{"action":"start","on_robot":true,"task":"follow"}`)
	if _, err := s.Train(t.Context(), follow); err == nil || !strings.Contains(err.Error(), "reach_pose") {
		t.Errorf("a task without senses of its own: %v", err)
	}
	ask := func() api.Training {
		t.Helper()
		got, err := s.Train(t.Context(), json.RawMessage(`{"action":"start","on_robot":true,"episodes":7}`))
		if err != nil {
			t.Fatal(err)
		}
		<-events
		return got.(api.Training)
	}
	q := ask()
	if q.State != "asking" || q.Consent == "" || !strings.Contains(q.Message, "May I move") {
		t.Fatalf("asked: %+v", q)
	}
	if _, err := s.Train(t.Context(), json.RawMessage(`{"action":"consent","consent":"another","answer":"yes"}`)); err == nil {
		t.Error("the answer to another question counts")
	}
	if reply, ok := s.Agreed(t.Context(), "what a nice day"); ok {
		t.Errorf("that was no answer: %s", reply)
	}
	if reply, ok := s.Agreed(t.Context(), "No."); !ok || !strings.Contains(reply, "not move") {
		t.Errorf("no: %s %v", reply, ok)
	}
	if e := <-events; e.State != "stopped" {
		t.Errorf("told %+v", e)
	}
	s.AnswerTime = time.Millisecond
	ask()
	if e := <-events; e.State != "stopped" || !strings.Contains(e.Message, "in time") {
		t.Errorf("told %+v", e)
	}
	s.AnswerTime = time.Hour
	q = ask()
	if _, err := s.Floor.agreed(); !errors.Is(err, errNobody) {
		t.Error("somebody has agreed already")
	}
	if _, err := s.Train(t.Context(), json.RawMessage(`{"action":"consent","answer":"yes","consent":"`+q.Consent+`"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Floor.agreed(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"on_robot":true`, `"task":"reach_pose"`, `"episodes":7`} {
		if !strings.Contains(asked(t, socket), want) {
			t.Errorf("the trainer was asked %s, want %s", asked(t, socket), want)
		}
	}
	s.Hear(api.Event{Data: api.EStop{Active: true}})
	if _, err := s.Floor.agreed(); !errors.Is(err, onrobot.ErrStopped) {
		t.Errorf("after a stop: %v", err)
	}
}
