package rest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/perception/client"
)

// fakeEar understands what is written to it: each message is a word that names an event.
type fakeEar struct{ command.Senses }

func (fakeEar) Converse(_ context.Context, sound io.Reader, fn func(client.Event)) (client.Hearings, error) {
	if _, err := io.ReadFull(sound, make([]byte, 44)); err != nil {
		return client.Hearings{}, err
	}
	word := make([]byte, 8)
	for {
		if _, err := io.ReadFull(sound, word); err != nil {
			return client.Hearings{}, nil //nolint:nilerr // the end of the sound
		}
		u := &client.Utterance{Text: "look left", Confidence: 0.9, Start: time.Unix(0, 0), End: time.Unix(1, 0)}
		switch text := strings.TrimSpace(string(word)); text {
		case "started":
			fn(client.Event{Type: client.SpeechStarted})
		case "partial":
			fn(client.Event{Type: client.Partial, Text: "look"})
		case "heard":
			fn(client.Event{Type: client.Heard, Utterance: u})
		case "stop":
			u.Text = "stop"
			fn(client.Event{Type: client.StopWord, Text: "stop", Utterance: u})
		case "full":
			return client.Hearings{}, &client.Error{Status: 503, Reason: "4 recordings are being heard, which is the most"}
		}
	}
}

func (fakeEar) Synthesize(_ context.Context, text, _ string) (api.Sound, error) {
	return api.Sound{Audio: []byte(text)}, nil
}

// dialVoice begins a conversation; next returns the type of the next message, and end cuts it off.
func dialVoice(t *testing.T, base, session string) (say func(string), next func() (string, string), end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c, _, err := websocket.Dial(ctx, base+Prefix+"/ws/voice?session="+session, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	end = func() { _ = c.CloseNow() }
	t.Cleanup(end)
	say = func(word string) {
		if err := c.Write(ctx, websocket.MessageBinary, []byte((word + "        ")[:8])); err != nil {
			t.Fatal(err)
		}
	}
	next = func() (string, string) {
		_, data, err := c.Read(ctx)
		if err != nil {
			return "closed", err.Error()
		}
		var m struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		return m.Type, string(m.Data)
	}
	return say, next, end
}

// A conversation over a WebSocket: what is heard is told and answered, one who speaks silences the answer, a stop stops and is told, a
// second client is heard while the first one is, and after one was cut off.
func TestConversation(t *testing.T) {
	r, a, base := open(t)
	a.Hearing, a.Senses = fakeEar{}, fakeEar{}
	expect := func(next func() (string, string), want ...string) {
		t.Helper()
		for _, w := range want {
			kind, data := next()
			if wanted, part, _ := strings.Cut(w, " "); kind != wanted || !strings.Contains(data, part) {
				t.Fatalf("%s %s, want %s", kind, data, w)
			}
		}
	}
	first, heardFirst, endFirst := dialVoice(t, base, "one")
	expect(heardFirst, `listening "session_id":"one"`)
	for range 2 { // the second time somebody speaks while the answer is heard
		first("started")
		first("partial")
		if r.asked != "" {
			expect(heardFirst, "interrupted")
		}
		expect(heardFirst, "speech_started", "partial look")
		first("heard")
		expect(heardFirst, `transcription "transcription":"look left"`, "response I looked left.", "audio")
		r.asked = "once"
	}
	second, heardSecond, _ := dialVoice(t, base, "two")
	second("heard")
	expect(heardSecond, "listening two", "transcription", "response", "audio")
	first("stop")
	expect(heardFirst, "error estop", `transcription "stop"`, "response", "audio") // this robot is stopped already and refuses
	endFirst()
	for i, trace := range r.turns() {
		if trace != "" { // then the command gets one
			t.Errorf("turn %d has the trace %q of its connection", i, trace)
		}
	}
	third, heardThird, _ := dialVoice(t, base, "three")
	third("full")
	expect(heardThird, "listening", "error busy", "closed")
}

// Who cannot be heard is told why by the connection itself: a page is not told why a handshake was refused.
func TestConversationWithADeafRobot(t *testing.T) {
	_, _, base := open(t)
	_, next, _ := dialVoice(t, base, "s")
	if kind, data := next(); kind != "error" || !strings.Contains(data, "reachyctl doctor") {
		t.Errorf("%s %s", kind, data)
	}
	if kind, data := next(); kind != "closed" || !strings.Contains(data, "hears nothing") {
		t.Errorf("%s %s", kind, data)
	}
}

func (fakeEar) Transcribe(_ context.Context, sound []byte) (api.Transcription, error) {
	if string(sound) != "a recording" {
		return api.Transcription{}, &client.Error{Status: 400, Reason: "audio: is no sound that this robot knows"}
	}
	return api.Transcription{Transcription: "look left"}, nil
}

// A recording comes as it is or in a form; what is no recording is named as the field it is.
func TestRecordingsComeInForms(t *testing.T) {
	_, a, base := open(t)
	a.Senses = fakeEar{}
	form := func(name, sound string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"x.wav\"\r\n\r\n" + sound + "\r\n--b--\r\n"
	}
	for _, c := range []struct{ kind, body, want string }{
		{"audio/wav", "a recording", `"transcription":"look left"`},
		{"multipart/form-data; boundary=b", form("audio", "a recording"), `"transcription":"look left"`},
		{"multipart/form-data; boundary=b", form("file", "a recording"), `"transcription":"look left"`},
		{"multipart/form-data; boundary=b", form("sound", "a recording"), `"field":"audio"`},
		{"multipart/form-data", form("file", "a recording"), "the form cannot be read"},
		{"audio/wav", "noise", `"errors":[{"field":"audio","value":"","allowed":"is no sound that this robot knows"}]`},
		{"text/plain", "a recording", "multipart/form-data"},
	} {
		resp, err := http.Post(base+Prefix+"/voice/stt", c.kind, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(answer), c.want) {
			t.Errorf("%s %q: %s, want %s", c.kind, c.body, answer, c.want)
		}
	}
}
