package servo

import (
	"encoding/binary"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// Units of the control table.
const (
	ticksPerTurn = 4096
	tickRad      = 2 * math.Pi / ticksPerTurn
	velocityUnit = 0.229 * 2 * math.Pi / 60 // rad/s
	currentUnit  = 0.001                    // A
	voltageUnit  = 0.1                      // V
)

// toRad converts a position of the servo.
func toRad(ticks int32) float64 { return float64(ticks)*tickRad - math.Pi }

// toTicks converts an angle to the nearest position within the range of the servo. (The official controller
// truncates, which is half a tick low on average.)
func (c *Config) toTicks(rad float64) int32 {
	t := math.Round((rad + math.Pi) / tickRad)
	return int32(max(float64(c.Min), min(float64(c.Max), t)))
}

// slack is how far, in rad, a goal may lie outside the limits by rounding.
const slack = 1e-6

// allowed reports whether v may be a goal of j. NaN is not.
func allowed(j hal.Joint, v float64) bool {
	l := &hal.JointLimits[j]
	return v >= l.Min-slack && v <= l.Max+slack
}

func getI32(b []byte) int32    { return int32(binary.LittleEndian.Uint32(b)) }
func putI32(b []byte, v int32) { binary.LittleEndian.PutUint32(b, uint32(v)) }
func getU16(b []byte) uint16   { return binary.LittleEndian.Uint16(b) }

// putGains writes D, I, P as they lie in the control table.
func (c *Config) putGains(b []byte) {
	binary.LittleEndian.PutUint16(b, c.D)
	binary.LittleEndian.PutUint16(b[2:], c.I)
	binary.LittleEndian.PutUint16(b[4:], c.P)
}

// The block that every cycle reads: current, velocity, position.
const (
	blockSize = 10
	gainsSize = 6
)

// measured converts the block of one servo.
func measured(b []byte) (position, velocity, current float64) {
	return toRad(getI32(b[6:])), float64(getI32(b[2:])) * velocityUnit, float64(int16(getU16(b))) * currentUnit
}
