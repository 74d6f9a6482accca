package main

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/doctor"
)

// fakeSenses serves what reachy-sense answers, and returns the setup of an app that finds it.
func fakeSenses(t *testing.T, answers map[string]string) setup {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl")
	must(t, err)
	l, err := net.Listen("unix", filepath.Join(dir, cli.SenseSocket))
	must(t, err)
	mux := http.NewServeMux()
	for path, text := range answers {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(text, "error") {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "BODY", string(body)))
		})
	}
	s := &http.Server{Handler: mux}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		must(t, s.Close())
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return func(a *cli.App) { a.Dirs = []string{dir} }
}

func recording(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "x.wav")
	must(t, os.WriteFile(file, []byte("RIFF"), 0o600))
	return file
}

func TestListenLetsTheRobotAnswer(t *testing.T) {
	heard := fakeSenses(t, map[string]string{"/listen": `{"event":{"type":"partial","text":"look"}}` + "\n" +
		`{"result":{"utterances":[{"text":"look left","confidence":0.9,"latency":0.123}],"rejected":[{"reason":"too_short","message":"a click"}],"message":"one ` +
		`sentence"}}` + "\n"})
	r := newRobot(t, answer(ok(map[string]any{"reply": "I look left.", "outcome": "plan"})))
	ctl(t, []string{"--broker", r.url, "listen", recording(t)}, heard).is(t, cli.ExitDone,
		"> look left  (confidence 0.90, text 123 ms after the end of speech)\n  not taken for a sentence (too_short): a click\nI look left.\n", "")
	if c := r.only(); c.verb != "chat" || c.args["text"] != "look left" || c.args["session"] != "voice" {
		t.Errorf("sent %+v", c)
	}
	got := ctl(t, []string{"--broker", r.url, "listen", "--transcript", recording(t)}, heard)
	if got.code != cli.ExitDone || strings.Contains(got.out, "I look left") {
		t.Errorf("%+v", got)
	}
}

func TestListenTellsTheRobotWhatWasOnlyProbablySaid(t *testing.T) {
	heard := fakeSenses(t, map[string]string{"/listen": `{"result":{"utterances":[{"text":"nod","unsure":true}],"rejected":[],"message":""}}` + "\n"})
	r := newRobot(t, answer(ok(map[string]any{"reply": "Did you say: nod?", "outcome": "answered"})))
	got := ctl(t, []string{"--broker", r.url, "listen", recording(t)}, heard)
	if c := r.only(); got.code != cli.ExitDone || !strings.HasSuffix(got.out, "Did you say: nod?\n") || c.args["text"] != "nod" || c.args["unsure"] != true {
		t.Errorf("%+v, sent %+v", got, c)
	}
}

func TestListenToNothing(t *testing.T) {
	heard := fakeSenses(t, map[string]string{"/listen": `{"result":{"utterances":[],"rejected":[],"message":"there is no speech in it"}}` + "\n"})
	ctl(t, []string{"listen", recording(t)}, heard).is(t, cli.ExitFailed, "there is no speech in it\n", "")
	got := ctl(t, []string{"--json", "listen", recording(t)}, heard)
	var h struct{ Message string }
	if err := json.Unmarshal([]byte(got.out), &h); err != nil || got.code != cli.ExitFailed || h.Message == "" {
		t.Errorf("%+v", got)
	}
	ctl(t, []string{"listen", recording(t)}, fakeSenses(t, map[string]string{"/listen": `{"error":"the recording is no WAV file"}`})).is(t, cli.ExitFailed, "",
		"the recording is no WAV file")
	ctl(t, []string{"listen", "/no/such.wav"}, heard).is(t, cli.ExitFailed, "", "no such file")
	ctl(t, []string{"listen", recording(t)}, func(a *cli.App) { a.Dirs = nil }).is(t, cli.ExitUnreachable, "", "no reachy-sense runs on this machine")
}

func TestSee(t *testing.T) {
	view := `{"width":640,"height":480,"detections":[{"name":"duck","by":"colour and ` +
		`shape","score":0.8,"box":{"x":10,"y":20,"w":30,"h":40},"yaw":12.4,"pitch":3}]}`
	s := fakeSenses(t, map[string]string{"/see": `{"view":` + view + `,"description":"I see a BODY."}`, "/detect": view, "/describe": `{"description":"A duck."}`})
	file := filepath.Join(t.TempDir(), "x.jpg")
	must(t, os.WriteFile(file, []byte("duck"), 0o600))
	found := "  duck          80 %    10,20   30x40 px  yaw +12°, pitch +3°  by colour and shape\n"
	ctl(t, []string{"see", file}, s).is(t, cli.ExitDone, "I see a duck.\n"+found, "")
	ctl(t, []string{"see"}, s).is(t, cli.ExitDone, "A duck.\n"+found, "")
	ctl(t, []string{"see"}, fakeSenses(t, map[string]string{"/detect": `{"error":"sight is off: no camera"}`})).is(t, cli.ExitFailed, "",
		"sight is off: no camera")
}

func TestMute(t *testing.T) {
	s := fakeSenses(t, map[string]string{"/mute": `{}`})
	ctl(t, []string{"mute", "on"}, s).is(t, cli.ExitDone, "the robot hears nothing now\n", "")
	ctl(t, []string{"--json", "mute", "off"}, s).is(t, cli.ExitDone, `{"muted":false}`+"\n", "")
	ctl(t, []string{"mute", "maybe"}, s).is(t, cli.ExitUsage, "", `invalid argument "maybe"`)
}

func TestModels(t *testing.T) {
	own := func(a *cli.App) { a.Host.DataDir, a.Env = t.TempDir(), map[string]string{} }
	got := ctl(t, []string{"models", "list"}, own)
	if got.code != cli.ExitDone || !strings.Contains(got.out, "tiny.en-q8_0") || !strings.Contains(got.out, "not here") {
		t.Errorf("%+v", got)
	}
	got = ctl(t, []string{"--json", "models", "list"}, own)
	for line := range strings.Lines(got.out) {
		var m struct {
			Name, Kind string
			Bytes      int64
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Name == "" || m.Kind == "" || m.Bytes == 0 {
			t.Errorf("%s: %v", line, err)
		}
	}
	ctl(t, []string{"models", "pull", "huge"}, own).is(t, cli.ExitUsage, "", "huge")
}

func TestDoctorLooksAtTheSenses(t *testing.T) {
	s := fakeSenses(t, map[string]string{"/state": `{"hearing":{"microphone":"null","model":"tiny.en-q8_0","tuned":true,"detector":"silero","language":"en",
		"threads":1,"no_opus":"no such file"},
		"speech":{"off":"no voice: apt-get install espeak-ng"},"sight":{"camera":"the simulated eye","detectors":["faces","table"]}}`})
	var found []string
	for line := range strings.Lines(newMachine(t).report([]string{"--json", "--broker", "mqtt://127.0.0.1:1"}, s).out) {
		var f doctor.Finding
		must(t, json.Unmarshal([]byte(line), &f))
		if f.Check == "senses" {
			found = append(found, string(f.Level)+": "+f.Detail+" → "+f.Do)
		}
	}
	want := []string{
		"ok: hears through null, speech found by silero, words written by tiny.en-q8_0, tuned (en, 1 threads) → ",
		"note: browsers hear the robot in G.722, not in Opus: no such file → apt-get install libopus0",
		"note: speech is off: no voice → apt-get install espeak-ng", "ok: sees through the simulated eye; detectors: faces, table → ",
	}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}
