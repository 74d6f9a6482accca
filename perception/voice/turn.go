package voice

import (
	"fmt"
	"time"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
)

// interimLongest is how long speech is recognised without a pause, s: the longer it is the more that costs.
const interimLongest = 5

// turn is a sentence that is being said.
type turn struct {
	number   uint64
	buffer   int // which of the Engine's two
	start    time.Time
	end      time.Time // of the last frame of speech
	bargedIn bool
	peak     peak
	speech   int // frames with speech
	pause    int // frames since the last one
	resume   int // frames of speech in a row within the pause
	since    int // frames since the recogniser began the last time, or the turn did
	stopped  bool
	stopping bool // it was nothing but a stop so far: at its end the robot is stopped

	called bool   // the wake phrase was heard in the sound
	from   int    // the sample behind it, where what is written down begins
	after  int    // frames with speech since then
	voiced uint64 // the newest frames, the last the lowest bit: 1 is speech

	revision   int  // of the speculation that stands; more speech makes it void
	wanted     bool // the recogniser is to work on it
	asked      bool // it does, or has done
	known      bool // text and the rest below are there
	text       Transcript
	err        error
	endpoint   client.Endpoint
	speculated time.Time     // when the recogniser began, in the time of the samples
	took       time.Duration // its work
	ready      time.Time     // by the clock

	decided   time.Time // in the time of the samples
	decidedBy time.Time // by the clock
}

// begin begins a turn in buffer b whose first frame of speech was captured at start; what lies in the ring belongs to it.
func (e *Engine) begin(b int, start time.Time, over bool) {
	e.turns++
	t := &e.pool[b]
	*t = turn{number: e.turns, buffer: b, start: start, end: e.now, bargedIn: over, peak: newPeak(), speech: e.hits}
	size, onset := len(e.ring)/FrameSize, e.onset
	n := min(e.ringed, onset+e.n.preRoll)
	buf := e.buffers[b][:0]
	for i := range n {
		k := (e.head - n + i + size) % size
		frame := e.ring[k*FrameSize : (k+1)*FrameSize]
		buf = append(buf, frame...)
		if i >= n-onset {
			t.peak.add(Level(frame))
		}
	}
	e.buffers[b] = buf
	e.quiet()
	e.turn, e.detector = t, true
	e.emit(client.Event{Type: client.SpeechStarted, Turn: t.number})
	if e.cfg.Spotter != nil {
		t.voiced = 1<<min(onset, 63) - 1
		e.cfg.Spotter.Reset()
		e.spot(t, buf)
	}
}

// continueTurn adds the frame to the turn.
func (e *Engine) continueTurn(speech bool, level float64) {
	t := e.turn
	if e.tooLong {
		e.waitOut(speech)
		return
	}
	buf := e.buffers[t.buffer]
	if len(buf)+FrameSize > e.n.longest*FrameSize {
		if t.pause >= e.n.short { // it was over already, only the recogniser is slow
			e.finish()
			return
		}
		e.cut()
		return
	}
	e.buffers[t.buffer] = append(buf, e.frame[:]...)
	t.since++
	t.note(speech)
	e.spot(t, e.frame[:])
	if e.turn != t {
		return // a phrase alone that came late has ended it
	}
	if !speech {
		t.resume = 0
		t.pause++
		e.paused()
		return
	}
	t.peak.add(level)
	t.speech++
	if t.pause > 0 {
		if t.resume++; t.resume < 2 && t.pause >= e.n.speculate {
			t.pause++ // a single frame may be a click; two are speech
			return
		}
		e.resumed()
	}
	t.end = e.now
	if t.since >= e.n.interim && e.job == nil && e.audible(t) && !e.alone(t) && len(e.buffers[t.buffer])-t.from <= interimLongest*Rate {
		t.since = 0
		e.recognise(t, interim)
	}
}

// paused looks at a pause that has become a frame longer.
func (e *Engine) paused() {
	t := e.turn
	if t.pause == e.n.speculate && e.audible(t) {
		e.speculate(t)
	}
	if e.turn == t {
		e.decide()
	}
}

// speculate has the recogniser begin before it is known that nothing more is said.
func (e *Engine) speculate(t *turn) {
	t.revision++
	t.wanted, t.asked, t.known, t.endpoint = true, false, false, client.Unknown
	if e.job != nil && e.job.kind == interim {
		e.job.cancel() // it would only be in the way
	}
	if e.alone(t) {
		t.wanted, t.known, t.text, t.err = false, true, Transcript{}, nil
		t.speculated, t.took, t.ready = e.now, 0, e.cfg.Now()
	}
	e.next()
}

// resumed makes void what was found out in a pause.
func (e *Engine) resumed() {
	e.turn.pause, e.turn.resume = 0, 0
	e.void(e.turn)
}

// void throws away what the recogniser makes of the turn.
func (e *Engine) void(t *turn) {
	t.stopping, t.wanted, t.asked, t.known = false, false, false, false
	// A short one is let finish: it may be a stop word that is said again and again.
	if j := e.job; j != nil && j.turn == t && j.kind == speculation && j.samples > 2*Rate {
		j.cancel()
	}
}

// audible reports whether there is enough in the turn to be a sentence.
func (e *Engine) audible(t *turn) bool {
	return t.speech >= e.n.minSpeech && t.peak.level >= e.cfg.MinLevel
}

// decide ends the turn when its pause is long enough for what was said.
func (e *Engine) decide() {
	t := e.turn
	if t == nil || e.tooLong || t.pause == 0 || t.resume > 0 {
		return
	}
	limit := e.n.long // also while there is no text yet: without it nothing can be done anyway
	switch {
	case !e.audible(t):
		limit = e.n.short
	case t.known && t.endpoint == client.Complete:
		limit = e.n.short
	case t.known && t.endpoint == client.Unknown:
		limit = e.n.medium
	}
	if t.pause < limit {
		return
	}
	if e.audible(t) && !t.known && e.ending != nil {
		return // the recogniser has not even finished the turn before
	}
	e.finish()
}

// finish ends the turn here; its text may still have to come.
func (e *Engine) finish() {
	t := e.turn
	e.turn = nil
	e.quiet()
	e.ringed = min(e.ringed, t.pause)
	t.decided, t.decidedBy = e.now, e.cfg.Now()
	switch {
	case t.stopped:
	case t.peak.level < e.cfg.MinLevel:
		e.reject(t, client.ReasonTooQuiet, fmt.Sprintf("the voice was too quiet: %.0f dBFS, needed are %.0f", t.peak.level, e.cfg.MinLevel))
	case t.speech < e.n.minSpeech:
		e.reject(t, client.ReasonTooShort, fmt.Sprintf("%v of speech, needed are %v", frameTimes(t.speech), frameTimes(e.n.minSpeech)))
	case t.known, e.alone(t):
		e.deliver(t)
	default:
		if !t.wanted && !t.asked { // cut off by the end of a recording
			t.revision++
			t.wanted = true
		}
		e.ending = t
		e.next()
	}
}

// cut ends a turn that is longer than a sentence may be; what is said from here on is the next one. When the recogniser has
// not even finished the turn before, the rest of the speech is passed over.
func (e *Engine) cut() {
	t := e.turn
	if e.ending == nil && !t.stopped {
		t.wanted, t.asked, t.known = false, false, false
		if j := e.job; j != nil && j.turn == t {
			j.cancel()
		}
		e.finish()
		return
	}
	e.tooLong = true
	t.pause = 0
	t.wanted, t.asked, t.known = false, false, false
	t.decided, t.decidedBy = e.now, e.cfg.Now()
	if e.job != nil && e.job.turn == t {
		e.job.cancel()
	}
	if !t.stopped {
		e.reject(t, client.ReasonTooLong, fmt.Sprintf("the sentence is longer than %v; nothing of it was acted on",
			frameTimes(e.n.longest).Round(100*time.Millisecond)))
	}
}

// waitOut passes over the rest of a turn that was cut.
func (e *Engine) waitOut(speech bool) {
	if t := e.turn; speech {
		t.pause = 0
	} else if t.pause++; t.pause >= e.n.medium {
		e.turn = nil
		e.quiet()
	}
}

// deliver tells about a turn that is decided and has its text.
func (e *Engine) deliver(t *turn) {
	switch {
	case t.stopping:
		e.stopped(t, t.text, false)
		return
	case e.alone(t), t.called && t.after <= remnant && (t.text.Reason != "" || !language.HasWords(t.text.Text)):
		e.woken(t)
		return
	case t.err != nil:
		e.reject(t, client.ReasonFailed, "the recogniser failed: "+t.err.Error())
		return
	case t.text.Foreign != "":
		e.deliverForeign(t)
		return
	case t.text.Reason != "":
		e.reject(t, t.text.Reason, t.text.Message)
		return
	case !language.HasWords(t.text.Text):
		e.reject(t, client.ReasonNoSpeech, "no words were found in it")
		return
	case t.text.Confidence < e.cfg.MinConfidence:
		e.reject(t, client.ReasonNotUnderstood, fmt.Sprintf("%q is too uncertain: %.2f, needed is %.2f", t.text.Text, t.text.Confidence, e.cfg.MinConfidence))
		return
	}
	text, addressed := e.address(t, t.text.Text)
	switch {
	case !addressed:
		e.reject(t, client.ReasonNoWakePhrase, fmt.Sprintf("it did not begin with %q", e.cfg.WakePhrase))
	case !e.meant(t, text):
		e.reject(t, client.ReasonNotAddressed, fmt.Sprintf("nobody has addressed the robot, and %.80q is no command", text))
	case !language.HasWords(text):
		e.woken(t)
	default:
		u := e.utterance(t, text)
		e.stats.Utterances++
		if u.Speculated {
			e.stats.Hits++
		}
		e.emit(client.Event{Type: client.Heard, Turn: t.number, Utterance: u})
	}
}

// woken tells that nothing but the wake phrase was said: the next sentence needs none.
func (e *Engine) woken(t *turn) {
	e.invited = e.now.Add(e.cfg.FollowUp)
	e.emit(client.Event{Type: client.Woken, Turn: t.number})
}

// deliverForeign tells about a sentence in a language that is not understood, where it is for the robot.
func (e *Engine) deliverForeign(t *turn) {
	text, addressed := e.address(t, t.text.Text)
	if !addressed || !e.meant(t, text) {
		e.reject(t, client.ReasonNotAddressed, fmt.Sprintf("nobody has addressed the robot, in a language that it does not understand (%s)", t.text.Foreign))
		return
	}
	e.stats.Utterances++
	e.emit(client.Event{Type: client.Heard, Turn: t.number, Utterance: e.utterance(t, text)})
}

// address removes the wake phrase from a text, and reports whether the robot is meant at all.
func (e *Engine) address(t *turn, text string) (rest string, addressed bool) {
	if rest, found := e.wake.cut(text); found {
		return rest, true
	}
	return text, e.wake.empty() || t.called || !t.start.After(e.invited)
}

// meant reports whether a sentence is for the robot: it follows what the robot has said, or it looks like one for a robot.
func (e *Engine) meant(t *turn, text string) bool {
	return e.cfg.Meant == nil || !e.wake.empty() || !t.start.After(e.invited) || e.cfg.Meant(Said{
		Text: text, Confidence: t.text.Confidence, Foreign: t.text.Foreign != "", Start: t.start,
		Alone: t.start.Sub(e.talked) > aloneAfter,
	})
}

// utterance is the turn as it is told.
func (e *Engine) utterance(t *turn, text string) *client.Utterance {
	ready, over := t.ready, t.decidedBy
	if e.cfg.Synchronous { // as if the recogniser had worked beside the sound
		ready, over = t.speculated.Add(t.took), t.decided
	}
	if over.Before(ready) {
		over = ready
	}
	return &client.Utterance{
		Turn: t.number, Text: text, Confidence: t.text.Confidence, Unsure: t.text.Unsure, Language: t.text.Language, Foreign: t.text.Foreign,
		Endpoint: t.endpoint, Level: t.peak.level, BargedIn: t.bargedIn, Start: t.start, End: t.end, Decided: t.decided, Ready: ready,
		Latency: over.Sub(t.end).Seconds(), Recognition: t.took.Seconds(), Speculated: t.speculated.Before(t.decided),
	}
}

func (e *Engine) reject(t *turn, reason, message string) {
	e.stats.Rejected[reason]++
	switch reason {
	case client.ReasonNotAddressed, client.ReasonNoWakePhrase, client.ReasonNotUnderstood, client.ReasonTooLong:
		e.talked = t.end
	}
	e.emit(client.Event{Type: client.Rejected, Turn: t.number, Reason: reason, Message: message})
}
