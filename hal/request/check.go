// Package request says what a request to the body may be, whatever state the robot is in. Clients and the control loop
// check by the same rules, in the same words.
package request

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// Limits of what a request may ask, beyond which it is a mistake rather than a wish.
const (
	// MaxDuration is the longest move in seconds.
	MaxDuration = catalog.MaxMoveTime
	// MaxFrames is the longest recording: a minute at 100 Hz.
	MaxFrames = 6000
	// MaxName is the longest ID, name, source or reason in bytes.
	MaxName = 200
	// maxMetres and maxRadians bound the numbers of a pose: more than the robot could ever do, less than overflows.
	maxMetres  = 10.0
	maxRadians = 100.0
)

// field is a set of the optional fields of a Request.
type field uint32

const (
	fHead field = 1 << iota
	fBodyYaw
	fAntennas
	fCarryHead
	fDuration
	fLaw
	fName
	fQueue
	fRecording
	fJoints
	fOn
	fSource
	fCategory
	fReason
	fSize
)

var fieldNames = [...]string{
	"head", "body_yaw", "antennas", "carry_head", "duration", "law", "name", "queue",
	"recording", "joints", "on", "source", "category", "reason", "size",
}

// rules says which fields a verb may have and which it must have.
type rules struct{ may, must field }

var verbRules = map[hal.Verb]rules{
	hal.VerbGoto:    {may: fHead | fBodyYaw | fAntennas | fCarryHead | fDuration | fLaw | fQueue},
	hal.VerbTarget:  {may: fHead | fBodyYaw | fAntennas | fCarryHead | fSource},
	hal.VerbGesture: {may: fName | fDuration | fQueue | fSize, must: fName},
	hal.VerbEmotion: {may: fName | fDuration | fQueue | fSize, must: fName},
	hal.VerbPlay:    {may: fName | fRecording | fQueue, must: fRecording},
	hal.VerbWake:    {},
	hal.VerbSleep:   {may: fQueue},
	hal.VerbHold:    {},
	hal.VerbMotors:  {may: fJoints | fOn, must: fOn},
	hal.VerbOffset:  {may: fHead | fAntennas | fDuration | fSource, must: fHead | fSource},
	hal.VerbIdle:    {may: fOn, must: fOn},
	hal.VerbStop:    {may: fCategory | fReason | fSource},
	hal.VerbReset:   {may: fSource},
}

// Check returns nil when the request is well formed whatever the robot's state is, and otherwise the answer that
// rejects it: which field, its value and what is allowed. The control loop checks this first, too.
func Check(r *hal.Request) *hal.Answer {
	rule, ok := verbRules[r.Verb]
	if !ok {
		return invalid("verb is %q; allowed are %s", clip(string(r.Verb)), strings.Join(Verbs(), " "))
	}
	has := fieldsOf(r)
	if extra := has &^ rule.may; extra != 0 {
		return invalid("%s does not use %s; it takes %s", r.Verb, extra, rule.may)
	}
	if lacks := rule.must &^ has; lacks != 0 {
		return invalid("%s needs %s", r.Verb, lacks)
	}
	if (r.Verb == hal.VerbGoto || r.Verb == hal.VerbTarget) && has&(fHead|fBodyYaw|fAntennas) == 0 {
		return invalid("%s needs head, body_yaw or antennas", r.Verb)
	}
	if has&fHead != 0 && r.Head.Empty() && r.Verb != hal.VerbOffset {
		return invalid("head is empty; needed is at least one of x, y, z, roll, pitch, yaw")
	}
	if has&fAntennas != 0 && r.Antennas.Empty() {
		return invalid("antennas is empty; needed is left, right or both")
	}
	for _, s := range [...]struct{ name, value string }{
		{"id", r.ID}, {"name", r.Name}, {"source", r.Source}, {"reason", r.Reason},
	} {
		if len(s.value) > MaxName {
			return invalid("%s has %d bytes; allowed are %d", s.name, len(s.value), MaxName)
		}
	}
	if bad := checkNumbers(r); bad != nil {
		return bad
	}
	switch r.Easing {
	case "", hal.EasingMinJerk, hal.EasingLinear, hal.EasingEaseInOut, hal.EasingCartoon:
	default:
		return invalid("law is %q; allowed are %s %s %s %s", clip(string(r.Easing)),
			hal.EasingMinJerk, hal.EasingLinear, hal.EasingEaseInOut, hal.EasingCartoon)
	}
	if r.Category != nil && *r.Category != 0 && *r.Category != 1 {
		return invalid("category is %d; allowed are 0 (torque off) and 1 (brake and hold)", *r.Category)
	}
	for _, name := range r.Joints {
		if _, err := hal.ParseJoint(name); err != nil {
			return &hal.Answer{Outcome: hal.Rejected, Code: hal.CodeUnknownName, Reason: "joints: " + err.Error()}
		}
	}
	switch r.Verb {
	case hal.VerbGesture:
		return checkName("gesture", r.Name, catalog.GestureNames())
	case hal.VerbEmotion:
		return checkName("emotion", r.Name, catalog.EmotionNames())
	case hal.VerbPlay:
		return checkRecording(r.Recording)
	}
	return nil
}

// Verbs lists the verbs that the loop understands, sorted.
func Verbs() []string {
	names := make([]string, 0, len(verbRules))
	for v := range verbRules {
		names = append(names, string(v))
	}
	slices.Sort(names)
	return names
}

func checkNumbers(r *hal.Request) *hal.Answer {
	if r.Head != nil {
		if bad := checkHead(r.Head); bad != nil {
			return bad
		}
	}
	if r.BodyYaw != nil {
		if bad := number("body_yaw", *r.BodyYaw, maxRadians, "rad"); bad != nil {
			return bad
		}
	}
	if r.Antennas != nil {
		a := r.Antennas.Over(hal.Antennas{})
		if bad := number("antennas.left", a.Left, maxRadians, "rad"); bad != nil {
			return bad
		}
		if bad := number("antennas.right", a.Right, maxRadians, "rad"); bad != nil {
			return bad
		}
	}
	if math.IsNaN(r.Duration) || r.Duration < 0 || r.Duration > MaxDuration {
		return invalid("duration is %g s; allowed is 0…%g", r.Duration, MaxDuration)
	}
	if r.Size != 0 && !catalog.Size.Contains(r.Size) {
		return invalid("size is %g; allowed is %g…%g", r.Size, catalog.Size.Min, catalog.Size.Max)
	}
	return nil
}

func checkHead(g *hal.HeadGoal) *hal.Answer {
	for _, a := range g.Axes() {
		limit, unit := maxRadians, "rad"
		if a.Length {
			limit, unit = maxMetres, "m"
		}
		if a.Value == nil {
			continue
		}
		if bad := number("head."+a.Name, *a.Value, limit, unit); bad != nil {
			return bad
		}
	}
	return nil
}

// checkRecording looks at the numbers of a recorded move; whether the robot can follow it is seen later.
func checkRecording(rec *hal.Recording) *hal.Answer {
	n := len(rec.Time)
	if n != len(rec.Frames) {
		return invalid("recording has %d times and %d frames; as many of each are needed", n, len(rec.Frames))
	}
	if n < 2 || n > MaxFrames {
		return invalid("recording has %d frames; allowed are 2…%d", n, MaxFrames)
	}
	for i, t := range rec.Time {
		if math.IsNaN(t) || math.IsInf(t, 0) || (i > 0 && t <= rec.Time[i-1]) {
			return invalid("recording.time[%d] is %g; times must be finite and rise", i, t)
		}
	}
	if d := rec.Time[n-1] - rec.Time[0]; d > MaxDuration {
		return invalid("recording lasts %g s; allowed is %g", d, MaxDuration)
	}
	for i := range rec.Frames {
		if bad := checkFrame(i, &rec.Frames[i]); bad != nil {
			return bad
		}
	}
	return nil
}

func checkFrame(i int, f *hal.Frame) *hal.Answer {
	for r := range 3 {
		for c := range 4 {
			limit, unit := 1.01, ""
			if c == 3 {
				limit, unit = maxMetres, "m"
			}
			if bad := number(fmt.Sprintf("recording.set_target_data[%d].head[%d][%d]", i, r, c), f.Head[r][c], limit, unit); bad != nil {
				return bad
			}
		}
	}
	if e := RotationError(f); e > 0.02 {
		return invalid("recording.set_target_data[%d].head is not a rotation (off by %.3g; allowed is 0.02)", i, e)
	}
	for k, v := range f.Antennas {
		if bad := number(fmt.Sprintf("recording.set_target_data[%d].antennas[%d]", i, k), v, maxRadians, "rad"); bad != nil {
			return bad
		}
	}
	if f.BodyYaw != nil {
		return number(fmt.Sprintf("recording.set_target_data[%d].body_yaw", i), *f.BodyYaw, maxRadians, "rad")
	}
	return nil
}

// RotationError returns how far the frame's head matrix is from a rotation: the worst entry of RᵀR − 1, or 2 for a mirror.
func RotationError(f *hal.Frame) float64 {
	m := Rotation(f)
	p := m.T().Mul(m)
	worst := 0.0
	for i, v := range p {
		worst = max(worst, math.Abs(v-hal.Identity3[i]))
	}
	if det := m[0]*(m[4]*m[8]-m[5]*m[7]) - m[1]*(m[3]*m[8]-m[5]*m[6]) + m[2]*(m[3]*m[7]-m[4]*m[6]); det < 0 {
		return 2
	}
	return worst
}

// Rotation returns the rotation of a frame's head matrix.
func Rotation(f *hal.Frame) hal.Mat3 {
	var m hal.Mat3
	for r := range 3 {
		copy(m[3*r:], f.Head[r][:3])
	}
	return m
}

func checkName(kind, name string, known []string) *hal.Answer {
	if slices.Contains(known, name) {
		return nil
	}
	return &hal.Answer{
		Outcome: hal.Rejected, Code: hal.CodeUnknownName,
		Reason: fmt.Sprintf("%s %q is unknown; known are %s", kind, clip(name), strings.Join(slices.Sorted(slices.Values(known)), " ")),
	}
}

func fieldsOf(r *hal.Request) field {
	var f field
	for i, set := range [...]bool{
		r.Head != nil, r.BodyYaw != nil, r.Antennas != nil, r.CarryHead, r.Duration != 0, r.Easing != "", r.Name != "", r.Queue,
		r.Recording != nil, len(r.Joints) > 0, r.On != nil, r.Source != "", r.Category != nil, r.Reason != "", r.Size != 0,
	} {
		if set {
			f |= 1 << i
		}
	}
	return f
}

// String lists the names of the fields of the set.
func (f field) String() string {
	var names []string
	for i, n := range fieldNames {
		if f&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return "no fields"
	}
	return strings.Join(names, ", ")
}

func invalid(format string, args ...any) *hal.Answer {
	return &hal.Answer{Outcome: hal.Rejected, Code: hal.CodeInvalid, Reason: fmt.Sprintf(format, args...)}
}

// number says what is wrong with the value of a field, or nothing.
func number(field string, v, limit float64, unit string) *hal.Answer {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return invalid("%s is %v; a finite number is needed", field, v)
	}
	if math.Abs(v) > limit {
		return invalid("%s is %g %s; allowed is %g…%g", field, v, unit, -limit, limit)
	}
	return nil
}

// clip shortens what a client sent before it is quoted back.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
