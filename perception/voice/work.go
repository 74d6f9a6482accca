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
	buf := e.buffers[t.buffer][t.from:]
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
		defer e.unlock()
		e.done(j, text, err)
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

// done takes the result of the recogniser's work.
func (e *Engine) done(j *job, text Transcript, err error) {
	e.job = nil
	defer e.next()
	if j.dropped {
		clear(e.buffers[j.buffer][:cap(e.buffers[j.buffer])])
	}
	if e.closed || j.dropped || j.turn.number != j.number {
		return
	}
	t := j.turn
	current := j.kind == speculation && t.asked && t.revision == j.revision && (t == e.ending || t == e.turn)
	if err != nil && !current {
		return // it was thrown away
	}
	said, words := "", 0
	if err == nil {
		said, words = stopIn(&text)
	}
	if err == nil && words == 0 && text.Perhaps != "" && current {
		said, words = e.perhapsStop(t, text.Perhaps)
	}
	t.took, t.ready = e.cfg.Now().Sub(j.began), e.cfg.Now()
	if words > 0 {
		text = Transcript{Text: said, Language: text.Language, Confidence: text.Confidence}
	}
	switch {
	case t.stopped:
	case words > 1, words == 1 && current && (t == e.ending || t.pause >= e.n.short):
		e.stopped(t, text, current)
	case words == 1 && j.kind == speculation:
		// It may be the beginning of 'stop following me': the robot brakes, and stops when nothing follows.
		e.brake, e.hush = true, true
		if current {
			t.known, t.text, t.err, t.stopping, t.endpoint = true, text, nil, true, client.Complete
			e.decide()
		}
	case current:
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it was not done within %v", e.cfg.Timeout)
		}
		t.known, t.text, t.err = true, text, err
		e.transcribed(t)
	case t == e.turn && j.kind == interim && !e.tooLong:
		e.partial(t, text, client.Unknown)
	}
}

// perhapsStop has the robot brake on what may have been a stop. Who means it says it again: then it is one.
func (e *Engine) perhapsStop(t *turn, text string) (said string, words int) {
	if since := t.start.Sub(e.perhaps); !e.perhaps.IsZero() && since > 0 && since <= e.cfg.FollowUp {
		e.perhaps = time.Time{}
		return text, 1
	}
	e.brake, e.hush, e.perhaps = true, true, t.end
	return "", 0
}

// stopIn returns the words among all that were heard that mean a stop, and how many of them do.
func stopIn(text *Transcript) (said string, words int) {
	if text.Reason == "" {
		said, words = text.Text, stopWords(text.Text)
	}
	for _, heard := range text.Heard {
		if n := stopWords(heard); n > words {
			said, words = heard, n
		}
	}
	return said, words
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

// stopped ends a turn that was a stop word, and has the robot stopped.
func (e *Engine) stopped(t *turn, text Transcript, current bool) {
	t.stopped, t.stopping = true, false
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
	e.stop = &client.Event{Type: client.StopWord, Turn: t.number, Text: text.Text, Utterance: u}
}

// stopRobot stops the robot and then tells about it.
func (e *Engine) stopRobot(ev *client.Event) {
	if e.cfg.Stop != nil {
		if err := e.cfg.Stop(e.ctx, ev.Text); err != nil {
			ev.Message = "the robot could not be stopped: " + err.Error()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.emit(*ev)
}
