package host

import (
	"context"
	"encoding/json"
	"math"
	"time"
)

// Pose is where the head is relative to neutral: metres and radians; x forward, y left, z up; +pitch looks down, +yaw
// looks left, +roll tilts to the robot's right.
type Pose struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Z     float64 `json:"z"`
	Roll  float64 `json:"roll"`
	Pitch float64 `json:"pitch"`
	Yaw   float64 `json:"yaw"`
}

// Antennas are two angles in radians, 0 = up.
type Antennas struct {
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
}

// Motion is what to move where; nil keeps a part where it is.
type Motion struct {
	Head     *Pose         `json:"head,omitempty"`
	BodyYaw  *float64      `json:"body_yaw,omitempty"` // radians
	Antennas *Antennas     `json:"antennas,omitempty"`
	Duration time.Duration `json:"-"`
	Law      string        `json:"law,omitempty"` // one of Laws; empty: min_jerk
	// Stream asks for the pose at once, as one of many in a row; Duration is 0.
	Stream bool `json:"stream,omitempty"`
}

// Laws are how progress may depend on time.
var Laws = []string{"min_jerk", "linear", "ease_in_out", "cartoon"}

// State is one snapshot of the robot: metres and radians.
type State struct {
	Mode     string     `json:"mode"` // enabled, partial, disabled or offline
	Moving   bool       `json:"moving"`
	EStop    bool       `json:"estop"`
	Head     Pose       `json:"head"`
	BodyYaw  float64    `json:"body_yaw"`
	Antennas Antennas   `json:"antennas"`
	Joints   [9]float64 `json:"joints"` // body, stewart 1…6, right antenna, left antenna
}

// The bounds of what is passed on to the robot at all; its own limits are narrower.
const (
	maxMoveSeconds = 60
	maxMetres      = 0.5
)

type moveArgs struct {
	Motion
	Seconds *float64 `json:"duration"`
}

func parseMotion(args json.RawMessage) (Motion, error) {
	var a moveArgs
	if err := decode(args, &a); err != nil {
		return Motion{}, err
	}
	m := a.Motion
	if m.Head == nil && m.BodyYaw == nil && m.Antennas == nil {
		return m, invalid("head, body_yaw and antennas: none is given, at least one is needed")
	}
	within := func(name string, v, limit float64) error {
		if !(math.Abs(v) <= limit) {
			return invalid("%s: %g, allowed %g to %g", name, v, -limit, limit)
		}
		return nil
	}
	type field struct {
		name     string
		v, limit float64
	}
	var fields []field
	if h := m.Head; h != nil {
		fields = append(fields, field{"head.x", h.X, maxMetres}, field{"head.y", h.Y, maxMetres}, field{"head.z", h.Z, maxMetres},
			field{"head.roll", h.Roll, math.Pi}, field{"head.pitch", h.Pitch, math.Pi}, field{"head.yaw", h.Yaw, math.Pi})
	}
	if m.BodyYaw != nil {
		fields = append(fields, field{"body_yaw", *m.BodyYaw, math.Pi})
	}
	if m.Antennas != nil {
		fields = append(fields, field{"antennas.left", m.Antennas.Left, math.Pi}, field{"antennas.right", m.Antennas.Right, math.Pi})
	}
	for _, f := range fields {
		if err := within(f.name, f.v, f.limit); err != nil {
			return m, err
		}
	}
	if m.Law == "" {
		m.Law = Laws[0]
	}
	known := false
	for _, law := range Laws {
		known = known || law == m.Law
	}
	if !known {
		return m, invalid("law: %.40q, allowed %v", m.Law, Laws)
	}
	switch {
	case m.Stream && a.Seconds != nil:
		return m, invalid("duration: %g, a streamed target has none", *a.Seconds)
	case m.Stream:
		return m, nil
	case a.Seconds == nil:
		return m, invalid("duration: missing, allowed more than 0 to %d s", maxMoveSeconds)
	case !(*a.Seconds > 0 && *a.Seconds <= maxMoveSeconds):
		return m, invalid("duration: %g, allowed more than 0 to %d s", *a.Seconds, maxMoveSeconds)
	}
	m.Duration = time.Duration(*a.Seconds * float64(time.Second))
	return m, nil
}

func (s *Set) move(ctx context.Context, args json.RawMessage) (any, error) {
	m, err := parseMotion(args)
	if err != nil {
		return nil, err
	}
	if s.robot == nil {
		return nil, unavailable("robot")
	}
	d, err := s.robot.Move(ctx, m)
	if err != nil {
		return nil, err
	}
	return map[string]float64{"duration": d.Seconds()}, nil
}

func (s *Set) state(ctx context.Context, args json.RawMessage) (any, error) {
	if err := decode(args, &struct{}{}); err != nil {
		return nil, err
	}
	if s.robot == nil {
		return nil, unavailable("robot")
	}
	return s.robot.State(ctx)
}

func (s *Set) frame(ctx context.Context, args json.RawMessage) (any, error) {
	var a struct {
		Order string `json:"order"`
		Free  []int  `json:"free"`
	}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	s.images.free(a.Free)
	if s.camera == nil {
		return nil, unavailable("camera")
	}
	img, err := s.camera.Frame(ctx)
	if err != nil {
		return nil, err
	}
	return s.images.fromImage(img, a.Order, 3)
}
