package voice

import (
	"math/bits"

	"github.com/reachyd/reachyd/perception/client"
)

// Spotter finds the wake phrase in the sound of a turn, without its words; wake.Spotter is one.
type Spotter interface {
	// Hear takes the next samples, and reports behind which of all since Reset the phrase ends, when it has found it in these. It must be quick.
	Hear(samples []float32) (end int, found bool)
	// Flush reports a phrase with which the sound has ended.
	Flush() (end int, found bool)
	// Reset begins another sound.
	Reset()
}

// remnant is how many frames of speech may be what is left of the phrase's last sound.
const remnant = 10

// spot looks for the wake phrase in the next samples of the turn.
func (e *Engine) spot(t *turn, samples []float32) {
	if e.cfg.Spotter == nil {
		return
	}
	if end, found := e.cfg.Spotter.Hear(samples); found {
		e.called(t, end)
	}
}

// called notes that the wake phrase was said, up to a sample of the turn. What follows is what the recogniser gets: not every one knows
// the phrase. What it has made of the sound as a whole is void.
func (e *Engine) called(t *turn, end int) {
	size := len(e.buffers[t.buffer])
	t.from = min(end, size)
	t.after = bits.OnesCount64(t.voiced & (1<<((size-t.from)/FrameSize) - 1))
	if !t.called {
		t.called = true
		e.emit(client.Event{Type: client.Called, Turn: t.number})
	}
	if t.stopped {
		return
	}
	e.void(t)
	if t.pause >= e.n.speculate && e.audible(t) {
		e.speculate(t)
	}
}

// alone reports whether nothing follows the wake phrase, so far.
func (e *Engine) alone(t *turn) bool { return t.called && t.after < e.n.minSpeech }

// note counts a frame of the turn as speech or not.
func (t *turn) note(speech bool) {
	t.voiced <<= 1
	if speech {
		t.voiced |= 1
		t.after++
	}
}
