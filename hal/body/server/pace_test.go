package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

func TestNews(t *testing.T) {
	rests := hal.State{Mode: hal.ModeEnabled, Torque: hal.AllJoints, Faults: []hal.Fault{{Name: hal.FaultVoltage}}}
	limp := hal.State{Mode: hal.ModeDisabled}
	const much = 3 * stray
	for name, c := range map[string]struct {
		told   *hal.State
		change func(*hal.State)
		want   bool
	}{
		"nothing":                {&rests, func(*hal.State) {}, false},
		"the time":               {&rests, func(s *hal.State) { s.TS = time.Unix(1, 0) }, false},
		"breathing":              {&rests, func(s *hal.State) { s.Goal[3], s.Joints[3] = much, much }, false},
		"breathing, with a lag":  {&rests, func(s *hal.State) { s.Goal[3], s.Joints[3] = much, much-0.012 }, false},
		"noise":                  {&rests, func(s *hal.State) { s.Joints[3], s.Velocity[3], s.Current[3] = stray/6, 0.1, 0.1 }, false},
		"a joint that is pushed": {&rests, func(s *hal.State) { s.Joints[hal.LeftAntenna] = -much }, true},
		"a goal nobody follows":  {&rests, func(s *hal.State) { s.Goal[hal.BodyYaw] = much }, true},
		"a limp joint is moved":  {&limp, func(s *hal.State) { s.Joints[0], s.Goal[0] = much, much }, true},
		"a move":                 {&rests, func(s *hal.State) { s.Moving = true }, true},
		"its end":                {&hal.State{Moving: true}, func(s *hal.State) { s.Moving = false }, true},
		"one that waits":         {&rests, func(s *hal.State) { s.Queued = 1 }, true},
		"the mode":               {&rests, func(s *hal.State) { s.Mode = hal.ModeOffline }, true},
		"the torque":             {&rests, func(s *hal.State) { s.Torque = 1 }, true},
		"a stop":                 {&rests, func(s *hal.State) { s.EStop = true }, true},
		"the reason of a stop":   {&rests, func(s *hal.State) { s.EStopReason = "smoke" }, true},
		"whose stop":             {&rests, func(s *hal.State) { s.EStopBy = hal.BySpeech }, true},
		"a fault":                {&rests, func(s *hal.State) { s.Faults = append(s.Faults[:1:1], hal.Fault{Name: hal.FaultOverheat}) }, true},
		"the end of a fault":     {&rests, func(s *hal.State) { s.Faults = nil }, true},
	} {
		s := *c.told
		c.change(&s)
		if got := news(c.told, &s); got != c.want {
			t.Errorf("%s: news is %v", name, got)
		}
	}
}

// TestTheOwnerOfARestingRobotIsLeftAlone counts states between telemetry: to be woken up ten times a second was half of what
// reachyd did at rest. What happens to the robot is told at once all the same.
func TestTheOwnerOfARestingRobotIsLeftAlone(t *testing.T) {
	r := newRobot(t)
	if err := r.Servos.SetTorque(hal.AllJoints, false); err != nil {
		t.Fatal(err)
	}
	r.until(t, func(s *hal.State) bool { return s.Mode == hal.ModeDisabled && !s.Moving })
	const rested, shoved = 3, 0.1
	ctx, done := context.WithCancel(soon(t))
	states, seconds, told := 0, 0, false
	err := r.Own(ctx, MaxWatchHz, func(m body.Message) {
		switch {
		case m.Telemetry != nil:
			if seconds++; seconds == rested {
				r.Servos.Place(hal.Joints{hal.LeftAntenna: shoved})
			}
		case m.State != nil && seconds < rested:
			states++
		case m.State != nil && m.State.Joints[hal.LeftAntenna] == shoved:
			told = seconds == rested // not with the next telemetry only
			done()
		}
	})
	if !errors.Is(err, context.Canceled) || !told {
		t.Errorf("that it was pushed was told: %v (%v)", told, err)
	}
	if states > 10*rested {
		t.Errorf("%d states in %d s of rest", states, rested)
	}
}
