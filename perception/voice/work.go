package voice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
)

// kind is why the recogniser works.
type kind int

const (
	speculation kind = iota // in a pause: it becomes the text of the turn, unless more is said
	interim                 // in the middle of speech: for stop words, and to show that the robot listens
)

// job is one piece of the recogniser's work. There is at most one at a time.
type job struct {
	turn     *turn
	number   uint64 // of the turn: its memory is used again
	kind     kind
	revision int
	buffer   int
	samples  int
	began    time.Time // by the clock
	at       time.Time // in the time of the samples
	dropped  bool      // its words must not be used, not even for a stop
	ctx      context.Context
	cancel   context.CancelFunc
}

// next gives the idle recogniser the text that is awaited, the older turn's first.
func (e *Engine) next() {
	for _, t := range []*turn{e.ending, e.turn} {
		if e.job != nil || e.closed {
			return
		}
		if t != nil && t.wanted {
			t.wanted = false
			e.recognise(t, speculation)
		}
	}
}

// recognise has the recogniser work on the turn as far as it goes.
func (e *Engine) recognise(t *turn, k kind) {
	buf := e.buffers[t.buffer]
	j := &job{
		turn: t, number: t.number, kind: k, revision: t.revision, buffer: t.buffer, samples: len(buf),
		began: e.cfg.Now(), at: e.now,
	}
	j.ctx, j.cancel = context.WithTimeout(e.ctx, e.cfg.Timeout)
	if k == speculation {
		t.since, t.asked = 0, true
		t.speculated = e.now
		e.stats.Speculations++
	}
	e.job = j
	samples := buf[:len(buf):len(buf)] // what is appended meanwhile lies behind
	if e.cfg.Synchronous {
		text, err := e.transcribe(j, samples)
		e.done(j, text, err)
		return
	}
	e.work.Go(func() {
		text, err := e.transcribe(j, samples)
		e.mu.Lock()
		stop := e.done(j, text, err)
		e.unlock()
		if stop != nil {
			e.stopRobot(stop, true)
		}
	})
}

func (e *Engine) transcribe(j *job, samples []float32) (text Transcript, err error) {
	defer j.cancel()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return e.cfg.Recognizer.Transcribe(j.ctx, samples)
}

// done takes the result of the recogniser's work. It returns the event of a stop word, to be acted on without the lock;
// with a synchronous recogniser that has been done.
func (e *Engine) done(j *job, text Transcript, err error) (stop *client.Event) {
	e.job = nil
	defer e.next()
	if j.dropped {
		clear(e.buffers[j.buffer][:cap(e.buffers[j.buffer])])
	}
	if e.closed || j.dropped || j.turn.number != j.number {
		return nil
	}
	t := j.turn
	current := j.kind == speculation && t.asked && t.revision == j.revision && (t == e.ending || t == e.turn)
	if err != nil && !current {
		return nil // it was thrown away
	}
	words := 0
	if err == nil && text.Reason == "" {
		words = stopWords(text.Text)
	}
	t.took, t.ready = e.cfg.Now().Sub(j.began), e.cfg.Now()
	// What comes from the middle of speech may be the beginning of 'stop sign': only said twice it is a stop.
	if (words > 0 && j.kind == speculation) || words > 1 {
		stop = e.stopped(t, text, current)
	}
	switch {
	case stop != nil || t.stopped:
	case current:
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it was not done within %v", e.cfg.Timeout)
		}
		t.known, t.text, t.err = true, text, err
		e.transcribed(t)
	case t == e.turn && j.kind == interim && !e.tooLong:
		e.partial(t, text, client.Unknown)
	}
	if stop != nil && e.cfg.Synchronous {
		e.stopRobot(stop, false)
		return nil
	}
	return stop
}

// transcribed decides about a turn whose text has come.
func (e *Engine) transcribed(t *turn) {
	if t == e.ending {
		e.ending = nil
		e.deliver(t)
		return
	}
	t.endpoint = client.Unknown
	if t.err == nil && t.text.Reason == "" {
		t.endpoint = e.cfg.Complete(t.text.Text)
		e.partial(t, t.text, t.endpoint)
	}
	e.decide()
}

func (e *Engine) partial(t *turn, text Transcript, v client.Endpoint) {
	if !language.HasWords(text.Text) || text.Reason != "" {
		return
	}
	if rest, addressed := e.address(t, text.Text); addressed {
		e.emit(client.Event{Type: client.Partial, Turn: t.number, Revision: t.revision, Text: rest, Endpoint: v})
	}
}

// stopped ends a turn that was a stop word. It returns nil when the turn has stopped the robot before.
func (e *Engine) stopped(t *turn, text Transcript, current bool) *client.Event {
	if t.stopped {
		return nil
	}
	t.stopped = true
	t.text = text
	t.decided, t.decidedBy = e.now, e.cfg.Now()
	e.hush = true
	e.stats.StopWords++
	u := e.utterance(t, text.Text)
	switch {
	case t == e.ending:
		e.ending = nil
	case current && t == e.turn:
		e.turn = nil
		e.quiet()
	}
	return &client.Event{Type: client.StopWord, Turn: t.number, Text: text.Text, Utterance: u}
}

// stopRobot stops the robot and then tells about it.
func (e *Engine) stopRobot(ev *client.Event, lock bool) {
	if e.cfg.Stop != nil {
		if err := e.cfg.Stop(e.ctx); err != nil {
			ev.Message = "the robot could not be stopped: " + err.Error()
		}
	}
	if lock {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	e.emit(*ev)
}
