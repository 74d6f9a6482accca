package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/moves"
)

// call makes a request and returns its status and answer.
func (r *rig) call(method, path, body string) (int, any) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, r.web.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		r.t.Fatalf("%s %s: %d %s: %v", method, path, resp.StatusCode, data, err)
	}
	return resp.StatusCode, v
}

// must makes a request that succeeds, and returns its answer as JSON.
func (r *rig) must(method, path, body string) map[string]any {
	r.t.Helper()
	code, v := r.call(method, path, body)
	if code != http.StatusOK {
		r.t.Fatalf("%s %s %s: %d %v", method, path, body, code, v)
	}
	m, _ := v.(map[string]any)
	return m
}

// twoMoves are a library of two moves.
type twoMoves struct{}

func (twoMoves) List(dataset string) ([]string, error) {
	if dataset != "someone/two" {
		return nil, fmt.Errorf("dataset %q: %w", dataset, fs.ErrNotExist)
	}
	return []string{"nod", "sway"}, nil
}

func (m twoMoves) Get(dataset, name string) (*moves.Move, error) {
	if _, err := m.List(dataset); err != nil {
		return nil, err
	}
	if name != "nod" {
		return nil, fmt.Errorf("move %q: %w", name, fs.ErrNotExist)
	}
	rec := &hal.Recording{Description: "nods"}
	for i := range 20 {
		rec.Time = append(rec.Time, float64(i)*0.02)
		rec.Frames = append(rec.Frames, hal.Frame{Head: matrix(hal.Head{Pitch: 0.1 * math.Sin(float64(i)/19*math.Pi)})})
	}
	return &moves.Move{Name: name, Recording: rec}, nil
}

func TestStateOverREST(t *testing.T) {
	r := newRig(t)
	full := r.must("GET", "/api/state/full", "")
	if full["control_mode"] != "enabled" || full["head_joints"] != nil || len(full["antennas_position"].([]any)) != 2 || full["timestamp"] == nil {
		t.Errorf("%v", full)
	}
	pose := full["head_pose"].(map[string]any)
	for _, axis := range []string{"x", "y", "z", "roll", "pitch", "yaw"} {
		if _, ok := pose[axis].(float64); !ok {
			t.Errorf("the pose lacks %s: %v", axis, pose)
		}
	}
	full = r.must("GET", "/api/state/full?use_pose_matrix=true&with_head_joints=true&with_body_yaw=false&with_target_head_pose=1&with_doa=true", "")
	if len(full["head_pose"].(map[string]any)["m"].([]any)) != 16 || len(full["head_joints"].([]any)) != 7 || full["body_yaw"] != nil ||
		full["target_head_pose"] == nil {
		t.Errorf("%v", full)
	}
	if m := r.must("GET", "/api/state/present_head_pose?use_pose_matrix=true", "")["m"].([]any); len(m) != 16 {
		t.Errorf("%v", m)
	}
	for path, want := range map[string]string{
		"/api/state/present_body_yaw": "float64", "/api/state/present_antenna_joint_positions": "[]interface {}",
		"/api/state/doa": "<nil>", "/api/state/imu": "<nil>", "/api/apps/current-app-status": "<nil>", "/api/apps/list-available": "[]interface {}",
	} {
		if code, v := r.call("GET", path, ""); code != http.StatusOK || fmt.Sprintf("%T", v) != want {
			t.Errorf("%s: %d %T, want %s", path, code, v, want)
		}
	}
	if s := r.must("GET", "/api/daemon/status", ""); s["state"] != "running" || s["robot_name"] != DefaultName {
		t.Errorf("%v", s)
	}
	if s := r.must("POST", "/health-check", ""); s["status"] != "ok" {
		t.Errorf("%v", s)
	}
}

func (r *rig) listen(path string) *peer {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(r.web.URL, "http", "ws", 1)+path, nil) //nolint:bodyclose // the connection closes it
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.CloseNow() })
	return &peer{r, conn}
}

func TestMovesOverREST(t *testing.T) {
	r := newRig(t, func(g *Gateway) { g.Moves = twoMoves{} })
	updates := r.listen("/api/move/ws/updates")
	ended := func(id any) string {
		for {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			_, data, err := updates.conn.Read(ctx)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			var u update
			if err := json.Unmarshal(data, &u); err != nil {
				t.Fatal(err)
			}
			if u.UUID == id && u.Type != "move_started" {
				return u.Type
			}
		}
	}
	id := r.must("POST", "/api/move/goto", `{"head_pose":{"yaw":0.3},"antennas":[-0.2,0.3],"body_yaw":0.1,"duration":0.4,"interpolation":"linear"}`)["uuid"]
	if how := ended(id); how != "move_completed" {
		t.Error(how)
	}
	if s := r.now(); math.Abs(s.Head.Yaw-0.3) > 0.01 || math.Abs(s.BodyYaw-0.1) > 0.01 || math.Abs(s.Antennas.Right+0.2) > 0.01 {
		t.Errorf("%+v", s)
	}
	id = r.must("POST", "/api/move/goto", `{"head_pose":{"m":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},"duration":5}`)["uuid"]
	if _, list := r.call("GET", "/api/move/running", ""); len(list.([]any)) != 1 {
		t.Errorf("%v", list)
	}
	if m := r.must("POST", "/api/move/set_target", `{"target_antennas":[1,1]}`); m["status"] != "ignored" || m["reason"] != "move_running" {
		t.Errorf("%v", m)
	}
	r.must("POST", "/api/move/stop", fmt.Sprintf(`{"uuid":%q}`, id))
	if how := ended(id); how != "move_cancelled" {
		t.Error(how)
	}
	if m := r.must("POST", "/api/move/set_target", `{"target_head_pose":{"pitch":0.1},"target_antennas":[0.5,0.5],"target_body_yaw":0}`); m["status"] != "ok" {
		t.Errorf("%v", m)
	}
	r.until("the target", func(s *hal.State) bool {
		return math.Abs(s.Head.Pitch-0.1) < 0.005 && math.Abs(s.Antennas.Left-0.5) < 0.005
	})
	if code, list := r.call("GET", "/api/move/recorded-move-datasets/list/someone/two", ""); code != http.StatusOK || len(list.([]any)) != 2 {
		t.Errorf("%d %v", code, list)
	}
	if how := ended(r.must("POST", "/api/move/play/recorded-move-dataset/someone/two/nod?speed=2&mirror=true", "")["uuid"]); how != "move_completed" {
		t.Error(how)
	}
	if how := ended(r.must("POST", "/api/move/play/goto_sleep", "")["uuid"]); how != "move_completed" {
		t.Error(how)
	}
	r.until("all off", func(s *hal.State) bool { return s.Torque == 0 })
	code, v := r.call("POST", "/api/move/goto", `{"antennas":[0,0],"duration":1}`)
	if code != http.StatusConflict || !strings.Contains(fmt.Sprint(v), "enable_motors") {
		t.Errorf("%d %v", code, v)
	}
	if how := ended(r.must("POST", "/api/move/play/wake_up", "")["uuid"]); how != "move_completed" {
		t.Error(how)
	}
	r.until("all on", func(s *hal.State) bool { return s.Torque == hal.AllJoints })
	if m := r.must("POST", "/api/motors/set_mode/disabled", ""); m["status"] != "motors changed to disabled mode" {
		t.Errorf("%v", m)
	}
	r.until("off", func(s *hal.State) bool { return s.Torque == 0 })
	if m := r.must("GET", "/api/motors/status", ""); m["mode"] != "disabled" {
		t.Errorf("%v", m)
	}
}

// Wrong input gets an answer that says what is wrong, also where the official daemon gives 500, 200 or nothing.
func TestWrongInputOverREST(t *testing.T) {
	r := newRig(t, func(g *Gateway) { g.Moves = twoMoves{} })
	for _, c := range []struct {
		method, path, body string
		code               int
		why                string
	}{
		{"POST", "/api/move/goto", ``, 422, "empty"},
		{"POST", "/api/move/goto", `{`, 422, "not understood"},
		{"POST", "/api/move/goto", `[]`, 422, "not understood"},
		{"POST", "/api/move/goto", `{"antennas":[0,0]}`, 422, "duration is missing"},
		{"POST", "/api/move/goto", `{"antennas":[0,0],"duration":-1}`, 422, "duration is -1"},
		{"POST", "/api/move/goto", `{"antennas":[0,0],"duration":1e9}`, 422, "duration is 1e+09"},
		{"POST", "/api/move/goto", `{"antennas":[0],"duration":1}`, 422, "antennas has 1"},
		{"POST", "/api/move/goto", `{"antennas":[0,null],"duration":1}`, 422, "null"},
		{"POST", "/api/move/goto", `{"duration":1}`, 422, "needed"},
		{"POST", "/api/move/goto", `{"head_pose":{"yaw":null},"duration":1}`, 422, "yaw is null"},
		{"POST", "/api/move/goto", `{"head_pose":{"m":[1]},"duration":1}`, 422, "head has 1"},
		{"POST", "/api/move/goto", `{"head_pose":{"x":1e300},"duration":1}`, 422, "head.x"},
		{"POST", "/api/move/goto", `{"antennas":[0,0],"duration":1,"interpolation":"hop"}`, 422, "method"},
		{"POST", "/api/move/goto", strings.Repeat(" ", maxBody+1), 413, "longer"},
		{"POST", "/api/move/stop", `{"uuid":"nobody"}`, 404, "nobody"},
		{"POST", "/api/move/set_target", `{"target_antennas":[1]}`, 422, "antennas has 1"},
		{"POST", "/api/motors/set_mode/loud", ``, 422, "loud"},
		{"POST", "/api/motors/set_mode/gravity_compensation", ``, 409, "not offered"},
		{"GET", "/api/state/full?with_doa=perhaps", ``, 422, "with_doa"},
		{"GET", "/api/state/ws/full?frequency=NaN", ``, 422, "frequency"},
		{"GET", "/api/state/ws/full?frequency=0", ``, 422, "frequency"},
		{"GET", "/api/move/ws/raw/write", ``, 403, "bus"},
		{"GET", "/api/move/recorded-move-datasets/list/no/such", ``, 404, "no/such"},
		{"POST", "/api/move/play/recorded-move-dataset/someone/two/jump", ``, 404, "jump"},
		{"POST", "/api/move/play/recorded-move-dataset/someone/two/nod?speed=NaN", ``, 422, "speed"},
		{"POST", "/api/move/play/recorded-move-dataset/someone/two/nod?speed=9", ``, 422, "speed"},
		{"POST", "/api/daemon/start", ``, 422, "wake_up is missing"},
		{"POST", "/api/daemon/stop?goto_sleep=perhaps", ``, 422, "goto_sleep"},
		{"POST", "/api/daemon/robot-name", `{"name":""}`, 422, "name has 0"},
		{"POST", "/api/daemon/robot-name", `{"name":"x"}`, 409, "robot.id"},
		{"POST", "/api/volume/set", `{"volume":50}`, 503, "loudspeaker"},
		{"POST", "/api/volume/set", `{"volume":500}`, 422, "volume is 500; allowed is 0 to 100"},
		{"POST", "/api/volume/set", `{}`, 422, "volume is missing"},
		{"GET", "/api/volume/current", ``, 503, "loudspeaker"},
		{"GET", "/api/volume/microphone/current", ``, 503, "microphone"},
		{"POST", "/api/volume/microphone/set", `{"volume":-1}`, 422, "volume is -1; allowed is 0 to 100"},
		{"POST", "/api/apps/stop-current-app", ``, 400, "No app is currently running"},
		{"POST", "/api/apps/restart-current-app", ``, 400, "No app is currently running"},
		{"PUT", "/api/apps/supervised", `{"name":"a","state":"running"}`, 422, "id has 0 bytes"},
		{"PUT", "/api/apps/supervised", `{"id":"1","state":"running"}`, 422, "name has 0 bytes"},
		{"PUT", "/api/apps/supervised", `{"id":"1","name":"` + strings.Repeat("a", maxAppName+1) + `","state":"running"}`, 422, "name has 65 bytes"},
		{"PUT", "/api/apps/supervised", `{"id":"1","name":"a","description":"` + strings.Repeat("a", maxAppText+1) + `"}`, 422, "description has 1001"},
		{"PUT", "/api/apps/supervised", `{"id":"1","name":"a","error":"` + strings.Repeat("a", maxAppText+1) + `","state":"error"}`, 422, "error has 1001"},
		{"PUT", "/api/apps/supervised", `{"id":"1","name":"a","state":"asleep"}`, 422, "state is \"asleep\"; allowed are starting"},
		{"POST", "/api/apps/install", `{}`, 501, "app store"},
		{"POST", "/api/hf-auth/save-token", `{"token":"secret"}`, 501, "account"},
		{"POST", "/wifi/connect", `{}`, 501, "network"},
		{"GET", "/update/info", ``, 501, "package"},
	} {
		code, v := r.call(c.method, c.path, c.body)
		if text := fmt.Sprint(v); code != c.code || !strings.Contains(text, c.why) || strings.Contains(text, "secret") {
			t.Errorf("%s %s %.60s: %d %s, want %d and %q", c.method, c.path, c.body, code, text, c.code, c.why)
		}
	}
}

func TestStreamsOverREST(t *testing.T) {
	r := newRig(t)
	state := r.listen("/api/state/ws/full?frequency=50&with_head_joints=true")
	for range 5 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_, data, err := state.conn.Read(ctx)
		cancel()
		var m map[string]any
		if err != nil || json.Unmarshal(data, &m) != nil || len(m["head_joints"].([]any)) != 7 {
			t.Fatalf("%v %s", err, data)
		}
	}
	targets := r.listen("/api/move/ws/set_target")
	targets.send(`{"target_antennas":[0.4,0.4]}`)
	r.until("the target", func(s *hal.State) bool { return math.Abs(s.Antennas.Left-0.4) < 0.005 })
	targets.send(`{"target_antennas":[0.4]}`)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, data, err := targets.conn.Read(ctx); err != nil || !strings.Contains(string(data), `"status":"error"`) {
		t.Errorf("%v %s", err, data)
	}
}

// The page for people names every operation.
func TestDocs(t *testing.T) {
	r := newRig(t)
	resp, err := http.Get(r.web.URL + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, _ := io.ReadAll(resp.Body)
	for _, want := range routes {
		if !strings.Contains(string(page), want.pattern) {
			t.Errorf("%s is missing", want.pattern)
		}
	}
}

func FuzzRESTPose(f *testing.F) {
	f.Add([]byte(`{"x":0.1,"yaw":1}`))
	f.Add([]byte(`{"m":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p pose
		if json.Unmarshal(data, &p) != nil {
			return
		}
		if h, err := p.head(); err == nil && !h.Finite() {
			t.Errorf("%s: %v", data, h)
		}
	})
}

// Directions of voices are told as the official daemon does: from 0, the left, to π, the right.
func TestDirectionOfAVoice(t *testing.T) {
	var yaw float64
	known := false
	r := newRig(t, func(g *Gateway) { g.Voice = func() (float64, bool, bool) { return yaw, true, known } })
	get := func(path string) string {
		t.Helper()
		resp, err := http.Get(r.web.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := get("/api/state/doa"); got != "null" {
		t.Errorf("nobody spoke: %s", got)
	}
	known = true
	for _, c := range []struct{ yaw, angle float64 }{{0, math.Pi / 2}, {90, 0}, {-90, math.Pi}, {30, math.Pi / 3}, {-170, math.Pi}} {
		yaw = c.yaw
		var out arrival
		if err := json.Unmarshal([]byte(get("/api/state/doa")), &out); err != nil || math.Abs(out.Angle-c.angle) > 1e-9 || !out.Speech {
			t.Errorf("%g° to the left: %+v %v, want %g", c.yaw, out, err, c.angle)
		}
	}
	if got := get("/api/state/full?with_doa=true"); !strings.Contains(got, `"doa":{"angle":3.14`) {
		t.Errorf("%s", got)
	}
}
