package sdk

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/request"
)

// numbers are a list of numbers in which null, which some clients send for what is no number, is an error.
type numbers []float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *numbers) UnmarshalJSON(data []byte) error {
	var list []*float64
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if list == nil { // null
		*n = nil
		return nil
	}
	*n = make(numbers, len(list))
	for i, v := range list {
		if v == nil {
			return fmt.Errorf("number %d is null, as which the SDK sends what is no number (NaN)", i)
		}
		(*n)[i] = *v
	}
	return nil
}

// maxSkew is how far a head's matrix may be from a rotation, by the worst entry of RᵀR − 1.
const maxSkew = 0.02

// headOf converts a transform of 16 numbers, row by row, to a head pose.
func headOf(m numbers) (hal.Head, error) {
	if len(m) != 16 {
		return hal.Head{}, fmt.Errorf("head has %d numbers; allowed are 16, a 4×4 matrix row by row", len(m))
	}
	var f hal.Frame
	for i, v := range m {
		f.Head[i/4][i%4] = v
	}
	return headOfFrame(&f)
}

func headOfFrame(f *hal.Frame) (hal.Head, error) {
	if e := request.RotationError(f); !(e <= maxSkew) {
		return hal.Head{}, fmt.Errorf("head is not a rotation (off by %.3g; allowed is %g)", e, maxSkew)
	}
	p := hal.Pose{R: request.Rotation(f), T: hal.Vec3{f.Head[0][3], f.Head[1][3], f.Head[2][3]}}
	return p.Head(), nil
}

// antennasOf converts [right, left].
func antennasOf(a numbers) (*hal.AntennaGoal, error) {
	if len(a) != 2 {
		return nil, fmt.Errorf("antennas has %d numbers; allowed are 2, right and left", len(a))
	}
	return hal.Antennas{Right: a[0], Left: a[1]}.Goal(), nil
}

// jointGoal converts the seven joints of body and head to where these bring the head.
func jointGoal(j numbers) (hal.Head, float64, error) {
	if len(j) != 7 {
		return hal.Head{}, 0, fmt.Errorf("joints has %d numbers; allowed are 7, body_rotation and stewart_1 to stewart_6", len(j))
	}
	var q hal.Joints
	for i, v := range j {
		if math.Abs(v) > math.Pi {
			return hal.Head{}, 0, fmt.Errorf("joints[%d] is %g rad; allowed is −π…π", i, v)
		}
		q[i] = v
	}
	pose, _, err := kinematics.Forward(&q, hal.Pose{R: hal.RotZ(q[hal.BodyYaw])})
	if err != nil {
		return hal.Head{}, 0, fmt.Errorf("joints: %w", err)
	}
	return pose.Head(), q[hal.BodyYaw], nil
}

// matrix is a head pose as a 4×4 matrix.
func matrix(h hal.Head) [4][4]float64 {
	p := h.Pose()
	m := [4][4]float64{3: {3: 1}}
	for r := range 3 {
		copy(m[r][:], p.R[3*r:3*r+3])
		m[r][3] = p.T[r]
	}
	return m
}

type jointPositions struct {
	Type     string     `json:"type"`
	Head     []float64  `json:"head_joint_positions"`     // body_rotation, stewart_1 … stewart_6, rad
	Antennas [2]float64 `json:"antennas_joint_positions"` // right, left, rad
}

func jointsOf(s *hal.State) jointPositions {
	return jointPositions{"joint_positions", s.Joints[:hal.Stewart6+1], [2]float64{s.Joints[hal.RightAntenna], s.Joints[hal.LeftAntenna]}}
}

type headPose struct {
	Type string        `json:"type"`
	Pose [4][4]float64 `json:"head_pose"`
}

func poseOf(s *hal.State) headPose { return headPose{"head_pose", matrix(s.Head)} }

type taskProgress struct {
	Type      string  `json:"type"`
	UUID      string  `json:"uuid"`
	Finished  bool    `json:"finished"`
	Error     *string `json:"error"`
	Timestamp string  `json:"timestamp"`
}

// progress tells that a task is over; failure says why, and is empty when all went well.
func progress(uuid, failure string) taskProgress {
	p := taskProgress{Type: "task_progress", UUID: uuid, Finished: true, Timestamp: stamp(time.Now())}
	if failure != "" {
		p.Error = &failure
	}
	return p
}

// stamp writes a time as Python does.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }
