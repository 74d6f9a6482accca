package sdk

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal/moves"
)

// upload sends a file as a form.
func (r *rig) upload(name string, data []byte) (int, string) {
	r.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		r.t.Fatal(err)
	}
	part.Write(data)
	form.Close()
	return r.ask(http.MethodPost, "/api/media/sounds/upload", &body, http.Header{"Content-Type": {form.FormDataContentType()}})
}

func TestSoundsThatAreUploadedByName(t *testing.T) {
	l := newLoudspeaker()
	r := newRig(t, func(g *Gateway) { g.Senses, g.Moves = l, &moves.Library{} })
	wav := []byte("RIFF1234WAVEfmt and the rest")
	if code, body := r.upload("bell.wav", wav); code != http.StatusOK || !strings.Contains(body, `"path":"bell.wav"`) {
		t.Fatal(code, body)
	}
	if _, body := r.get("/api/media/sounds"); !strings.Contains(body, `"bell.wav"`) || !strings.Contains(body, `"happy.wav"`) {
		t.Error(body)
	}
	play := func(file string, want int) {
		t.Helper()
		if code, body := r.ask(http.MethodPost, "/api/media/play_sound", strings.NewReader(fmt.Sprintf(`{"file":%q}`, file)), nil); code != want {
			t.Errorf("play %s: %d %s", file, code, body)
		}
	}
	play("/tmp/reachy_mini_sounds/bell.wav", http.StatusOK) // where the official daemon has them
	if got := next(t, l.played, "the bell"); !strings.HasPrefix(got, "RIFF1234") {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]int{
		"bell.mp3": http.StatusBadRequest, ".wav": http.StatusBadRequest, "text.wav": http.StatusBadRequest, "large.wav": http.StatusRequestEntityTooLarge,
	} {
		data := []byte("no sound")
		if name == "large.wav" {
			data = append(wav, make([]byte, maxSoundFile)...)
		}
		if code, body := r.upload(name, data); code != want {
			t.Errorf("%s: %d %s", name, code, body)
		}
	}
	for i := range maxSoundFiles {
		want := http.StatusOK
		if i == maxSoundFiles-1 {
			want = http.StatusInsufficientStorage
		}
		if code, body := r.upload(fmt.Sprintf("%d.wav", i), wav); code != want {
			t.Errorf("sound %d: %d %s", i, code, body)
		}
	}
	for _, want := range []int{http.StatusOK, http.StatusNotFound} {
		if code, body := r.ask(http.MethodDelete, "/api/media/sounds/bell.wav", nil, nil); code != want {
			t.Error(code, body)
		}
	}
	play("bell.wav", http.StatusNotFound)
}

// What has no counterpart here is answered in the shape of the official daemon, so that its pages go on.
func TestPagesOfTheOfficialDaemonHearThatThereIsNoAccount(t *testing.T) {
	l := newLoudspeaker()
	r := newRig(t, func(g *Gateway) { g.Senses, g.Moves = l, &moves.Library{} })
	for _, c := range []struct {
		operation, body, want string
		code                  int
	}{
		{"GET /api/telemetry", "", `"enabled":false`, http.StatusOK},
		{"PUT /api/telemetry", `{"enabled":false}`, `"disabled_by_env":true`, http.StatusOK},
		{"PUT /api/telemetry", `{"enabled":true}`, "tells nobody", http.StatusNotImplemented},
		{"PUT /api/telemetry", `{}`, "enabled is missing", http.StatusUnprocessableEntity},
		{"GET /api/hf-auth/relay-status", "", `"is_connected":false`, http.StatusOK},
		{"GET /api/hf-auth/central-robot-status", "", `"reason":"not_authenticated"`, http.StatusOK},
		{"GET /api/hf-auth/oauth/configured", "", `"configured":false`, http.StatusOK},
		{"DELETE /api/hf-auth/token", "", "success", http.StatusOK},
		{"DELETE /api/hf-auth/oauth/session/x", "", "Session not found", http.StatusNotFound},
		{"DELETE /api/hf-auth/oauth/device/session/x", "", "Session not found", http.StatusNotFound},
		{"PUT /api/apps/startup-app", `{"startup_app":null}`, `{"startup_app":null}`, http.StatusOK},
		{"PUT /api/apps/startup-app", `{"startup_app":"dance"}`, "App 'dance' is not installed", http.StatusBadRequest},
		{"POST /api/daemon/restart", "", "job_id", http.StatusOK},
		{"POST /api/media/clear_incoming_audio", "", "ok", http.StatusOK},
		{"POST /api/volume/test-sound", "", "Test sound played", http.StatusOK},
	} {
		method, path, _ := strings.Cut(c.operation, " ")
		if code, body := r.ask(method, path, strings.NewReader(c.body), nil); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.operation, code, body)
		}
	}
	next(t, l.played, "the sound of a test")
}
