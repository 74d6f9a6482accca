package sense

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/tts"
	"github.com/reachyd/reachyd/perception/voice"
)

const (
	blockTime  = 20 * time.Millisecond
	meterTime  = 4 * audio.Queue // of what is remembered
	pieceTime  = audio.Queue / 4 // the most that is written at once, so that no more is ever ahead than is remembered
	meterSize  = int(meterTime / blockTime)
	silentDBFS = -100.0
)

// Meter is a loudspeaker that remembers how loud it is when: the ear asks it what it hears of the robot itself.
type Meter struct {
	tts.Sink
	volume tts.Volume
	hush   func()
	now    func() time.Time

	mu     sync.Mutex
	blocks [meterSize]block
	newest int
	gain   float64   // of the volume, dB
	end    time.Time // when the sound that was written last is over
}

// block is a piece of sound that ends at a position of all that was written.
type block struct {
	end  time.Duration
	dbfs float64
}

// NewMeter returns a Meter on sink, whose volume is set by volume. hush silences whoever speaks through it; it is what
// Hush calls.
func NewMeter(sink tts.Sink, volume tts.Volume, hush func()) *Meter {
	m := &Meter{Sink: sink, volume: volume, hush: hush, now: time.Now}
	for i := range m.blocks {
		m.blocks[i].dbfs = silentDBFS
	}
	return m
}

// Write implements tts.Sink.
func (m *Meter) Write(ctx context.Context, rate int, pcm []float32) error {
	if rate <= 0 { // the sink says what is wrong
		return m.Sink.Write(ctx, rate, pcm)
	}
	piece := max(1, int(pieceTime*time.Duration(rate)/time.Second))
	for len(pcm) > 0 {
		n := min(piece, len(pcm))
		m.note(rate, pcm[:n])
		if err := m.Sink.Write(ctx, rate, pcm[:n]); err != nil {
			return err
		}
		pcm = pcm[n:]
	}
	return nil
}

// note remembers the loudness of what will be written.
func (m *Meter) note(rate int, pcm []float32) {
	heard, pending := m.Progress()
	m.mu.Lock()
	defer m.mu.Unlock()
	at := heard + pending
	for i := range m.blocks { // what was flushed will never be heard
		if m.blocks[i].end > at {
			m.blocks[i] = block{0, silentDBFS}
		}
	}
	m.end = m.now().Add(pending)
	step := max(1, int(blockTime*time.Duration(rate)/time.Second))
	for len(pcm) > 0 {
		n := min(step, len(pcm))
		at += time.Duration(n) * time.Second / time.Duration(rate)
		m.newest = (m.newest + 1) % meterSize
		m.blocks[m.newest] = block{at, voice.Level(pcm[:n])}
		pcm = pcm[n:]
	}
}

// Loudness implements voice.Loudspeaker.
func (m *Meter) Loudness(from, to time.Time) (dbfs float64, playing bool) {
	heard, pending := m.Progress()
	m.mu.Lock()
	defer m.mu.Unlock()
	// The position of all that was written that is heard at a moment: from the moment now as long as there is sound,
	// else from its end.
	at := m.now()
	if pending > 0 {
		m.end = at.Add(pending)
	} else if m.end.Before(at) {
		at = m.end
	} else {
		m.end = at // it was flushed
	}
	first, last := heard+from.Sub(at), min(heard+to.Sub(at), heard+pending)
	dbfs = silentDBFS
	for _, b := range m.blocks {
		if b.end > first && b.end-blockTime < last {
			dbfs = max(dbfs, b.dbfs)
		}
	}
	return max(dbfs+m.gain, silentDBFS), first < last && dbfs > silentDBFS
}

// SetVolume implements tts.Volume.
func (m *Meter) SetVolume(level int) error {
	if err := m.volume.SetVolume(level); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gain = 40 * math.Log10(max(float64(level), 0.1)/100) // an audio.Player squares the level
	return nil
}

// Hush implements voice.Loudspeaker.
func (m *Meter) Hush() { m.hush() }

var (
	_ tts.Sink          = (*Meter)(nil)
	_ tts.Volume        = (*Meter)(nil)
	_ voice.Loudspeaker = (*Meter)(nil)
)
