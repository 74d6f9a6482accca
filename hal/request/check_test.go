package request

import (
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func ptr[T any](v T) *T { return &v }

// still is a recording that stays at rest at the given times.
func still(times ...float64) *hal.Recording {
	r := &hal.Recording{Time: times, Frames: make([]hal.Frame, len(times))}
	for i := range r.Frames {
		for k := range 3 {
			r.Frames[i].Head[k][k] = 1
		}
	}
	return r
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	good := func() *hal.Recording { return still(0, 0.1, 0.2) }
	nan := good()
	nan.Frames[1].Head[0][0] = math.NaN()
	mirror := good()
	mirror.Frames[2].Head[0][0] = -1
	falling := good()
	falling.Time[2] = 0
	short := good()
	short.Time = short.Time[:2]
	long := good()
	long.Time[2] = 1000
	for _, c := range []struct {
		req  hal.Request
		want string
	}{
		{hal.Request{Verb: "fly"}, `verb is "fly"; allowed are emotion gesture goto`},
		{hal.Request{Verb: hal.VerbGoto}, "needs head, body_yaw or antennas"},
		{hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{}}, "head is empty; needed is at least one of x, y, z, roll, pitch, yaw"},
		{hal.Request{Verb: hal.VerbTarget, Head: &hal.HeadGoal{}}, "head is empty"},
		{hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: ptr(101.0)}}, "head.yaw is 101 rad; allowed is -100…100"},
		{hal.Request{Verb: hal.VerbGoto, Antennas: &hal.AntennaGoal{}}, "antennas is empty; needed is left, right or both"},
		{hal.Request{Verb: hal.VerbGoto, Antennas: &hal.AntennaGoal{Left: ptr(-101.0)}}, "antennas.left is -101 rad; allowed is -100…100"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Name: "x"}, "goto does not use name; it takes head"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{X: math.NaN()}.Goal()}, "head.x is NaN"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Z: 11}.Goal()}, "head.z is 11 m; allowed is -10…10"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Roll: math.Inf(-1)}.Goal()}, "head.roll is -Inf"},
		{hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(1e9)}, "body_yaw is 1e+09 rad"},
		{hal.Request{Verb: hal.VerbGoto, Antennas: hal.Antennas{Right: math.NaN()}.Goal()}, "antennas.right is NaN"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Duration: -1}, "duration is -1 s; allowed is 0…60"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Duration: math.NaN()}, "duration is NaN s"},
		{hal.Request{Verb: hal.VerbGesture, Name: "nod", Size: 1.6}, "size is 1.6; allowed is 0.2…1.5"},
		{hal.Request{Verb: hal.VerbEmotion, Name: "happy", Size: math.NaN()}, "size is NaN"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Size: 1}, "goto does not use size"},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Easing: "magic"}, `law is "magic"; allowed are min_jerk`},
		{hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), ID: strings.Repeat("x", 201)}, "id has 201 bytes"},
		{hal.Request{Verb: hal.VerbGesture}, "gesture needs name"},
		{hal.Request{Verb: hal.VerbGesture, Name: "jump"}, `gesture "jump" is unknown; known are bow circle dance look_around nod shake shrug wave wiggle_antennas`},
		{hal.Request{Verb: hal.VerbEmotion, Name: "grumpy"}, "known are angry bored confused curious excited happy loving neutral proud sad scared surprised tired"},
		{hal.Request{Verb: hal.VerbMotors}, "motors needs on"},
		{hal.Request{Verb: hal.VerbMotors, On: ptr(true), Joints: []string{"nose"}}, `joint "nose" is unknown`},
		{hal.Request{Verb: hal.VerbStop, Category: ptr(2)}, "category is 2; allowed are 0"},
		{hal.Request{Verb: hal.VerbOffset, Head: hal.Head{}.Goal()}, "offset needs source"},
		{hal.Request{Verb: hal.VerbPlay}, "play needs recording"},
		{hal.Request{Verb: hal.VerbPlay, Recording: nan}, "set_target_data[1].head[0][0] is NaN"},
		{hal.Request{Verb: hal.VerbPlay, Recording: mirror}, "set_target_data[2].head is not a rotation"},
		{hal.Request{Verb: hal.VerbPlay, Recording: falling}, "recording.time[2] is 0; times must be finite and rise"},
		{hal.Request{Verb: hal.VerbPlay, Recording: short}, "2 times and 3 frames"},
		{hal.Request{Verb: hal.VerbPlay, Recording: long}, "recording lasts"},
		{hal.Request{Verb: hal.VerbPlay, Recording: &hal.Recording{}}, "0 frames; allowed are 2…6000"},
	} {
		a := Check(&c.req)
		if a == nil || a.Outcome != hal.Rejected || !strings.Contains(a.Reason, c.want) {
			t.Errorf("%+v: %+v; want %q", c.req, a, c.want)
		}
	}
}

// What is at a limit is allowed, what is just beyond it is not.
func TestLimits(t *testing.T) {
	yaw := func(v float64) hal.Request { return hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: &v}} }
	lasting := func(v float64) hal.Request {
		return hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Duration: v}
	}
	named := func(n int) hal.Request { return hal.Request{Verb: hal.VerbHold, ID: strings.Repeat("x", n)} }
	frames := func(n int) hal.Request {
		times := make([]float64, n)
		for i := range times {
			times[i] = float64(i) / 1000
		}
		return hal.Request{Verb: hal.VerbPlay, Recording: still(times...)}
	}
	for _, c := range []struct {
		name        string
		at, beyond  hal.Request
		wantMention string
	}{
		{"angle", yaw(maxRadians), yaw(maxRadians + 1e-9), "head.yaw"},
		{"duration", lasting(MaxDuration), lasting(MaxDuration + 1e-9), "duration"},
		{"id", named(MaxName), named(MaxName + 1), "id has 201 bytes"},
		{"frames", frames(MaxFrames), frames(MaxFrames + 1), "6001 frames"},
		{"fewest frames", frames(2), frames(1), "1 frames"},
		{
			"recording's duration",
			hal.Request{Verb: hal.VerbPlay, Recording: still(0, MaxDuration)},
			hal.Request{Verb: hal.VerbPlay, Recording: still(0, MaxDuration+1e-9)},
			"recording lasts",
		},
	} {
		if a := Check(&c.at); a != nil {
			t.Errorf("%s at its limit: %+v", c.name, a)
		}
		if a := Check(&c.beyond); a == nil || a.Outcome != hal.Rejected || !strings.Contains(a.Reason, c.wantMention) {
			t.Errorf("%s beyond its limit: %+v; want %q", c.name, a, c.wantMention)
		}
	}
}

// Every verb is accepted with exactly the fields that it must have, and refused without any one of them.
func TestVerbsNeedTheirFields(t *testing.T) {
	whole := map[hal.Verb]hal.Request{
		hal.VerbGoto:    {BodyYaw: ptr(0.1)},
		hal.VerbTarget:  {BodyYaw: ptr(0.1)},
		hal.VerbGesture: {Name: "nod"},
		hal.VerbEmotion: {Name: "happy"},
		hal.VerbPlay:    {Recording: still(0, 1)},
		hal.VerbMotors:  {On: ptr(true)},
		hal.VerbOffset:  {Head: hal.Head{}.Goal(), Source: "test"},
		hal.VerbIdle:    {On: ptr(true)},
	}
	for _, name := range Verbs() {
		r := whole[hal.Verb(name)]
		r.Verb = hal.Verb(name)
		if a := Check(&r); a != nil {
			t.Errorf("%s: %+v", name, a)
		}
		if _, needs := whole[r.Verb]; !needs {
			continue
		}
		if a := Check(&hal.Request{Verb: r.Verb}); a == nil || !strings.HasPrefix(a.Reason, name+" needs ") {
			t.Errorf("%s without its fields: %+v", name, a)
		}
	}
}
