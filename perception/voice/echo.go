package voice

import "time"

const (
	// echoTail is how long after it left the loudspeaker a sound may still arrive: way, buffers, reverberation.
	echoTail = 400 * time.Millisecond
	// echoMargin is how much louder than the expected echo a voice must be, dB.
	echoMargin = 6.0
	// echoAudible is the least that must be played to learn from, dBFS.
	echoAudible = -45.0
	// echoLearn is how many frames must have been played before anything is taken for another voice.
	echoLearn = 15

	echoRise    = 0.5  // dB a frame, while the echo is a little louder than was expected
	echoForeign = 0.05 // dB a frame, while it is so much louder that it may be another voice
	echoFall    = 0.02 // dB a frame
)

// echoGate tells another voice from the robot's own, by loudness: it learns how loud what is played comes back.
type echoGate struct {
	speaker Loudspeaker
	gain    float64 // of the way from loudspeaker to microphone, dB
	learned int     // frames
}

func newEchoGate(speaker Loudspeaker, cancelled bool) echoGate {
	g := echoGate{speaker: speaker, gain: silence}
	if cancelled { // what is left of the echo is quiet from the first moment on
		g.gain, g.learned = -30, echoLearn
	}
	return g
}

// hear judges a frame that was captured at a moment. playing says that the robot can be heard, foreign that the frame is
// too loud to be the robot alone.
func (g *echoGate) hear(level float64, at time.Time) (playing, foreign bool) {
	if g.speaker == nil {
		return false, true
	}
	played, playing := g.speaker.Loudness(at.Add(-echoTail), at.Add(FrameTime))
	if !playing {
		return false, true
	}
	excess := level - played - g.gain
	foreign = g.learned >= echoLearn && excess > echoMargin
	if played < echoAudible {
		return true, foreign
	}
	switch {
	case g.learned < echoLearn:
		g.gain = max(g.gain, level-played)
		g.learned++
	case foreign:
		g.gain += echoForeign
	case excess > 0:
		g.gain += min(excess, echoRise)
	default:
		g.gain -= echoFall
	}
	return true, foreign
}
