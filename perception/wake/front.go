package wake

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	fftSize   = 512
	lowest    = 60.0   // Hz
	highest   = 7600.0 // Hz
	emptyBand = 1e-6   // added to the energy: digital silence has a logarithm too
	loudest   = 1e9    // energy beyond which samples are no sound but NaN, infinite, or not within −1…1
)

// filter is a triangle over the bins of the spectrum.
type filter struct {
	from    int
	weights []float64
}

// filters are triangles equally wide in mel (HTK), with peak 1.
var filters = func() (f [bands]filter) {
	mel := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	edge := func(i int) float64 {
		m := mel(lowest) + (mel(highest)-mel(lowest))*float64(i)/(bands+1)
		return 700 * (math.Pow(10, m/2595) - 1)
	}
	for b := range f {
		left, middle, right := edge(b), edge(b+1), edge(b+2)
		for bin := range fftSize/2 + 1 {
			hz := float64(bin) * Rate / fftSize
			w := min((hz-left)/(middle-left), (right-hz)/(right-middle))
			if w <= 0 {
				continue
			}
			if f[b].weights == nil {
				f[b].from = bin
			}
			f[b].weights = append(f[b].weights, w)
		}
	}
	return f
}()

// hann is the periodic one.
var hann = func() (w [window]float64) {
	for n := range w {
		w[n] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(n)/window)
	}
	return w
}()

// front makes frames of mel energies of samples, each of which looks at window samples.
type front struct {
	fft     *fourier.FFT
	samples [window]float32
	filled  int
	padded  [fftSize]float64
	bins    [fftSize/2 + 1]complex128
	mels    [bands]float32
}

func newFront() front { return front{fft: fourier.NewFFT(fftSize)} }

// take reads samples up to the end of the next frame, and returns how many it has read and whether the frame is in mels.
func (f *front) take(samples []float32) (n int, full bool) {
	n = copy(f.samples[f.filled:], samples)
	if f.filled += n; f.filled < window {
		return n, false
	}
	f.frame()
	f.filled = copy(f.samples[:], f.samples[hop:])
	return n, true
}

func (f *front) frame() {
	for i, s := range f.samples {
		f.padded[i] = hann[i] * float64(s)
	}
	f.fft.Coefficients(f.bins[:], f.padded[:])
	for b := range filters {
		energy := 0.0
		for i, w := range filters[b].weights {
			bin := f.bins[filters[b].from+i]
			energy += w * (real(bin)*real(bin) + imag(bin)*imag(bin))
		}
		if !(energy < loudest) {
			energy = 0
		}
		f.mels[b] = float32(math.Log(energy + emptyBand))
	}
}
