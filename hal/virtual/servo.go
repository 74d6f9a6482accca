package virtual

import (
	"bytes"
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// Units of the control table.
const (
	tick          = 2 * math.Pi / 4096           // rad
	velocityUnit  = 0.229 * 2 * math.Pi / 60     // rad/s
	accelUnit     = 214.577 * 2 * math.Pi / 3600 // rad/s²
	watchdogUnit  = 0.02                         // s
	watchdogTrip  = 255                          // −1: the watchdog has tripped
	roomTemp      = 34                           // °C of a servo at rest
	overheated    = 85                           // °C of a servo with the overheat fault
	brownOut      = 3.5                          // V below which the servo's processor stops
	lineBaud      = 3                            // 1 Mbit/s, the rate of a line that has none of its own
	modeCurrent   = 0
	modeVelocity  = 1
	modeExtended  = 4
	modeBoth      = 5 // position with a current limit
	modePWM       = 16
	fullPWM       = 885
	extendedTicks = 1048575
)

// Bits of the drive mode.
const (
	driveReverse = 1 << 0 // positions count the other way
	driveByTime  = 1 << 2 // the profile is one of times, ms, and not of speeds
	driveTorque  = 1 << 3 // a new goal switches the torque on
)

// servo is one servo: its control table and what it needs to act on it.
type servo struct {
	joint  hal.Joint
	spec   *modelSpec
	mem    [tableEnd]byte
	mount  int64  // ticks by which the horn stands away from the factory's zero; the right homing offset
	queued []byte // a registered write: address and data
	boot   float64
	dead   bool // without power
	quiet  float64
	time   float64

	told     time.Time // when the bus last changed the goal position
	began    time.Time // when it began to: the first time after a rest
	motion   Motion
	setpoint float64 // of the profile, rad
	setSpeed float64 // of the profile, rad/s
	leg      leg
}

// leg is the way to a goal by a profile of times.
type leg struct {
	from, to float64 // rad
	gone     float64 // s
	begun    bool
}

// restTime is how long a goal stays what it is before its next change is a beginning.
const restTime = 100 * time.Millisecond

// get and put access an item by its address.
func (s *servo) get(addr int) int64 {
	it := &items[itemAt[addr]]
	return decode(s.mem[addr:addr+it.size], it.signed)
}

func (s *servo) put(addr int, v int64) {
	encode(s.mem[addr:addr+items[itemAt[addr]].size], v)
}

// factory fills the whole table with the factory's values.
func (s *servo) factory(firmware byte) {
	clear(s.mem[:])
	for i := range items {
		s.put(items[i].addr, items[i].init)
	}
	s.put(dxl.AddrModel, int64(s.spec.number))
	s.put(dxl.AddrFirmware, int64(firmware))
	s.put(dxl.AddrCurrentLimit, s.spec.currentLimit)
	s.put(dxl.AddrVelocityLimit, s.spec.velocityLimit)
	s.put(dxl.AddrBackupReady, 1)
}

// restart begins a boot of the given length: RAM goes back to its defaults and the torque is off.
func (s *servo) restart(bootTime float64) {
	for i := range items {
		if items[i].addr >= dxl.EEPROMEnd {
			s.put(items[i].addr, items[i].init)
		}
	}
	s.put(dxl.AddrBackupReady, 1)
	s.queued = s.queued[:0]
	s.quiet = 0
	s.boot = bootTime
	s.measure()
	s.resetGoals()
}

// resetGoals makes the present position the goal, as the servo does when it boots or changes its mode.
func (s *servo) resetGoals() {
	s.put(dxl.AddrGoalPosition, s.get(dxl.AddrPresentPosition))
	mode := s.get(dxl.AddrOperatingMode)
	for _, g := range [...]struct {
		goal, limit int
		zeroIn      int64 // the mode whose goal it is; in the others it is a limit
	}{
		{dxl.AddrGoalPWM, dxl.AddrPWMLimit, modePWM},
		{dxl.AddrGoalVelocity, dxl.AddrVelocityLimit, modeVelocity},
		{dxl.AddrGoalCurrent, dxl.AddrCurrentLimit, modeCurrent},
	} {
		v := int64(0)
		if mode != g.zeroIn {
			v = s.get(g.limit)
		}
		s.put(g.goal, v)
	}
	s.setpoint, s.setSpeed = s.motion.Position, 0
}

// hears reports whether the servo understands the line at a rate.
func (s *servo) hears(baud byte) bool {
	return !s.dead && s.boot <= 0 && s.mem[dxl.AddrBaud] == baud
}

func (s *servo) id() byte { return s.mem[dxl.AddrID] }

func (s *servo) torque() bool { return s.mem[dxl.AddrTorque] != 0 }

func (s *servo) hardwareError() dxl.HardwareError {
	return dxl.HardwareError(s.mem[dxl.AddrHardwareError])
}

// shut reports whether a latched error has shut the servo down.
func (s *servo) shut() bool { return s.mem[dxl.AddrHardwareError]&s.mem[dxl.AddrShutdown] != 0 }

// status adds the alert bit to e while a hardware error is latched.
func (s *servo) status(e dxl.StatusError) dxl.StatusError {
	if s.hardwareError() != 0 {
		e |= dxl.Alert
	}
	return e
}

// read returns size bytes of the table. Gaps between items read as zero.
func (s *servo) read(addr, size int) ([]byte, dxl.StatusError) {
	switch {
	case size == 0:
		return nil, dxl.ErrDataLength
	case addr+size > tableEnd:
		return nil, dxl.ErrAccess
	}
	if addr+size <= indirectData {
		return s.mem[addr : addr+size], 0
	}
	data := make([]byte, size)
	for i := range data {
		data[i] = s.mem[s.real(addr+i)]
	}
	return data, 0
}

// check says whether data may be written at addr.
func (s *servo) check(addr int, data []byte) dxl.StatusError {
	switch {
	case len(data) == 0:
		return dxl.ErrDataLength
	case addr+len(data) > tableEnd:
		return dxl.ErrAccess
	case addr+len(data) <= indirectData:
		return s.checkRun(addr, data)
	}
	for _, r := range s.runs(addr, data) {
		if e := s.checkRun(r.addr, r.data); e != 0 {
			return e
		}
	}
	return 0
}

// checkRun says whether data may be written to items that lie side by side.
func (s *servo) checkRun(addr int, data []byte) dxl.StatusError {
	for len(data) > 0 {
		if addr >= tableEnd || itemAt[addr] < 0 {
			return dxl.ErrAccess
		}
		it := &items[itemAt[addr]]
		switch {
		case it.readOnly(), addr < dxl.EEPROMEnd && s.torque():
			return dxl.ErrAccess
		case len(data) < it.size:
			return dxl.ErrDataLength
		}
		if e := s.checkValue(it, decode(data[:it.size], it.signed)); e != 0 {
			return e
		}
		addr += it.size
		data = data[it.size:]
	}
	return 0
}

// checkValue says whether v may be written to one item.
func (s *servo) checkValue(it *item, v int64) dxl.StatusError {
	lo, hi := it.lo, it.hi
	switch it.addr {
	case dxl.AddrCurrentLimit:
		hi = s.spec.currentLimit
	case dxl.AddrOperatingMode:
		if v == 2 || v > modeBoth && v != modePWM {
			return dxl.ErrDataRange
		}
	case dxl.AddrTorque:
		if v == 1 && s.shut() {
			return dxl.ErrResultFail
		}
	}
	if v < lo || v > hi {
		return dxl.ErrDataRange
	}
	if it.addr >= dxl.AddrGoalPWM && it.addr <= dxl.AddrGoalPosition && it.addr != dxl.AddrProfileAccel &&
		it.addr != dxl.AddrProfileVelocity {
		if s.mem[dxl.AddrBusWatchdog] == watchdogTrip {
			return dxl.ErrDataRange // goals are locked until the watchdog is cleared
		}
		if lo, hi := s.goalLimits(it.addr); v < lo || v > hi {
			return dxl.ErrDataLimit
		}
	}
	return 0
}

// goalLimits is the configured range of a goal.
func (s *servo) goalLimits(addr int) (lo, hi int64) {
	switch addr {
	case dxl.AddrGoalPWM:
		hi = s.get(dxl.AddrPWMLimit)
	case dxl.AddrGoalCurrent:
		hi = s.get(dxl.AddrCurrentLimit)
	case dxl.AddrGoalVelocity:
		hi = s.get(dxl.AddrVelocityLimit)
	case dxl.AddrGoalPosition:
		if s.get(dxl.AddrOperatingMode) == dxl.ModePosition {
			return s.get(dxl.AddrPositionMin), s.get(dxl.AddrPositionMax)
		}
		hi = extendedTicks
	}
	return -hi, hi
}

// write writes data at addr, wholly or not at all.
func (s *servo) write(addr int, data []byte) dxl.StatusError {
	if e := s.check(addr, data); e != 0 {
		return e
	}
	wasOn := s.torque()
	if addr+len(data) <= indirectData {
		s.writeRun(addr, data)
	} else {
		for _, r := range s.runs(addr, data) {
			s.writeRun(r.addr, r.data)
		}
	}
	if s.torque() && !wasOn {
		s.setpoint, s.setSpeed = s.motion.Position, 0 // a goal written while off is approached from here
	}
	return 0
}

func (s *servo) writeRun(addr int, data []byte) {
	for len(data) > 0 {
		it := &items[itemAt[addr]]
		if addr == dxl.AddrGoalPosition && !bytes.Equal(s.mem[addr:addr+it.size], data[:it.size]) {
			now := time.Now()
			if now.Sub(s.told) > restTime {
				s.began = now
			}
			s.told = now
		}
		copy(s.mem[addr:addr+it.size], data)
		switch addr {
		case dxl.AddrOperatingMode:
			for _, gain := range [...]int{dxl.AddrPositionD, dxl.AddrPositionI, dxl.AddrPositionP} {
				s.put(gain, items[itemAt[gain]].init)
			}
			s.resetGoals()
		case dxl.AddrHomingOffset, dxl.AddrDriveMode:
			s.measure()
		case dxl.AddrGoalPosition, dxl.AddrGoalVelocity, dxl.AddrGoalPWM, dxl.AddrGoalCurrent:
			if s.drives(driveTorque) && !s.shut() {
				s.put(dxl.AddrTorque, 1)
			}
		}
		addr += it.size
		data = data[it.size:]
	}
}

// register keeps a write for the next action.
func (s *servo) register(addr int, data []byte) dxl.StatusError {
	if e := s.check(addr, data); e != 0 {
		return e
	}
	s.queued = append(s.queued[:0], byte(addr), byte(addr>>8))
	s.queued = append(s.queued, data...)
	s.put(dxl.AddrRegistered, 1)
	return 0
}

// action carries the registered write out.
func (s *servo) action() dxl.StatusError {
	if len(s.queued) == 0 {
		return dxl.ErrInstruction
	}
	e := s.write(int(s.queued[0])|int(s.queued[1])<<8, s.queued[2:])
	s.queued = s.queued[:0]
	s.put(dxl.AddrRegistered, 0)
	return e
}

// latch sets error bits; those of the shutdown mask switch the torque off until a reboot.
func (s *servo) latch(e dxl.HardwareError) {
	s.mem[dxl.AddrHardwareError] |= byte(e)
	if s.shut() {
		s.put(dxl.AddrTorque, 0)
	}
}

// toTicks converts a joint angle to the servo's position and back; the mounting is what the homing offset mends.
func (s *servo) toTicks(rad float64) int64 {
	at := int64(math.Round((rad+math.Pi)/tick)) - s.mount
	if s.drives(driveReverse) {
		at = 4096 - at
	}
	return at + s.get(dxl.AddrHomingOffset)
}

func (s *servo) toRad(ticks int64) float64 {
	at := ticks - s.get(dxl.AddrHomingOffset)
	if s.drives(driveReverse) {
		at = 4096 - at
	}
	return float64(at+s.mount)*tick - math.Pi
}
