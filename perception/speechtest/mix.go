package speechtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Kind is a kind of noise.
type Kind int

// The kinds of noise.
const (
	White  Kind = iota // a flat spectrum
	Pink               // falls by 3 dB an octave, like rooms and crowds
	Hum                // a saw of 137 Hz, like a motor that runs
	Servo              // whining bursts, like a motor that moves
	Babble             // other people talking: needs espeak-ng
	Music              // chords
	Cough              // two short bursts of noise, then quiet
)

// Kinds are all kinds of noise.
var Kinds = []Kind{White, Pink, Hum, Servo, Babble, Music, Cough}

// String is the kind's name.
func (k Kind) String() string {
	names := [...]string{"white", "pink", "hum", "servo", "babble", "music", "cough"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return names[k]
}

// Samples is how many there are in d.
func Samples(d time.Duration) int { return int(d * Rate / time.Second) }

// Noise makes n samples with a root mean square of 1: scale them before they are played.
func Noise(t testing.TB, k Kind, n int, seed uint64) []float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(k))) //nolint:gosec // noise, not a secret
	x := make([]float32, n)
	switch k {
	case White:
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
	case Pink:
		pink(r, x)
	case Hum:
		for i := range x {
			s := 0.05 * r.NormFloat64()
			for h := 1.0; h <= 6; h++ {
				s += math.Sin(2*math.Pi*137*h*float64(i)/Rate+h*h) / h
			}
			x[i] = float32(s)
		}
	case Servo:
		servo(r, x)
	case Babble:
		babble(t, r, x)
	case Music:
		music(r, x)
	case Cough:
		burst(r, x, Rate/10, Rate/5)
		burst(r, x, Rate/2, Rate/4)
	default:
		t.Fatalf("speechtest: noise %v: allowed are %v", k, Kinds)
	}
	if p := rms(x); p > 0 {
		scale(x, 1/p)
	}
	return x
}

// Mix adds noise that is snr dB quieter than x is on average. x stays as it is.
func Mix(t testing.TB, x []float32, k Kind, snr float64, seed uint64) []float32 {
	t.Helper()
	y := Noise(t, k, len(x), seed)
	scale(y, rms(x)*math.Pow(10, -snr/20))
	for i := range y {
		y[i] += x[i]
	}
	return y
}

// Pause is silence.
func Pause(d time.Duration) []float32 { return make([]float32, Samples(d)) }

// Join puts parts one after the other.
func Join(parts ...[]float32) []float32 {
	var y []float32
	for _, p := range parts {
		y = append(y, p...)
	}
	return y
}

// Gain makes x louder by dB. x stays as it is.
func Gain(x []float32, dB float64) []float32 {
	y := append([]float32(nil), x...)
	scale(y, math.Pow(10, dB/20))
	return y
}

// Reverb puts x into a room in which sound takes decay to fall by 60 dB; the end of the sound is kept. x stays as it is.
func Reverb(x []float32, decay time.Duration, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 77)) //nolint:gosec // a room, not a secret
	n := Samples(decay)
	y := make([]float32, len(x)+n)
	copy(y, x)
	// A few hundred single echoes sound like a room and cost little.
	for range 400 {
		at := 1 + int(float64(n)*r.Float64())
		g := float32(0.12 * r.NormFloat64() * math.Pow(10, -3*float64(at)/float64(n)))
		for i, v := range x {
			if at+i >= len(y) {
				break
			}
			y[at+i] += g * v
		}
	}
	if top := loudest(y); top > 0 {
		scale(y, float64(loudest(x)/top))
	}
	return y
}

func rms(x []float32) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	return math.Sqrt(s / math.Max(1, float64(len(x))))
}

func scale(x []float32, by float64) {
	for i := range x {
		x[i] *= float32(by)
	}
}

// pink sums generators that change every 1, 2, 4, … samples.
func pink(r *rand.Rand, x []float32) {
	var rows [14]float64
	sum := 0.0
	for i := range x {
		for k := range rows {
			if i&(1<<k-1) == 0 {
				v := r.NormFloat64()
				sum += v - rows[k]
				rows[k] = v
			}
		}
		x[i] = float32(sum)
	}
}

func servo(r *rand.Rand, x []float32) {
	for at := 0; at < len(x); {
		n := int((0.15 + 0.35*r.Float64()) * Rate)
		f, bend := 300+900*r.Float64(), 1600*(r.Float64()-0.5)
		phase := 0.0
		for i := 0; i < n && at+i < len(x); i++ {
			phase += 2 * math.Pi * (f + bend*float64(i)/Rate) / Rate
			w := math.Sin(math.Pi * float64(i) / float64(n))
			x[at+i] = float32(w*(math.Sin(phase)+0.5*math.Sin(2*phase)) + 0.02*r.NormFloat64())
		}
		at += n + int(0.5*r.Float64()*Rate)
	}
}

func burst(r *rand.Rand, x []float32, at, n int) {
	for i := 0; i < n && at+i < len(x); i++ {
		x[at+i] += float32(r.NormFloat64() * math.Exp(-6*float64(i)/float64(n)))
	}
}

func music(r *rand.Rand, x []float32) {
	for at := 0; at < len(x); {
		n := int((0.2 + 0.4*r.Float64()) * Rate)
		root := 130 * math.Pow(2, math.Floor(r.Float64()*20)/12)
		for i := 0; i < n && at+i < len(x); i++ {
			s, now := 0.0, float64(i)/Rate
			for _, tone := range []float64{1, 1.2599, 1.4983, 2} {
				for h := 1.0; h <= 4; h++ {
					s += math.Sin(2*math.Pi*root*tone*h*now) / h
				}
			}
			x[at+i] = float32(s * math.Exp(-3*now))
		}
		at += n
	}
}

// chatter is said by the people of Babble; it holds no command.
var chatter = []string{
	"and then she told me that the whole family is moving to the coast", "it was raining all week so they stayed at the hotel",
	"nobody knows where the other half of the money has gone", "my brother works at the harbour and comes home very late",
}

func babble(t testing.TB, r *rand.Rand, x []float32) {
	t.Helper()
	for i, v := range []string{"espeak:en-us+f2", "espeak:en-gb+m3", "espeak:en-gb+f4", "espeak:en-us+m7"} {
		s := Say(t, v, chatter[i])
		shift := r.IntN(len(s))
		for j := range x {
			x[j] += s[(j+shift)%len(s)]
		}
	}
}
