package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/reachyd/reachyd/api"
)

// Health is how the robot is, in short.
func (c *Client) Health(ctx context.Context) (api.Health, error) {
	return get[api.Health](ctx, c, "/health")
}

// State is where the robot is and how it is: degrees and metres, joints in radians.
func (c *Client) State(ctx context.Context) (api.State, error) {
	return get[api.State](ctx, c, "/robot/state")
}

// Telemetry is the health of the control loop, the bus and the servos.
func (c *Client) Telemetry(ctx context.Context) (api.Telemetry, error) {
	return get[api.Telemetry](ctx, c, "/robot/telemetry")
}

// Goto moves head, body and antennas to a pose. It returns when the move has been accepted, perhaps with changes.
func (c *Client) Goto(ctx context.Context, to api.GotoArgs) (api.MoveResult, error) {
	return post[api.MoveResult](ctx, c, "/robot/goto", to)
}

// Stop is the emergency stop, which latches. It is no safety function.
func (c *Client) Stop(ctx context.Context, reason string) (api.MoveResult, error) {
	return post[api.MoveResult](ctx, c, "/robot/stop", api.StopArgs{Reason: reason})
}

// Reset releases the emergency stop. Nothing moves by that.
func (c *Client) Reset(ctx context.Context) (api.MoveResult, error) {
	return post[api.MoveResult](ctx, c, "/robot/reset", nil)
}

// Motors switches motors on, holding the present pose, or off.
func (c *Client) Motors(ctx context.Context, args api.MotorsArgs) (api.MoveResult, error) {
	return post[api.MoveResult](ctx, c, "/robot/motors", args)
}

// Moves are the poses, gestures, emotions and recorded moves by name.
func (c *Client) Moves(ctx context.Context) (api.MoveList, error) {
	return get[api.MoveList](ctx, c, "/robot/moves")
}

// Tools are those that can be called.
func (c *Client) Tools(ctx context.Context) ([]api.ToolInfo, error) {
	list, err := get[api.ToolInfos](ctx, c, "/tools")
	return list.Tools, err
}

// Execute calls a tool. Whether it did what it should is in the answer's Status; an error is a call that was refused.
func (c *Client) Execute(ctx context.Context, call api.ExecuteRequest) (api.ExecuteAnswer, error) {
	return post[api.ExecuteAnswer](ctx, c, "/tools/execute", call)
}

// Capture takes a photo and keeps it.
func (c *Client) Capture(ctx context.Context) (api.CaptureAnswer, error) {
	return post[api.CaptureAnswer](ctx, c, "/vision/capture", nil)
}

// Frame is what the camera sees now, JPEG.
func (c *Client) Frame(ctx context.Context) ([]byte, error) {
	return c.bytesOf(ctx, request{method: http.MethodGet, path: prefix + "/camera.jpg"})
}

// Analyze says what is seen in a picture.
func (c *Client) Analyze(ctx context.Context, picture api.AnalyzeArgs) (api.Analysis, error) {
	return post[api.Analysis](ctx, c, "/vision/analyze", picture)
}

// Transcribe says what is said in a recording: WAV, FLAC, Ogg Opus or MP3.
func (c *Client) Transcribe(ctx context.Context, recording []byte) (api.Transcription, error) {
	return ask[api.Transcription](ctx, c, request{
		method: http.MethodPost, path: prefix + "/voice/stt", media: recording, kind: "application/octet-stream",
	})
}

// Synthesize returns a text as sound, WAV; nothing is heard at the robot.
func (c *Client) Synthesize(ctx context.Context, text api.SynthesizeArgs) ([]byte, error) {
	return c.bytesOf(ctx, request{method: http.MethodPost, path: prefix + "/voice/tts", body: text})
}

// Settings are those of a key, of a group such as sense, or all for "".
func (c *Client) Settings(ctx context.Context, key string) ([]api.Setting, error) {
	r := request{method: http.MethodGet, path: prefix + "/config/list"}
	if key != "" {
		r.query = url.Values{"key": {key}}
	}
	list, err := ask[api.SettingList](ctx, c, r)
	return list.Settings, err
}

// Configure changes settings, all of them or none; nil takes a change back.
func (c *Client) Configure(ctx context.Context, values map[string]any) (api.ConfigChange, error) {
	return ask[api.ConfigChange](ctx, c, request{method: http.MethodPatch, path: prefix + "/config", body: map[string]any{"values": values}})
}
