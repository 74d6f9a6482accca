package handling

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/imu"
)

// robot notes what is asked of it, and what is told.
type robot struct {
	mu      sync.Mutex
	verbs   []hal.Verb
	refuses hal.Verb
	torque  hal.JointMask
	told    []api.Handling
	said    []string
	fault   string
}

func (r *robot) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verbs = append(r.verbs, req.Verb)
	if req.Verb == r.refuses {
		return hal.Answer{Outcome: hal.Rejected, Reason: "the emergency stop is latched"}, nil
	}
	if req.Verb == hal.VerbMotors && (req.On == nil || *req.On) {
		return hal.Answer{}, errors.New("motors on")
	}
	r.torque = 0
	return hal.Answer{Outcome: hal.Accepted}, nil
}

func (r *robot) guard() *Guard {
	return &Guard{
		Body: r, Log: zerolog.Nop(),
		State: func() hal.State { r.mu.Lock(); defer r.mu.Unlock(); return hal.State{Torque: r.torque} },
		Publish: func(_ string, data api.Payload) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, data.(api.Handling)) //nolint:forcetypeassert // nothing else is published
		},
		Report: func(name hal.FaultName, detail string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if name == hal.FaultMotionSensor {
				r.fault = detail
			}
		},
		Say: func(_ context.Context, text string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.said = append(r.said, text)
			return nil
		},
	}
}

// play gives a guard a series of readings, each for so many samples, and waits until it has acted on them.
func play(t *testing.T, g *Guard, series ...any) {
	t.Helper()
	all, err := reactions()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Duration(0)
	for i := 0; i < len(series); i += 2 {
		for range series[i].(int) { //nolint:forcetypeassert // the test is wrong
			at += time.Second / rate
			if err := g.Take(t.Context(), at, series[i+1].(imu.Sample), nil, all); err != nil { //nolint:forcetypeassert // the same
				t.Fatal(err)
			}
		}
		g.acts.Wait()
	}
}

var (
	rest = imu.Sample{Accel: imu.Vector{0, 0, imu.Gravity}}
	up   = imu.Sample{Accel: imu.Vector{0, 0, imu.Gravity + 1.5}}
	down = imu.Sample{Accel: imu.Vector{0, 0, imu.Gravity - 1.5}}
	free = imu.Sample{}
	side = imu.Sample{Accel: imu.Vector{imu.Gravity, 0, 0}}
	over = imu.Sample{Accel: imu.Vector{0, 0, imu.Gravity}, Turn: imu.Vector{0, -3, 0}}
)

func TestLetsGoAndTells(t *testing.T) {
	for name, c := range map[string]struct {
		series  []any
		torque  hal.JointMask
		refuses hal.Verb
		verbs   []hal.Verb
		kinds   string
		said    string
	}{
		"lifted": {
			[]any{200, rest, 20, up, 20, down, 150, rest},
			hal.AllJoints, "",
			[]hal.Verb{hal.VerbSleep},
			"lifted stands", "so I lie down and let go",
		},
		"lifted when asleep": {[]any{200, rest, 20, up, 20, down, 150, rest}, 0, "", nil, "lifted stands", "I am being lifted or tilted."},
		"lifted, lying down refused": {
			[]any{200, rest, 20, up, 20, down}, hal.AllJoints, hal.VerbSleep, []hal.Verb{hal.VerbSleep, hal.VerbMotors}, "lifted", "let go",
		},
		"falling, all refused": {
			[]any{200, rest, 10, free}, hal.AllJoints, hal.VerbMotors, []hal.Verb{hal.VerbMotors}, "falling", "I am falling.",
		},
		"falling":       {[]any{200, rest, 10, free}, hal.AllJoints, "", []hal.Verb{hal.VerbMotors}, "falling", "I am falling, so"},
		"tips and lies": {[]any{200, rest, 26, over, 300, side}, hal.AllJoints, "", []hal.Verb{hal.VerbMotors}, "tipped lies", "I am tipping over, so"},
		"rest":          {[]any{400, rest}, hal.AllJoints, "", nil, "", ""},
	} {
		r := &robot{torque: c.torque, refuses: c.refuses}
		play(t, r.guard(), c.series...)
		kinds := make([]string, 0, len(r.told))
		for _, e := range r.told {
			kinds = append(kinds, e.Kind)
		}
		if got := strings.Join(kinds, " "); got != c.kinds || !slices.Equal(r.verbs, c.verbs) {
			t.Errorf("%s: told %q, wanted %q; the body was asked for %v, wanted %v", name, got, c.kinds, r.verbs, c.verbs)
		}
		if !strings.Contains(strings.Join(r.said, "\n"), c.said) || len(r.said) != len(r.told) {
			t.Errorf("%s: said %q, wanted %q", name, r.said, c.said)
		}
	}
}

func TestEveryKindHasItsReplies(t *testing.T) {
	all, err := reactions()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []imu.Kind{imu.Lifted, imu.Tipped, imu.Falling, imu.Lies, imu.Stands} {
		if r := all[k]; r.Else == "" || (r.verb == "") != (r.LetGo == "") {
			t.Errorf("%s: %+v", k, r)
		}
	}
}

// sensor gives readings until it fails.
type sensor struct {
	good   int
	sample imu.Sample
}

func (s *sensor) Read() (imu.Sample, error) {
	if s.good--; s.good < 0 {
		return imu.Sample{}, errors.New("remote I/O error")
	}
	return s.sample, nil
}

func (s *sensor) Close() {}

func TestASensorThatIsLostIsAFault(t *testing.T) {
	r := &robot{}
	g := r.guard()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	g.Open = func() (Sensor, error) { return &sensor{good: 3, sample: rest}, nil }
	report := g.Report
	g.Report = func(name hal.FaultName, detail string) {
		report(name, detail)
		if detail != "" {
			cancel()
		}
	}
	if err := g.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("waited a minute for the fault: %v", err)
	}
	if !strings.Contains(r.fault, "does not notice that it is lifted or falls: remote I/O error") || g.Newest() != nil {
		t.Errorf("%q, %v", r.fault, g.Newest())
	}
}

func TestWithoutASensorThereIsNothingToDo(t *testing.T) {
	g := (&robot{}).guard()
	g.Open = func() (Sensor, error) { return nil, imu.ErrNone }
	if err := g.Run(t.Context()); err != nil || g.Newest() != nil {
		t.Error(err)
	}
}

func TestAWrongScaleIsAFaultAndEndsWhenItIsMended(t *testing.T) {
	r := &robot{}
	g := r.guard()
	play(t, g, 200, imu.Sample{Accel: imu.Vector{0, 0, 1}})
	if !strings.Contains(r.fault, "its scale is wrong") || len(r.told) > 0 {
		t.Errorf("%q, %v", r.fault, r.told)
	}
	play(t, g, 200, rest)
	if r.fault != "" {
		t.Error(r.fault)
	}
	if m := g.Newest(); m == nil || m.Accel[2] != imu.Gravity || m.Posture != "stands" {
		t.Errorf("%+v", m)
	}
}
