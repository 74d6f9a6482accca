package openai

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
)

// transcriptions says what is said in a recording.
func (g *Gateway) transcriptions(w http.ResponseWriter, r *http.Request) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		refuse(w, http.StatusUnsupportedMediaType, "", "media_type", "Content-Type: allowed is multipart/form-data")
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSound))
	if err != nil {
		status := http.StatusBadRequest
		if errors.As(err, new(*http.MaxBytesError)) {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, status, "file", "invalid", fmt.Sprintf("the form is longer than %d bytes, or broke off", maxSound))
		return
	}
	parts, e := rest.FormParts(data, params["boundary"])
	if e == nil && g.Senses == nil {
		e = &api.Error{Code: api.CodeNotAvailable, Message: "the robot hears nothing: reachyctl doctor says why"}
	}
	if e != nil {
		refuseError(w, e)
		return
	}
	t, err := g.Senses.Transcribe(r.Context(), parts["file"])
	if err != nil {
		refuseError(w, rest.SenseError(err))
		return
	}
	switch format := string(parts["response_format"]); format {
	case "", "json":
		send(w, http.StatusOK, map[string]any{"text": t.Transcription})
	case "verbose_json":
		send(w, http.StatusOK, map[string]any{"text": t.Transcription, "task": "transcribe", "language": "english", "duration": t.Duration, "segments": []any{}})
	case "text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprintln(w, t.Transcription) // a client that is gone has no use for the error
	default:
		refuse(w, http.StatusBadRequest, "response_format", "invalid",
			fmt.Sprintf("response_format: %.40q is not one of json, verbose_json and text", format))
	}
}

// openAIVoices are the names that clients know; the robot has none of them and answers with its own voice.
var openAIVoices = []string{"alloy", "ash", "ballad", "coral", "echo", "fable", "marin", "cedar", "nova", "onyx", "sage", "shimmer", "verse"}

// speech makes sound of a text.
func (g *Gateway) speech(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Input  string `json:"input"`
		Voice  string `json:"voice"`
		Format string `json:"response_format"`
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "", "bad_json", "the body is not an object of input and voice, or is longer than 65536 bytes")
		return
	case in.Format != "" && !slices.Contains([]string{"wav", "pcm", "mp3"}, in.Format):
		refuse(w, http.StatusBadRequest, "response_format", "invalid", fmt.Sprintf("response_format: %.40q; allowed are wav, pcm and mp3", in.Format))
		return
	}
	if slices.Contains(openAIVoices, in.Voice) {
		in.Voice = ""
	}
	args := map[string]any{"text": in.Input}
	if in.Voice != "" {
		args["voice"] = in.Voice
	}
	result, e := g.Commander.Do(r.Context(), api.VerbSynthesize, args, "")
	var sound api.Sound
	if e == nil && json.Unmarshal(result, &sound) != nil {
		e = &api.Error{Code: api.CodeInternal, Message: "the sound cannot be read"}
	}
	if e != nil {
		rest.Rename(e, map[string]string{"input": "text"})
		refuseError(w, e)
		return
	}
	kind, out := "audio/wav", sound.Audio // also where MP3 is the client's default: players look at the file itself
	if in.Format == "pcm" {
		kind, out = "audio/pcm", pcm(sound.Audio)
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(out) // a client that is gone has no use for the error
}

// pcm is the sound of a WAV file of ours, at 24 kHz as clients expect it: 16 bits, one channel.
func pcm(wav []byte) []byte {
	const head, wanted = 44, 24000
	if len(wav) < head {
		return nil
	}
	le := binary.LittleEndian
	rate := int(le.Uint32(wav[24:28]))
	in := wav[head:]
	n := len(in) / 2
	if rate <= 0 || n == 0 {
		return nil
	}
	at := func(i int) float64 { return float64(int16(le.Uint16(in[2*min(i, n-1):]))) }
	out := make([]byte, 0, 2*n*wanted/rate)
	for i := range n * wanted / rate {
		where := float64(i) * float64(rate) / wanted
		k := int(where)
		v := at(k) + (where-float64(k))*(at(k+1)-at(k))
		out = le.AppendUint16(out, uint16(int16(v)))
	}
	return out
}
