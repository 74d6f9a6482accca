package demo

import (
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

func value(v float64) *float64 { return &v }

// Targets become joints over time: from the neutral pose through each target, no faster than asked.
func TestActionsBecomeADemonstration(t *testing.T) {
	joints, err := FromActions([]api.ShownAction{
		{Head: &api.HeadTarget{Yaw: value(20), Pitch: value(10)}, Duration: 1},
		{Antennas: &api.AntennasTarget{Left: 30, Right: -30}, Duration: 0.4},
		{BodyYaw: value(15), Duration: 0.4},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 25 + 10 + 10; len(joints) != want {
		t.Fatalf("%d frames, want %d", len(joints), want)
	}
	var solver kinematics.Solver
	for _, c := range []struct {
		frame            int
		yaw, pitch, left float64
	}{{0, 0, 0, 0}, {25, 20, 10, 0}, {35, 20, 10, 30}, {45, 20, 10, 30}} {
		pose, err := solver.Forward(&joints[c.frame])
		if err != nil {
			t.Fatal(err)
		}
		h, deg := pose.Head(), 180/math.Pi
		left := joints[c.frame][hal.LeftAntenna] * deg
		if math.Abs(h.Yaw*deg-c.yaw) > 0.1 || math.Abs(h.Pitch*deg-c.pitch) > 0.1 || math.Abs(left-c.left) > 0.1 {
			t.Errorf("frame %d: yaw %.2f pitch %.2f antenna %.2f, want %+v", c.frame, h.Yaw*deg, h.Pitch*deg, left, c)
		}
	}
	d := Demo{Name: "x", Rate: Rate, Joints: joints}
	if r, err := d.Recording(); err != nil || len(r.Frames) < 30 {
		t.Errorf("it is no move: %v", err)
	}
}

func TestActionsThatAreNone(t *testing.T) {
	turn := api.ShownAction{BodyYaw: value(1), Duration: 45}
	for want, actions := range map[string][]api.ShownAction{
		"there are none":         {},
		"actions[1]: head":       {turn, {Duration: 1}},
		"actions[2]: the demons": {turn, turn, turn},
	} {
		if _, err := FromActions(actions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
