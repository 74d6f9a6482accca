package sense

import (
	"errors"
	"net/http"

	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/tts"
)

// MaxSynthesizing is how many texts may become sound for others at once.
const MaxSynthesizing = 2

// synthesize answers with a text as a WAV file; nothing is heard here.
func (s *Server) synthesize(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Text  string `json:"text"`
		Voice string `json:"voice"`
	}
	if !decode(w, r, &in) {
		return
	}
	if s.Speech.Synthesize == nil {
		local.Refuse(w, http.StatusNotImplemented, "the voice is off: %s", s.Speech.Off)
		return
	}
	wav, voice, err := s.Speech.Synthesize(r.Context(), in.Text, in.Voice)
	switch {
	case errors.Is(err, tts.ErrNothing), errors.Is(err, tts.ErrTooLong):
		local.Refuse(w, http.StatusBadRequest, "text: %v", err)
	case errors.Is(err, ErrNoVoice):
		local.Refuse(w, http.StatusBadRequest, "%v", err)
	case err != nil:
		local.Refuse(w, http.StatusInternalServerError, "%v", err)
	default:
		w.Header().Set("Content-Type", "audio/wav")
		w.Header().Set(client.VoiceHeader, voice)
		w.Write(wav) //nolint:errcheck // the client has gone
	}
}
