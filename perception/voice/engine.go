package voice

import (
	"context"
	"sync"
	"time"

	"github.com/reachyd/reachyd/perception/client"
)

// Stats counts what an Engine has done.
type Stats struct {
	Frames, Utterances, StopWords, BargeIns, Speculations, Hits, Gaps uint64

	Rejected     map[string]uint64 // by reason
	Level, Noise float64           // of the last frame and of the room, dBFS
	Talking      bool
	Muted        bool
}

// Engine cuts sound into sentences. One goroutine calls Hear; the other methods may be called by any.
type Engine struct {
	cfg Config
	n   frames
	ctx context.Context // ends with Close

	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	stats   Stats
	muted   bool
	closed  bool
	talked  time.Time // when talk ended that was not for the robot
	perhaps time.Time // when something ended that may have been a stop
	invited time.Time // up to here no wake phrase is needed, in the time of the samples
	wake    wakePhrase

	frame  [FrameSize]float32
	filled int
	now    time.Time // end of the last frame

	detector bool // the last frame was speech by the Detector alone
	floor    noiseFloor
	echo     echoGate
	over     int // frames of a foreign voice while the robot speaks
	hushed   bool
	hush     bool          // the robot is to be silent, once the lock is free
	brake    bool          // … and to brake
	stop     *client.Event // … and to stop, of which this tells

	ring   []float32 // the last frames before a turn
	head   int       // where the next frame goes, in frames
	ringed int       // frames in the ring
	onset  int       // frames since the first of a possible turn
	hits   int       // of these with speech
	miss   int       // without speech, in a row

	buffers [2][]float32 // one for the turn, one for the work that goes on
	turns   uint64
	turn    *turn // nil while nobody speaks
	ending  *turn // decided, its text is awaited
	job     *job  // nil while the recogniser is idle
	pool    [2]turn
	tooLong bool // the present speech is what is left of a turn that was cut
}

// New returns an Engine. Close it.
func New(cfg Config) (*Engine, error) {
	n, err := cfg.fill()
	if err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, n: n, wake: newWakePhrase(cfg.WakePhrase), echo: newEchoGate(cfg.Loudspeaker, cfg.EchoCancelled)}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.stats.Rejected = map[string]uint64{}
	e.stats.Level, e.stats.Noise = silence, silence
	// A turn begins before the first frame of speech, and is noticed only some frames after it.
	e.ring = make([]float32, (n.preRoll+4*max(n.start, n.bargeIn))*FrameSize)
	for i := range e.buffers {
		e.buffers[i] = make([]float32, 0, n.longest*FrameSize+len(e.ring))
	}
	return e, nil
}

// Close ends the recogniser's work and waits for it. Nothing is reported afterwards. It may be called more than once.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	e.work.Wait()
}

// Stats returns what the Engine has done so far.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	s.Muted, s.Talking, s.Noise = e.muted, e.turn != nil, e.floor.level
	s.Rejected = make(map[string]uint64, len(e.stats.Rejected))
	for reason, n := range e.stats.Rejected {
		s.Rejected[reason] = n
	}
	return s
}

// Mute makes the Engine deaf, or hear again. What it has heard of a sentence is forgotten.
func (e *Engine) Mute(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if on == e.muted || e.closed {
		return
	}
	e.muted = on
	for _, t := range []*turn{e.ending, e.turn} {
		if t != nil && !t.stopped && (t == e.ending || !e.tooLong) {
			e.reject(t, client.ReasonMuted, "the microphone was muted in the middle of the sentence")
		}
	}
	e.turn, e.ending = nil, nil
	if e.job != nil {
		e.job.cancel()
		e.job.dropped = true
	}
	e.quiet()
	e.ringed = 0
	e.filled = 0
	clear(e.frame[:])
	clear(e.ring)
	for i := range e.buffers { // what a job still reads is cleared when it is done
		if e.job == nil || e.job.buffer != i {
			clear(e.buffers[i][:cap(e.buffers[i])])
		}
	}
	e.cfg.Detector.Reset()
	if e.cfg.Spotter != nil {
		e.cfg.Spotter.Reset()
	}
	e.emit(client.Event{Type: client.MuteChanged, On: on})
}

// Invite opens the time in which a sentence needs no wake phrase: the robot has answered, or asks.
func (e *Engine) Invite() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.invited = e.now.Add(e.cfg.FollowUp)
}

// SetEndpoint tells what somebody else thinks of the partial text of a turn. It comes too late when more was said since, or
// when the turn is over; then it changes nothing.
func (e *Engine) SetEndpoint(turn uint64, revision int, v client.Endpoint) {
	e.mu.Lock()
	defer e.unlock()
	t := e.turn
	if e.closed || t == nil || t.number != turn || t.revision != revision || !t.known {
		return
	}
	t.endpoint = v
	e.decide()
}

// Hear takes samples of any number, the first of which was captured at a moment. The error is the detector's.
func (e *Engine) Hear(samples []float32, at time.Time) error {
	e.mu.Lock()
	defer e.unlock()
	if e.closed || len(samples) == 0 {
		return nil
	}
	start := at.Add(-time.Duration(e.filled) * time.Second / Rate)
	if gap := start.Sub(e.now); !e.now.IsZero() && (gap > 100*time.Millisecond || gap < -100*time.Millisecond) {
		e.stats.Gaps++
	}
	for len(samples) > 0 {
		k := copy(e.frame[e.filled:], samples)
		samples = samples[k:]
		if e.filled += k; e.filled < FrameSize {
			break
		}
		e.filled = 0
		e.now = start.Add(FrameTime)
		if err := e.hear(start); err != nil {
			return err
		}
		start = e.now
	}
	return nil
}

// Flush decides a turn that is not over, as at the end of a recording.
func (e *Engine) Flush() {
	e.mu.Lock()
	defer e.unlock()
	if t := e.turn; t != nil && !e.closed {
		if e.cfg.Spotter != nil {
			if end, found := e.cfg.Spotter.Flush(); found {
				e.called(t, end)
			}
		}
		if e.turn == t {
			e.finish()
		}
	}
	e.quiet()
}

// Settle waits until the recogniser has done what it was given. It is for who calls Hear, between two calls.
func (e *Engine) Settle() { e.work.Wait() }

// hear works on the full frame that began at a moment.
func (e *Engine) hear(at time.Time) error {
	e.stats.Frames++
	if e.muted {
		return nil
	}
	level := Level(e.frame[:])
	e.stats.Level = level
	if level == silence {
		clear(e.frame[:]) // what is no number is no sound
	}
	p, err := e.cfg.Detector.Speech(e.frame[:])
	if err != nil {
		return err
	}
	// Between the thresholds it stays what it was.
	e.detector = p >= 0.5 || (e.detector && p >= 0.35)
	e.floor.add(level, e.detector)
	playing, foreign := e.echo.hear(level, at)
	speech := e.detector && foreign
	e.listenOver(playing, speech)
	e.keep()
	if e.turn != nil {
		e.continueTurn(speech && level >= e.turn.peak.level-20, level)
	} else {
		e.await(speech, playing, at)
	}
	return nil
}

// listenOver silences the robot when somebody speaks while it does.
func (e *Engine) listenOver(playing, speech bool) {
	switch {
	case !playing:
		e.over, e.hushed = 0, false
	case speech:
		e.over++
	default:
		e.over = max(0, e.over-1)
	}
	if e.over >= e.n.bargeIn && !e.hushed {
		e.hushed = true
		if e.turn != nil {
			e.turn.bargedIn = true
		}
		e.stats.BargeIns++
		e.hush = true
	}
}

// keep puts the frame into the ring.
func (e *Engine) keep() {
	size := len(e.ring) / FrameSize
	copy(e.ring[e.head*FrameSize:], e.frame[:])
	e.head = (e.head + 1) % size
	e.ringed = min(e.ringed+1, size)
}

// await looks for the beginning of a turn.
func (e *Engine) await(speech, playing bool, at time.Time) {
	if e.onset > 0 || speech {
		e.onset++
	}
	if !speech {
		// One frame without speech does not end a beginning, two do.
		if e.miss++; e.miss > 1 {
			e.onset, e.hits = 0, 0
		}
		return
	}
	e.miss = 0
	e.hits++
	need := e.n.start
	if playing {
		need = e.n.bargeIn
	}
	if b := e.room(); e.hits >= need && b >= 0 {
		e.begin(b, at.Add(-frameTimes(e.onset-1)), playing)
	}
}

// room returns a buffer that nobody uses, or −1.
func (e *Engine) room() int {
	for b := range e.buffers {
		if (e.ending == nil || e.ending.buffer != b) && (e.job == nil || e.job.buffer != b) {
			return b
		}
	}
	return -1
}

// quiet forgets what may have been the beginning of a turn.
func (e *Engine) quiet() {
	e.onset, e.hits, e.miss = 0, 0, 0
	e.detector, e.tooLong = false, false
}

// unlock gives the lock back and does what must not be done with it: who is silenced may call, and a body takes its time.
func (e *Engine) unlock() {
	hush, brake, stop := e.hush, e.brake && e.cfg.Brake != nil && e.stop == nil, e.stop
	e.hush, e.brake, e.stop = false, false, nil
	aside := !e.cfg.Synchronous && !e.closed && (brake || stop != nil)
	if aside {
		e.work.Go(func() { e.halt(brake, stop) })
	}
	e.mu.Unlock()
	if hush && e.cfg.Loudspeaker != nil {
		e.cfg.Loudspeaker.Hush()
	}
	if !aside {
		e.halt(brake, stop)
	}
}

// halt has the robot brake, or stop and tells of it.
func (e *Engine) halt(brake bool, stop *client.Event) {
	if brake {
		_ = e.cfg.Brake(e.ctx) // the stop that may follow says what is wrong
	}
	if stop != nil {
		e.stopRobot(stop)
	}
}

func (e *Engine) emit(ev client.Event) {
	if !e.closed {
		ev.Time = e.cfg.Now()
		e.cfg.Event(ev)
	}
}
