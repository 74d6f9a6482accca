package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/hal"
)

// message is any message of the SDK: the fields of all types, of which each uses some.
type message struct {
	Type string          `json:"type"`
	RPC  string          `json:"jsonrpc"` // instead of a type: a call of JSON-RPC
	ID   json.RawMessage `json:"id"`

	Head     numbers  `json:"head"` // 4×4, row by row
	Joints   numbers  `json:"joints"`
	Antennas numbers  `json:"antennas"` // right, left, rad
	BodyYaw  *float64 `json:"body_yaw"` // rad
	Duration *float64 `json:"duration"` // s

	UUID string   `json:"uuid"`
	Req  *taskReq `json:"req"`

	Mode    string   `json:"mode"`
	On      *bool    `json:"on"`
	Enabled *bool    `json:"enabled"`
	IDs     []string `json:"ids"` // names of joints
	Offsets numbers  `json:"offsets"`

	Record json.RawMessage `json:"record"`

	Volume  *int     `json:"volume"`
	Weight  *float64 `json:"weight"`
	Move    string   `json:"move_name"`
	Dataset string   `json:"dataset_name"`
	Goto    float64  `json:"initial_goto_duration"` // s

	File     string `json:"file"`
	UploadID string `json:"upload_id"`
	Total    int    `json:"total_chunks"`
	Index    int    `json:"chunk_index"`
	Chunk    string `json:"chunk"`
	Encoding string `json:"encoding"`

	Frequency float64 `json:"play_frequency"` // Hz
	Lead      float64 `json:"audio_lead_ms"`
}

// taskReq is what a task asks for.
type taskReq struct {
	Head     numbers  `json:"head"`
	Antennas numbers  `json:"antennas"`
	BodyYaw  *float64 `json:"body_yaw"`
	Duration float64  `json:"duration"`
	Method   string   `json:"method"`
	Move     string   `json:"move_name"`

	pose *pose // in place of Head
}

// handler carries out one type of message; its error is why nothing came of it.
type handler func(ctx context.Context, c *client, m *message) error

// handlers are the types of messages that do something.
var handlers = map[string]handler{
	"set_target": func(ctx context.Context, c *client, m *message) error {
		if m.Head == nil {
			return errors.New("head is missing")
		}
		return c.aim(ctx, m)
	},
	"set_body_yaw": func(ctx context.Context, c *client, m *message) error {
		if m.BodyYaw == nil {
			return errors.New("body_yaw is missing")
		}
		return c.aim(ctx, m)
	},
	"set_antennas": func(ctx context.Context, c *client, m *message) error {
		if m.Antennas == nil {
			return errors.New("antennas is missing")
		}
		return c.aim(ctx, m)
	},
	"set_full_target": func(ctx context.Context, c *client, m *message) error { return c.aim(ctx, m) },
	"set_head_joints": func(ctx context.Context, c *client, m *message) error {
		head, yaw, err := jointGoal(m.Joints)
		if err != nil {
			return err
		}
		return c.send(ctx, &head, nil, &yaw)
	},
	"goto_target": gotoTarget,
	"task":        task,
	"wake_up": func(ctx context.Context, c *client, m *message) error {
		return c.move(ctx, hal.Request{Verb: hal.VerbWake}, c.completed(m.Type))
	},
	"goto_sleep": func(ctx context.Context, c *client, m *message) error {
		return c.move(ctx, hal.Request{Verb: hal.VerbSleep}, c.completed(m.Type))
	},
	"stop_move":                func(_ context.Context, c *client, _ *message) error { c.g.hold(""); return nil },
	"set_torque":               setTorque,
	"set_motor_mode":           setMotorMode,
	"set_gravity_compensation": setGravity,
	"set_automatic_body_yaw": func(_ context.Context, _ *client, m *message) error {
		if m.Enabled != nil && !*m.Enabled {
			return errors.New("the body always turns as far as the head needs it")
		}
		return nil
	},
	"set_speech_offsets": setOffsets,
	"play_recorded_move": playRecorded,
	"upload_move_start":  uploadStart,
	"upload_move_chunk":  uploadChunk,
	"upload_move_finish": uploadFinish,
	"play_uploaded_move": playUploaded,
	"cancel_move":        cancelMove,

	"upload_audio_start":  audioStart,
	"upload_audio_chunk":  audioChunk,
	"upload_audio_finish": audioFinish,
	"play_uploaded_audio": playUploadedAudio,
	"cancel_audio":        stopSound,
	"play_sound":          playSound,

	"preload_dataset": func(_ context.Context, c *client, m *message) error {
		if c.g.Moves == nil {
			return errNoMoves
		}
		_, err := c.g.Moves.List(m.Dataset)
		return err
	},
	"set_volume": func(_ context.Context, c *client, m *message) error {
		if m.Volume == nil || *m.Volume < 0 || *m.Volume > fullVolume {
			return errors.New("volume is missing or not 0 to 100")
		}
		_, err := c.g.volume(*m.Volume)
		return err
	},
	"set_microphone_volume": func(_ context.Context, c *client, m *message) error {
		if m.Volume == nil || *m.Volume < 0 || *m.Volume > fullVolume {
			return errors.New("volume is missing or not 0 to 100")
		}
		_, err := c.g.hearing(*m.Volume)
		return err
	},
	"set_head_tracking": func(ctx context.Context, c *client, m *message) error {
		if c.g.Senses == nil {
			return errors.New("there are no eyes: reachy-sense does not run")
		}
		return c.g.Senses.Track(ctx, m.Enabled != nil && *m.Enabled && (m.Weight == nil || *m.Weight > 0))
	},
	"set_wobbling":    func(context.Context, *client, *message) error { return nil }, // the head moves with speech by itself
	"start_recording": startRecording,
	"stop_recording":  stopRecording,
	"append_record":   appendRecord,
}

const onlyRemote = "is answered on a WebRTC data channel only"

// notOffered are the types of messages that are understood and have no effect, and why.
var notOffered = map[string]string{
	"get_motor_mode": onlyRemote, "get_state": onlyRemote, "get_version": onlyRemote, "get_hardware_id": onlyRemote, "get_imu": onlyRemote,
	"get_volume": onlyRemote, "get_microphone_volume": onlyRemote, "get_robot_name": onlyRemote, "get_first_wake_up": onlyRemote,
	"get_tracked_face": onlyRemote, "subscribe_logs": onlyRemote, "unsubscribe_logs": onlyRemote, "subscribe_pose": onlyRemote,
	"unsubscribe_pose": onlyRemote, "get_telemetry": onlyRemote, "read_audio_parameter": onlyRemote,
	"clear_incoming_audio": "sound of clients comes by WebRTC only",
	"set_telemetry":        "reachyd tells nobody anything",
	"delete_hf_token":      "reachyd has no account anywhere",
	"set_first_wake_up":    "there is no wizard",
	"restart_daemon":       "reachyd is restarted by systemd",
	"start_update":         "reachyd is updated by its package",
	"set_robot_name":       "the name is set in reachyd.yaml, robot.id",
}

func setTorque(ctx context.Context, c *client, m *message) error {
	if m.On == nil {
		return errors.New("on is missing")
	}
	return c.g.motors(ctx, *m.On, m.IDs)
}

func setMotorMode(ctx context.Context, c *client, m *message) error {
	return c.g.setMode(ctx, m.Mode)
}

// errGravity says why there is no gravity compensation.
var errGravity = errors.New("gravity compensation is not offered: to move the head by hand switch its motors off")

func setGravity(ctx context.Context, c *client, m *message) error {
	if m.Enabled == nil || *m.Enabled {
		return errGravity
	}
	return c.g.motors(ctx, true, nil)
}

// setMode switches the motors by the name of a mode of the official daemon.
func (g *Gateway) setMode(ctx context.Context, mode string) error {
	switch mode {
	case modeEnabled:
		return g.motors(ctx, true, nil)
	case modeDisabled:
		return g.motors(ctx, false, nil)
	case modeGravity:
		return errGravity
	}
	return fmt.Errorf("mode is %.40q; allowed are %s, %s, %s", mode, modeEnabled, modeDisabled, modeGravity)
}

// DefaultDataset is what a client means that names no dataset.
const DefaultDataset = "pollen-robotics/reachy-mini-emotions-library"

func playRecorded(ctx context.Context, c *client, m *message) error {
	req, err := c.g.recorded(cmp.Or(m.Dataset, DefaultDataset), m.Move)
	if err != nil {
		return err
	}
	return c.move(ctx, req, nil)
}
