package idle

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/bodytest/simulated"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/perception/scene"
)

// room is a robot with servos that lives, on a clock that runs as fast as the machine can.
type room struct {
	Life
	t       *testing.T
	robot   *simulated.Body
	noise   float64
	follows bool
}

func newRoom(t *testing.T, level Level) *room {
	r := &room{t: t, robot: simulated.New(t, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l} })}
	numbers := 0
	r.Life = Life{
		Body: r.robot, State: r.robot.Snapshot, Level: level, Name: "Pepper",
		Now:       func() time.Time { return time.Unix(1_000_000, 0).Add(r.robot.Now()) },
		Random:    func() float64 { numbers++; return float64(numbers*7%10) / 10 },
		Following: func() bool { return r.follows }, Noise: func() float64 { return r.noise },
	}
	r.init()
	return r
}

// live lets time go by, and returns how far the servos' registers say that the head was turned, lifted and lowered, and how far the
// antennas went, at most, rad and m from where they were.
func (r *room) live(d time.Duration) (most hal.Stance) {
	r.t.Helper()
	from := r.robot.Registers(r.t)
	far := func(most *float64, is, was float64) {
		if math.Abs(is-was) > math.Abs(*most) {
			*most = is - was
		}
	}
	defer r.robot.Run()()
	for end := r.robot.Now() + d; r.robot.Now() < end; {
		next := r.robot.Now() + tick
		r.step(r.t.Context())
		for r.robot.Now() < next {
			r.robot.Advance(r.robot.Now() + tick/10)
			is := r.robot.Registers(r.t)
			far(&most.Head.Yaw, is.Head.Yaw, from.Head.Yaw)
			far(&most.Head.Pitch, is.Head.Pitch, from.Head.Pitch)
			far(&most.Head.Z, is.Head.Z, from.Head.Z)
			far(&most.Antennas.Left, is.Antennas.Left, from.Antennas.Left)
			far(&most.BodyYaw, is.BodyYaw, from.BodyYaw)
		}
	}
	return most
}

// must asks the body, and waits for the end of what it does.
func (r *room) must(req hal.Request) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), bodytest.Patience)
	defer cancel()
	defer r.robot.Run()()
	if a, _, err := r.robot.Perform(ctx, req); err != nil || a.Outcome == hal.Rejected {
		r.t.Fatalf("%s: %+v, %v", req.Verb, a, err)
	}
}

// still fails the test when anything of the robot moves by itself.
func (r *room) still(why string, d time.Duration) {
	r.t.Helper()
	const tick = 2 * math.Pi / 4096 // of a servo
	if m := r.live(d); math.Abs(m.Head.Yaw) > 3*tick || math.Abs(m.Head.Pitch) > 3*tick || math.Abs(m.Antennas.Left) > 2*tick || math.Abs(m.Head.Z) > 0.0005 {
		r.t.Errorf("%s, and it moves by itself: %+v", why, m)
	}
}

// The whole of it on servos: it breathes and glances, looks at what is new, gets sleepy and wakes; and does nothing when it must not.
func TestALifeOnServos(t *testing.T) {
	r := newRoom(t, Calm)
	if m := r.live(20 * time.Second); math.Abs(m.Head.Z) < 0.001 || math.Abs(m.Head.Yaw) > 0.1 {
		t.Errorf("it does not breathe: %+v", m)
	}
	if m := r.live(100 * time.Second); math.Abs(m.Head.Yaw) < 0.05 || math.Abs(m.BodyYaw) > 0.01 {
		t.Errorf("it does not glance: %+v", m)
	}
	r.Hear(api.Event{Data: api.Detection{Objects: []api.Object{{Name: scene.Face, Yaw: 20}}}})
	if m := r.live(3 * time.Second); math.Abs(m.Head.Yaw-20*math.Pi/180) > 0.12 {
		t.Errorf("it does not look at a face 20° to the left: %+v", m)
	}
	r.live(20 * time.Second)
	r.noise = 30
	if m := r.live(2 * time.Second); m.Head.Pitch > -0.04 {
		t.Errorf("a noise does not lift its head: %+v", m)
	}
	r.noise = 0
	r.active = r.active.Add(1*time.Minute - manners[Calm].sleepy) // most of that time is over
	if m := r.live(2 * time.Minute); m.Head.Pitch < 0.1 || m.Antennas.Left < 0.2 {
		t.Errorf("it does not get sleepy: %+v", m)
	}
	r.Hear(api.Event{Data: api.Partial{Text: "hey pepper"}})
	if m := r.live(3 * time.Second); m.Head.Pitch > -0.1 {
		t.Errorf("it does not wake at its name: %+v", m)
	}
	r.follows = true
	r.live(5 * time.Second)
	r.still("it follows something", 12*time.Second)
	r.follows = false
	r.live(10 * time.Second)
	for only, ends := range map[string]api.Payload{"motion": api.MoveStarted{}, "idle": api.ToolCall{Tool: "wake_up"}} {
		r.Hear(api.Event{Data: api.ToolCall{Tool: "stop", Args: map[string]any{"only": only}}})
		r.live(5 * time.Second)
		r.still("it was told to keep still ("+only+")", 12*time.Second)
		r.Hear(api.Event{Data: ends})
		if m := r.live(15 * time.Second); math.Abs(m.Head.Z) < 0.001 {
			t.Errorf("told to keep still (%s), it does not breathe again: %+v", only, m)
		}
	}
	r.Hear(api.Event{Data: api.ToolCall{Tool: "wait", Args: json.RawMessage(`{"seconds":60}`)}})
	r.live(5 * time.Second)
	r.still("it was told to wait", 20*time.Second)
	r.must(hal.Request{Verb: hal.VerbStop})
	r.Hear(api.Event{Data: api.EStop{Active: true}})
	r.live(2 * time.Second)
	r.still("it was stopped", 12*time.Second)
	r.must(hal.Request{Verb: hal.VerbReset})
	r.Hear(api.Event{Data: api.EStop{}})
	r.still("the stop was released and nobody has moved it", 12*time.Second)
	r.must(hal.Request{Verb: hal.VerbGesture, Name: "nod"})
	r.Hear(api.Event{Data: api.MoveStarted{}})
	if m := r.live(15 * time.Second); math.Abs(m.Head.Z) < 0.001 {
		t.Errorf("it does not breathe again after it was moved: %+v", m)
	}
	r.must(hal.Request{Verb: hal.VerbSleep})
	r.live(5 * time.Second)
	const sags = 0.03 // rad, an antenna whose motor is off
	if m := r.live(12 * time.Second); math.Abs(m.Head.Yaw)+math.Abs(m.Head.Pitch) > 0.005 || math.Abs(m.Antennas.Left) > sags {
		t.Errorf("it sleeps, and it moves by itself: %+v", m)
	}
}
