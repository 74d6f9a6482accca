package motion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func TestStreamLease(t *testing.T) {
	r := newRig(t)
	first, second := r.NewStreamer("first"), r.NewStreamer("second")
	target := func(yaw float64) *hal.Request {
		return &hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: deg(yaw)}.Goal()}
	}
	if a, _ := first.Target(target(10)); a.Outcome != hal.Accepted {
		t.Fatalf("first: %+v", a)
	}
	r.ticks(1)
	if a, _ := second.Target(target(-10)); a.Code != hal.CodeLease || !strings.Contains(a.Reason, "first") {
		t.Fatalf("second: %+v", a)
	}
	id := r.State().Move
	if id == "" || r.State().MoveName != "stream first" {
		t.Fatalf("state %+v", r.State())
	}
	r.seconds(1.9)
	if !r.State().Moving {
		t.Fatal("authority lost too early")
	}
	r.seconds(0.2)
	if e := r.until(id); e.End != hal.EndCancelled || !strings.Contains(e.Reason, "silent") {
		t.Errorf("ended %+v", e)
	}
	if a, _ := second.Target(target(-10)); a.Outcome != hal.Accepted {
		t.Errorf("second after the lease was lost: %+v", a)
	}
	r.ticks(2)
	second.Close()
	r.ticks(2)
	if a, _ := first.Target(target(5)); a.Outcome != hal.Accepted {
		t.Errorf("first after the lease was given back: %+v", a)
	}
	r.ticks(1)
	move := r.must(yawTo(30)).Move
	if a, _ := first.Target(target(5)); a.Code != hal.CodeLease {
		t.Errorf("a displaced stream took the robot back: %+v", a)
	}
	if e := r.until(move); e.End != hal.EndDone {
		t.Errorf("move ended %+v", e)
	}
	r.ticks(2)
	if a, _ := first.Target(target(5)); a.Outcome != hal.Accepted {
		t.Errorf("first after the move: %+v", a)
	}
	r.ticks(2)
	first.Close()
	r.seconds(1)
	r.checkEnvelope()
}

// A stream that means harm: everything a float can be, alternating extremes, at 130 targets a tick.
func TestHostileStreamStaysInside(t *testing.T) {
	for seed := range uint64(3) { // some end where the straight way of the arms is barred
		t.Run(fmt.Sprint(seed), func(t *testing.T) { hostileStream(t, rand.New(rand.NewPCG(3+5*seed, 4-seed))) })
	}
}

func hostileStream(t *testing.T, rng *rand.Rand) {
	r := newRig(t)
	s := r.NewStreamer("hostile")
	weird := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1e-320, 0, math.MaxFloat64, math.Pi, -math.Pi, 99, -99}
	value := func(scale float64) float64 {
		switch rng.IntN(20) {
		case 0:
			return weird[rng.IntN(len(weird))]
		case 1, 2, 3, 4, 5:
			return scale * float64(1-2*rng.IntN(2))
		}
		return scale * (2*rng.Float64() - 1)
	}
	var refused, clamped, taken, worst int
	for i := range 100_000 {
		req := hal.Request{Verb: hal.VerbTarget}
		scale := []float64{1, 3, 0.3}[i/7000%3]
		if rng.IntN(10) > 0 {
			req.Head = hal.Head{
				X: value(0.05 * scale), Y: value(0.05 * scale), Z: value(0.05 * scale),
				Roll: value(0.8 * scale), Pitch: value(0.8 * scale), Yaw: value(3.2 * scale),
			}.Goal()
		}
		if rng.IntN(3) > 0 {
			req.BodyYaw = ptr(value(2.9 * scale))
		}
		if rng.IntN(3) > 0 {
			req.Antennas = hal.Antennas{Left: value(3.2 * scale), Right: value(3.2 * scale)}.Goal()
		}
		a, judged := s.Target(&req)
		switch {
		case a.Outcome == hal.Rejected:
			refused++
		case a.Outcome == hal.Clamped:
			clamped++
		case judged:
			taken++
		}
		if i%130 == 0 || (i > 90_000 && i%3 == 0) {
			r.ticks(1 + rng.IntN(2))
			if _, err := r.aiming.Forward(&r.lim.q); err != nil {
				worst++
			}
		}
	}
	r.checkEnvelope()
	t.Logf("%d goals written; %d targets refused, %d clamped, %d taken as they were; %d goals without a head pose",
		len(r.bus.history), refused, clamped, taken, worst)
	if refused == 0 || clamped == 0 || taken == 0 {
		t.Error("the stream was not as hostile as it was meant to be")
	}
	if worst > 0 {
		t.Errorf("%d goals pull the rods against each other", worst)
	}
}
