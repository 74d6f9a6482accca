package sdk

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reachyd/reachyd/hal"
	sense "github.com/reachyd/reachyd/perception/client"
)

// Senses are loudspeaker, microphone and eyes. *client.Client of package perception/client is one.
type Senses interface {
	State(ctx context.Context) (sense.State, error)
	Mute(ctx context.Context, on bool) error
	SetVolume(ctx context.Context, level int) error
	Track(ctx context.Context, on bool) error
	// Play plays a sound file (WAV) from a moment on, until it has been heard or ctx ends.
	Play(ctx context.Context, wav []byte, begin time.Time) (sense.Spoken, error)
}

// status is the answer of operations that have nothing else to say.
func status(text string) map[string]string { return map[string]string{"status": text} }

func ok(*Gateway, *http.Request) (any, error) { return status("ok"), nil }

var robotRoutes = []route{
	{"POST /health-check", "reachyd is there", ok},
	{"GET /api/daemon/status", "how reachyd and the robot are", func(g *Gateway, _ *http.Request) (any, error) { return g.status(facePatience), nil }},
	{"POST /api/daemon/start", "wake_up=true: motors on, head up", func(g *Gateway, r *http.Request) (any, error) {
		return g.job(r, "daemon-start", "wake_up", hal.VerbWake)
	}},
	{"POST /api/daemon/stop", "goto_sleep=true: head down, motors off; reachyd itself goes on", func(g *Gateway, r *http.Request) (any, error) {
		return g.job(r, "daemon-stop", "goto_sleep", hal.VerbSleep)
	}},
	{"POST /api/daemon/restart", "nothing to be done: reachyd goes on, as after stop and start", func(g *Gateway, _ *http.Request) (any, error) {
		id := g.jobs.add("daemon-restart")
		g.jobs.end(id, "", "there was nothing to do: reachyd goes on; systemctl restart reachyd begins it anew")
		return map[string]string{"job_id": id}, nil
	}},
	{"GET /api/daemon/robot-name", "what scripts call the robot", func(g *Gateway, _ *http.Request) (any, error) {
		return map[string]string{"name": g.Name}, nil
	}},
	{"POST /api/daemon/robot-name", "not offered", func(_ *Gateway, r *http.Request) (any, error) {
		var in struct{ Name string }
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		if n := utf8.RuneCountInString(in.Name); n < 1 || n > 64 {
			return nil, invalid("name has %d characters; allowed are 1 to 64", n)
		}
		return nil, wrong(http.StatusConflict, "the name is set in reachyd.yaml, robot.id")
	}},
	{"GET /api/daemon/hardware-id", "the robot's number; null: simulated, or its sound card is not there", func(g *Gateway, _ *http.Request) (any, error) {
		return map[string]any{"hardware_id": g.hardwareID()}, nil
	}},
	{"GET /api/apps/job-status/{id}", "what has become of a job: in_progress, done or failed, and its log", restJob},
	{"GET /api/motors/status", "enabled or disabled", func(g *Gateway, _ *http.Request) (any, error) {
		s := g.State()
		return map[string]string{"mode": motorMode(&s)}, nil
	}},
	{"POST /api/motors/set_mode/{mode}", "enabled, disabled", func(g *Gateway, r *http.Request) (any, error) {
		mode := r.PathValue("mode")
		switch err := g.setMode(r.Context(), mode); {
		case err == errGravity: //nolint:errorlint // it is returned as it is
			return nil, wrong(http.StatusConflict, "%v", err)
		case err != nil && mode != modeEnabled && mode != modeDisabled:
			return nil, invalid("%v", err)
		case err != nil:
			return nil, err
		}
		return map[string]string{"status": "motors changed to " + mode + " mode"}, nil
	}},
	{"GET /api/kinematics/info", "how poses become joints", func(*Gateway, *http.Request) (any, error) {
		return map[string]any{"info": map[string]any{"engine": "AnalyticalKinematics", "collision check": false}}, nil
	}},
	{"GET /api/kinematics/urdf", "not offered", refuse("there is no URDF here; the official one is part of the SDK, reachy_mini/descriptions")},
	{"GET /api/kinematics/stl/{file}", "not offered", refuse("there are no meshes here; they are part of the SDK, reachy_mini/descriptions")},
	{"GET /api/camera/specs", "size and lens of the camera's pictures", func(g *Gateway, _ *http.Request) (any, error) { return g.cameraSpecs() }},
	{"GET /api/volume/current", "how loud the robot speaks", func(g *Gateway, _ *http.Request) (any, error) { return g.volume(-1) }},
	{"POST /api/volume/set", "volume: 0 to 100", func(g *Gateway, r *http.Request) (any, error) {
		level, err := wantedVolume(r)
		if err != nil {
			return nil, err
		}
		return g.volume(level)
	}},
	{"POST /api/volume/test-sound", "play the sound of a happy robot", func(g *Gateway, _ *http.Request) (any, error) {
		return map[string]string{"status": "ok", "message": "Test sound played"}, g.playFile("happy.wav")
	}},
	{"GET /api/volume/microphone/current", "100, or 0 while it is muted", func(g *Gateway, _ *http.Request) (any, error) { return g.hearing(-1) }},
	{"POST /api/volume/microphone/set", "volume: 0 mutes the microphone, all above is 100", func(g *Gateway, r *http.Request) (any, error) {
		level, err := wantedVolume(r)
		if err != nil {
			return nil, err
		}
		return g.hearing(level)
	}},
	{"POST /api/media/release", "noted: the camera is closed while nobody looks", func(g *Gateway, _ *http.Request) (any, error) { return g.release(true) }},
	{"POST /api/media/acquire", "noted", func(g *Gateway, _ *http.Request) (any, error) { return g.release(false) }},
	{"GET /api/media/status", "whether clients have camera and sound", func(g *Gateway, _ *http.Request) (any, error) {
		s := g.status(0)
		return map[string]bool{"available": !s.NoMedia && !s.Released, "released": s.Released, "no_media": s.NoMedia}, nil
	}},
	{"POST /api/media/wobbling/enable", "nothing to be done: the head moves with speech by itself", ok},
	{"POST /api/media/wobbling/disable", "nothing to be done", ok},
	{"POST /api/media/tracking/enable", "follow a face", func(g *Gateway, r *http.Request) (any, error) { return g.track(r.Context(), true) }},
	{"POST /api/media/tracking/disable", "follow no face", func(g *Gateway, r *http.Request) (any, error) { return g.track(r.Context(), false) }},
	{"GET /api/media/tracking/face", "the face that is followed: detected, x and y from -1 to 1, ts", restFace},
	{"POST /api/media/play_sound", "play the sound of a move: file", func(g *Gateway, r *http.Request) (any, error) {
		var in struct{ File string }
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		return status("ok"), g.playFile(in.File)
	}},
	{"POST /api/media/stop_sound", "end the sound that was begun so", func(g *Gateway, _ *http.Request) (any, error) {
		g.sound.stop()
		return status("ok"), nil
	}},
	{"GET /api/media/sounds", "sounds that can be played", func(g *Gateway, _ *http.Request) (any, error) {
		return map[string][]string{"files": g.soundFiles()}, nil
	}},
	{"POST /api/media/sounds/upload", "keep a sound for play_sound: file, WAV, 8 MiB at most", func(g *Gateway, r *http.Request) (any, error) {
		return g.uploadSound(r)
	}},
	{"DELETE /api/media/sounds/{filename}", "forget a sound that was uploaded", func(g *Gateway, r *http.Request) (any, error) {
		return g.deleteSound(r.PathValue("filename"))
	}},
	{"POST /api/media/clear_incoming_audio", "nothing to be done: no client sends sound over the network", ok},
	{"GET /api/telemetry", "reachyd tells nobody anything", noTelemetry},
	{"PUT /api/telemetry", "enabled=false is so already", func(g *Gateway, r *http.Request) (any, error) {
		var in struct{ Enabled *bool }
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		switch {
		case in.Enabled == nil:
			return nil, invalid("enabled is missing; allowed are true and false")
		case *in.Enabled:
			return nil, wrong(http.StatusNotImplemented, "not offered by reachyd: reachyd tells nobody anything")
		}
		return noTelemetry(g, r)
	}},
	{"GET /api/hf-auth/status", "nobody is signed in anywhere", func(*Gateway, *http.Request) (any, error) {
		return map[string]any{"is_logged_in": false, "username": nil}, nil
	}},
	{"GET /api/hf-auth/relay-status", "there is no relay", func(*Gateway, *http.Request) (any, error) {
		return map[string]any{"state": "unavailable", "message": "reachyd has no account anywhere", "is_connected": false}, nil
	}},
	{"GET /api/hf-auth/central-robot-status", "nobody is signed in anywhere", func(*Gateway, *http.Request) (any, error) {
		return map[string]any{"available": false, "robots": []any{}, "reason": "not_authenticated"}, nil
	}},
	{"GET /api/hf-auth/oauth/configured", "false", func(*Gateway, *http.Request) (any, error) {
		return map[string]bool{"configured": false}, nil
	}},
	{"GET /api/hf-auth/oauth/status/{id}", "expired: nobody is signing in", noSignIn},
	{"GET /api/hf-auth/oauth/device/status/{id}", "expired: nobody is signing in", noSignIn},
	{"DELETE /api/hf-auth/oauth/session/{id}", "404: nobody is signing in", noSession},
	{"DELETE /api/hf-auth/oauth/device/session/{id}", "404: nobody is signing in", noSession},
	{"POST /api/hf-auth/refresh-relay", "skipped: there is no relay", func(*Gateway, *http.Request) (any, error) {
		return map[string]any{"status": "skipped", "token_available": false, "reason": "relay_unavailable"}, nil
	}},
	{"DELETE /api/hf-auth/token", "there is none", func(*Gateway, *http.Request) (any, error) { return status("success"), nil }},
}

// noSignIn tells who waits until somebody has signed in that nobody will.
func noSignIn(*Gateway, *http.Request) (any, error) {
	return map[string]string{"status": "expired", "message": "nobody is signing in: reachyd has no account anywhere"}, nil
}

func noSession(*Gateway, *http.Request) (any, error) {
	return nil, wrong(http.StatusNotFound, "Session not found: reachyd has no account anywhere")
}

func noTelemetry(*Gateway, *http.Request) (any, error) {
	return map[string]bool{"enabled": false, "disabled_by_env": true}, nil
}

// absent are groups of operations that are not offered as a whole, and why.
var absent = map[string]string{
	"/api/apps/":      "there is no app store here, and nothing is installed over the network; on the robot `reachyctl app install` does it",
	"/api/hf-auth/":   "reachyd has no account anywhere",
	"/api/audio/":     "the microphone's parameters are not set here",
	"/api/media/":     "camera and sound are served in other ways",
	"/api/cache/":     "there is no such cache here",
	"/api/telemetry/": "reachyd tells nobody anything",
	"/wifi/":          "the network is set up by the operating system",
	"/update/":        "reachyd is updated by its package",
}

func absentRoutes() []route {
	list := make([]route, 0, len(absent))
	for _, prefix := range slices.Sorted(maps.Keys(absent)) {
		list = append(list, route{prefix, "everything else: not offered", refuse(absent[prefix])})
	}
	return list
}

// refuse says why an operation of the official daemon is not offered.
func refuse(why string) func(*Gateway, *http.Request) (any, error) {
	return func(*Gateway, *http.Request) (any, error) {
		return nil, wrong(http.StatusNotImplemented, "not offered by reachyd: %s", why)
	}
}

// job does what start and stop of the official daemon do to the robot.
func (g *Gateway) job(r *http.Request, command, flag string, verb hal.Verb) (any, error) {
	f := switches{query: r.URL.Query()}
	if !f.query.Has(flag) {
		return nil, invalid("%s is missing; allowed are true and false", flag)
	}
	do := f.on(flag, false)
	if f.err != nil {
		return nil, f.err
	}
	id := g.jobs.add(command)
	if !do {
		g.jobs.end(id, "", "there was nothing to do: reachyd goes on")
	} else if _, err := g.perform(r.Context(), hal.Request{Verb: verb}, func(_, why string) { g.jobs.end(id, why) }); err != nil {
		g.jobs.end(id, err.Error())
		return nil, err
	}
	return map[string]string{"job_id": id}, nil
}

// wantedVolume is the level that a request asks for.
func wantedVolume(r *http.Request) (int, error) {
	var in struct{ Volume *int }
	if err := decode(r, &in); err != nil {
		return 0, err
	}
	switch {
	case in.Volume == nil:
		return 0, invalid("volume is missing; allowed is 0 to %d", fullVolume)
	case *in.Volume < 0 || *in.Volume > fullVolume:
		return 0, invalid("volume is %d; allowed is 0 to %d", *in.Volume, fullVolume)
	}
	return *in.Volume, nil
}

// fullVolume is the highest level.
const fullVolume = 100

// volume sets how loud the robot speaks, unless it is negative, and says it.
func (g *Gateway) volume(level int) (map[string]any, error) {
	return g.levelOf("loudspeaker", level, func(ctx context.Context) error { return g.Senses.SetVolume(ctx, level) }, func(s *sense.State) int {
		return s.Speech.Volume
	})
}

// hearing mutes the microphone at level 0, has it hear at any other, leaves it at a negative one, and says how it is.
func (g *Gateway) hearing(level int) (map[string]any, error) {
	return g.levelOf("microphone", level, func(ctx context.Context) error { return g.Senses.Mute(ctx, level == 0) }, func(s *sense.State) int {
		if s.Hearing.Muted {
			return 0
		}
		return fullVolume
	})
}

// levelOf sets the level of a device, unless it is negative, and says what it then is.
func (g *Gateway) levelOf(device string, level int, set func(context.Context) error, get func(*sense.State) int) (map[string]any, error) {
	if g.Senses == nil {
		return nil, wrong(http.StatusServiceUnavailable, "there is no %s: reachy-sense does not run", device)
	}
	ctx, cancel := context.WithTimeout(g.ctx, bodyPatience)
	defer cancel()
	if level >= 0 {
		if err := set(ctx); err != nil {
			return nil, err
		}
	}
	state, err := g.Senses.State(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"volume": get(&state), "platform": "Linux", "device": "reachyd"}, nil
}

// track follows a face, or no longer.
func (g *Gateway) track(ctx context.Context, on bool) (any, error) {
	if g.Senses == nil {
		return map[string]any{"status": "unavailable", "enabled": false}, nil
	}
	if err := g.Senses.Track(ctx, on); err != nil {
		return map[string]any{"status": "unavailable", "enabled": false, "detail": strings.TrimSpace(err.Error())}, nil
	}
	return map[string]any{"status": "ok", "enabled": on}, nil
}
