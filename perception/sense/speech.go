package sense

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/tts"
	"github.com/reachyd/reachyd/perception/voice"
)

// Speaker says texts, one after the other; a tts.Speaker does.
type Speaker interface {
	// Say returns when the text has been heard, or why it was not.
	Say(ctx context.Context, text string) (tts.Spoken, error)
	// Play plays a sound, so that its first sample is heard at the moment begin, and returns when it has been heard, or why it was not.
	Play(ctx context.Context, rate int, pcm []float32, begin time.Time) (tts.Spoken, error)
	// Pour plays a sound as it comes, from the first piece that more returns until io.EOF, and returns as Play.
	Pour(ctx context.Context, rate int, more func(context.Context) ([]float32, error)) (tts.Spoken, error)
	// Hush silences it and forgets what waits. It returns what was heard of the present text.
	Hush() tts.Spoken
}

// ErrNoVoice begins the error that says which voices there are.
var ErrNoVoice = errors.New("voice")

// Speech is what the robot's voice is made of. Its events come in by OnSpeech.
type Speech struct {
	// Off says why there is no voice; the rest is not used then.
	Off     string
	Speaker Speaker
	Volume  tts.Volume
	// Loudspeaker tells the ear what can be heard of the robot itself. It may be nil.
	Loudspeaker voice.Loudspeaker
	// There reports whether the loudspeaker is plugged in, and why not. It may be nil.
	There func() (bool, string)

	// Synthesize makes a WAV file of a text, in the voice of that name, or in the robot's own; nil without any voice. The error wraps
	// ErrNoVoice where there is none of that name, and tts.ErrNothing or tts.ErrTooLong. It does
	// not need a loudspeaker.
	Synthesize func(ctx context.Context, text, voice string) (wav []byte, name string, err error)

	Device, Engine, Voice string // for State
	Level                 int    // of the volume at first, 0…100
}

// ttsWork counts what is said.
type ttsWork struct {
	calls    chan struct{}
	speaking atomic.Bool
	volume   atomic.Int32
	spoken   atomic.Uint64
}

func (m *ttsWork) init() { m.calls = make(chan struct{}, MaxSpeaking) }

// OnSpeech takes what a tts.Speaker tells.
func (s *Server) OnSpeech(e tts.Event) {
	out := client.Event{Text: e.Text, Time: e.At}
	s.tts.speaking.Store(e.Type == tts.Started)
	switch e.Type {
	case tts.Started:
		out.Type = client.SpeakingStarted
	case tts.Finished:
		out.Type, out.Reason = client.SpeakingDone, client.ReasonFinished
		s.tts.spoken.Add(1)
		s.invite()
	case tts.Interrupted:
		out.Type, out.Reason = client.SpeakingDone, client.ReasonInterrupted
		s.invite()
	default:
		out.Type, out.Reason = client.SpeakingDone, client.ReasonFailed
		if e.Err != nil {
			out.Message = e.Err.Error()
		}
	}
	s.emit(out)
}

// invite lets the next sentence do without a wake phrase.
func (s *Server) invite() {
	if s.audio.engine != nil {
		s.audio.engine.Invite()
	}
}

func (m *ttsWork) state(s *Server) client.Speech {
	sp := &s.Speech
	out := client.Speech{Off: sp.Off, Speaker: sp.Device, Engine: sp.Engine, Voice: sp.Voice}
	if sp.Off != "" {
		return out
	}
	if sp.There != nil {
		if there, why := sp.There(); !there {
			out.Off = why
		}
	}
	out.Volume = sp.Level
	if v := m.volume.Load(); v > 0 {
		out.Volume = int(v) - 1
	}
	out.Speaking = m.speaking.Load()
	out.Queued = len(m.calls)
	if out.Speaking {
		out.Queued = max(0, out.Queued-1)
	}
	return out
}

func (s *Server) speak(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Text string  `json:"text"`
		Rate float64 `json:"rate"`
	}
	if !decode(w, r, &in) {
		return
	}
	if in.Rate != 0 && !(in.Rate >= tts.MinRate && in.Rate <= tts.MaxRate) {
		local.Refuse(w, http.StatusBadRequest, "rate is %g; allowed is %g…%g", in.Rate, tts.MinRate, tts.MaxRate)
		return
	}
	if s.Speech.Off != "" {
		local.Refuse(w, http.StatusNotImplemented, "the voice is off: %s", s.Speech.Off)
		return
	}
	said, err := s.Speech.Speaker.Say(tts.WithRate(r.Context(), in.Rate), in.Text)
	answerSpoken(w, said, err)
}

// answerSpoken tells how what was to be heard has been heard.
func answerSpoken(w http.ResponseWriter, said tts.Spoken, err error) {
	out := client.Spoken{Reason: client.ReasonFinished, Text: said.Text, Heard: said.Heard.Seconds()}
	switch {
	case errors.Is(err, tts.ErrInterrupted), err == nil && !said.Complete:
		out.Reason = client.ReasonInterrupted
	case errors.Is(err, tts.ErrNothing), errors.Is(err, tts.ErrTooLong):
		local.Refuse(w, http.StatusBadRequest, "%v", err)
		return
	case errors.Is(err, tts.ErrQueueFull), errors.Is(err, tts.ErrClosed), errors.Is(err, tts.ErrBusy):
		local.Refuse(w, http.StatusServiceUnavailable, "%v", err)
		return
	case err != nil:
		local.Refuse(w, http.StatusInternalServerError, "%v", err)
		return
	}
	local.Reply(w, out)
}

// maxSound is the longest sound file that is played, bytes.
const maxSound = 8 << 20

// playSound plays a sound file (WAV), so that its first sample is heard at the moment begin, nanoseconds since 1970; at once without one.
func (s *Server) playSound(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	if text := r.URL.Query().Get("begin"); text != "" {
		ns, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			local.Refuse(w, http.StatusBadRequest, "begin is %.40q; allowed are nanoseconds since 1970", text)
			return
		}
		begin = time.Unix(0, ns)
	}
	if s.Speech.Off != "" {
		local.Refuse(w, http.StatusNotImplemented, "the voice is off: %s", s.Speech.Off)
		return
	}
	rate, pcm, err := audio.ReadWAV(http.MaxBytesReader(w, r.Body, maxSound))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		local.Refuse(w, http.StatusRequestEntityTooLarge, "the sound is larger than %d MiB", maxSound>>20)
		return
	case err != nil:
		local.Refuse(w, http.StatusBadRequest, "%v", err)
		return
	}
	said, err := s.Speech.Speaker.Play(r.Context(), rate, pcm, begin)
	answerSpoken(w, said, err)
}

func (s *Server) hush(w http.ResponseWriter, _ *http.Request) {
	if s.Speech.Off == "" {
		s.Speech.Speaker.Hush()
	}
	local.Reply(w, struct{}{}) // who cannot speak is silent
}

func (s *Server) setVolume(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Level *int `json:"level"`
	}
	switch {
	case !decode(w, r, &in):
		return
	case in.Level == nil:
		local.Refuse(w, http.StatusBadRequest, "level is missing; allowed is 0…100")
		return
	case *in.Level < 0 || *in.Level > 100:
		local.Refuse(w, http.StatusBadRequest, "level is %d; allowed is 0…100", *in.Level)
		return
	case s.Speech.Off != "":
		local.Refuse(w, http.StatusNotImplemented, "the voice is off: %s", s.Speech.Off)
		return
	}
	if err := s.Speech.Volume.SetVolume(*in.Level); err != nil {
		local.Refuse(w, http.StatusInternalServerError, "set the volume: %v", err)
		return
	}
	s.tts.volume.Store(int32(*in.Level) + 1)
	local.Reply(w, struct{}{})
}
