package vad

// GateSettings say when speech begins and ends. The zero value stands for the values named here.
type GateSettings struct {
	On        float32 // a frame begins speech from this probability on: 0.5
	Off       float32 // and continues it down to this one: 0.35
	MinSpeech int     // frames of speech in a row before it counts, which a click does not reach: 3
	Hangover  int     // frames without speech before it is over: 10 (320 ms)
	Range     float32 // dB below the loudest frame of the same speech beyond which a frame is somebody further away: 25
}

func (s GateSettings) withDefaults() GateSettings {
	if s.On == 0 {
		s.On = 0.5
	}
	if s.Off == 0 {
		s.Off = 0.35
	}
	if s.MinSpeech == 0 {
		s.MinSpeech = 3
	}
	if s.Hangover == 0 {
		s.Hangover = 10
	}
	if s.Range == 0 {
		s.Range = 25
	}
	return s
}

// Change is what a frame did to a gate.
type Change int

// The changes.
const (
	None  Change = iota
	Start        // speech has begun, at Onset
	End          // and is over
)

// Gate turns the probabilities of frames into beginnings and ends of speech.
type Gate struct {
	set    GateSettings
	frames int64 // seen
	run    int   // frames of speech in a row before it counts
	pause  int   // frames without speech
	onset  int64
	open   bool
	peak   float32 // the loudest frame of this speech
}

// NewGate returns a closed gate.
func NewGate(s GateSettings) *Gate { return &Gate{set: s.withDefaults(), peak: floorLevel} }

// Next takes in the next frame: its probability and its loudness (see Level).
func (g *Gate) Next(p, level float32) Change {
	n := g.frames
	g.frames++
	if !g.open {
		if p < g.set.On {
			g.run, g.peak = 0, floorLevel
			return None
		}
		if g.run++; g.run == 1 {
			g.onset = n
		}
		g.peak = max(g.peak, level)
		if g.run < g.set.MinSpeech {
			return None
		}
		g.open, g.pause = true, 0
		return Start
	}
	if p >= g.set.Off && level >= g.peak-g.set.Range {
		g.pause = 0
		g.peak = max(g.peak, level)
		return None
	}
	if g.pause++; g.pause < g.set.Hangover {
		return None
	}
	g.open, g.run, g.pause, g.peak = false, 0, 0, floorLevel
	return End
}

// Speaking reports whether speech has begun and is not over.
func (g *Gate) Speaking() bool { return g.open }

// Pause is for how many frames nobody has spoken although speech is not over: 0…Hangover−1.
func (g *Gate) Pause() int { return g.pause }

// Onset is the number of the frame, counted from 0 since the gate was made or reset, at which the last speech began.
func (g *Gate) Onset() int64 { return g.onset }

// Frames is how many frames were taken in since the gate was made or reset.
func (g *Gate) Frames() int64 { return g.frames }

// Reset closes the gate and forgets the stream.
func (g *Gate) Reset() { *g = Gate{set: g.set, peak: floorLevel} }
