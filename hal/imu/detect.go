package imu

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Kind is what has happened to the robot as a whole.
type Kind string

// The kinds of an Event.
const (
	Lifted  Kind = "lifted"  // taken up, or tilted slowly
	Tipped  Kind = "tipped"  // tilts too fast and too far to come back
	Falling Kind = "falling" // nothing carries it
	Lies    Kind = "lies"    // still, but not upright
	Stands  Kind = "stands"  // still and upright, after one of the others
)

// Event is told once, when it happens.
type Event struct {
	Kind Kind
	Tilt float64 // rad from how it stood
}

const (
	// quiet is how long the robot must be still before it counts as standing; its length also averages what still is.
	quiet = 1500 * time.Millisecond
	// stillAccel and stillTurn are the deviations (root mean square over about memory) below which it is still.
	stillAccel, stillTurn = 0.25, 0.05 // m/s², rad/s
	memory                = 400 * time.Millisecond
	// drift is how fast the offset of the gyroscope and the rest are followed while the robot stands.
	drift = 20 * time.Second
	// mostBias is what a gyroscope at rest may measure, rad/s; how much it is, is known from the first rest on.
	mostBias = 0.1
	// A sensor that measures another gravity than this, m/s², has a wrong scale, and nothing is concluded from it.
	leastGravity, mostGravity = 8.3, 11.3

	// trust is how fast the measured acceleration corrects the direction that the gyroscope carries on, and only while its size is
	// within trusted, m/s², of gravity.
	trust   = 4 * time.Second
	trusted = 1.5
	// forget is how fast the vertical speed and height that are summed up are forgotten: what was not lifted comes back to 0.
	forget = time.Second
	// Blows on the desk are shorter than half of window samples, and harder than hardest, m/s², which no hand lifts with.
	window  = 7
	hardest = 4.0

	liftHeight       = 0.05               // m, of that sum
	liftTilt         = 15 * math.Pi / 180 // for liftFor
	liftFor          = 300 * time.Millisecond
	unsure           = time.Second             // after a lift was noticed, which may turn out to have been a blow that tips it over
	tipTilt, tipTurn = 30 * math.Pi / 180, 1.5 // rad, and rad/s away from upright
	fallAccel        = 0.4                     // of gravity
	fallFor          = 60 * time.Millisecond
	lieTilt          = 30 * math.Pi / 180
	longestStep      = 200 * time.Millisecond // a longer gap between two samples begins anew
)

// Detector finds events in a series of samples. The zero value begins without knowing how the robot stands: it concludes nothing
// before the robot has been still once. It is not safe for concurrent use.
type Detector struct {
	last    time.Duration
	begun   bool
	mean    Sample  // running, for the deviations
	varA    float64 // (m/s²)²
	varW    float64 // (rad/s)²
	still   time.Duration
	stood   bool    // rest is known
	rest    Vector  // up, as it stood
	gravity float64 // as it stood, m/s²
	bias    Vector  // of the gyroscope, rad/s

	up            Vector          // estimate
	recent        [window]float64 // vertical accelerations
	next          int
	speed, height float64
	tilt          float64
	tilted        time.Duration
	weightless    time.Duration
	liftedAt      time.Duration
	now           Kind // "" before it stood
}

// Tilt is the angle from how it stood, rad; 0 before it stood.
func (d *Detector) Tilt() float64 { return d.tilt }

// Kind is the newest kind; empty before the robot was still once.
func (d *Detector) Kind() Kind { return d.now }

// Check says why nothing can be concluded from a sensor that is still: it measures no gravity that can be, or the robot has not
// been upright yet. It is nil otherwise.
func (d *Detector) Check() error {
	if d.still < quiet {
		return nil
	}
	if g := d.mean.Accel.norm(); g < leastGravity || g > mostGravity {
		return fmt.Errorf("the motion sensor measures a gravity of %.1f m/s², allowed %.1f to %.1f: its scale is wrong", g, leastGravity, mostGravity)
	}
	if tilt := d.mean.Accel.unit().angle(Vector{0, 0, 1}); !d.stood && tilt > lieTilt {
		return fmt.Errorf("by the motion sensor the robot is %.0f° from upright, allowed %.0f°: stand it up, or correct the sensor's mount matrix",
			tilt*180/math.Pi, lieTilt*180/math.Pi)
	}
	return nil
}

// Add takes the sample of time at, which rises, and returns what has happened, if anything has.
func (d *Detector) Add(at time.Duration, s Sample) (Event, bool) {
	step := at - d.last
	d.last = at
	if !d.begun || step <= 0 || step > longestStep {
		d.restart(s)
		return Event{}, false
	}
	dt := step.Seconds()
	d.settle(step, s)
	if !d.stood {
		return d.stand(dt)
	}
	before := d.tilt
	d.turn(dt, s)
	d.rise(dt, s.Accel)
	if kind := d.judge(at, step, s.Accel, (d.tilt-before)/dt); kind != "" {
		d.now = kind
		return Event{kind, d.tilt}, true
	}
	if d.still >= quiet {
		return d.stand(dt)
	}
	return Event{}, false
}

func (d *Detector) restart(s Sample) {
	d.begun, d.mean, d.varA, d.varW, d.still = true, s, 1, 1, 0
	d.speed, d.height, d.tilted, d.weightless = 0, 0, 0, 0
	if d.stood {
		d.up = s.Accel.unit()
	}
}

// settle notes for how long the robot has been still.
func (d *Detector) settle(step time.Duration, s Sample) {
	k := min(1, step.Seconds()/memory.Seconds())
	a, w := s.Accel.minus(d.mean.Accel), s.Turn.minus(d.mean.Turn)
	d.mean.Accel, d.mean.Turn = d.mean.Accel.toward(s.Accel, k), d.mean.Turn.toward(s.Turn, k)
	d.varA += k * (a.dot(a) - d.varA)
	d.varW += k * (w.dot(w) - d.varW)
	turning, most := d.mean.Turn.minus(d.bias).norm(), stillTurn
	if !d.stood {
		most = mostBias
	}
	if d.varA > stillAccel*stillAccel || d.varW > stillTurn*stillTurn || turning > most {
		d.still = 0
		return
	}
	d.still += step
}

// stand takes over how a robot that is still stands, and tells when that ends something or is not upright.
func (d *Detector) stand(dt float64) (Event, bool) {
	if d.still < quiet || d.Check() != nil {
		return Event{}, false
	}
	up, tilt := d.mean.Accel.unit(), 0.0
	if d.stood {
		tilt = up.angle(d.rest)
	}
	if d.now == Stands || d.now == Lies && tilt > lieTilt {
		// Slowly, because the mean is late: what begins to turn is not still.
		k := dt / drift.Seconds()
		d.bias = d.bias.toward(d.mean.Turn, k)
		d.speed, d.height = 0, 0 // what is still does not rise
		if d.now == Stands {
			d.rest = d.rest.toward(up, k).unit()
		}
		return Event{}, false
	}
	was := d.now
	d.up, d.speed, d.height, d.tilted = up, 0, 0, 0
	d.bias, d.gravity = d.mean.Turn, d.mean.Accel.norm()
	if d.now, d.tilt = Lies, tilt; tilt <= lieTilt {
		d.stood, d.rest, d.now, d.tilt = true, up, Stands, 0
	}
	return Event{d.now, tilt}, was != ""
}

// turn carries the direction of up on by the gyroscope, and corrects it by the acceleration.
func (d *Detector) turn(dt float64, s Sample) {
	d.up = d.up.plus(d.up.cross(s.Turn.minus(d.bias)).times(dt)).unit()
	if math.Abs(s.Accel.norm()-d.gravity) < trusted {
		d.up = d.up.toward(s.Accel.unit(), dt/trust.Seconds()).unit()
	}
	d.tilt = d.up.angle(d.rest)
}

// rise sums the vertical acceleration up.
func (d *Detector) rise(dt float64, accel Vector) {
	d.recent[d.next] = min(max(accel.dot(d.up)-d.gravity, -hardest), hardest)
	d.next = (d.next + 1) % window
	sorted := d.recent
	slices.Sort(sorted[:])
	d.speed += dt * (sorted[window/2] - d.speed/forget.Seconds())
	d.height += dt * (d.speed - d.height/forget.Seconds())
}

// judge returns what happens now that was not known before.
func (d *Detector) judge(at, step time.Duration, accel Vector, tipping float64) Kind {
	d.weightless = lasts(accel.norm() < fallAccel*d.gravity, d.weightless, step)
	d.tilted = lasts(d.tilt > liftTilt, d.tilted, step)
	standing := d.now == Stands
	tips := d.tilt > tipTilt && tipping > tipTurn
	switch {
	case d.weightless >= fallFor && d.now != Falling:
		return Falling
	case tips && (standing || d.now == Lifted && at-d.liftedAt < unsure):
		return Tipped
	case standing && (d.height > liftHeight || d.tilted >= liftFor):
		d.liftedAt = at
		return Lifted
	}
	return ""
}

// lasts counts for how long something is so.
func lasts(so bool, since, step time.Duration) time.Duration {
	if !so {
		return 0
	}
	return since + step
}
