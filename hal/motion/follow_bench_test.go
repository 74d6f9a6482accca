package motion

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/virtual"
)

// plantServos are the simple simulated robot, which hears its goals in each cycle and tells where it was before.
type plantServos struct {
	fakeServos
	plant *virtual.Simple
	drive virtual.Drives
	now   virtual.Motions
	seen  []hal.Joints // where the joints were, one each cycle
}

func (p *plantServos) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	var at hal.Joints
	for j := range goal {
		at[j] = p.now[j].Position
		p.drive[j] = virtual.Drive{On: true, Position: goal[j], Limit: 1}
	}
	p.seen = append(p.seen, at)
	p.history = append(p.history, *goal)
	p.plant.Step(0.01, &p.drive, &p.now)
	fb.Position, fb.Fresh = at, hal.AllJoints
	return nil
}

// followed is how a stream of a sine was followed: the goals on the bus, and the joints.
type followed struct {
	goalLag, lag   float64 // s behind the targets
	goalJerk, jerk float64 // RMS of the six arms, rad/s³
	ideal          float64 // jerk of the targets themselves
	gain           float64 // of the joints
}

// followSine streams a sine of hz, a target about every so many ticks, and looks at one joint. jitter is the part of the
// interval by which targets come early or late.
func followSine(tb testing.TB, every, jitter, hz float64, joint hal.Joint, req func(s float64) hal.Request) followed {
	plant := &plantServos{fakeServos: fakeServos{torque: hal.AllJoints}}
	start := jointsOf(tb, hal.AwakeHead, 0, hal.AwakeAntennas)
	plant.plant = virtual.NewSimple(start)
	plant.plant.Reset(&plant.now)
	plant.pos = start
	clock := newFakeClock()
	l := New(plant, Config{Clock: clock})
	st := l.NewStreamer("bench")
	const seconds = 8
	n := seconds * 100
	want := make([]hal.Joints, 0, n)
	next, began := clock.Now(), clock.Now()
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		// Targets come when they come, between the ticks; each says where the sine is then.
		tickAt := clock.Now() + l.period
		for next <= tickAt {
			clock.now.Store(int64(next))
			r := req(math.Sin(2 * math.Pi * hz * (next - began).Seconds()))
			if a, _ := st.Target(&r); a.Outcome == hal.Rejected {
				tb.Fatalf("%+v", a)
			}
			next += time.Duration(float64(l.period) * every * (1 + jitter*(2*rng.Float64()-1)))
		}
		clock.now.Store(int64(tickAt))
		r := req(math.Sin(2 * math.Pi * hz * (tickAt - began).Seconds()))
		h, a := r.Head.Over(hal.Head{}), hal.AwakeAntennas
		if r.Antennas != nil {
			a = r.Antennas.Over(a)
		}
		body := 0.0
		if r.BodyYaw != nil {
			body = *r.BodyYaw
		}
		f, err := kinematics.NearestHead(h, body, a)
		if err != nil {
			tb.Fatal(err)
		}
		want = append(want, f.Joints)
		l.tele.woke(clock.Now(), 0)
		l.tick(clock.Now())
	}
	checkGoals(tb, plant.history, l.dt, l.lim.lim)
	half := n / 2
	w, g, p := phase(want[half:], joint, hz, l.dt), phase(plant.history[half:], joint, hz, l.dt), phase(plant.seen[half:], joint, hz, l.dt)
	late := func(x complex128) float64 { return math.Mod(-cmplx.Phase(x/w)/(2*math.Pi*hz)+1/hz, 1/hz) }
	return followed{
		goalLag: late(g), lag: late(p), gain: cmplx.Abs(p) / cmplx.Abs(w),
		goalJerk: jerk(plant.history[half:], joint, l.dt), jerk: jerk(plant.seen[half:], joint, l.dt), ideal: jerk(want[half:], joint, l.dt),
	}
}

// phase is the part of the joint's way that goes as the sine does.
func phase(q []hal.Joints, j hal.Joint, hz, dt float64) (sum complex128) {
	for i := range q {
		sum += complex(q[i][j], 0) * cmplx.Exp(complex(0, -2*math.Pi*hz*float64(i)*dt))
	}
	return sum * complex(2/float64(len(q)), 0)
}

// jerk is the root mean square of the third difference.
func jerk(q []hal.Joints, j hal.Joint, dt float64) float64 {
	sum := 0.0
	for i := 3; i < len(q); i++ {
		d := (q[i][j] - 3*q[i-1][j] + 3*q[i-2][j] - q[i-3][j]) / (dt * dt * dt)
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(q)-3))
}

var sines = []struct {
	name  string
	joint hal.Joint
	req   func(s float64) hal.Request
}{
	{"roll 20°", hal.Stewart1, func(s float64) hal.Request {
		return hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Roll: deg(20) * s}.Goal()}
	}},
	{"pitch 15°", hal.Stewart2, func(s float64) hal.Request {
		return hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Pitch: deg(15) * s}.Goal()}
	}},
	{"yaw 30°", hal.Stewart3, func(s float64) hal.Request {
		return hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: deg(30) * s}.Goal()}
	}},
	{"body 20°", hal.BodyYaw, func(s float64) hal.Request {
		return hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: deg(20) * s}.Goal(), BodyYaw: ptr(deg(20) * s)}
	}},
	{"antenna 60°", hal.LeftAntenna, func(s float64) hal.Request {
		return hal.Request{Verb: hal.VerbTarget, Head: hal.Head{}.Goal(), Antennas: hal.Antennas{Left: deg(60) * s, Right: -deg(60) * s}.Goal()}
	}},
}

// BenchmarkStream says how streams of a 1 Hz sine are followed.
func BenchmarkStream(b *testing.B) {
	for _, every := range []float64{0.1, 1, 1.03, 2, 5} {
		for _, c := range sines {
			b.Run(fmt.Sprintf("%.0f Hz/%s", 100/every, c.name), func(b *testing.B) {
				var f followed
				for b.Loop() {
					f = followSine(b, every, 0.2, 1, c.joint, c.req)
				}
				b.ReportMetric(f.goalLag*1000, "goal-lag-ms")
				b.ReportMetric(f.lag*1000, "lag-ms")
				b.ReportMetric(f.goalJerk, "goal-jerk")
				b.ReportMetric(f.jerk, "jerk")
				b.ReportMetric(f.ideal, "ideal-jerk")
				b.ReportMetric(f.gain, "gain")
			})
		}
	}
}

// Streams are followed closely and smoothly, also when their targets come early or late by a fifth of the interval. The lag
// is that of the joints; 38 ms of it are the simulated bus and servos.
func TestStreamsAreFollowed(t *testing.T) {
	for _, c := range []struct {
		every, lag, rough, gain float64 // s, and how much of the sine's own jerk and size
	}{
		{0.1, 0.030, 1.5, 1.05},
		{1, 0.030, 1.7, 1.05},
		{1.03, 0.030, 2, 1.05},
		{2, 0.030, 3, 1.06},
		{5, 0.065, 4.5, 1.05},
	} {
		for _, s := range sines {
			f := followSine(t, c.every, 0.2, 1, s.joint, s.req)
			if f.lag > c.lag || f.jerk > c.rough*f.ideal || math.Abs(f.gain-1) > c.gain-1 {
				t.Errorf("%.0f Hz, %s: lag %.0f ms, jerk %.2f of the sine's, size %.3f", 100/c.every, s.name, f.lag*1000, f.jerk/f.ideal, f.gain)
			}
		}
	}
}

// A hand or a camera that trembles is followed, and not made to tremble more, however often its targets come.
func TestTremorIsNotMadeMore(t *testing.T) {
	const tremor = 0.01 // rad
	for _, every := range []int{1, 2, 3, 5, 10} {
		r := newRig(t)
		s := r.NewStreamer("tremor")
		rng := rand.New(rand.NewPCG(1, 2))
		n, sum := 1000, 0.0
		for i := range n {
			if i%every == 0 {
				at := tremor * rng.NormFloat64()
				s.Target(&hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: at}.Goal(), BodyYaw: &at})
			}
			r.ticks(1)
			sum += sq(r.lim.q[hal.BodyYaw])
		}
		if size := math.Sqrt(sum / float64(n)); size > 1.9*tremor || every > 3 && size > 1.15*tremor {
			t.Errorf("a target every %d ticks: the body trembles by %.4f rad, the targets by %g", every, size, tremor)
		}
		r.checkEnvelope()
	}
}

// Targets that jump are reached and not passed, however often they come and however far they jump.
func TestStepsAreNotPassed(t *testing.T) {
	for _, every := range []int{1, 2, 5, 20} {
		for _, step := range []float64{0.02, 0.1, 0.3, 0.8} {
			r := newRig(t)
			s := r.NewStreamer("steps")
			at, worst := 0.0, 0.0
			for i := range 400 {
				if i%40 == 0 {
					at = step - at // to and fro
				}
				if i%every == 0 {
					s.Target(&hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Roll: min(at, 0.3)}.Goal(), Antennas: hal.Antennas{Left: at}.Goal(), BodyYaw: ptr(at)})
				}
				r.ticks(1)
				if i < 80 { // from where it stood
					continue
				}
				worst = max(worst, r.lim.q[hal.BodyYaw]-step, -r.lim.q[hal.BodyYaw], r.lim.q[hal.LeftAntenna]-step)
			}
			if worst > 0.11*step {
				t.Errorf("steps of %g rad, a target every %d ticks: passed by %.4f rad", step, every, worst)
			}
			r.checkEnvelope()
		}
	}
}
