package sense

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/voice"
)

// Silence around a recording, so that the detector settles and the last turn ends.
const (
	lead = 320 * time.Millisecond
	tail = 1500 * time.Millisecond
)

// listenLine is one line of the answer to POST /listen: exactly one is set.
type listenLine struct {
	Event  *client.Event    `json:"event,omitempty"`
	Result *client.Hearings `json:"result,omitempty"`
	Error  string           `json:"error,omitempty"`
}

// listen hears a recording with an engine of its own, as fast as it can. Nothing is stopped and no wake phrase is
// needed: whoever sends a recording means it. With ?live it is sound that is being spoken: what was understood so far is told.
func (s *Server) listen(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // else a refusal is sent only when the sound has ended, and a conversation has no end
	if s.audio.engine == nil {
		local.Refuse(w, http.StatusNotImplemented, "hearing is off: %s", s.Hearing.Off)
		return
	}
	in := &bounded{http.MaxBytesReader(w, r.Body, s.longest), nil}
	file, err := audio.NewFile(in, audio.FileOptions{Tail: tail})
	if err != nil {
		failRecording(w, in, err)
		return
	}
	defer file.Close() //nolint:errcheck // read only
	detector, err := s.Hearing.Detector()
	if err != nil {
		local.Refuse(w, http.StatusInternalServerError, "the detector of speech: %v", err)
		return
	}
	defer closeDetector(detector)

	out := local.NewLines(w, s.slow)
	if err := out.EnableFullDuplex(); err != nil { // the first sentence is told before the last is read
		local.Refuse(w, http.StatusInternalServerError, "full duplex: %v", err)
		return
	}
	result := client.Hearings{Utterances: []client.Utterance{}, Rejected: []client.Event{}}
	var seq uint64
	var gone atomic.Pointer[error]
	c := s.Hearing.Settings
	c.Detector, c.Recognizer, c.Synchronous, c.Interim, c.Loudspeaker = detector, s.audio.recognizer, true, -1, nil
	c.WakePhrase, c.Spotter = "", nil
	live := r.URL.Query().Has("live")
	if live {
		c.Synchronous, c.Interim = false, 0
	}
	c.Meant, c.Timeout = nil, busyHost*hangRecogniser // nobody waits for the answer but who has sent it: a busy host changes nothing that is heard
	c.Event = func(e client.Event) {
		seq++
		e.Seq = seq
		switch e.Type {
		case client.Heard:
			result.Utterances = append(result.Utterances, *e.Utterance)
		case client.Rejected:
			result.Rejected = append(result.Rejected, e)
		case client.StopWord:
			result.StopWord = e.Text
		}
		if gone.Load() == nil {
			if err := out.Write(listenLine{Event: &e}); err != nil {
				gone.Store(&err)
			}
		}
	}
	engine, err := voice.New(c)
	if err != nil {
		local.Refuse(w, http.StatusInternalServerError, "%v", err)
		return
	}
	defer engine.Close()
	began := time.Now()
	frames, err := s.play(r.Context(), file, engine, live, &gone)
	engine.Close() // nothing is told any more
	if err == nil && in.tooBig != nil {
		err = in.tooBig
	}
	if err != nil && frames == 0 {
		failRecording(w, in, err)
		return
	}
	if err != nil {
		out.Write(listenLine{Error: recordingError(in, err).Error()}) //nolint:errcheck // the client has gone
		return
	}
	result.Duration = max(0, (time.Duration(frames)*audio.FrameTime - tail).Seconds())
	result.Took = time.Since(began).Seconds()
	result.Message = inWords(&result)
	out.Write(listenLine{Result: &result}) //nolint:errcheck // the client has gone
}

// ahead is how far a live sound may be ahead of the clock before it waits for the recogniser, as a recording does.
const ahead = 500 * time.Millisecond

// play feeds a recording, or a live sound, to the engine and returns the number of its frames.
func (s *Server) play(ctx context.Context, file audio.Source, engine *voice.Engine, live bool, gone *atomic.Pointer[error]) (frames int, err error) {
	var f audio.Frame
	began := time.Now()
	if err := engine.Hear(make([]float32, int(lead*audio.Rate/time.Second)), began.Add(-lead)); err != nil {
		return 0, err
	}
	for {
		switch err := file.Read(ctx, &f); {
		case errors.Is(err, io.EOF):
			engine.Settle()
			engine.Flush()
			engine.Settle()
			return frames, nil
		case err != nil:
			return frames, err
		case gone.Load() != nil:
			return frames, *gone.Load()
		}
		frames++
		leave := s.watchdog.compute("the detector of speech", hangDetector+hangRecogniser) // the recogniser works within
		err := engine.Hear(f.Samples[:], f.At)
		leave()
		if err != nil {
			return frames, fmt.Errorf("the detector of speech: %w", err)
		}
		if live && time.Duration(frames)*audio.FrameTime-time.Since(began) > ahead {
			engine.Settle()
		}
	}
}

// inWords says what became of a recording.
func inWords(h *client.Hearings) string {
	switch {
	case h.StopWord != "":
		return fmt.Sprintf("heard the stop word: %q", h.StopWord)
	case len(h.Utterances) == 1:
		return fmt.Sprintf("heard: %q", h.Utterances[0].Text)
	case len(h.Utterances) > 1:
		return fmt.Sprintf("heard %d sentences", len(h.Utterances))
	case len(h.Rejected) > 0:
		e := h.Rejected[len(h.Rejected)-1]
		return fmt.Sprintf("nothing was understood: %s", e.Message)
	case h.Duration == 0:
		return "the recording is empty"
	}
	return fmt.Sprintf("nobody speaks in these %.1f seconds", h.Duration)
}

// bounded remembers that a reader came to its limit: who reads from it may hide that in an error of his own.
type bounded struct {
	io.Reader
	tooBig *http.MaxBytesError
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	errors.As(err, &b.tooBig)
	return n, err
}

func recordingError(in *bounded, err error) error {
	if in.tooBig != nil {
		return fmt.Errorf("the recording is longer than %d bytes", in.tooBig.Limit)
	}
	return err
}

func failRecording(w http.ResponseWriter, in *bounded, err error) {
	status := http.StatusBadRequest
	if in.tooBig != nil {
		status = http.StatusRequestEntityTooLarge
	}
	local.Refuse(w, status, "%v", recordingError(in, err))
}
