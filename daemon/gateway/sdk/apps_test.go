package sdk

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// says is a supervisor that says what its app does; it returns what is asked of it.
func (r *rig) says(id, name, state string) string {
	r.t.Helper()
	return r.must("PUT", "/api/apps/supervised", fmt.Sprintf(`{"id":%q,"name":%q,"description":"of a test","state":%q}`, id, name, state))["asked"].(string)
}

// An app that reachyctl runs is seen, ended and begun again by the pages and scripts of the official daemon.
func TestTheAppThatRuns(t *testing.T) {
	r := newRig(t)
	is := func(state, lock string) {
		t.Helper()
		code, v := r.call("GET", "/api/apps/current-app-status", "")
		now, _ := v.(map[string]any)
		if code != http.StatusOK || now == nil || now["state"] != state {
			t.Errorf("%d %v, want %s", code, v, state)
		}
		if l := r.must("GET", "/api/daemon/robot-app-lock-status", ""); l["state"] != lock {
			t.Errorf("%v, want %s", l, lock)
		}
	}
	// asked makes a request, and answers it as the supervisor does.
	asked := func(path, what string, do ...string) (int, any) {
		t.Helper()
		type reply struct {
			code int
			body any
		}
		done := make(chan reply, 1)
		go func() {
			code, v := r.call("POST", path, "")
			done <- reply{code, v}
		}()
		r.soon("what is asked", func() bool { return r.says("1", "dancer", appRunning) == what })
		for _, state := range do {
			if again := r.says("1", "dancer", state); again != "" {
				t.Errorf("%s: it is asked to %s again", state, again)
			}
		}
		got := <-done
		return got.code, got.body
	}
	if l := r.must("GET", "/api/daemon/robot-app-lock-status", ""); l["state"] != "free" {
		t.Errorf("%v", l)
	}
	r.says("1", "dancer", appStarting)
	is(appStarting, "local_app")
	r.says("1", "dancer", appRunning)
	is(appRunning, "local_app")
	if code, v := r.call("GET", "/api/apps/list-available/installed", ""); code != http.StatusOK || !strings.Contains(fmt.Sprint(v), "dancer") {
		t.Errorf("%d %v", code, v)
	}
	code, v := asked("/api/apps/restart-current-app", askRestart, appStopping, appStarting, appRunning)
	if now, _ := v.(map[string]any); code != http.StatusOK || now["state"] != appRunning {
		t.Errorf("%d %v", code, v)
	}
	if code, v := asked("/api/apps/restart-current-app", askRestart, appStopping, appError); code != http.StatusBadRequest {
		t.Errorf("%d %v: one that does not begin again", code, v)
	}
	is(appError, "free")
	r.says("1", "dancer", appStarting)
	if code, v := asked("/api/apps/stop-current-app", askStop, appStopping, appDone); code != http.StatusOK || v != nil {
		t.Errorf("%d %v", code, v)
	}
	is(appDone, "free")

	r.says("1", "dancer", appStarting)
	r.says("2", "singer", appStarting) // two users of one host: the newer one has the robot
	if what := r.says("1", "dancer", appRunning); what != askStop {
		t.Errorf("the older app is asked to %q", what)
	}
	r.says("1", "dancer", appDone)
	is(appStarting, "local_app")
	r.says("2", "singer", appRunning)
	r.gateway.apps.mu.Lock()
	r.gateway.apps.app.heard = time.Now().Add(-2 * tenure) // its supervisor was killed
	r.gateway.apps.mu.Unlock()
	is(appError, "free")
}

func TestVolumes(t *testing.T) {
	l := newLoudspeaker()
	r := newRig(t, func(g *Gateway) { g.Senses = l })
	volume := func(of string, want float64) {
		t.Helper()
		if v := r.must("GET", of, ""); v["volume"] != want {
			t.Errorf("%s: %v, want %g", of, v, want)
		}
	}
	r.must("POST", "/api/volume/set", `{"volume":40}`)
	volume("/api/volume/current", 40)
	_ = l.SetVolume(t.Context(), 70) // by somebody else
	volume("/api/volume/current", 70)
	volume("/api/volume/microphone/current", 100)
	r.must("POST", "/api/volume/microphone/set", `{"volume":0}`)
	volume("/api/volume/microphone/current", 0)
	if v := r.must("POST", "/api/volume/microphone/set", `{"volume":30}`); v["volume"] != 100.0 {
		t.Errorf("%v: a microphone that hears", v)
	}
	p := r.dial()
	p.send(`{"type":"set_microphone_volume","volume":0}`)
	r.soon("a deaf robot", func() bool {
		s, _ := l.State(t.Context())
		return s.Hearing.Muted
	})
	p.send(`{"type":"set_microphone_volume","volume":101}`)
	p.refused("not 0 to 100")
}
