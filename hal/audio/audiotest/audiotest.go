// Package audiotest compares sounds in tests.
package audiotest

import (
	"math"
	"time"
)

// mostLate is by how much a sound may be later than another and be found in it.
const mostLate = 30 * time.Millisecond

// Match is the correlation of a sound with another that is up to 30 ms later, both at so many samples a second.
func Match(of, in []float32, rate int) (best float64) {
	for lag := range rate * int(mostLate/time.Millisecond) / 1000 {
		var both, a, b float64
		for i := range min(len(of), len(in)-lag) {
			x, y := float64(of[i]), float64(in[i+lag])
			both, a, b = both+x*y, a+x*x, b+y*y
		}
		best = max(best, both/math.Sqrt(a*b))
	}
	return best
}
