package audio

import (
	"math"
	"slices"
)

const (
	// MinRate is the lowest rate that can be converted, in samples per second.
	MinRate = 4000
	// MaxRate is the highest rate that can be converted, in samples per second.
	MaxRate = 384000

	crossings = 16  // of the sinc on each side: 80 dB down within 12 % of the lower rate
	phases    = 256 // of the table; between two the coefficients are interpolated, 100 dB true
	kaiser    = 8.0
)

// Resampler converts a stream from one rate to another with a windowed sinc. What lies above half of the lower rate is
// taken out, 80 dB down. It is not for use by two goroutines at once.
type Resampler struct {
	in, out int
	half    int         // taps on each side of the present moment
	table   [][]float32 // phases+1 rows of 2·half taps
	history []float32   // input that later output still needs
	next    int64       // where the next output sample lies in history, in 1/out of an input sample
	fed     int64       // input samples
	made    int64       // output samples
}

// NewResampler makes a converter from in to out samples per second.
func NewResampler(in, out int) (*Resampler, error) {
	for _, rate := range []int{in, out} {
		if err := checkRate(rate); err != nil {
			return nil, err
		}
	}
	r := &Resampler{in: in, out: out}
	if in == out {
		return r, nil
	}
	cut := min(1, float64(out)/float64(in)) // of half the input rate
	r.half = int(math.Ceil(crossings / cut))
	cut *= 0.94 // the middle of the transition lies below the lower rate's end
	r.table = make([][]float32, phases+1)
	for p := range phases/2 + 1 {
		row, sum := make([]float32, 2*r.half), 0.0
		for k := range row {
			x := float64(k-r.half+1) - float64(p)/phases
			v := cut * sinc(cut*x) * window(x/float64(r.half))
			row[k] = float32(v)
			sum += v
		}
		for k := range row { // a constant stays the same constant in every phase
			row[k] = float32(float64(row[k]) / sum)
		}
		mirror := slices.Clone(row)
		slices.Reverse(mirror)
		r.table[p], r.table[phases-p] = row, mirror
	}
	r.Reset()
	return r, nil
}

// Reset forgets the stream.
func (r *Resampler) Reset() {
	r.fed, r.made = 0, 0
	r.next = 0
	r.history = r.history[:0]
	for range max(0, r.half-1) {
		r.history = append(r.history, 0)
	}
}

// Process appends to dst what can be converted once src is known, and returns it. It allocates only to make room.
func (r *Resampler) Process(dst, src []float32) []float32 {
	if r.table == nil {
		return append(dst, src...)
	}
	r.fed += int64(len(src))
	r.history = append(r.history, src...)
	return r.run(dst, -1)
}

// Flush appends the rest of the stream, so that all output together is as long as the input, and begins anew.
func (r *Resampler) Flush(dst []float32) []float32 {
	if r.table == nil {
		return dst
	}
	left := (r.fed*int64(r.out)+int64(r.in)-1)/int64(r.in) - r.made
	for range r.half + 1 {
		r.history = append(r.history, 0)
	}
	dst = r.run(dst, left)
	r.Reset()
	return dst
}

// run makes output as far as the history reaches, at most so many samples when limit is not negative.
func (r *Resampler) run(dst []float32, limit int64) []float32 {
	taps, out := 2*r.half, int64(r.out)
	if have := int64(len(r.history)-taps+1)*out - r.next; have > 0 {
		dst = slices.Grow(dst, int(have/int64(r.in))+1)
	}
	for limit != 0 {
		at := int(r.next / out)
		if at+taps > len(r.history) {
			break
		}
		position := float32(r.next%out) * phases / float32(out)
		p := min(int(position), phases-1)
		f := position - float32(p)
		x, a, b := r.history[at:at+taps], r.table[p][:taps], r.table[p+1][:taps]
		var s, t float32
		for k, v := range x {
			s += v * a[k]
			t += v * b[k]
		}
		dst = append(dst, s+f*(t-s))
		r.next += int64(r.in)
		r.made++
		limit--
	}
	if used := int(min(r.next/out, int64(len(r.history)))); used > 0 {
		r.history = r.history[:copy(r.history, r.history[used:])]
		r.next -= int64(used) * out
	}
	return dst
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// window is Kaiser's, 1 at 0 and nothing beyond ±1.
func window(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(kaiser*math.Sqrt(1-x*x)) / kaiserSum
}

var kaiserSum = bessel(kaiser)

// bessel is the modified Bessel function of the first kind and order zero.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= (x / 2 / k) * (x / 2 / k)
		sum += term
	}
	return sum
}
