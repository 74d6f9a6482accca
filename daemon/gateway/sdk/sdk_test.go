package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reachyd/reachyd/hal"
)

func flat(h hal.Head) string {
	m := matrix(h)
	var n []float64
	for _, row := range m {
		n = append(n, row[:]...)
	}
	data, _ := json.Marshal(n)
	return string(data)
}

// Within the SDK's patience come a state, a pose and a status that it accepts, each with the keys that it insists on.
func TestWhatAClientNeedsToConnect(t *testing.T) {
	p := newRig(t).dial()
	s := p.wait("daemon_status", nil)
	for _, key := range []string{
		"robot_name", "state", "wireless_version", "desktop_app_daemon", "simulation_enabled", "mockup_sim_enabled", "backend_status", "no_media",
	} {
		if _, ok := s[key]; !ok {
			t.Errorf("the status lacks %s", key)
		}
	}
	b := s["backend_status"].(map[string]any)
	if s["robot_name"] != DefaultName || s["state"] != "running" || b["motor_control_mode"] != "enabled" || b["ready"] != true {
		t.Errorf("%v", s)
	}
	j := p.wait("joint_positions", nil)
	if len(j["head_joint_positions"].([]any)) != 7 || len(j["antennas_joint_positions"].([]any)) != 2 {
		t.Errorf("%v", j)
	}
	h := p.wait("head_pose", nil)["head_pose"].([]any)
	if len(h) != 4 || len(h[3].([]any)) != 4 || h[3].([]any)[3] != 1.0 {
		t.Errorf("%v", h)
	}
}

func TestTaskGoesThereAndSaysSo(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	want := hal.Head{Roll: 0.2, Z: 0.01}
	if why := p.task("11111111-1111-4111-8111-111111111111", fmt.Sprintf(
		`"head":%s,"antennas":[-0.5,0.4],"body_yaw":0.1,"duration":0.3,"method":"minjerk"`, flat(want))); why != "" {
		t.Fatal(why)
	}
	s := r.until("the end", func(s *hal.State) bool { return !s.Moving })
	if math.Abs(s.Head.Roll-0.2) > 0.01 || math.Abs(s.BodyYaw-0.1) > 0.01 || math.Abs(s.Antennas.Right+0.5) > 0.01 || math.Abs(s.Antennas.Left-0.4) > 0.01 {
		t.Errorf("%+v", s)
	}
	if r.took != 1 {
		t.Errorf("the arbiter was told %d times", r.took)
	}
}

// What cannot be is told as an error, which the SDK raises, and before it gives up.
func TestTasksThatFail(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	for i, c := range []struct{ fields, why string }{
		{`"head":` + flat(hal.Head{Pitch: 1.4}) + `,"duration":0.5`, "head.pitch asked 1.4"},
		{`"antennas":[0,0],"duration":0`, "duration is 0"},
		{`"antennas":[0,0],"duration":-1`, "duration is -1"},
		{`"antennas":[0,0],"duration":1,"method":"jump"`, "method is"},
		{`"antennas":[0],"duration":1`, "antennas has 1"},
		{`"head":[1,2],"duration":1`, "head has 2"},
		{`"head":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"duration":1`, "not a rotation"},
		{`"duration":1`, "is needed"},
		{`"move_name":"x","duration":1`, "move_name"},
		{`"antennas":[1e9,0],"duration":1`, "antennas.right is 1e+09"},
		{`"antennas":[null,0],"duration":1`, "number 0 is null"}, // as the SDK sends NaN
		{`"antennas":[0,0],"duration":"long"`, "duration"},
	} {
		id := fmt.Sprintf("11111111-1111-4111-8111-%012d", i)
		if why := p.task(id, c.fields); !strings.Contains(why, c.why) {
			t.Errorf("%s: %q lacks %q", c.fields, why, c.why)
		}
	}
	why := p.task("21111111-1111-4111-8111-111111111111", `"body_yaw":2.7,"head":`+flat(hal.Head{Yaw: 2.7})+`,"duration":0.01`)
	const patience = time.Second // of the SDK, beyond the time that it asked for
	if s := r.last(); !strings.Contains(why, "goes on for") || !s.Moving || taskSlack >= patience {
		t.Errorf("%q, moving: %v, told after %v", why, s.Moving, taskSlack)
	}
	p.send(`{"type":"set_torque","on":false}`)
	r.until("torque off", func(s *hal.State) bool { return s.Mode == hal.ModeDisabled })
	if why := p.task("31111111-1111-4111-8111-111111111111", `"antennas":[0,0],"duration":0.2`); !strings.Contains(why, "enable_motors()") {
		t.Error(why)
	}
}

// A head that came to rest beside its goal is told of.
func TestWhatAMoveHasMissedIsTold(t *testing.T) {
	at := func(yaw, z float64) *hal.Stance { return &hal.Stance{Head: hal.Head{Yaw: yaw, Z: z}} }
	for _, c := range []struct {
		to, goal *hal.Stance
		want     string
	}{
		{nil, nil, ""},
		{at(0.01, 0.001), at(0, 0), ""},
		{at(0.05, 0), at(0, 0), "the head is 2.9° and 0.0 mm from its goal"},
		{at(3.13, 0.005), at(-3.13, 0), "the head is 1.3° and 5.0 mm from its goal"}, // the way round the back is the short one
	} {
		if got := offBy(&hal.Event{To: c.to, Goal: c.goal}); got != c.want {
			t.Errorf("%+v, %+v: %q, want %q", c.to, c.goal, got, c.want)
		}
	}
}

// Scripts turn the head far and leave the body's angle at 0: the body turns as far as it must, as the official daemon does.
func TestTheBodyTurnsForTheHead(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	if why := p.task("31111111-1111-4111-8111-111111111111", `"body_yaw":0,"head":`+flat(hal.Head{Yaw: 2})+`,"duration":1`); why != "" {
		t.Errorf("a head that is turned far: %s", why)
	}
	if s := r.now(); math.Abs(s.Head.Yaw-2) > 0.02 || s.BodyYaw < 0.8 {
		t.Errorf("head %.3f, body %.3f rad", s.Head.Yaw, s.BodyYaw)
	}
	if why := p.task("41111111-1111-4111-8111-111111111111", `"body_yaw":3.4,"duration":3`); !strings.Contains(why, "body_yaw") {
		t.Errorf("a body that cannot be turned so far: %q", why)
	}
}

// A stream of the three messages that a recorded move makes of each target moves all parts, and a target that names one
// part leaves the others.
func TestTargetsKeepTheirParts(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	p.send(`{"type":"set_target","head":` + flat(hal.Head{Pitch: 0.1}) + `}`)
	p.send(`{"type":"set_body_yaw","body_yaw":0.2}`)
	p.send(`{"type":"set_antennas","antennas":[-0.3,0.6]}`)
	there := func(s *hal.State) bool {
		return math.Abs(s.Head.Pitch-0.1) < 0.005 && math.Abs(s.BodyYaw-0.2) < 0.005 && math.Abs(s.Antennas.Left-0.6) < 0.005 &&
			math.Abs(s.Antennas.Right+0.3) < 0.005
	}
	r.until("the target", there)
	p.send(`{"type":"set_full_target","head":null,"antennas":[0,0],"body_yaw":null}`)
	r.until("the antennas alone", func(s *hal.State) bool {
		return math.Abs(s.Head.Pitch-0.1) < 0.005 && math.Abs(s.BodyYaw-0.2) < 0.005 && math.Abs(s.Antennas.Left) < 0.005
	})
	joints := r.now().Joints
	p.send(`{"type":"set_full_target","head":` + flat(hal.Head{}) + `,"body_yaw":0}`)
	r.until("straight ahead", func(s *hal.State) bool { return math.Abs(s.Head.Pitch) < 0.002 && math.Abs(s.BodyYaw) < 0.002 })
	data, _ := json.Marshal(joints[:7])
	p.send(`{"type":"set_head_joints","joints":` + string(data) + `}`)
	r.until("the joints", func(s *hal.State) bool { return math.Abs(s.Head.Pitch-0.1) < 0.005 && math.Abs(s.BodyYaw-0.2) < 0.005 })
}

// Messages that are wrong change nothing, are told in the status, and do not end the connection.
func TestWrongMessages(t *testing.T) {
	r := newRig(t)
	before := r.now().Goal
	p := r.dial()
	for _, c := range []struct{ text, why string }{
		{`{`, "not understood"},
		{`[]`, "not understood"},
		{`{"type":"no_such"}`, "not known"},
		{`{"type":"set_target","head":[1,null,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}`, "number 1 is null"},
		{`{"type":"set_target","head":[NaN,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}`, "not understood"},
		{`{"type":"set_target"}`, "head is missing"},
		{`{"type":"set_antennas","antennas":[1,2,3]}`, "antennas has 3"},
		{`{"type":"set_full_target"}`, "is needed"},
		{`{"type":"set_head_joints","joints":[1]}`, "joints has 1"},
		{`{"type":"set_head_joints","joints":[9,0,0,0,0,0,0]}`, "joints[0] is 9"},
		{`{"type":"set_torque"}`, "on is missing"},
		{`{"type":"set_torque","on":true,"ids":["nose"]}`, "nose"},
		{`{"type":"set_motor_mode","mode":"loud"}`, "mode is"},
		{`{"type":"set_gravity_compensation","enabled":true}`, "gravity compensation is not offered"},
		{`{"type":"set_automatic_body_yaw","enabled":false}`, "always turns"},
		{`{"type":"set_speech_offsets","offsets":[1]}`, "offsets has 1"},
		{`{"type":"append_record","record":{}}`, "no recording"},
		{`{"type":"get_state"}`, "data channel"},
		{`{"type":"start_update"}`, "package"},
		{`{"type":"task"}`, "uuid"},
	} {
		p.send(c.text)
		p.refused(c.why)
	}
	for j, after := range r.now().Goal {
		if math.Abs(after-before[j]) > 1e-6 {
			t.Errorf("%v moved to %g, before %g", hal.Joint(j), after, before[j])
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageBinary, []byte{1}); err != nil {
		t.Fatal(err)
	}
	p.refused("binary")
}

// The first to stream has the robot. The other hears so; when the first one is gone it may.
func TestOneOwner(t *testing.T) {
	r := newRig(t)
	a, b := r.dial(), r.dial()
	a.send(`{"type":"set_antennas","antennas":[0,0.5]}`)
	r.until("a's target", func(s *hal.State) bool { return math.Abs(s.Antennas.Left-0.5) < 0.005 })
	b.send(`{"type":"set_antennas","antennas":[0,-0.5]}`)
	b.refused("streams targets")
	b.wait("daemon_status", func(m map[string]any) bool {
		ours := m["reachyd"].(map[string]any) // which of the two is called sdk-1 is not said
		return ours["motion_owner"] != nil && ours["motion_owner"] != ours["client"]
	})
	a.conn.Close(websocket.StatusNormalClosure, "")
	for end := time.Now().Add(patience); math.Abs(r.now().Antennas.Left+0.5) > 0.005; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("b never gets the robot")
		}
		b.send(`{"type":"set_antennas","antennas":[0,-0.5]}`)
	}
}

// A client that dies leaves nothing moving; one that says good-bye lets its move come to its end.
func TestClientsThatLeave(t *testing.T) {
	for _, polite := range []bool{false, true} {
		r := newRig(t)
		p := r.dial()
		p.send(`{"type":"goto_target","body_yaw":1.0,"head":` + flat(hal.Head{Yaw: 1}) + `,"duration":1.5}`)
		r.until("the move", func(s *hal.State) bool { return s.Moving && s.BodyYaw > 0.05 })
		if polite {
			p.conn.Close(websocket.StatusNormalClosure, "")
		} else {
			p.conn.CloseNow()
		}
		s := r.until("rest", func(s *hal.State) bool { return !s.Moving })
		if arrived := math.Abs(s.BodyYaw-1) < 0.01; arrived != polite {
			t.Errorf("polite %v: the body came to rest at %g", polite, s.BodyYaw)
		}
		if s.Mode != hal.ModeEnabled {
			t.Errorf("the torque changed: %s", s.Mode)
		}
	}
}

// While a move runs, the targets of all clients are ignored, as the official daemon does.
func TestMovesGoBeforeTargets(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	p.send(`{"type":"task","uuid":"11111111-1111-4111-8111-111111111111","req":{"body_yaw":0.4,"head":` + flat(hal.Head{Yaw: 0.4}) + `,"duration":0.6}}`)
	p.send(`{"type":"set_antennas","antennas":[2,2]}`)
	p.refused("a move is running")
	m := p.wait("task_progress", nil)
	if m["error"] != nil || math.Abs(r.now().BodyYaw-0.4) > 0.01 {
		t.Errorf("%v, body at %g", m, r.now().BodyYaw)
	}
	// Over is over: the very next target counts.
	p.send(`{"type":"set_antennas","antennas":[1,1]}`)
	r.until("the antennas", func(s *hal.State) bool { return math.Abs(s.Antennas.Left-1) < 0.005 })
}

func TestMotorsByName(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	p.send(`{"type":"set_torque","on":false,"ids":["left_antenna"]}`)
	r.until("one off", func(s *hal.State) bool { return s.Torque == hal.AllJoints&^(1<<hal.LeftAntenna) })
	p.send(`{"type":"set_motor_mode","mode":"enabled"}`)
	r.until("all on", func(s *hal.State) bool { return s.Torque == hal.AllJoints })
	p.send(`{"type":"set_motor_mode","mode":"disabled"}`)
	r.until("all off", func(s *hal.State) bool { return s.Torque == 0 })
	p.send(`{"type":"set_gravity_compensation","enabled":false}`)
	r.until("on again", func(s *hal.State) bool { return s.Torque == hal.AllJoints })
}

// A recording has what the client appended, else what was measured, and fits into a message of the SDK, however long it is.
func TestRecordings(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	p.send(`{"type":"start_recording"}`)
	p.send(`{"type":"append_record","record":{"time":1.5,"antennas":[0,1]}}`)
	p.send(`{"type":"stop_recording"}`)
	data := p.wait("recorded_data", nil)["data"].([]any)
	if len(data) != 1 || data[0].(map[string]any)["time"] != 1.5 {
		t.Errorf("%v", data)
	}
	p.send(`{"type":"start_recording"}`)
	for range 10 {
		p.wait("joint_positions", nil)
	}
	p.send(`{"type":"stop_recording"}`)
	data = p.wait("recorded_data", nil)["data"].([]any)
	if len(data) < 5 || len(data[0].(map[string]any)["head"].([]any)) != 4 {
		t.Errorf("%d frames: %v", len(data), data)
	}
	p.send(`{"type":"start_recording"}`)
	frame := `{"type":"append_record","record":{"time":%d,"head":` + flat(hal.Head{Yaw: 0.123456789}) + `}}`
	for i := range 10_000 {
		p.send(fmt.Sprintf(frame, i))
	}
	p.send(`{"type":"stop_recording"}`)
	data = p.wait("recorded_data", nil)["data"].([]any)
	if len(data) < 2000 || data[0].(map[string]any)["time"] != 0.0 {
		t.Errorf("%d frames", len(data))
	}
}

// No more clients than may be are let in, and those who are in do not notice.
func TestTooManyClients(t *testing.T) {
	r := newRig(t)
	first := r.dial()
	for range maxClients - 1 {
		r.dial().wait("daemon_status", nil)
	}
	p := r.dial()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, _, err := p.conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("the %dth client: %v", maxClients+1, err)
	}
	first.wait("joint_positions", nil)
}

// A message that is too long ends its client only.
func TestTooLongAMessage(t *testing.T) {
	r := newRig(t)
	p, other := r.dial(), r.dial()
	p.send(`{"type":"append_record","record":"` + strings.Repeat("x", maxFrame) + `"}`)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		if _, _, err := p.conn.Read(ctx); err != nil {
			if websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
				t.Error(err)
			}
			break
		}
	}
	other.wait("joint_positions", nil)
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"type":"set_target","head":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}`))
	f.Add([]byte(`{"type":"set_antennas","antennas":[1,null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m message
		if json.Unmarshal(data, &m) != nil {
			return
		}
		if h, err := headOf(m.Head); err == nil && !h.Finite() {
			t.Errorf("%s: %v", data, h)
		}
		if h, yaw, err := jointGoal(m.Joints); err == nil && (!h.Finite() || math.IsNaN(yaw)) {
			t.Errorf("%s: %v %v", data, h, yaw)
		}
	})
}
