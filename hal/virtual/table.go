package virtual

import (
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// tableEnd is the first address behind the control table.
const tableEnd = indirectData + indirectCount

// An item is one entry of the control table. Items with lo > hi cannot be written.
type item struct {
	addr, size int
	signed     bool
	lo, hi     int64
	init       int64
}

func (it *item) readOnly() bool { return it.lo > it.hi }

const i32 = 1<<31 - 1

// items is the control table of the X330 series with the factory's values. What differs between the models is in modelSpec.
var items = append([]item{
	ro(dxl.AddrModel, 2),
	ro(2, 4), // model information
	ro(dxl.AddrFirmware, 1),
	{dxl.AddrID, 1, false, 0, int64(dxl.MaxID), 1},
	{dxl.AddrBaud, 1, false, 0, 6, 1},
	{dxl.AddrReturnDelay, 1, false, 0, 254, 250},
	{dxl.AddrDriveMode, 1, false, 0, 13, 0},
	{dxl.AddrOperatingMode, 1, false, 0, 16, dxl.ModePosition},
	{dxl.AddrShadowID, 1, false, 0, 255, 255},
	{dxl.AddrProtocol, 1, false, 2, 22, 2},
	{dxl.AddrHomingOffset, 4, true, -1044479, 1044479, 0},
	{dxl.AddrMovingThreshold, 4, false, 0, 1023, 10},
	{dxl.AddrTemperatureMax, 1, false, 0, 100, 70},
	{dxl.AddrVoltageMax, 2, false, 31, 70, 70},
	{dxl.AddrVoltageMin, 2, false, 31, 70, 35},
	{dxl.AddrPWMLimit, 2, false, 0, 885, 885},
	{dxl.AddrCurrentLimit, 2, false, 0, 0, 0}, // by model
	{dxl.AddrVelocityLimit, 4, false, 0, 2047, 0},
	{dxl.AddrPositionMax, 4, false, 0, 4095, 4095},
	{dxl.AddrPositionMin, 4, false, 0, 4095, 0},
	{dxl.AddrStartup, 1, false, 0, 3, 0},
	{62, 1, false, 1, 255, 140}, // PWM slope
	{dxl.AddrShutdown, 1, false, 0, 63, 53},

	{dxl.AddrTorque, 1, false, 0, 1, 0},
	{dxl.AddrLED, 1, false, 0, 1, 0},
	{dxl.AddrStatusReturn, 1, false, 0, 2, 2},
	ro(dxl.AddrRegistered, 1),
	ro(dxl.AddrHardwareError, 1),
	{dxl.AddrVelocityI, 2, false, 0, 16383, 1600},
	{dxl.AddrVelocityP, 2, false, 0, 16383, 180},
	{dxl.AddrPositionD, 2, false, 0, 16383, 0},
	{dxl.AddrPositionI, 2, false, 0, 16383, 0},
	{dxl.AddrPositionP, 2, false, 0, 16383, 400},
	{dxl.AddrFeedForwardAccel, 2, false, 0, 16383, 0},
	{dxl.AddrFeedForwardVelocity, 2, false, 0, 16383, 0},
	{dxl.AddrBusWatchdog, 1, false, 0, 127, 0},
	{dxl.AddrGoalPWM, 2, true, -885, 885, 0},
	{dxl.AddrGoalCurrent, 2, true, -32768, 32767, 0},
	{dxl.AddrGoalVelocity, 4, true, -i32, i32, 0},
	{dxl.AddrProfileAccel, 4, false, 0, 32767, 0},
	{dxl.AddrProfileVelocity, 4, false, 0, 32767, 0},
	{dxl.AddrGoalPosition, 4, true, -i32, i32, 0},
	ro(dxl.AddrRealtimeTick, 2),
	ro(dxl.AddrMoving, 1),
	ro(dxl.AddrMovingStatus, 1),
	signedRO(dxl.AddrPresentPWM, 2),
	signedRO(dxl.AddrPresentCurrent, 2),
	signedRO(dxl.AddrPresentVelocity, 4),
	signedRO(dxl.AddrPresentPosition, 4),
	signedRO(dxl.AddrVelocityTraject, 4),
	signedRO(dxl.AddrPositionTraject, 4),
	ro(dxl.AddrPresentVoltage, 2),
	ro(dxl.AddrPresentTemp, 1),
	ro(dxl.AddrBackupReady, 1),
}, indirectItems()...)

func ro(addr, size int) item       { return item{addr: addr, size: size, lo: 1, hi: 0} }
func signedRO(addr, size int) item { return item{addr: addr, size: size, signed: true, lo: 1, hi: 0} }

// itemAt maps an address to the index in items of the item that begins there, or to -1.
var itemAt = func() (at [tableEnd]int16) {
	for i := range at {
		at[i] = -1
	}
	for i := range items {
		at[items[i].addr] = int16(i)
	}
	return at
}()

// modelSpec is what distinguishes the models of the X330 series.
type modelSpec struct {
	number        uint16
	currentLimit  int64   // mA, highest and initial value
	velocityLimit int64   // initial value, 0.229 rpm
	perAmpere     float64 // N·m of torque per ampere
	stall         float64 // N·m at 5 V
	noLoad        float64 // rad/s at 5 V
}

var (
	xc330m288 = modelSpec{dxl.ModelXC330M288, 1800, 445, 0.52, 0.93, 8.5}
	xl330m288 = modelSpec{dxl.ModelXL330M288, 1750, 445, 0.354, 0.52, 10.8}
	xl330m077 = modelSpec{dxl.ModelXL330M077, 1750, 1620, 0.146, 0.215, 40.1}
)

func decode(b []byte, signed bool) int64 {
	switch {
	case len(b) == 1:
		return int64(b[0])
	case len(b) == 2 && signed:
		return int64(int16(uint16(b[0]) | uint16(b[1])<<8))
	case len(b) == 2:
		return int64(uint16(b[0]) | uint16(b[1])<<8)
	}
	u := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	if signed {
		return int64(int32(u))
	}
	return int64(u)
}

func encode(b []byte, v int64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}
