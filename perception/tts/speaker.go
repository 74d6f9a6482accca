package tts

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

// ahead is how many pieces of sound are made ahead of what the sink takes: about 12 s, so that the next sentence is
// there when the present one ends.
const ahead = 128

// offsetTimeout is how long the body may take to answer.
const offsetTimeout = 200 * time.Millisecond

// Speaker says texts, one after the other. Fill in the exported fields, then Run it.
type Speaker struct {
	Voice  Voice
	Sink   Sink
	Volume Volume // nil: the volume cannot be set
	Mover  Mover  // nil: the head keeps still
	// OnEvent is called in order; it must be quick. It may be nil.
	OnEvent func(Event)

	once  sync.Once
	work  chan struct{} // has an item when the queue got longer
	talks chan struct{} // has an item when the sink got more sound
	loud  envelope

	mu      sync.Mutex
	closed  bool
	last    uint64  // ID
	queue   []*text // all that is not over, the present one first
	made    int     // so many of them were given to the voice
	moveErr error
}

// text is what one Say asked for.
type text struct {
	id     uint64
	clean  string
	pieces []string
	speed  float64 // of speech
	timed  *timed  // a sound in place of words
	ctx    context.Context
	cancel context.CancelCauseFunc
	over   chan struct{}
	spoken Spoken // only after over
	err    error  // only after over
}

// sound is what the voice hands on. Without a rate it is the end of a piece, or with last of the text.
type sound struct {
	of   *text
	rate int
	pcm  []float32
	last bool
	err  error // of the voice
}

func (s *Speaker) init() {
	s.once.Do(func() { s.work, s.talks = make(chan struct{}, 1), make(chan struct{}, 1) })
}

// Run speaks until ctx ends; what is said then is interrupted. It may be called once.
func (s *Speaker) Run(ctx context.Context) error {
	s.init()
	var wait sync.WaitGroup
	sounds := make(chan sound, ahead)
	wait.Go(func() { s.make(ctx, sounds) })
	wait.Go(func() { s.move(ctx) })
	s.play(sounds) // until make is over
	wait.Wait()
	return nil
}

// Say speaks text and returns when its last sound has been heard. When it was interrupted by Hush or the end of ctx
// the error is ErrInterrupted or that of ctx, and Spoken tells how far it came. ErrTooLong, ErrQueueFull and
// ErrNothing refuse the text.
func (s *Speaker) Say(ctx context.Context, words string) (Spoken, error) {
	t, err := s.enqueue(words, rateOf(ctx))
	if err != nil {
		return Spoken{}, err
	}
	return t.wait(ctx)
}

// wait returns when a text is over; the end of ctx ends it.
func (t *text) wait(ctx context.Context) (Spoken, error) {
	select {
	case <-t.over:
	case <-ctx.Done():
		t.cancel(ctx.Err())
		<-t.over
	}
	return t.spoken, t.err
}

// Start puts text into the queue and returns its ID at once; events tell the rest. It refuses text as Say does.
func (s *Speaker) Start(words string) (uint64, error) {
	t, err := s.enqueue(words, 1)
	if err != nil {
		return 0, err
	}
	return t.id, nil
}

func (s *Speaker) enqueue(words string, rate float64) (*text, error) {
	s.init()
	if n := utf8.RuneCountInString(words); n > MaxText {
		return nil, fmt.Errorf("%w: %d characters, allowed %d", ErrTooLong, n, MaxText)
	}
	t := &text{clean: Clean(words), speed: rate, over: make(chan struct{})}
	if t.pieces = Split(t.clean); len(t.pieces) == 0 {
		return nil, ErrNothing
	}
	return t, s.admit(t)
}

// admit puts a text into the queue.
func (s *Speaker) admit(t *text) error {
	t.ctx, t.cancel = context.WithCancelCause(WithRate(context.Background(), t.speed))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case t.timed != nil && len(s.queue) > 0:
		return ErrBusy
	case len(s.queue) > MaxQueue:
		return fmt.Errorf("%w: %d, allowed %d", ErrQueueFull, len(s.queue)-1, MaxQueue)
	}
	s.last++
	t.id = s.last
	s.queue = append(s.queue, t)
	signal(s.work)
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Hush means silence at once: it interrupts the present text and drops all that wait. It returns what has been heard
// of the present one, zero when nothing was being said. Run must be running.
func (s *Speaker) Hush() Spoken {
	s.mu.Lock()
	queue := append([]*text(nil), s.queue...)
	for _, t := range queue {
		t.cancel(ErrInterrupted)
	}
	if len(queue) > 0 {
		s.Sink.Flush()
	}
	s.mu.Unlock()
	for _, t := range queue {
		<-t.over
	}
	if len(queue) == 0 {
		return Spoken{}
	}
	return queue[0].spoken
}

// SetVolume sets the loudness, 0…100, of the present sound too.
func (s *Speaker) SetVolume(level int) error {
	if level < 0 || level > 100 {
		return fmt.Errorf("volume %d is not within 0…100", level)
	}
	if s.Volume == nil {
		return errors.New("this loudspeaker has no volume control")
	}
	return s.Volume.SetVolume(level)
}

// Status is how a Speaker does.
type Status struct {
	Voice    string `json:"voice"`
	Speaking bool   `json:"speaking"`             // a sound is being heard or on its way
	Waiting  int    `json:"waiting"`              // texts that are not over, the present one too
	MoveErr  string `json:"move_error,omitempty"` // why the head did not move along, last time
}

// Status tells how the speaker does.
func (s *Speaker) Status() Status {
	_, pending := s.Sink.Progress()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Voice: s.Voice.Name(), Speaking: pending > 0, Waiting: len(s.queue)}
	if s.moveErr != nil {
		st.MoveErr = s.moveErr.Error()
	}
	return st
}

// Loudness is how loud, 0…1, the voice is that can be heard now.
func (s *Speaker) Loudness() float64 {
	heard, pending := s.Sink.Progress()
	if pending <= 0 {
		return 0
	}
	return s.loud.at(heard)
}

// make lets the voice speak one text after the other until ctx ends, and then refuses what waits.
func (s *Speaker) make(ctx context.Context, out chan<- sound) {
	defer close(out)
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed = true
		for _, t := range s.queue {
			t.cancel(ErrInterrupted)
		}
		if len(s.queue) > 0 {
			s.Sink.Flush()
		}
		signal(s.work)
	})()
	for {
		s.mu.Lock()
		var t *text
		if s.made < len(s.queue) {
			t = s.queue[s.made]
			s.made++
		}
		closed := s.closed
		s.mu.Unlock()
		switch {
		case t != nil:
			out <- sound{of: t, last: true, err: s.synthesize(t, out)}
		case closed:
			return
		default:
			<-s.work
		}
	}
}

// synthesize hands on the sound of all pieces of a text.
func (s *Speaker) synthesize(t *text, out chan<- sound) error {
	give := func(p sound) error {
		select {
		case out <- p:
			return nil
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
	if t.timed != nil {
		return t.timed.pieces(t.ctx, func(pcm []float32) error { return give(sound{of: t, rate: t.timed.rate, pcm: pcm}) })
	}
	for _, piece := range t.pieces {
		err := s.Voice.Synthesize(t.ctx, piece, func(rate int, pcm []float32) error {
			return give(sound{of: t, rate: rate, pcm: append([]float32(nil), pcm...)})
		})
		if err == nil {
			err = give(sound{of: t})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// play hands the sound on to the sink.
func (s *Speaker) play(in <-chan sound) {
	var p progress
	for c := range in {
		switch {
		case c.last:
			s.end(c.of, &p, c.err)
			p = progress{}
		case c.of.ctx.Err() != nil: // the rest of what was interrupted
		case c.rate == 0:
			p.ends = append(p.ends, ending{sound: p.written, pause: lengthOf(len(p.held), p.heldRate)})
		default:
			write := s.write
			if c.of.timed != nil {
				write = s.writeTimed
			}
			if err := write(&p, c); err != nil {
				c.of.cancel(err)
			}
		}
	}
}

// progress is how much of a text was written to the sink.
type progress struct {
	started bool
	skip    int           // samples of a timed sound for which it is too late
	base    time.Duration // what the sink had heard before
	written time.Duration
	ends    []ending // of the pieces
	// held is the silence at the end of what there is. It is written with the next sound and dropped at the end of the
	// text: espeak-ng ends a sentence with 0.3 s of it, for which nobody should have to wait.
	held     []float32
	heldRate int
}

const (
	silent  = 0.002           // −54 dB
	maxHeld = 2 * time.Second // longer silence is written at once
)

// lengthOf is how long n samples at rate are.
func lengthOf(n, rate int) time.Duration {
	return time.Duration(n) * time.Second / time.Duration(max(1, rate))
}

// write hands sound on to the sink, but for the silence at its end.
func (s *Speaker) write(p *progress, c sound) error {
	if c.rate != p.heldRate {
		if err := s.put(p, c.of, p.heldRate, p.held); err != nil {
			return err
		}
		p.held, p.heldRate = p.held[:0], c.rate
	}
	end := len(c.pcm)
	for end > 0 && c.pcm[end-1] < silent && c.pcm[end-1] > -silent {
		end--
	}
	if end > 0 || lengthOf(len(p.held), p.heldRate) > maxHeld {
		if err := errors.Join(s.put(p, c.of, p.heldRate, p.held), s.put(p, c.of, c.rate, c.pcm[:end])); err != nil {
			return err
		}
		p.held = p.held[:0]
	}
	p.held = append(p.held, c.pcm[end:]...)
	return nil
}

func (s *Speaker) put(p *progress, of *text, rate int, pcm []float32) error {
	if len(pcm) == 0 {
		return nil
	}
	first := !p.started
	if first {
		heard, pending := s.Sink.Progress()
		p.started, p.base = true, heard+pending
		s.loud.begin(p.base)
	}
	s.loud.add(rate, pcm)
	p.written += lengthOf(len(pcm), rate)
	if err := s.Sink.Write(of.ctx, rate, pcm); err != nil {
		return err
	}
	signal(s.talks)
	if first {
		s.tell(Event{Type: Started, ID: of.id, Text: of.clean})
	}
	return nil
}

// end waits until a text has been heard, and tells.
func (s *Speaker) end(t *text, p *progress, err error) {
	if cause := context.Cause(t.ctx); cause != nil {
		err = cause
	} else if err == nil {
		err = s.Sink.Drain(t.ctx)
		if cause := context.Cause(t.ctx); cause != nil {
			err = cause
		}
	} else if p.started { // the voice failed: what it said before is heard to its end
		_ = s.Sink.Drain(t.ctx)
	}
	if err != nil {
		s.Sink.Flush() // what was written at the moment of the interruption
	}
	t.spoken = p.spoken(t, err == nil, s.Sink)
	t.err = err
	e := Event{Type: Finished, ID: t.id, Text: t.spoken.Text}
	switch {
	case err == nil:
	case errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Type = Interrupted
	default:
		e.Type, e.Err = Failed, err
	}
	s.mu.Lock()
	s.queue = s.queue[1:]
	s.made--
	s.mu.Unlock()
	t.cancel(nil)
	if t.timed == nil {
		s.tell(e)
	}
	close(t.over)
}

func (s *Speaker) tell(e Event) {
	if s.OnEvent != nil {
		e.At = time.Now()
		s.OnEvent(e)
	}
}

// move lets the head go with the loudness of what is heard, from the first sound until it is still again.
func (s *Speaker) move(ctx context.Context) {
	if s.Mover == nil {
		return
	}
	var m Motion
	for {
		select {
		case <-s.talks:
		case <-ctx.Done():
			return
		}
		tick := time.NewTicker(Tick)
		for still := false; !still; {
			<-tick.C // also when ctx has ended: the head goes back to where it was
			head := m.Step(s.Loudness(), Tick)
			_, pending := s.Sink.Progress()
			still = m.Still() && pending <= 0
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), offsetTimeout)
			err := s.Mover.Offset(limited, head, m.Antennas())
			cancel()
			s.mu.Lock()
			s.moveErr = err
			s.mu.Unlock()
		}
		tick.Stop()
	}
}
