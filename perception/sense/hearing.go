package sense

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/voice"
)

// Hearing is what the ear is made of.
type Hearing struct {
	// Off says why nothing can be understood, not even a recording; the rest is not used then.
	Off string
	// NoMicrophone says why there is no Source: recordings are understood all the same.
	NoMicrophone string

	Source audio.Source
	// There reports whether the microphone is plugged in, and why not. It may be nil.
	There func() (bool, string)
	// Detector makes one for a stream of sound; the Server closes those that are io.Closers.
	Detector   func() (voice.Detector, error)
	Recognizer voice.Recognizer
	// Direction returns where the voice comes from, degrees, and false when that is not known. It may be nil.
	Direction func(context.Context) (yaw float64, known bool)
	// Began is called when somebody begins to speak. It must be quick. It may be nil.
	Began func()
	// Settings are the pauses, the wake phrase and so on; the Server fills in the rest.
	Settings voice.Config
	// NoSpotter says why the wake phrase is not found in the sound itself; empty: it is, or there is none.
	NoSpotter string

	Microphone, Model, DetectorName, Language string // for State
	Threads                                   int
	Tuned                                     bool
}

// audioWork feeds the microphone to an engine.
type audioWork struct {
	engine     *voice.Engine
	detector   voice.Detector
	recognizer voice.Recognizer
	talking    atomic.Bool
	direction  atomic.Uint64 // float64 bits; NaN while unknown
	lost       atomic.Uint64
	ears       ears
	noSource   atomic.Pointer[string] // why the microphone came to an end
}

// open makes the engine, unless hearing is off.
func (r *audioWork) open(s *Server) error {
	h := &s.Hearing
	if h.Off != "" {
		return nil
	}
	if h.Recognizer == nil || h.Detector == nil {
		return errors.New("there is no recogniser")
	}
	r.recognizer = &shared{h.Recognizer, &s.watchdog, make(chan struct{}, 1)}
	r.direction.Store(math.Float64bits(math.NaN()))
	d, err := h.Detector()
	if err != nil {
		return fmt.Errorf("the detector of speech: %w", err)
	}
	c := h.Settings
	c.Detector, c.Recognizer, c.Event, c.Brake, c.Synchronous = d, r.recognizer, func(e client.Event) { r.happened(s, e) }, s.Brake, false
	if meant := c.Meant; meant != nil {
		c.Meant = func(said voice.Said) bool {
			yaw := math.Float64frombits(r.direction.Load())
			said.Aside = math.Abs(yaw) > inSight // of NaN, which is unknown, false
			return meant(said)
		}
	}
	if s.Stop != nil {
		c.Stop = s.stopFor
	}
	if s.Speech.Loudspeaker != nil {
		c.Loudspeaker = s.Speech.Loudspeaker
	}
	if r.engine, err = voice.New(c); err != nil {
		closeDetector(d)
		return err
	}
	r.detector = d
	s.recallMute()
	return nil
}

// stopFor stops the body. What 'stop it' ends is the owner's to say, where there is one: it brakes until then, and nothing is latched.
func (s *Server) stopFor(ctx context.Context, said string) error {
	if s.Brake != nil && s.owners.n.Load() > 0 && voice.Points(said) {
		return s.Brake(ctx)
	}
	return s.Stop(ctx)
}

func (r *audioWork) close() {
	if r.engine != nil {
		r.engine.Close()
		closeDetector(r.detector)
	}
}

func closeDetector(d voice.Detector) {
	if c, ok := d.(io.Closer); ok {
		c.Close() //nolint:errcheck // nothing was written
	}
}

// happened passes an event of the engine on.
func (r *audioWork) happened(s *Server, e client.Event) {
	switch e.Type {
	case client.SpeechStarted:
		r.direction.Store(math.Float64bits(math.NaN())) // that of the turn before
		r.talking.Store(true)
		if s.Hearing.Began != nil {
			s.Hearing.Began()
		}
	case client.Called:
		e.Direction = r.from()
	case client.Heard, client.StopWord:
		e.Utterance.Direction = r.from()
	}
	s.emit(e)
}

// from is where the voice of the present turn comes from; nil when that is not known.
func (r *audioWork) from() *float64 {
	d := math.Float64frombits(r.direction.Load())
	if math.IsNaN(d) {
		return nil
	}
	return &d
}

// run starts what listens.
func (r *audioWork) run(ctx context.Context, s *Server, parts *sync.WaitGroup) {
	if r.engine == nil || s.Hearing.Source == nil {
		return
	}
	parts.Go(func() {
		defer r.ears.end()
		why := r.listen(ctx, s)
		if ctx.Err() == nil {
			r.noSource.Store(&why)
			s.emit(client.Event{Type: client.DeviceLost, Device: "microphone", Message: why})
		}
	})
	if s.Hearing.Direction != nil {
		parts.Go(func() { r.locate(ctx, s) })
	}
}

// listen reads the microphone until it ends, and says why it did.
func (r *audioWork) listen(ctx context.Context, s *Server) string {
	var f audio.Frame
	failed := false
	for {
		if err := s.Hearing.Source.Read(ctx, &f); err != nil {
			r.engine.Flush()
			if errors.Is(err, io.EOF) {
				return "the recording that stands for the microphone is over"
			}
			return "the microphone failed: " + err.Error()
		}
		if f.Lost > 0 {
			r.lost.Add(1)
		}
		r.ears.tell(&f, func() bool { return r.engine.Stats().Muted })
		leave := s.watchdog.enter("the detector of speech", hangDetector)
		err := r.engine.Hear(f.Samples[:], f.At)
		leave()
		if err != nil && !failed {
			s.Log.Error().Err(err).Msg("the detector of speech fails")
		}
		failed = err != nil
	}
}

// locate asks where the voice comes from, while somebody speaks.
func (r *audioWork) locate(ctx context.Context, s *Server) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !r.talking.Load() {
			continue
		}
		if yaw, known := s.Hearing.Direction(ctx); known {
			r.direction.Store(math.Float64bits(yaw))
		}
		r.talking.Store(r.engine.Stats().Talking)
	}
}

func (r *audioWork) state(s *Server) (client.Hearing, client.Counters) {
	h := &s.Hearing
	out := client.Hearing{Off: h.Off, Microphone: h.Microphone, Level: silenceLevel, Noise: silenceLevel, NoOpus: s.noOpus}
	if r.engine == nil {
		return out, client.Counters{Rejected: map[string]uint64{}}
	}
	out.Model, out.Tuned, out.Detector, out.Language, out.Threads = h.Model, h.Tuned, h.DetectorName, h.Language, h.Threads
	out.WakePhrase, out.NoSpotter = h.Settings.WakePhrase, h.NoSpotter
	if h.Source == nil {
		out.Off = h.NoMicrophone
	}
	if why := r.noSource.Load(); why != nil {
		out.Off = *why
	}
	if h.There != nil {
		if there, why := h.There(); !there {
			out.Off = why
		}
	}
	st := r.engine.Stats()
	out.Muted, out.Talking, out.Level, out.Noise = st.Muted, st.Talking, st.Level, st.Noise
	return out, client.Counters{
		Frames: st.Frames, Utterances: st.Utterances, Rejected: st.Rejected, StopWords: st.StopWords, BargeIns: st.BargeIns,
		Speculations: st.Speculations, Hits: st.Hits, Overruns: r.lost.Load() + st.Gaps,
	}
}

// inSight is how far to the side a voice may come from that is somebody's before the camera, degrees.
const inSight = 40

// silenceLevel stands for a loudness that is not known, dBFS.
const silenceLevel = -100
