package tts

import (
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// Tick is the time between two offsets.
const Tick = 20 * time.Millisecond

// What talking adds to the head at most, rad and m.
const (
	MaxSpeechPitch = 0.055 // 3.2°
	MaxSpeechYaw   = 0.060 // 3.4°
	MaxSpeechRoll  = 0.030 // 1.7°
	MaxSpeechShift = 0.003 // x, y and z
	// MaxSpeechAntenna is what it adds to the antennas.
	MaxSpeechAntenna = 0.10 // 5.7°
)

// How fast the motion follows the loudness: from nothing to all, s.
const (
	syllableRise = 0.06
	syllableFall = 0.14
	phraseRise   = 0.30
	phraseFall   = 0.24 // everything is back at zero so long after the last sound
)

// Motion makes talking visible: the head nods with the syllables and sways with the phrases. It is deterministic; its
// zero value is at rest.
type Motion struct {
	syllable float64 // 0…1, follows the loudness
	phrase   float64 // 0…1, follows whether there is speech
	t        float64 // s since this speech began
}

// Still reports whether the head is where it would be without speech.
func (m *Motion) Still() bool { return m.syllable == 0 && m.phrase == 0 }

// Step goes on by dt with the loudness (0…1) of what is heard now, and returns what to add to the head's pose.
func (m *Motion) Step(loudness float64, dt time.Duration) hal.Head {
	if !(loudness > 0) { // also what is no number
		loudness = 0
	}
	loudness = min(1, loudness)
	s := max(0, dt.Seconds())
	m.syllable = slew(m.syllable, loudness, s/syllableRise, s/syllableFall)
	talking := 0.0
	if loudness > 0 {
		talking = 0.55 + 0.45*loudness
	}
	m.phrase = slew(m.phrase, talking, s/phraseRise, s/phraseFall)
	if m.Still() {
		m.t = 0
		return hal.Head{}
	}
	m.t += s
	a, b := ease(m.syllable), ease(m.phrase)
	// Frequencies without a common multiple, so that it does not look like a pendulum.
	wave := func(hz, phase float64) float64 { return math.Sin(2*math.Pi*hz*m.t + phase) }
	return hal.Head{
		Pitch: MaxSpeechPitch * (0.55*b*wave(1.13, 0.4) - 0.45*a), // a loud syllable lifts the head
		Yaw:   MaxSpeechYaw * b * (0.7*wave(0.37, 0) + 0.3*wave(0.83, 1.1)),
		Roll:  MaxSpeechRoll * b * (0.6*wave(0.53, 0.7) + 0.4*wave(0.29, 2)),
		X:     MaxSpeechShift * b * 0.5 * wave(0.41, 1.9),
		Y:     MaxSpeechShift * b * 0.6 * wave(0.31, 0.3),
		Z:     MaxSpeechShift * (0.6*a + 0.4*b*wave(0.61, 1)),
	}
}

// Antennas returns what to add to the antennas, of the same moment as the last Step: they spread with the syllables and sway
// with the phrases, not quite alike.
func (m *Motion) Antennas() hal.Antennas {
	a, b := ease(m.syllable), ease(m.phrase)
	sway := func(hz, phase float64) float64 { return 0.5 * b * math.Sin(2*math.Pi*hz*m.t+phase) }
	return hal.Antennas{Left: MaxSpeechAntenna * (0.5*a + sway(0.71, 0.2)), Right: -MaxSpeechAntenna * (0.5*a + sway(0.59, 1.3))}
}

// slew goes from v towards goal by at most up or down.
func slew(v, goal, up, down float64) float64 {
	if goal > v {
		return min(goal, v+up)
	}
	return max(goal, v-down)
}

// ease makes the ends of 0…1 soft.
func ease(v float64) float64 { return v * v * (3 - 2*v) }
