package voice

import "math"

// silence is the loudness of no sound at all, dBFS.
const silence = -100.0

// Level returns the loudness: the effective value of the samples, dBFS, at least −100.
func Level(samples []float32) float64 {
	var sum float64
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	power := sum / float64(max(len(samples), 1))
	if !(power > 1e-10) { // also NaN, which broken drivers deliver
		return silence
	}
	return min(10*math.Log10(power), 20)
}

// noiseFloor follows the loudness of the room when nobody speaks.
type noiseFloor struct {
	level float64
	known bool
}

func (n *noiseFloor) add(level float64, speech bool) {
	switch {
	case !n.known:
		n.level, n.known = level, true
	case level < n.level:
		n.level += 0.3 * (level - n.level)
	case !speech:
		n.level += min(0.02*(level-n.level), 0.3)
	}
}

// peak follows the loudest that an utterance was for three frames in a row: a click does not count.
type peak struct {
	level  float64
	before [2]float64
}

func newPeak() peak { return peak{silence, [2]float64{silence, silence}} }

func (p *peak) add(level float64) {
	p.level = max(p.level, min(level, p.before[0], p.before[1]))
	p.before[0], p.before[1] = p.before[1], level
}
