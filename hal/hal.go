// Package hal says what a Reachy Mini is: its joints, poses, states, faults, and the requests that move it.
//
// Everything here is plain data shared by the packages below hal/ and by their callers.
// Units are SI: metres, radians, seconds, volts, amperes, degrees Celsius. The frame is x forward, y left, z up.
// Interfaces for people (tools, MQTT, command line) convert to degrees at their own edge.
package hal

import (
	"fmt"
	"math/bits"
)

// Joint is the index of a servo in every vector of nine: the order of the bus identifiers 10…18.
type Joint int

// The nine joints in bus order.
const (
	BodyYaw Joint = iota
	Stewart1
	Stewart2
	Stewart3
	Stewart4
	Stewart5
	Stewart6
	RightAntenna
	LeftAntenna
	NumJoints = 9
)

// FirstServoID is the bus identifier of BodyYaw; joint j answers to FirstServoID+j.
const FirstServoID = 10

var jointNames = [NumJoints]string{
	"body_rotation", "stewart_1", "stewart_2", "stewart_3", "stewart_4", "stewart_5", "stewart_6",
	"right_antenna", "left_antenna",
}

// String returns the joint's name as the official SDK spells it.
func (j Joint) String() string {
	if j < 0 || j >= NumJoints {
		return fmt.Sprintf("joint(%d)", int(j))
	}
	return jointNames[j]
}

// ServoID returns the joint's identifier on the bus, 10…18.
func (j Joint) ServoID() byte { return byte(FirstServoID + int(j)) }

// ParseJoint finds a joint by its name.
func ParseJoint(name string) (Joint, error) {
	for i, n := range jointNames {
		if n == name {
			return Joint(i), nil
		}
	}
	return 0, fmt.Errorf("joint %q is unknown; known are %v", name, jointNames)
}

// Joints holds one value per joint, radians unless said otherwise.
type Joints [NumJoints]float64

// JointMask is a set of joints, bit j for joint j.
type JointMask uint16

// AllJoints is the mask of all nine joints.
const AllJoints JointMask = 1<<NumJoints - 1

// Has reports whether j is in the set.
func (m JointMask) Has(j Joint) bool { return m&(1<<uint(j)) != 0 }

// With returns the set with j added.
func (m JointMask) With(j Joint) JointMask { return m | 1<<uint(j) }

// Count is how many joints are in the mask.
func (m JointMask) Count() int { return bits.OnesCount16(uint16(m)) }

// Names lists the joints of the set in bus order.
func (m JointMask) Names() []string {
	var names []string
	for j := Joint(0); j < NumJoints; j++ {
		if m.Has(j) {
			names = append(names, j.String())
		}
	}
	return names
}

// Limits is the software position range of a joint in radians. It equals the range stored in the servo's EEPROM,
// except for the body, whose mechanical stop is nearer than the servo's range.
type Limits struct{ Min, Max float64 }

// JointLimits are the position limits of all nine joints (EEPROM ticks converted by rad = 2π·tick/4096 − π).
var JointLimits = [NumJoints]Limits{
	BodyYaw:      {-2.792526803190927, 2.792526803190927}, // ±160°
	Stewart1:     {-0.8375729275, 1.3959224025},           // ticks 1502..2958
	Stewart2:     {-1.3959224025, 1.2210487035},           // ticks 1138..2844
	Stewart3:     {-0.8375729275, 1.3959224025},
	Stewart4:     {-1.3959224025, 0.8375729275}, // ticks 1138..2594
	Stewart5:     {-1.2210487035, 1.3959224025}, // ticks 1252..2958
	Stewart6:     {-1.3959224025, 0.8375729275},
	RightAntenna: {-3.141592653589793, 3.140058673000000}, // ticks 0..4095
	LeftAntenna:  {-3.141592653589793, 3.140058673000000},
}
