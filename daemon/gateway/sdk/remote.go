package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/reachyd/reachyd/hal"
)

// Link is a data channel of WebRTC: its clients ask where the robot is, and every message of theirs is answered.
type Link interface {
	conn
	// OpenPose opens a second channel on which PushPose sends where the robot is; what finds no room there is left out.
	OpenPose() error
	PushPose(data []byte)
	// ForgetAudio drops what the client has said and nobody has heard yet.
	ForgetAudio()
}

// poseEvery is which of the states a client over WebRTC gets: 25 a second.
const poseEvery = 2

// Serve serves a client over WebRTC until ctx ends or link breaks; then nothing of it moves. The error is why it was not let in.
func (g *Gateway) Serve(ctx context.Context, link Link, about, from string) error {
	if !g.begin() {
		return http.ErrServerClosed
	}
	defer g.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	return g.attend(ctx, &client{conn: link, remote: link, about: about}, from)
}

// HasMedia says whether clients get camera and sound.
func (g *Gateway) HasMedia() bool { return g.hasMedia }

type reply = map[string]any

// queries are what only clients over WebRTC ask, and the answers.
var queries = map[string]func(c *client) reply{
	"get_state":      func(c *client) reply { return reply{"state": c.snapshot()} },
	"get_motor_mode": func(c *client) reply { s := c.g.State(); return reply{"motor_mode": motorMode(&s)} },
	// reachyd has no version of the official daemon's.
	"get_version":           func(*client) reply { return reply{"version": nil} },
	"get_hardware_id":       func(c *client) reply { return reply{"hardware_id": c.g.hardwareID()} },
	"get_imu":               func(*client) reply { return reply{"imu": nil} },
	"get_volume":            func(c *client) reply { return levelReply(c.g.volume(-1)) },
	"get_microphone_volume": func(c *client) reply { return levelReply(c.g.hearing(-1)) },
	// Who mutes the robot does not expect that somebody elsewhere has it hear again.
	"set_microphone_volume": func(*client) reply {
		return reply{"status": "error", "error": "the microphone is muted, and hears again, from the robot's own host only"}
	},
	"get_robot_name":       func(c *client) reply { return reply{"name": c.g.Name} },
	"get_first_wake_up":    func(*client) reply { return reply{"is_completed": true} }, // there is no wizard
	"get_tracked_face":     func(c *client) reply { return reply{"face_target": c.g.face(facePatience)} },
	"read_audio_parameter": func(*client) reply { return reply{"error": "the microphone's parameters are not set here"} },
	"apply_audio_config":   func(*client) reply { return reply{"error": "the microphone's parameters are not set here"} },
	"subscribe_logs": func(*client) reply {
		return reply{"type": "log_stream_error", "error": "the log is read with journalctl -u reachyd, on the robot"}
	},
	"unsubscribe_logs": func(*client) reply { return reply{"status": "ok"} },
	"subscribe_pose": func(c *client) reply {
		if err := c.remote.OpenPose(); err != nil {
			return reply{"error": err.Error()}
		}
		c.posing.Store(true)
		return reply{"status": "ok"}
	},
	"unsubscribe_pose": func(c *client) reply {
		c.posing.Store(false)
		return reply{"status": "ok"}
	},
	"clear_incoming_audio": func(c *client) reply {
		c.remote.ForgetAudio()
		return reply{"status": "ok"}
	},
}

// levelReply is the answer to who asks for the level of a device.
func levelReply(level map[string]any, err error) reply {
	if err != nil {
		return reply{"status": "error", "error": err.Error()}
	}
	return reply{"volume": level["volume"]}
}

// later are the types of messages that are answered when what they ask for is over.
var later = map[string]bool{"goto_target": true, "wake_up": true, "goto_sleep": true}

// obeyRemote carries out a message of a client over WebRTC, and answers it.
func (c *client) obeyRemote(ctx context.Context, data []byte) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		c.tell(encode(reply{"error": fmt.Sprintf("a message is not understood: %v", err)}))
		return
	}
	if m.RPC != "" {
		if len(m.ID) > 0 {
			c.tell(encode(reply{"jsonrpc": "2.0", "id": m.ID, "error": reply{
				"code": -32601, "message": "apps are started with reachyctl app", "data": reply{"reason": "not_offered"},
			}}))
		}
		return
	}
	if ask, is := queries[m.Type]; is {
		answer := ask(c)
		answer["command"] = m.Type
		c.tell(encode(answer))
		return
	}
	err := c.carryOut(ctx, &m)
	answer := reply{"command": m.Type, "status": "ok"}
	switch {
	case err != nil:
		answer = reply{"command": m.Type, "error": err.Error()}
	case later[m.Type]:
		return
	}
	switch m.Type {
	case "set_volume":
		answer["volume"] = queries["get_volume"](c)["volume"]
		if err != nil {
			answer["status"] = "error"
		}
	case "set_motor_mode":
		answer["motor_mode"] = queries["get_motor_mode"](c)["motor_mode"]
	case "start_recording", "stop_recording":
		answer["is_recording"] = c.recording()
	case "set_head_tracking":
		answer["enabled"] = err == nil && m.Enabled != nil && *m.Enabled
	case "set_target", "set_body_yaw", "set_antennas", "set_full_target", "set_head_joints":
		c.show(encode(answer)) // a stream of them: that one is lost harms nobody
		return
	}
	c.tell(encode(answer))
}

// completed tells a client over WebRTC how a move ended; others are not told.
func (c *client) completed(kind string) func(failure string) {
	if c.remote == nil {
		return nil
	}
	return func(failure string) {
		if failure != "" {
			c.tell(encode(reply{"command": kind, "error": failure}))
			return
		}
		c.tell(encode(reply{"command": kind, "status": "ok", "completed": true}))
	}
}

// snapshot is where the robot is, for a client over WebRTC.
type snapshot struct {
	Head      [4][4]float64 `json:"head_pose"`
	Antennas  [2]float64    `json:"antennas"` // right, left
	Joints    []float64     `json:"head_joint_positions"`
	BodyYaw   float64       `json:"body_yaw"`
	Mode      string        `json:"motor_mode"`
	Recording bool          `json:"is_recording"`
	Moving    bool          `json:"is_move_running"`
	Face      faceTarget    `json:"face_target"`
	Voice     *arrival      `json:"doa"`
}

func (c *client) snapshot() snapshot {
	s := c.g.State()
	return snapshot{
		Head: matrix(s.Head), Antennas: rightLeft(&s.Joints), Joints: s.Joints[:hal.Stewart6+1], BodyYaw: s.BodyYaw, Mode: motorMode(&s),
		Recording: c.recording(), Moving: c.g.moves.any(), Voice: c.g.doa(), Face: c.g.face(0),
	}
}

func (c *client) recording() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec.on
}

// pushPose sends where the robot is to a client that has asked for it. Only the goroutine that follows the body calls it.
func (c *client) pushPose() {
	if c.shown++; !c.posing.Load() || c.shown%poseEvery != 0 {
		return
	}
	c.remote.PushPose(encode(reply{"state": c.snapshot(), "seq": c.shown}))
}
