package servo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// ErrNoServo says that the port is there but nobody answers.
var ErrNoServo = errors.New("no servo answers: has the robot power?")

// errStopped ends a start-up when the robot is closed.
var errStopped = errors.New("closed during start-up")

// attempts is how often start-up asks before it believes that nobody answers.
const attempts = 4

// bootTime is how long a servo may take to restart.
const bootTime = time.Second

// attached is an opened bus and what start-up found on it.
type attached struct {
	line   *dxl.Line
	bus    *dxl.Bus
	report *Report
}

// setup brings the servos into the state that the loop expects. It may take seconds, and runs where nobody waits for it.
type setup struct {
	*attached
	opts *Options
	stop <-chan struct{}
}

// attach opens the port and starts the servos up. On error nothing stays open.
func attach(opts *Options, stop <-chan struct{}) (*attached, error) {
	line, err := dxl.Open(opts.Port)
	if err != nil {
		return nil, err
	}
	s := setup{opts: opts, stop: stop, attached: &attached{
		line: line, bus: dxl.NewBus(line), report: &Report{Port: line.Path(), Warning: line.Warning()},
	}}
	if err := s.run(); err != nil {
		_ = line.Close() // the first error tells more
		return nil, fmt.Errorf("start up the servos on %s: %w", line.Path(), err)
	}
	return s.attached, nil
}

func (s *setup) run() error {
	for _, step := range []func() error{s.anybody, s.identify, s.answers, s.power, s.clearErrors, s.state, s.configure, s.probeFast} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// ask repeats a question while no answer comes. A servo that stays silent is left to the loop, which waits for it.
func (s *setup) ask(what func(deadline time.Time) error) error {
	var err error
	for range attempts {
		select {
		case <-s.stop:
			return errStopped
		default:
		}
		if err = what(time.Now().Add(s.opts.AnswerTime)); !errors.Is(err, dxl.ErrTimeout) {
			return err
		}
	}
	return err
}

// each runs what for every servo that is present; one that falls silent is no longer present.
func (s *setup) each(what func(j hal.Joint, r *Found) error) error {
	for j := range hal.Joint(hal.NumJoints) {
		r := &s.report.Servos[j]
		if !r.Present {
			continue
		}
		var refused dxl.StatusError
		switch err := what(j, r); {
		case errors.Is(err, dxl.ErrTimeout):
			r.Present = false
		case errors.As(err, &refused): // one strange servo must not cost the others
			r.Wrong = append(r.Wrong, fmt.Sprintf("refused during start-up: %v", refused))
		case err != nil:
			return fmt.Errorf("servo %s: %w", r.Joint, err)
		}
	}
	return nil
}

func (s *setup) read(j hal.Joint, addr int, b []byte) error {
	return s.ask(func(deadline time.Time) error {
		_, err := s.bus.Read(j.ServoID(), addr, b, deadline)
		return err
	})
}

func (s *setup) write(j hal.Joint, addr int, b ...byte) error {
	return s.ask(func(deadline time.Time) error { return s.bus.Write(j.ServoID(), addr, b, deadline) })
}

func (s *setup) pause(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.stop:
		return errStopped
	case <-t.C:
		return nil
	}
}

// anybody asks all servos at once, so that a bus without power costs little time.
func (s *setup) anybody() error {
	b := dxl.NewBatch(dxl.AddrPresentCurrent, blockSize)
	for j := range hal.Joint(hal.NumJoints) {
		b.Add(j.ServoID())
	}
	err := s.ask(func(deadline time.Time) error {
		err := s.bus.SyncRead(b, deadline)
		for i := range b.Len() {
			if b.Got(i) {
				return nil
			}
		}
		return err
	})
	if errors.Is(err, dxl.ErrTimeout) {
		return ErrNoServo
	}
	return err
}

func (s *setup) identify() error {
	for j := range hal.Joint(hal.NumJoints) {
		r := &s.report.Servos[j]
		r.Joint = j.String()
		err := s.ping(j, r)
		if err != nil && !errors.Is(err, dxl.ErrTimeout) {
			return fmt.Errorf("servo %s: %w", r.Joint, err)
		}
		r.Present = err == nil
	}
	if s.report.Present() == 0 {
		return ErrNoServo
	}
	return nil
}

func (s *setup) ping(j hal.Joint, r *Found) error {
	return s.ask(func(deadline time.Time) (err error) {
		r.Model, r.Firmware, err = s.bus.Ping(j.ServoID(), deadline)
		return err
	})
}

// answers makes servos answer to writes that an earlier program has told not to: everything after it waits for these answers.
func (s *setup) answers() error {
	return s.each(func(j hal.Joint, r *Found) error {
		const all = 2
		var level [1]byte
		if err := s.read(j, dxl.AddrStatusReturn, level[:]); err != nil || level[0] == all {
			return err
		}
		was := level[0]
		if s.opts.Inspect {
			r.Wrong = append(r.Wrong, fmt.Sprintf("status return level is %d instead of %d", was, all))
			return nil
		}
		// The servo answers to this write already, or not yet: what is read back counts.
		err := s.bus.Write(j.ServoID(), dxl.AddrStatusReturn, []byte{all}, time.Now().Add(s.opts.AnswerTime))
		if err != nil && !errors.Is(err, dxl.ErrTimeout) {
			return err
		}
		if err := s.read(j, dxl.AddrStatusReturn, level[:]); err != nil {
			return err
		}
		if level[0] != all {
			r.Wrong = append(r.Wrong, fmt.Sprintf("status return level stays %d instead of %d", level[0], all))
			return nil
		}
		r.Mended = append(r.Mended, fmt.Sprintf("status return level %d → %d", was, all))
		return nil
	})
}

// power waits until every servo has enough voltage.
func (s *setup) power() error {
	const poll = 100 * time.Millisecond
	end := time.Now().Add(s.opts.PowerWait)
	for {
		low := ""
		if err := s.each(func(j hal.Joint, r *Found) error {
			var b [3]byte
			if err := s.read(j, dxl.AddrPresentVoltage, b[:]); err != nil {
				return err
			}
			r.Voltage, r.Temperature = float64(getU16(b[:]))*voltageUnit, float64(b[2])
			if low == "" && r.Voltage < s.opts.MinVoltage {
				low = fmt.Sprintf("servo %s: supply is %.1f V, at least %.1f V is needed", r.Joint, r.Voltage, s.opts.MinVoltage)
			}
			return nil
		}); err != nil {
			return err
		}
		if low == "" || s.opts.Inspect {
			return nil
		}
		if !time.Now().Before(end) {
			return errors.New(low)
		}
		if err := s.pause(poll); err != nil {
			return err
		}
	}
}

// clearErrors reboots servos with a latched error. One that holds torque in spite of it keeps it.
func (s *setup) clearErrors() error {
	return s.each(func(j hal.Joint, r *Found) error {
		var e [1]byte
		if err := s.read(j, dxl.AddrHardwareError, e[:]); err != nil {
			return err
		}
		var torque [2]byte
		if err := s.read(j, dxl.AddrTorque, torque[:]); err != nil {
			return err
		}
		r.HardwareError = dxl.HardwareError(e[0])
		if r.HardwareError&^dxl.HardwareVoltage == 0 || torque[0] != 0 || s.opts.Inspect {
			return nil
		}
		if err := s.reboot(j, r); err != nil {
			return err
		}
		if err := s.read(j, dxl.AddrHardwareError, e[:]); err != nil {
			return err
		}
		r.HardwareError, r.Rebooted = dxl.HardwareError(e[0]), true
		return nil
	})
}

func (s *setup) reboot(j hal.Joint, r *Found) error {
	// The confirmation may be lost; what counts is that the servo answers again.
	if err := s.bus.Reboot(j.ServoID(), time.Now().Add(s.opts.AnswerTime)); err != nil && !errors.Is(err, dxl.ErrTimeout) {
		return err
	}
	for end := time.Now().Add(bootTime + s.opts.AnswerTime); ; {
		err := s.ping(j, r)
		if err == nil || !errors.Is(err, dxl.ErrTimeout) || !time.Now().Before(end) {
			return err
		}
	}
}

// state reads torque, goal and position as they are.
func (s *setup) state() error {
	return s.each(func(j hal.Joint, r *Found) error {
		var torque [2]byte
		var goal [4]byte
		var block [blockSize]byte
		if err := s.read(j, dxl.AddrTorque, torque[:]); err != nil {
			return err
		}
		if err := s.read(j, dxl.AddrGoalPosition, goal[:]); err != nil {
			return err
		}
		if err := s.read(j, dxl.AddrPresentCurrent, block[:]); err != nil {
			return err
		}
		r.Torque = torque[0] != 0
		r.Position, _, _ = measured(block[:])
		r.Goal = toRad(getI32(goal[:]))
		if !r.Torque {
			r.Goal = r.Position
		}
		return nil
	})
}

// item is one configured item of the EEPROM.
type item struct {
	name string
	addr int
	want []byte
}

// items lists a configuration in the order in which it is written: the position range refers to the homing offset.
func (c *Config) items() []item {
	u32 := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	return []item{
		{"return delay", dxl.AddrReturnDelay, []byte{c.ReturnDelay}},
		{"drive mode", dxl.AddrDriveMode, []byte{0}}, // neither reversed nor by time
		{"operating mode", dxl.AddrOperatingMode, []byte{c.Mode}},
		{"homing offset", dxl.AddrHomingOffset, u32(uint32(c.Homing))},
		{"maximum position", dxl.AddrPositionMax, u32(c.Max)},
		{"minimum position", dxl.AddrPositionMin, u32(c.Min)},
		{"start-up configuration", dxl.AddrStartup, []byte{0}}, // no torque and no old values by itself
		{"shutdown mask", dxl.AddrShutdown, []byte{byte(c.Shutdown)}},
	}
}

// leftOvers are the items of the RAM that make a servo slow or jerky when another program has left them, and what they must be.
// They are mended under torque, too: they change no goal.
var leftOvers = []item{
	{"feed-forward of the acceleration", dxl.AddrFeedForwardAccel, []byte{0, 0}},
	{"feed-forward of the velocity", dxl.AddrFeedForwardVelocity, []byte{0, 0}},
	{"profile acceleration", dxl.AddrProfileAccel, []byte{0, 0, 0, 0}},
	{"profile velocity", dxl.AddrProfileVelocity, []byte{0, 0, 0, 0}},
}

// strengths are the limits of a servo that are never written, because they protect it, but told where they make it weaker
// than the maker has it.
var strengths = []struct {
	name, unit string
	addr       int
	least      func(*Config) uint16
}{
	{"current limit", " mA", dxl.AddrCurrentLimit, func(c *Config) uint16 { return dxl.CurrentLimitOf(c.Model) }},
	{"PWM limit", "", dxl.AddrPWMLimit, func(*Config) uint16 { return dxl.FullPWM }},
	{"goal PWM", "", dxl.AddrGoalPWM, func(*Config) uint16 { return dxl.FullPWM }},
}

// weaknesses tells limits that are lower than the maker's.
func (s *setup) weaknesses(j hal.Joint, r *Found, c *Config) error {
	for _, l := range strengths {
		var b [2]byte
		if err := s.read(j, l.addr, b[:]); err != nil {
			return err
		}
		if is, least := getU16(b[:]), l.least(c); is < least {
			r.Weak = append(r.Weak, fmt.Sprintf("%s is %d%s instead of %d%s", l.name, is, l.unit, least, l.unit))
		}
	}
	return nil
}

// configure mends what differs from the configuration, and writes what a servo forgets when it restarts.
func (s *setup) configure() error {
	return s.each(func(j hal.Joint, r *Found) error {
		c := &s.opts.Config[j]
		for _, it := range c.items() {
			if err := s.mend(j, r, it); err != nil {
				return err
			}
		}
		if len(r.Mended) > 0 { // the position may count from another zero now
			var block [blockSize]byte
			if err := s.read(j, dxl.AddrPresentCurrent, block[:]); err != nil {
				return err
			}
			r.Position, _, _ = measured(block[:])
			if !r.Torque {
				r.Goal = r.Position
			}
		}
		for _, it := range leftOvers {
			if err := s.rewrite(j, r, it); err != nil {
				return err
			}
		}
		if err := s.weaknesses(j, r, c); err != nil {
			return err
		}
		gains := make([]byte, gainsSize)
		c.putGains(gains)
		if err := s.set(j, r, "gains", dxl.AddrPositionD, gains...); err != nil {
			return err
		}
		// 0 also unlocks the goals of a servo whose watchdog has tripped.
		if err := s.set(j, r, "bus watchdog", dxl.AddrBusWatchdog, 0); err != nil || s.opts.Watchdog == 0 {
			return err
		}
		return s.set(j, r, "bus watchdog", dxl.AddrBusWatchdog, s.opts.watchdog())
	})
}

// set writes an item of the RAM. A refusal is noted.
func (s *setup) set(j hal.Joint, r *Found, name string, addr int, b ...byte) error {
	if s.opts.Inspect {
		return nil
	}
	var refused dxl.StatusError
	err := s.write(j, addr, b...)
	if errors.As(err, &refused) {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s: %v", name, refused))
		return nil
	}
	return err
}

// mend compares an item of the EEPROM and writes it when it differs.
func (s *setup) mend(j hal.Joint, r *Found, it item) error {
	is, want, err := s.compare(j, it)
	if err != nil || is == want {
		return err
	}
	if r.Torque && !s.opts.MendUnderTorque && !s.opts.Inspect {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s is %d instead of %d, and torque is on", it.name, is, want))
		return nil
	}
	if r.Torque && !s.opts.Inspect {
		if err := s.write(j, dxl.AddrTorque, 0); err != nil {
			return err
		}
		r.Torque, r.Goal = false, r.Position
	}
	return s.rewrite(j, r, it)
}

// rewrite writes an item when it differs, and reads it back.
func (s *setup) rewrite(j hal.Joint, r *Found, it item) error {
	is, want, err := s.compare(j, it)
	if err != nil || is == want {
		return err
	}
	if s.opts.Inspect {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s is %d instead of %d", it.name, is, want))
		return nil
	}
	err = s.write(j, it.addr, it.want...)
	var refused dxl.StatusError
	switch {
	case errors.As(err, &refused):
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s is %d instead of %d: %v", it.name, is, want, refused))
		return nil
	case err != nil:
		return err
	}
	got, _, err := s.compare(j, it)
	if err != nil {
		return err
	}
	if got != want {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s stays %d instead of %d", it.name, got, want))
		return nil
	}
	r.Mended = append(r.Mended, fmt.Sprintf("%s %d → %d", it.name, is, want))
	return nil
}

// compare reads an item, and returns what it is and what it should be.
func (s *setup) compare(j hal.Joint, it item) (is, want int64, err error) {
	found := make([]byte, len(it.want))
	err = s.read(j, it.addr, found)
	return number(found), number(it.want), err
}

func number(b []byte) int64 {
	switch len(b) {
	case 4:
		return int64(getI32(b))
	case 2:
		return int64(getU16(b))
	}
	return int64(b[0])
}

// probeFast finds out whether all servos take part in a fast sync read.
func (s *setup) probeFast() error {
	b := dxl.NewBatch(dxl.AddrPresentCurrent, blockSize)
	for j := range hal.Joint(hal.NumJoints) {
		if r := &s.report.Servos[j]; r.Present {
			if r.Firmware < dxl.FirmwareFastSyncRead {
				return nil
			}
			b.Add(j.ServoID())
		}
	}
	err := s.ask(func(deadline time.Time) error { return s.bus.FastSyncRead(b, deadline) })
	if errors.Is(err, dxl.ErrTimeout) {
		return nil
	}
	s.report.Fast = err == nil
	return err
}
