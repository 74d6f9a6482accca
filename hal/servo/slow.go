package servo

import (
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// probeEvery is how many slow steps lie between two questions to missing joints: each may cost the whole SlowTime.
const probeEvery = 10

// slowIsDue reports whether this cycle does a slow step: now and then, and every time while something is wrong.
func (r *Robot) slowIsDue() bool {
	if r.cycles%slowEvery == 0 || r.listen != hal.AllJoints || len(r.faults.list) > 0 {
		return true
	}
	for j := range r.joints {
		if jt := &r.joints[j]; jt.alert || jt.stage != stageNormal || !jt.rebootAt.IsZero() {
			return true
		}
	}
	return false
}

// slow does one slow step: at most one question to one servo. Only an error of the line is returned.
func (r *Robot) slow(deadline time.Time) error {
	r.turn++
	var err error
	switch {
	case r.turn%probeEvery == 0 && r.listen != hal.AllJoints:
		err = r.probeMissing(deadline)
	case r.turn%3 != 0:
		err = r.urgent(deadline)
	default:
		err = r.rotate(deadline)
	}
	if errors.Is(err, dxl.ErrTimeout) {
		return nil
	}
	return err
}

// urgent asks about new errors, brings joints back and reboots those that are due; else it goes on with the rotation.
func (r *Robot) urgent(deadline time.Time) error {
	first := int(r.turn) // everybody gets a turn
	for i := range hal.NumJoints {
		j := hal.Joint((first + i) % hal.NumJoints)
		if !r.listen.Has(j) {
			continue
		}
		switch jt := &r.joints[j]; {
		case jt.alert:
			jt.alert = false // asked again when the next answer still differs
			return r.askError(j, deadline)
		case jt.stage != stageNormal:
			return r.advance(j, deadline)
		case !jt.rebootAt.IsZero() && !r.opts.Now().Before(jt.rebootAt):
			return r.retry(j, deadline)
		}
	}
	return r.rotate(deadline)
}

// The questions of the rotation. The answers to the first three differ in length: a late one is not taken for another.
const (
	kindSupply = iota
	kindError
	kindTorque
	kindWatchdog
	kinds
)

// rotate asks one servo one question.
func (r *Robot) rotate(deadline time.Time) error {
	for range hal.NumJoints * kinds {
		j, kind := hal.Joint(r.rotation%hal.NumJoints), r.rotation/hal.NumJoints%kinds
		r.rotation++
		if !r.listen.Has(j) {
			continue
		}
		switch kind {
		case kindSupply:
			return r.askSupply(j, deadline)
		case kindError:
			return r.askError(j, deadline)
		case kindTorque:
			return r.askTorque(j, deadline)
		case kindWatchdog:
			if r.opts.Watchdog > 0 {
				return r.askWatchdog(j, deadline)
			}
		}
	}
	return nil
}

// askWatchdog notices that the bus watchdog has stopped a servo, whose goals are locked then.
func (r *Robot) askWatchdog(j hal.Joint, deadline time.Time) error {
	const tripped = 255
	if _, err := r.bus.Read(j.ServoID(), dxl.AddrBusWatchdog, r.buf[:1], deadline); err != nil {
		return soft(err)
	}
	if r.buf[0] == tripped && r.joints[j].stage == stageNormal {
		r.joints[j].stage = stageUnwatch
	}
	return nil
}

func (r *Robot) askSupply(j hal.Joint, deadline time.Time) error {
	if _, err := r.bus.Read(j.ServoID(), dxl.AddrPresentVoltage, r.buf[:3], deadline); err != nil {
		return soft(err)
	}
	r.supply(j, float64(getU16(r.buf[:]))*voltageUnit, float64(r.buf[2]))
	return nil
}

func (r *Robot) askError(j hal.Joint, deadline time.Time) error {
	if _, err := r.bus.Read(j.ServoID(), dxl.AddrHardwareError, r.buf[:1], deadline); err != nil {
		return soft(err)
	}
	r.latched(j, dxl.HardwareError(r.buf[0]))
	return nil
}

// askTorque notices a servo that has restarted by itself, or that somebody else has switched.
func (r *Robot) askTorque(j hal.Joint, deadline time.Time) error {
	if _, err := r.bus.Read(j.ServoID(), dxl.AddrTorque, r.buf[:2], deadline); err != nil {
		return soft(err)
	}
	r.setTorqueFlag(j, r.buf[0] != 0)
	if r.torque.Has(j) != r.want.Has(j) && r.joints[j].stage == stageNormal && !r.shut(j) {
		r.joints[j].stage = stageFlag
	}
	return nil
}

// soft passes errors of the line and silence on; what a servo refuses is no error of the cycle.
func soft(err error) error {
	if errors.Is(err, dxl.ErrLine) || errors.Is(err, dxl.ErrTimeout) {
		return err
	}
	return nil
}

// probeMissing asks the next missing joint whether it is there again.
func (r *Robot) probeMissing(deadline time.Time) error {
	for range hal.NumJoints {
		j := hal.Joint(r.probe % hal.NumJoints)
		r.probe++
		if r.listen.Has(j) {
			continue
		}
		if _, _, err := r.bus.Ping(j.ServoID(), deadline); err != nil {
			if errors.Is(err, dxl.ErrTimeout) {
				r.miss(j, "does not answer") // its excuse may be over
			}
			return soft(err)
		}
		jt := &r.joints[j]
		jt.stage, jt.tries, jt.misses, jt.alert = stageFlag, 0, 0, false
		r.listen = r.listen.With(j)
		return nil
	}
	return nil
}

const (
	voltageSlack = 0.15 // V and
	warmSlack    = 3    // °C that a value must be back by for its fault to end
)

// supply judges voltage and temperature.
func (r *Robot) supply(j hal.Joint, v, celsius float64) {
	jt := &r.joints[j]
	jt.health.Voltage, jt.health.Temperature = v, celsius
	name := j.String()
	switch bad := r.faults.has(hal.FaultVoltage, name); {
	case !bad && (v < r.opts.MinVoltage || v > r.opts.MaxVoltage):
		r.faults.begin(hal.FaultVoltage, name,
			fmt.Sprintf("supply is %.1f V, allowed is %.1f…%.1f V", v, r.opts.MinVoltage, r.opts.MaxVoltage))
	case bad && v >= r.opts.MinVoltage+voltageSlack && v <= r.opts.MaxVoltage-voltageSlack:
		r.faults.end(hal.FaultVoltage, name)
	}
	jt.warm = celsius >= r.opts.WarmAt || jt.warm && celsius > r.opts.WarmAt-warmSlack
	r.judgeHeat(j)
}

func (r *Robot) judgeHeat(j hal.Joint) {
	jt, name := &r.joints[j], j.String()
	switch bad := r.faults.has(hal.FaultOverheat, name); {
	case !bad && jt.has(dxl.HardwareOverheat):
		r.faults.begin(hal.FaultOverheat, name, fmt.Sprintf("the servo switched off at %.0f °C", jt.health.Temperature))
	case !bad && jt.warm:
		r.faults.begin(hal.FaultOverheat, name, fmt.Sprintf("%.0f °C, warm from %.0f °C on", jt.health.Temperature, r.opts.WarmAt))
	case bad && !jt.warm && !jt.has(dxl.HardwareOverheat):
		r.faults.end(hal.FaultOverheat, name)
	}
}

func (jt *joint) has(e dxl.HardwareError) bool {
	return dxl.HardwareError(jt.health.HardwareError)&e != 0
}

// namedErrors are the latched errors that are faults by themselves. The voltage bit latches on a full battery already:
// for that fault the measured voltage counts.
var namedErrors = [...]struct {
	bit    dxl.HardwareError
	fault  hal.FaultName
	detail string
}{
	{dxl.HardwareOverload, hal.FaultOverload, "overload"},
	{dxl.HardwareElectrical, hal.FaultElectrical, "electrical shock or not enough power"},
	{dxl.HardwareEncoder, hal.FaultEncoder, "encoder failure"},
}

// shut reports whether a latched error keeps the servo switched off.
func (r *Robot) shut(j hal.Joint) bool { return r.joints[j].has(r.opts.Config[j].Shutdown) }

// latched judges the hardware errors of a servo.
func (r *Robot) latched(j hal.Joint, e dxl.HardwareError) {
	jt, name := &r.joints[j], j.String()
	jt.health.HardwareError = byte(e)
	for _, n := range namedErrors {
		switch {
		case e&n.bit == 0:
			r.faults.end(n.fault, name)
		case !r.faults.has(n.fault, name):
			r.faults.begin(n.fault, name, fmt.Sprintf("servo %d reports %s (error %#02x)", j.ServoID(), n.detail, byte(e)))
		}
	}
	r.judgeHeat(j)
	if !r.shut(j) {
		jt.rebootAt = time.Time{}
		return
	}
	r.torque &^= 1 << j // it has switched itself off
	if jt.rebootAt.IsZero() && r.opts.RebootAfter > 0 {
		now := r.opts.Now()
		if !jt.rebootedAt.IsZero() && now.Sub(jt.rebootedAt) > longestPause {
			jt.rebootPause = r.opts.RebootAfter // the last time is long ago
		}
		jt.rebootAt = now.Add(jt.rebootPause)
	}
}

// longestPause is the most that lies between two attempts to reboot a servo that shuts itself down again and again.
const longestPause = time.Minute

// retry reboots a servo that has shut itself down, unless it is still hot.
func (r *Robot) retry(j hal.Joint, deadline time.Time) error {
	jt := &r.joints[j]
	if jt.warm {
		jt.rebootAt = r.opts.Now().Add(r.opts.RebootAfter)
		return nil
	}
	jt.rebootPause = min(2*jt.rebootPause, longestPause)
	return r.reboot(j, deadline)
}

func (r *Robot) reboot(j hal.Joint, deadline time.Time) error {
	err := r.bus.Reboot(j.ServoID(), deadline)
	if errors.Is(err, dxl.ErrLine) {
		return err
	}
	// It may have heard although we did not: take it out and let it come back in either case.
	now := r.opts.Now()
	jt := &r.joints[j]
	jt.rebootAt, jt.rebootedAt, jt.excusedTill = time.Time{}, now, now.Add(bootTime)
	r.miss(j, "")
	return err
}
