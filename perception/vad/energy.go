package vad

import "math"

// How the noise floor is followed: the quietest smoothed level of the last few seconds is the room's.
const (
	blockFrames = 16  // half a second
	blocks      = 8   // four seconds
	smoothing   = 0.5 // of a frame's power, for the floor: single quiet frames are not the room
	lowestFloor = -62 // dB: below it microphones differ more than rooms
	bias        = 2   // dB that a noise lies above its quietest moment
	atHalf      = 9   // dB over the floor at which speech is as probable as not
	perDB       = 0.05
)

// Energy takes everything for speech that is clearly louder than the room has been. It needs no model, is deaf to quiet
// speech in noise and taken in by bangs: it stands in where Silero cannot be had.
type Energy struct {
	power   float64
	started bool
	frames  int
	minima  [blocks]float64 // power; the last few half seconds, newest at frames/blockFrames
}

// NewEnergy returns a detector that has heard nothing yet.
func NewEnergy() *Energy {
	e := new(Energy)
	e.Reset()
	return e
}

// Speech implements Detector.
func (e *Energy) Speech(frame []float32) (float32, error) {
	if err := checkFrame(frame); err != nil {
		return 0, err
	}
	power := math.Pow(10, float64(Level(frame))/10)
	if !e.started {
		e.power, e.started = power, true
	}
	e.power += smoothing * (power - e.power)

	block := e.frames / blockFrames % blocks
	if e.frames%blockFrames == 0 {
		e.minima[block] = math.Inf(1)
	}
	e.frames++
	e.minima[block] = min(e.minima[block], e.power)

	over := float64(Level(frame)) - e.Floor()
	return float32(max(0, min(1, 0.5+(over-atHalf)*perDB))), nil
}

// Floor is the noise floor in dB, as Level counts.
func (e *Energy) Floor() float64 {
	least := math.Inf(1)
	for _, m := range e.minima {
		least = min(least, m)
	}
	return max(lowestFloor, 10*math.Log10(least)+bias)
}

// Reset implements Detector.
func (e *Energy) Reset() {
	*e = Energy{}
	for i := range e.minima {
		e.minima[i] = math.Inf(1)
	}
}

// Close implements Detector.
func (*Energy) Close() error { return nil }

var _ Detector = (*Energy)(nil)
