package servo

import (
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// stage is how far a joint has come on its way back into the robot. Each stage is one question, so that bringing a
// servo back never costs a cycle more than one slow step.
type stage byte

const (
	stageNormal  stage = iota // as it shall be
	stageMissing              // does not answer
	stageFlag                 // is its torque on?
	stageError                // has it latched an error?
	stageGains                // it may have forgotten them
	stageUnwatch              // clear its watchdog, which locks the goals when it has tripped
	stageWatch                // and start it again
	stagePlace                // torque is off and shall be on: where is it?
	stagePin                  // make that its goal
	stageOn                   // torque on
	stageOff                  // torque is on and shall be off
	stageGoal                 // torque is on and shall be: what is its goal?
)

// patience is how often a stage is tried.
const patience = 5

// advance does one stage of joint j.
func (r *Robot) advance(j hal.Joint, deadline time.Time) error {
	jt := &r.joints[j]
	next, err := r.try(j, deadline)
	var refused dxl.StatusError
	switch {
	case errors.Is(err, dxl.ErrTimeout):
		if jt.tries++; jt.tries >= patience {
			r.miss(j, fmt.Sprintf("was silent %d times on its way back", jt.tries))
		}
		return nil
	case errors.As(err, &refused):
		r.refused(j, refused)
		return nil
	case err != nil:
		return err
	}
	if jt.stage, jt.tries = next, 0; next == stageNormal {
		r.arrived(j)
	}
	return nil
}

// arrived ends the way back of a joint.
func (r *Robot) arrived(j hal.Joint) {
	r.joints[j].stage, r.joints[j].tries = stageNormal, 0
	r.faults.end(hal.FaultServoMissing, j.String())
	if r.report.Servos[j].told() == "" {
		r.faults.end(hal.FaultConfig, j.String()) // of an earlier attempt
	}
}

// refused ends the way back of a servo that does not accept what it is told.
func (r *Robot) refused(j hal.Joint, e dxl.StatusError) {
	jt := &r.joints[j]
	at := jt.stage
	r.arrived(j)
	if at == stageOn && e == dxl.ErrResultFail {
		jt.alert = true // it has shut itself down: the reason is asked next, and a reboot tries again
		return
	}
	r.want &^= 1 << j
	r.faults.begin(hal.FaultConfig, j.String(), fmt.Sprintf("servo %d refuses %s: %v", j.ServoID(), stageNames[at], e))
}

var stageNames = [...]string{
	stageFlag: "to tell its torque", stageError: "to tell its errors", stageGains: "its gains",
	stageUnwatch: "to clear the bus watchdog", stageWatch: "the bus watchdog", stagePlace: "to tell its position",
	stagePin: "its position as goal", stageOn: "torque on", stageOff: "torque off", stageGoal: "to tell its goal",
}

// try asks the question of the present stage and returns the stage that follows.
func (r *Robot) try(j hal.Joint, deadline time.Time) (stage, error) {
	jt, id, c := &r.joints[j], j.ServoID(), &r.opts.Config[j]
	switch jt.stage {
	case stageFlag:
		if _, err := r.bus.Read(id, dxl.AddrTorque, r.buf[:2], deadline); err != nil {
			return 0, err
		}
		r.setTorqueFlag(j, r.buf[0] != 0)
		r.join(j)
		return stageError, nil
	case stageError:
		if _, err := r.bus.Read(id, dxl.AddrHardwareError, r.buf[:1], deadline); err != nil {
			return 0, err
		}
		r.latched(j, dxl.HardwareError(r.buf[0]))
		return stageGains, nil
	case stageGains:
		c.putGains(r.buf[:])
		return stageUnwatch, r.bus.Write(id, dxl.AddrPositionD, r.buf[:gainsSize], deadline)
	case stageUnwatch:
		if r.opts.Watchdog == 0 {
			return r.settle(j), nil
		}
		r.buf[0] = 0
		return stageWatch, r.bus.Write(id, dxl.AddrBusWatchdog, r.buf[:1], deadline)
	case stageWatch:
		r.buf[0] = r.opts.watchdog()
		return r.settle(j), r.bus.Write(id, dxl.AddrBusWatchdog, r.buf[:1], deadline)
	case stagePlace:
		if _, err := r.bus.Read(id, dxl.AddrPresentCurrent, r.buf[:blockSize], deadline); err != nil {
			return 0, err
		}
		jt.written, _, _ = measured(r.buf[:])
		return stagePin, nil
	case stagePin:
		putI32(r.buf[:], c.toTicks(jt.written))
		return stageOn, r.bus.Write(id, dxl.AddrGoalPosition, r.buf[:4], deadline)
	case stageOn:
		if !r.want.Has(j) {
			return stageNormal, nil // switched off meanwhile
		}
		r.buf[0] = 1
		if err := r.bus.Write(id, dxl.AddrTorque, r.buf[:1], deadline); err != nil {
			return 0, err
		}
		r.setTorqueFlag(j, true)
		jt.catching = true
	case stageOff:
		r.buf[0] = 0
		if err := r.bus.Write(id, dxl.AddrTorque, r.buf[:1], deadline); err != nil {
			return 0, err
		}
		r.setTorqueFlag(j, false)
	case stageGoal:
		if _, err := r.bus.Read(id, dxl.AddrGoalPosition, r.buf[:4], deadline); err != nil {
			return 0, err
		}
		jt.written, jt.catching = toRad(getI32(r.buf[:])), true
	}
	return stageNormal, nil
}

// join decides what a servo shall do that was silent when we started, so that we do not know what it did before: what the others do.
func (r *Robot) join(j hal.Joint) {
	if !r.unseen.Has(j) {
		return
	}
	known := r.want &^ r.unseen
	r.unseen &^= 1 << j
	const arms = hal.JointMask(1<<hal.RightAntenna-1) &^ (1 << hal.BodyYaw)
	others := known.Count() > hal.NumJoints/2
	if arms.Has(j) {
		others = known&arms != 0 // they carry one head
	}
	if !others {
		return
	}
	r.want = r.want.With(j)
	r.faults.retell(hal.FaultServoMissing, j.String(),
		fmt.Sprintf("servo %d was silent when the body started; it takes the torque that the others have, where it is", j.ServoID()))
}

// settle chooses how the torque of a joint becomes what it shall be.
func (r *Robot) settle(j hal.Joint) stage {
	on, want := r.torque.Has(j), r.want.Has(j)
	switch {
	case r.shut(j), !on && !want:
		return stageNormal
	case want && !on:
		return stagePlace
	case on && !want:
		return stageOff
	}
	return stageGoal
}

func (r *Robot) setTorqueFlag(j hal.Joint, on bool) {
	r.torque &^= 1 << j
	if on {
		r.torque = r.torque.With(j)
	}
}
