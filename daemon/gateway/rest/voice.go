package rest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/recording"
	"github.com/reachyd/reachyd/perception/client"
)

// SenseError is what a sense answered, as an error of the interface.
func SenseError(err error) *api.Error {
	var refused *client.Error
	switch {
	case errors.Is(err, client.ErrUnavailable):
		return &api.Error{Code: api.CodeUnavailable, Message: err.Error()}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &api.Error{Code: api.CodeInterrupted, Message: err.Error()}
	case !errors.As(err, &refused):
		return &api.Error{Code: api.CodeFailed, Message: err.Error()}
	}
	code := api.CodeFailed
	switch refused.Status {
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		code = api.CodeInvalid
	case http.StatusRequestEntityTooLarge:
		code = codeTooLarge
	case http.StatusNotImplemented:
		code = api.CodeNotAvailable
	case http.StatusServiceUnavailable:
		code = api.CodeBusy
	}
	return &api.Error{Code: code, Message: refused.Reason}
}

// about names the field of a body that is one thing only, when that is what was refused.
func about(field string, e *api.Error) *api.Error {
	if e.Code == api.CodeInvalid && len(e.Fields) == 0 {
		e.Fields = []api.FieldError{{Field: field, Allowed: strings.TrimPrefix(e.Message, field+": ")}}
	}
	return e
}

// recordingOf is the recording of a request: its body, or of a form the part audio or file.
func recordingOf(r *http.Request, data []byte) ([]byte, *api.Error) {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // it was checked
	if kind != "multipart/form-data" {
		return data, nil
	}
	parts, e := FormParts(data, params["boundary"])
	if e != nil {
		return nil, e
	}
	for _, name := range []string{"audio", "file"} {
		if sound, given := parts[name]; given {
			return sound, nil
		}
	}
	return nil, invalid("audio", "is missing; allowed is a recording, as audio or file")
}

// analyze says what is in a picture.
func (a *API) analyze(_ *route, w http.ResponseWriter, r *http.Request) {
	picture, prompt, e := pictureOf(w, r)
	if e == nil && a.Senses == nil {
		e = &api.Error{Code: api.CodeNotAvailable, Message: "the robot sees nothing: reachyctl doctor says why"}
	}
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	seen, err := a.Senses.Analyze(r.Context(), picture, prompt)
	if err != nil {
		Fail(w, r, about("image", SenseError(err)), nil)
		return
	}
	reply(w, r, seen)
}

// pictureOf reads a picture and a prompt: as JSON, as a form, or the picture alone.
func pictureOf(w http.ResponseWriter, r *http.Request) (picture []byte, prompt string, e *api.Error) {
	data, e := body(w, r, maxPicture+maxPicture/2, "application/json", "multipart/form-data", "image/*")
	if e != nil {
		return nil, "", e
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	prompt = r.URL.Query().Get("prompt")
	switch kind {
	case "application/json":
		picture, prompt, e = pictureInJSON(data)
	case "multipart/form-data":
		picture, prompt, e = pictureInForm(data, params["boundary"])
	default:
		picture = data
	}
	switch {
	case e != nil:
		return nil, "", e
	case len(prompt) > 500:
		return nil, "", invalid("prompt", "has more than 500 characters")
	case !bytes.HasPrefix(picture, []byte("\xff\xd8\xff")) && !bytes.HasPrefix(picture, []byte("\x89PNG\r\n\x1a\n")):
		return nil, "", invalid("image", "is neither JPEG nor PNG")
	}
	return picture, prompt, nil
}

func pictureInJSON(data []byte) (picture []byte, prompt string, e *api.Error) {
	var in struct {
		Image  *string `json:"image"`
		Prompt string  `json:"prompt"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.Image == nil || d.Decode(new(any)) != io.EOF {
		return nil, "", &api.Error{Code: api.CodeInvalid, Message: `the body is not an object of "image", a picture in base64, and "prompt"`}
	}
	picture, err := base64.StdEncoding.DecodeString(*in.Image)
	if err != nil {
		return nil, "", invalid("image", "is not base64: "+err.Error())
	}
	return picture, in.Prompt, nil
}

// heardRate is how many samples a second a client sends over the WebSocket.
const heardRate = 16000

// voice is a conversation over a WebSocket.
func (a *API) voice(_ *route, w http.ResponseWriter, r *http.Request) {
	session := r.URL.Query().Get("session")
	if session == "" {
		session = NewSession()
	}
	s, done, ok := a.accept(w, r)
	if !ok {
		return
	}
	defer done()
	t := &talk{a: a, r: r, s: s, session: session}
	if a.Hearing == nil || a.Senses == nil { // a page would not see a refused handshake's reason
		t.send("error", &api.Error{Code: api.CodeNotAvailable, Message: "the robot hears nothing: reachyctl doctor says why"})
		_ = s.Close(websocket.StatusTryAgainLater, "the robot hears nothing") // the client may be gone
		return
	}
	t.run()
}

// talk is one such conversation.
type talk struct {
	a       *API
	r       *http.Request
	s       *socket
	session string

	mu      sync.Mutex // of what follows, and of writing
	answer  *answer    // the newest, until it was given or interrupted
	answers sync.WaitGroup
}

// answer is one that is being given.
type answer struct {
	end    context.CancelFunc
	hushed bool // somebody speaks: it is done, and its words are not said
}

func (t *talk) send(kind string, data any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.s.send(message{kind, data}) // the end of the connection is seen by who reads
}

// run hears until the connection ends.
func (t *talk) run() {
	in, sound := io.Pipe()
	ctx, cancel := context.WithCancel(t.s.ctx)
	defer cancel()
	var reading sync.WaitGroup
	reading.Go(func() {
		defer cancel()
		_, err := sound.Write(recording.Head(heardRate))
		for err == nil {
			var kind websocket.MessageType
			var data []byte
			if kind, data, err = t.s.Read(ctx); err == nil && kind == websocket.MessageBinary {
				_, err = sound.Write(data)
			}
		}
		_ = sound.Close() // never fails
	})
	t.send("listening", map[string]any{"session_id": t.session, "rate": heardRate})
	_, err := t.a.Hearing.Converse(ctx, in, func(e client.Event) { t.heard(ctx, e) })
	if err != nil && ctx.Err() == nil {
		t.send("error", SenseError(err))
	}
	_ = in.CloseWithError(io.EOF) // never fails
	t.interrupt()
	t.answers.Wait()
	_ = t.s.Close(websocket.StatusNormalClosure, "") // it may be closed already
	cancel()
	reading.Wait()
}

// interrupt ends the answer that is being given, if any: something else was said.
func (t *talk) interrupt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answer != nil {
		t.answer.end()
		t.answer = nil
	}
}

// hush silences the answer that is being given, if any: somebody speaks. What the robot does goes on until it is understood.
func (t *talk) hush() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answer == nil || t.answer.hushed {
		return false
	}
	t.answer.hushed = true
	return true
}

// heard takes what the ear tells.
func (t *talk) heard(ctx context.Context, e client.Event) {
	switch e.Type {
	case client.SpeechStarted:
		if t.hush() {
			t.send("interrupted", map[string]any{})
		}
		t.send("speech_started", map[string]any{})
	case client.Partial:
		t.send("partial", map[string]any{"text": e.Text})
	case client.Rejected:
		t.send("error", map[string]any{"code": e.Reason, "message": e.Message})
	case client.StopWord:
		t.interrupt()
		if _, err := t.a.do(ctx, api.VerbStop, map[string]any{"reason": "said over a WebSocket: " + e.Text}, ""); err != nil {
			t.send("error", err)
		}
		t.said(ctx, e.Utterance) // the conversation says how it goes on
	case client.Heard:
		t.said(ctx, e.Utterance)
	}
}

// said takes what was understood, and answers.
func (t *talk) said(ctx context.Context, u *client.Utterance) {
	if u == nil {
		return
	}
	t.send("transcription", api.Transcription{Transcription: u.Text, Confidence: u.Confidence, Duration: u.End.Sub(u.Start).Seconds()})
	t.interrupt()
	own, cancel := context.WithCancel(tool.WithTrace(ctx, "")) // every turn has its own, not that of the connection
	a := &answer{end: cancel}
	t.mu.Lock()
	t.answer = a
	t.mu.Unlock()
	t.answers.Go(func() { defer cancel(); t.reply(own, a, u) })
}

// reply answers in words, and in sound where there is a voice and nobody speaks.
func (t *talk) reply(ctx context.Context, a *answer, u *client.Utterance) {
	result, e := t.a.do(ctx, api.VerbChat, map[string]any{"text": u.Text, "session": t.session, "unsure": u.Unsure}, "")
	if e != nil && len(result) == 0 {
		t.send("error", e)
		return
	}
	var turn coordinator.Trace
	if json.Unmarshal(result, &turn) != nil {
		return
	}
	t.send("response", Answer(&turn))
	sound, err := t.a.Senses.Synthesize(ctx, turn.Reply, "")
	t.mu.Lock()
	hushed := a.hushed
	t.mu.Unlock()
	switch {
	case ctx.Err() != nil || hushed:
	case err != nil:
		t.send("error", SenseError(err))
	default:
		t.send("audio", sound)
	}
}
