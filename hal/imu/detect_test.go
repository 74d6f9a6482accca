package imu

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// motion is what happens to the robot: where it is and how it is turned, at a time in seconds.
type motion struct {
	place  func(t float64) Vector
	yaw    func(t float64) float64 // rad
	tilt   func(t float64) float64 // rad, about a level axis in direction toward
	shake  func(t float64) Vector  // m/s², on top
	end    float64                 // s
	toward float64
}

func still(float64) float64  { return 0 }
func nowhere(float64) Vector { return Vector{} }
func calm(end float64) motion {
	return motion{place: nowhere, yaw: still, tilt: still, shake: nowhere, end: end}
}

// turned is the world's vector v in the frame of the robot at t.
func (m *motion) turned(t float64, v Vector) Vector {
	s, c := math.Sincos(m.yaw(t))
	v = Vector{c*v[0] + s*v[1], -s*v[0] + c*v[1], v[2]}
	s, c = math.Sincos(m.tilt(t))
	axis := Vector{math.Cos(m.toward), math.Sin(m.toward), 0}
	// Rodrigues' rotation by the opposite angle: the frame turns, not the vector.
	return v.times(c).minus(axis.cross(v).times(s)).plus(axis.times(axis.dot(v) * (1 - c)))
}

// world is the robot's vector v in the world at t.
func (m *motion) world(t float64, v Vector) Vector {
	ex, ey, ez := m.turned(t, Vector{1, 0, 0}), m.turned(t, Vector{0, 1, 0}), m.turned(t, Vector{0, 0, 1})
	return Vector{ex.dot(v), ey.dot(v), ez.dot(v)}
}

// sensed is what an ideal sensor measures that stands at r in the robot: derivatives are differences of h.
func (m *motion) sensed(t float64, r Vector) Sample {
	const h = 2e-3
	at := func(t float64) Vector { return m.place(t).plus(m.world(t, r)) }
	a := at(t + h).minus(at(t).times(2)).plus(at(t - h)).times(1 / (h * h))
	a = a.plus(m.shake(t)).plus(Vector{0, 0, Gravity})
	var w Vector // of the frame: half the sum of e × de/dt
	for i := range 3 {
		var e Vector
		e[i] = 1
		de := m.world(t+h, e).minus(m.world(t-h, e)).times(1 / (2 * h))
		w = w.plus(m.world(t, e).cross(de).times(0.5))
	}
	return Sample{Accel: m.turned(t, a), Turn: m.turned(t, w)}
}

// told is an event and when it came.
type told struct {
	Event
	at float64
}

// watch has a detector follow a motion after two seconds of rest, by a sensor with noise, offsets and a mount that is not exact.
func watch(m motion, r *rand.Rand) []told {
	const rate = 50
	const rest = 3.0
	d, all := &Detector{}, []told(nil)
	mount := motion{yaw: func(float64) float64 { return 0 }, tilt: func(float64) float64 { return 0.05 }, toward: r.Float64() * 6}
	bias, offset := noise(r, 0.015), noise(r, 0.15)
	for i := range int((rest + m.end) * rate) {
		t := float64(i)/rate - rest
		at := min(max(t, 0), m.end)
		s := m.sensed(at, Vector{0.02, -0.01, 0.05})
		if t < 0 {
			s = Sample{Accel: m.turned(0, Vector{0, 0, Gravity})}
		}
		s.Accel = mount.turned(0, s.Accel).plus(noise(r, 0.03)).plus(offset)
		s.Turn = mount.turned(0, s.Turn).plus(noise(r, 0.005)).plus(bias)
		jitter := time.Duration(r.Float64() * 5e6)
		if e, ok := d.Add(time.Duration(i)*time.Second/rate+jitter, s); ok {
			all = append(all, told{e, t})
		}
	}
	return all
}

func noise(r *rand.Rand, size float64) Vector {
	return Vector{r.NormFloat64() * size, r.NormFloat64() * size, r.NormFloat64() * size}
}

func between(r *rand.Rand, a, b float64) float64 { return a + (b-a)*r.Float64() }

// smooth goes from 0 to 1 between a and b, with the least jerk.
func smooth(t, a, b float64) float64 {
	x := min(max((t-a)/(b-a), 0), 1)
	return x * x * x * (10 - 15*x + 6*x*x)
}

// nothing are motions in which nothing has happened to a robot that stands on a desk.
var nothing = map[string]func(*rand.Rand) motion{
	"rest": func(*rand.Rand) motion { return calm(20) },
	"typing": func(r *rand.Rand) motion {
		m := calm(20)
		size, pitch, pause := between(r, 0.2, 1), between(r, 20, 45), between(r, 0.08, 0.25)
		m.shake = func(t float64) Vector {
			since := math.Mod(t, pause)
			a := size * math.Exp(-since/0.03) * math.Sin(2*math.Pi*pitch*since)
			return Vector{0.5 * a, 0.3 * a, a}
		}
		return m
	},
	"somebody walks by": func(r *rand.Rand) motion {
		m := calm(20)
		size, pause := between(r, 0.1, 0.6), between(r, 0.4, 0.7)
		m.shake = func(t float64) Vector {
			since := math.Mod(t, pause)
			return Vector{0.2, 0.2, 1}.times(size * math.Exp(-since/0.15) * math.Sin(2*math.Pi*9*since))
		}
		return m
	},
	"a fist on the desk": func(r *rand.Rand) motion {
		m := calm(10)
		size := between(r, 5, 25)
		m.shake = func(t float64) Vector {
			since := t - 2
			if since < 0 {
				return Vector{}
			}
			return Vector{0.3, 0.2, 1}.times(size * math.Exp(-since/0.04) * math.Cos(2*math.Pi*25*since))
		}
		return m
	},
	"pushed along": func(r *rand.Rand) motion {
		m := calm(10)
		way, length, dir, rock := between(r, 0.03, 0.3), between(r, 0.3, 1), r.Float64()*6, between(r, 0, 3*math.Pi/180)
		m.toward = dir
		m.place = func(t float64) Vector {
			return Vector{-math.Sin(dir), math.Cos(dir), 0}.times(way * smooth(t, 2, 2+length))
		}
		m.tilt = func(t float64) float64 { return rock * math.Sin(math.Pi*min(max((t-2)/length, 0), 1)) }
		return m
	},
	"turns its body": func(r *rand.Rand) motion {
		m := calm(20)
		far, length := between(r, 0.5, 2.7), between(r, 0.6, 2)
		m.yaw = func(t float64) float64 { return far * (smooth(t, 2, 2+length) - smooth(t, 8, 8+length)) }
		return m
	},
	"dances": func(r *rand.Rand) motion {
		m := calm(20)
		rock, beat, turn, jerk := between(r, 0, 2*math.Pi/180), between(r, 0.5, 3), between(r, 0, 0.5), between(r, 0, 1)
		m.toward = r.Float64() * 6
		m.tilt = func(t float64) float64 { return rock * math.Sin(2*math.Pi*beat*t) }
		m.yaw = func(t float64) float64 { return turn * math.Sin(2*math.Pi*0.5*beat*t) }
		m.shake = func(t float64) Vector { return Vector{1, 0.5, 0.2}.times(jerk * math.Sin(2*math.Pi*beat*t)) }
		return m
	},
	"the desk goes up": func(r *rand.Rand) motion {
		m := calm(20)
		speed := between(r, 0.02, 0.04)
		m.place = func(t float64) Vector { // ramps of half a second
			return Vector{0, 0, speed * 10 * rampUp(t-2, 0.5, 10)}
		}
		return m
	},
}

// rampUp is the way, as a part of 1, of something that starts within ramp seconds, goes evenly, and is there after length.
func rampUp(t, ramp, length float64) float64 {
	t = min(max(t, 0), length)
	area := length - ramp
	switch {
	case t < ramp:
		return t * t / (2 * ramp) / area
	case t > length-ramp:
		return 1 - (length-t)*(length-t)/(2*ramp)/area
	}
	return (t - ramp/2) / area
}

// trials is how many motions of each kind are tried, each from a seed of its own.
var trials = flag.Uint64("motions", 20, "motions of each kind")

func each(t *testing.T, scenes map[string]func(*rand.Rand) motion, judge func(m motion, got []told) string) {
	t.Helper()
	for name, make := range scenes {
		t.Run(name, func(t *testing.T) {
			wrong := 0
			for seed := range *trials {
				r := rand.New(rand.NewPCG(seed, 7))
				m := make(r)
				if why := judge(m, watch(m, r)); why != "" {
					if wrong++; wrong <= 3 {
						t.Errorf("seed %d: %s", seed, why)
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d", wrong, *trials)
			}
		})
	}
}

func kinds(all []told) []Kind {
	out := make([]Kind, 0, len(all))
	for _, e := range all {
		out = append(out, e.Kind)
	}
	return out
}

func TestNothingIsToldOfARobotThatStandsOnADesk(t *testing.T) {
	each(t, nothing, func(_ motion, got []told) string {
		if len(got) > 0 {
			return fmt.Sprint(got)
		}
		return ""
	})
}

// held is the tremor and sway of hands between two times.
func held(r *rand.Rand, from, to float64) (tilt func(float64) float64, tremor func(float64) Vector) {
	sway, tremble := between(r, 0.05, 0.2), between(r, 0.2, 0.8)
	in := func(t float64) float64 { return smooth(t, from, from+0.5) * (1 - smooth(t, to-0.5, to)) }
	return func(t float64) float64 { return in(t) * sway * math.Sin(2*math.Pi*0.7*(t-from)) },
		func(t float64) Vector { return Vector{0.6, 0.8, 1}.times(in(t) * tremble * math.Sin(2*math.Pi*6*t)) }
}

func TestALiftIsToldBeforeItIsOver(t *testing.T) {
	each(t, map[string]func(*rand.Rand) motion{
		"lifted, held, put down": func(r *rand.Rand) motion {
			m := calm(14)
			high := between(r, 0.15, 0.6)
			length := max(between(r, 0.5, 1.6), math.Sqrt(5.8*high/4)) // by at most 4 m/s²
			m.tilt, m.shake = held(r, 2, 8)
			m.toward = r.Float64() * 6
			m.place = func(t float64) Vector {
				return Vector{0, 0, high * (smooth(t, 2, 2+length) - smooth(t, 6.5, 8))}
			}
			return m
		},
		"carried": func(r *rand.Rand) motion {
			m := calm(20)
			high, step, bounce := between(r, 0.15, 0.4), between(r, 1.5, 2.2), between(r, 0.005, 0.02)
			m.tilt, m.shake = held(r, 2, 14)
			m.toward = r.Float64() * 6
			m.place = func(t float64) Vector {
				walk := smooth(t, 4, 5) * (1 - smooth(t, 10, 11))
				return Vector{4 * smooth(t, 4, 11), 0, high*(smooth(t, 2, 3)-smooth(t, 12, 14)) + walk*bounce*math.Sin(2*math.Pi*step*t)}
			}
			return m
		},
		"tilted by hand": func(r *rand.Rand) motion {
			m := calm(14)
			far, length := between(r, 20, 60)*math.Pi/180, between(r, 2, 3)
			m.toward = r.Float64() * 6
			m.tilt = func(t float64) float64 { return far * (smooth(t, 2, 2+length) - smooth(t, 7, 7+length)) }
			return m
		},
	}, func(_ motion, got []told) string {
		// What is held still is still, and what is held still at an angle is not upright.
		all := kinds(got)
		n := len(all)
		if n == 0 || all[0] != Lifted || all[n-1] != Stands || slices.Contains(all, Tipped) || slices.Contains(all, Falling) || got[0].at > 4.5 || got[0].at < 2 {
			return fmt.Sprint(got)
		}
		return ""
	})
}

func TestTippingOverIsToldBeforeItHitsTheDesk(t *testing.T) {
	const hit = 85 * math.Pi / 180
	each(t, map[string]func(*rand.Rand) motion{
		"knocked over": func(r *rand.Rand) motion {
			// An upside-down pendulum on the edge of its foot, which has to pass the point of balance.
			balance, length := between(r, 28, 36)*math.Pi/180, between(r, 0.14, 0.2)
			k := Gravity / (length * 4 / 3)
			speed := math.Sqrt(2*k*(1-math.Cos(balance))) + between(r, 0.6, 2)
			const h = 1e-3
			angles := []float64{0}
			for a, w := 0.0, speed; a < hit; {
				w += h * k * math.Sin(a-balance)
				a += h * w
				angles = append(angles, min(a, hit))
			}
			m := calm(10)
			m.toward = r.Float64() * 6
			m.tilt = func(t float64) float64 {
				x := (t - 2) / h
				i := int(min(max(x, 0), float64(len(angles)-2)))
				return angles[i] + min(max(x-float64(i), 0), 1)*(angles[i+1]-angles[i])
			}
			return m
		},
	}, func(m motion, got []told) string {
		if !slices.Equal(kinds(got), []Kind{Tipped, Lies}) || m.tilt(got[0].at) >= hit-0.05 || math.Abs(got[1].Tilt-hit) > 0.2 {
			return fmt.Sprint(got)
		}
		return ""
	})
}

func TestAFallIsToldWhileItFalls(t *testing.T) {
	fall := func(r *rand.Rand, begin, height, turning float64, m motion) motion {
		before := m.place
		flight := math.Sqrt(2 * height / Gravity)
		m.place = func(t float64) Vector {
			x := min(max(t-begin, 0), flight)
			return before(t).minus(Vector{0, 0, Gravity * x * x / 2})
		}
		was := m.tilt
		m.tilt = func(t float64) float64 { return was(t) + turning*min(max(t-begin, 0), flight) }
		m.toward = r.Float64() * 6
		return m
	}
	each(t, map[string]func(*rand.Rand) motion{
		"off the desk": func(r *rand.Rand) motion { return fall(r, 2, between(r, 0.2, 0.9), between(r, 0, 4), calm(8)) },
		"out of the hands": func(r *rand.Rand) motion {
			m := calm(10)
			m.tilt, _ = held(r, 1, 9.5)
			m.place = func(t float64) Vector { return Vector{0, 0, 0.4 * smooth(t, 1, 2)} }
			return fall(r, 5, between(r, 0.15, 0.6), between(r, 0, 2), m)
		},
	}, func(_ motion, got []told) string {
		for _, e := range got {
			if begin := 2.0; e.Kind == Falling && e.at > begin {
				if since := min(math.Abs(e.at-2), math.Abs(e.at-5)); since <= 0.15 {
					return ""
				}
			}
		}
		return fmt.Sprint(got)
	})
}

func TestWhatIsConcludedFromABadSensor(t *testing.T) {
	feed := func(s Sample, step time.Duration) (d Detector, got []Kind) {
		for i := range 200 {
			if e, ok := d.Add(time.Duration(i)*step, s); ok {
				got = append(got, e.Kind)
			}
		}
		return d, got
	}
	for name, c := range map[string]struct {
		s    Sample
		step time.Duration
		want string
	}{
		"a scale of 1 g instead of m/s²": {Sample{Accel: Vector{0, 0, 1}}, 20 * time.Millisecond, "a gravity of 1.0 m/s², allowed 8.3 to 11.3"},
		"nothing":                        {Sample{}, 20 * time.Millisecond, "a gravity of 0.0"},
		"on its side":                    {Sample{Accel: Vector{Gravity}}, 20 * time.Millisecond, "90° from upright, allowed 30°"},
		"turns for ever":                 {Sample{Accel: Vector{0, 0, Gravity}, Turn: Vector{0, 0, 1}}, 20 * time.Millisecond, ""},
		"too seldom":                     {Sample{Accel: Vector{0, 0, Gravity}}, time.Second, ""},
	} {
		d, got := feed(c.s, c.step)
		err := d.Check()
		if len(got) > 0 || d.Kind() != "" || d.Tilt() != 0 {
			t.Errorf("%s: %v, %q, %v", name, got, d.Kind(), d.Tilt())
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, wanted %q", name, err, c.want)
		}
	}
}
