package kinematics

import (
	"fmt"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// Limit names what made a change necessary.
type Limit uint8

// The limits that Nearest keeps.
const (
	LimitRange  Limit = iota // the published range of the component itself
	LimitToBody              // head and body at most 65° apart
	LimitJoint               // a motor would pass the end of its range
	LimitLoose               // too near a pose in which an arm is stretched, or the weight of the head folds the platform over
)

var limitNames = [...]string{
	LimitRange:  "range of the component",
	LimitToBody: "head at most 65° from the body",
	LimitJoint:  "range of an arm's motor",
	LimitLoose:  "the motors cannot hold the head there",
}

// String says the limit in words.
func (l Limit) String() string { return limitNames[l] }

// Field is a component that Nearest can change.
type Field uint8

// The components in the order in which they are reported.
const (
	FieldX Field = iota
	FieldY
	FieldZ
	FieldRoll
	FieldPitch
	FieldYaw
	FieldBodyYaw
	FieldLeft
	FieldRight
	numFields
)

var fieldNames = [numFields]string{
	"head.x", "head.y", "head.z", "head.roll", "head.pitch", "head.yaw", "body_yaw", "antennas.left", "antennas.right",
}

// String is the field's name in a hal.Change.
func (f Field) String() string { return fieldNames[f] }

// Change says that one component was changed: metres for x, y, z, else radians.
type Change struct {
	Field        Field
	Limit        Limit
	Asked, Given float64
}

// Feasible is a pose of the whole robot that it can take, and how it differs from the one that was wished.
type Feasible struct {
	Head     hal.Head
	Pose     hal.Pose // Head as a transform
	BodyYaw  float64
	Antennas hal.Antennas
	Joints   hal.Joints // all nine, each inside hal.JointLimits
	// Scale is the factor by which translation, roll and pitch were drawn toward the neutral pose, 1 when not at all.
	Scale float64
	// Leg is the arm that made Scale less than 1 when a Change names LimitJoint.
	Leg hal.Joint

	changes [numFields]Change
	n       int
}

// Changed returns the components that were changed, none when the wish was feasible as it stood. The slice is part
// of f.
func (f *Feasible) Changed() []Change { return f.changes[:f.n] }

// HalChanges returns the changes as they are reported to people and programs. It allocates.
func (f *Feasible) HalChanges() []hal.Change {
	if f.n == 0 {
		return nil
	}
	all := make([]hal.Change, 0, f.n)
	for _, c := range f.Changed() {
		limit := c.Limit.String()
		if c.Limit == LimitJoint {
			limit += " (" + f.Leg.String() + ")"
		}
		all = append(all, hal.Change{Field: c.Field.String(), Asked: c.Asked, Given: c.Given, Limit: limit})
	}
	return all
}

const (
	bisections = 36    // 2^-36 of a component: far below a servo's resolution
	slack      = 1e-9  // a result of Nearest, wished again, is taken as it is
	negligible = 1e-12 // changes smaller than this are rounding
	// How far from stretched the worst arm must be, and from loose the whole platform, as a fraction of its neutral
	// determinant.
	minMargin      = 0.12
	minDeterminant = 0.05
	// No feasible pose has its head further out than this.
	maxSide, maxDown, maxUp = 0.055, 0.056, 0.025
)

// A goal that had to be changed by more than this is not what was meant: metres, radians.
const farShift, farTurn = 0.06, math.Pi / 3

// Unreachable says why a pose that was changed so much is not what was meant; empty when it will do. An antenna's always does.
func Unreachable(changes []hal.Change) string {
	for _, c := range changes {
		far := farTurn
		switch c.Field {
		case "head.x", "head.y", "head.z":
			far = farShift
		case "antennas.left", "antennas.right":
			continue
		}
		if math.Abs(c.Asked-c.Given) > far {
			return fmt.Sprintf("%s = %.3g cannot be reached, the nearest is %.3g (%s)", c.Field, c.Asked, c.Given, c.Limit)
		}
	}
	return ""
}

// Nearest returns the nearest pose that the robot can take and, when it differs, what was changed. First each number
// is brought into its published range: pitch and roll ±40°, head yaw ±180° and at most 65° from the body, body yaw
// ±160°, antennas the range of their servos. What is then still out of reach, beyond a motor's range or too near to a
// singular pose is drawn toward the neutral pose at the same yaw until it is not: translation, roll and pitch by one
// factor, which is found by bisection. One factor, and not one component after the other, because a small change of
// the wish then makes a small change of the result. The only error is ErrNotFinite.
//
// The Euler angles of a transform jump at pitch ±90°, and its yaw at ±180°: a caller that has the six numbers should
// use NearestHead, which has no such seams.
func Nearest(want hal.Pose, bodyYaw float64, antennas hal.Antennas) (Feasible, error) {
	if !finitePose(&want) {
		return Feasible{}, ErrNotFinite
	}
	return NearestHead(want.Head(), bodyYaw, antennas)
}

// NearestHead is Nearest for a head pose that is given as six numbers.
func NearestHead(want hal.Head, bodyYaw float64, antennas hal.Antennas) (Feasible, error) {
	if !want.Finite() || !finite(bodyYaw) || !finite(antennas.Left) || !finite(antennas.Right) {
		return Feasible{}, ErrNotFinite
	}
	f := Feasible{Scale: 1}
	left, right := hal.JointLimits[hal.LeftAntenna], hal.JointLimits[hal.RightAntenna]
	f.Antennas.Left = clamp(antennas.Left, left.Min, left.Max)
	f.Antennas.Right = clamp(antennas.Right, right.Min, right.Max)
	f.BodyYaw = clamp(bodyYaw, -maxBodyYaw, maxBodyYaw)

	yaw := clamp(want.Yaw, -maxHeadYaw, maxHeadYaw)
	yawLimit := LimitRange
	if near := clamp(yaw, f.BodyYaw-maxHeadToBody, f.BodyYaw+maxHeadToBody); near != yaw {
		yaw, yawLimit = near, LimitToBody
	}
	full := hal.Head{
		X: clamp(want.X, -maxSide, maxSide), Y: clamp(want.Y, -maxSide, maxSide), Z: clamp(want.Z, -maxDown, maxUp),
		Roll: clamp(want.Roll, -maxHeadTilt, maxHeadTilt), Pitch: clamp(want.Pitch, -maxHeadTilt, maxHeadTilt), Yaw: yaw,
	}
	limit := f.fit(full)

	f.Joints[hal.LeftAntenna], f.Joints[hal.RightAntenna] = f.Antennas.Left, f.Antennas.Right
	f.note(FieldX, want.X, f.Head.X, limit)
	f.note(FieldY, want.Y, f.Head.Y, limit)
	f.note(FieldZ, want.Z, f.Head.Z, limit)
	f.note(FieldRoll, want.Roll, f.Head.Roll, or(f.Scale < 1, limit, LimitRange))
	f.note(FieldPitch, want.Pitch, f.Head.Pitch, or(f.Scale < 1, limit, LimitRange))
	f.note(FieldYaw, want.Yaw, f.Head.Yaw, yawLimit)
	f.note(FieldBodyYaw, bodyYaw, f.BodyYaw, LimitRange)
	f.note(FieldLeft, antennas.Left, f.Antennas.Left, LimitRange)
	f.note(FieldRight, antennas.Right, f.Antennas.Right, LimitRange)
	return f, nil
}

func or(cond bool, yes, no Limit) Limit {
	if cond {
		return yes
	}
	return no
}

func (f *Feasible) note(field Field, asked, given float64, limit Limit) {
	if math.Abs(asked-given) > negligible {
		f.changes[f.n] = Change{Field: field, Limit: limit, Asked: asked, Given: given}
		f.n++
	}
}

// fit sets Head, Pose, Joints, Scale and Leg to the largest feasible part of full, and returns what limits it.
func (f *Feasible) fit(full hal.Head) Limit {
	limit, ok := f.try(full, 1, slack)
	if ok {
		return LimitRange
	}
	low, high := 0.0, 1.0
	for range bisections {
		middle := (low + high) / 2
		l, ok := f.try(full, middle, 2*slack)
		if ok {
			low = middle
		} else {
			high, limit = middle, l
		}
	}
	f.try(full, low, 2*slack) // leaves Leg as the last failure set it
	return limit
}

// try sets Head, Pose, Joints and Scale to the given part of full, and reports whether that is feasible with some room
// to spare, in radians, or which limit it breaks.
func (f *Feasible) try(full hal.Head, scale, room float64) (Limit, bool) {
	f.Scale = scale
	f.Head = hal.Head{
		X: scale * full.X, Y: scale * full.Y, Z: scale * full.Z,
		Roll: scale * full.Roll, Pitch: scale * full.Pitch, Yaw: full.Yaw,
	}
	f.Pose = f.Head.Pose()
	f.Joints[hal.BodyYaw] = f.BodyYaw
	p := toBody(f.Pose, f.BodyYaw)
	failed, margin := solveArms(&p, &f.Joints)
	if failed >= 0 {
		return LimitLoose, false
	}
	for j := firstLeg; j < firstLeg+numLegs; j++ {
		if f.Joints[j] < hal.JointLimits[j].Min+room || f.Joints[j] > hal.JointLimits[j].Max-room {
			f.Leg = j
			return LimitJoint, false
		}
	}
	det := determinant(&p, &f.Joints) / neutralDet
	if margin < minMargin+room || det < minDeterminant+room || det < surelyHeld && !holds(&p, &f.Joints, minStiffness-room) {
		return LimitLoose, false
	}
	return 0, true
}
