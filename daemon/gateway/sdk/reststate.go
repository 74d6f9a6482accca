package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// pose is a head pose of the REST interface: six numbers, of which those that are left out are 0, or a matrix.
type pose struct {
	hal.Head
	M numbers `json:"m"`
}

// UnmarshalJSON implements json.Unmarshaler; null is no number.
func (p *pose) UnmarshalJSON(data []byte) error {
	var in struct {
		X, Y, Z, Roll, Pitch, Yaw json.RawMessage
		M                         numbers `json:"m"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	p.M = in.M
	for _, f := range [...]struct {
		name string
		from json.RawMessage
		to   *float64
	}{{"x", in.X, &p.X}, {"y", in.Y, &p.Y}, {"z", in.Z, &p.Z}, {"roll", in.Roll, &p.Roll}, {"pitch", in.Pitch, &p.Pitch}, {"yaw", in.Yaw, &p.Yaw}} {
		if f.from == nil {
			continue
		}
		if string(f.from) == "null" {
			return fmt.Errorf("%s is null", f.name)
		}
		if err := json.Unmarshal(f.from, f.to); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// head converts the pose; nil for nil.
func (p *pose) head() (*hal.Head, error) {
	if p == nil {
		return nil, nil //nolint:nilnil // no pose is no head
	}
	if p.M == nil {
		return &p.Head, nil
	}
	h, err := headOf(p.M)
	return &h, err
}

// shown is a head pose as it is sent.
func shown(h hal.Head, asMatrix bool) any {
	if !asMatrix {
		return h
	}
	m := matrix(h)
	flat := make([]float64, 0, 16)
	for _, row := range m {
		flat = append(flat, row[:]...)
	}
	return map[string]any{"m": flat}
}

// switches are the with_… flags of a query.
type switches struct {
	query url.Values
	err   error
}

// on returns a flag; its default is used when it is left out.
func (s *switches) on(name string, by bool) bool {
	text := s.query.Get(name)
	switch text {
	case "":
		return by
	case "yes", "on", "True":
		return true
	case "no", "off", "False":
		return false
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		s.err = errors.Join(s.err, invalid("%s is %.20q; allowed are true and false", name, text))
	}
	return v
}

// full is the state with what the flags ask for.
func (g *Gateway) full(query url.Values) (any, error) {
	s := g.State()
	f := switches{query: query}
	m := f.on("use_pose_matrix", false)
	out := map[string]any{"timestamp": s.TS.UTC().Format(time.RFC3339Nano)}
	for _, field := range [...]struct {
		flag  string
		by    bool
		name  string
		value any
	}{
		{"with_control_mode", true, "control_mode", motorMode(&s)},
		{"with_head_pose", true, "head_pose", shown(s.Head, m)},
		{"with_target_head_pose", false, "target_head_pose", shown(s.GoalHead, m)},
		{"with_head_joints", false, "head_joints", s.Joints[:hal.Stewart6+1]},
		{"with_target_head_joints", false, "target_head_joints", s.Goal[:hal.Stewart6+1]},
		{"with_body_yaw", true, "body_yaw", s.BodyYaw},
		{"with_target_body_yaw", false, "target_body_yaw", s.Goal[hal.BodyYaw]},
		{"with_antenna_positions", true, "antennas_position", rightLeft(&s.Joints)},
		{"with_target_antenna_positions", false, "target_antennas_position", rightLeft(&s.Goal)},
		{"with_passive_joints", false, "passive_joints", nil},
		{"with_doa", false, "doa", g.doa()},
		{"with_imu", false, "imu", nil},
	} {
		if f.on(field.flag, field.by) {
			out[field.name] = field.value
		}
	}
	// The official daemon lists these also when nobody asked for them.
	for _, name := range [...]string{"control_mode", "head_pose", "head_joints", "body_yaw", "antennas_position", "passive_joints", "doa", "imu"} {
		if _, ok := out[name]; !ok {
			out[name] = nil
		}
	}
	return out, f.err
}

// arrival is where a voice comes from, as the official daemon tells it.
type arrival struct {
	Angle  float64 `json:"angle"` // rad: 0 from the left, π/2 from before the head, π from the right
	Speech bool    `json:"speech_detected"`
}

// doa returns the newest voice; nil when none is known.
func (g *Gateway) doa() *arrival {
	if g.Voice == nil {
		return nil
	}
	yaw, speaking, known := g.Voice()
	if !known {
		return nil
	}
	return &arrival{max(0, min(math.Pi, math.Pi/2-yaw*math.Pi/180)), speaking}
}

func rightLeft(q *hal.Joints) [2]float64 { return [2]float64{q[hal.RightAntenna], q[hal.LeftAntenna]} }

func none(*Gateway, *http.Request) (any, error) { return nil, nil } //nolint:nilnil // null is the answer

var stateRoutes = []route{
	{"GET /api/state/full", "the state; with_… flags say which fields", func(g *Gateway, r *http.Request) (any, error) { return g.full(r.URL.Query()) }},
	{"GET /api/state/present_head_pose", "the head; use_pose_matrix=true: as a matrix", func(g *Gateway, r *http.Request) (any, error) {
		f := switches{query: r.URL.Query()}
		return shown(g.State().Head, f.on("use_pose_matrix", false)), f.err
	}},
	{"GET /api/state/present_body_yaw", "the body's angle", func(g *Gateway, _ *http.Request) (any, error) { return g.State().BodyYaw, nil }},
	{"GET /api/state/present_antenna_joint_positions", "the antennas: right, left", func(g *Gateway, _ *http.Request) (any, error) {
		s := g.State()
		return rightLeft(&s.Joints), nil
	}},
	{"GET /api/state/doa", "where the newest voice came from, rad: 0 left, π right; null: not known", func(g *Gateway, _ *http.Request) (any, error) {
		return g.doa(), nil
	}},
	{"GET /api/state/imu", "acceleration and turn; null: not measured", none},
}

// period is how often a stream of states is sent.
func period(query url.Values) (time.Duration, error) {
	text := query.Get("frequency")
	if text == "" {
		return 100 * time.Millisecond, nil
	}
	hz, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(hz) || hz <= 0 || hz > 100 {
		return 0, invalid("frequency is %.20q; allowed is more than 0, up to 100 (Hz)", text)
	}
	return time.Duration(float64(time.Second) / max(hz, 0.01)), nil
}
