package servo

import (
	"fmt"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// The pauses between attempts to find a lost bus.
const (
	searchFirst = 50 * time.Millisecond
	searchMost  = 400 * time.Millisecond
)

// lose gives the bus up and has it looked for.
func (r *Robot) lose(why error) {
	old := r.line
	if r.online {
		r.past = sum(r.past, r.bus.Counters())
	}
	r.online, r.bus, r.line = false, nil, nil
	r.lostAt = r.opts.Now()
	r.listen, r.torque, r.current = 0, 0, hal.Joints{}
	for j := range r.joints {
		r.faults.end(hal.FaultServoMissing, hal.Joint(j).String())
	}
	r.lostWhy = why.Error()
	r.tellLost()
	r.search = make(chan *attached, 1)
	r.searching.Add(1)
	go r.find(old)
}

// tellLost makes the loss a fault, which it is not yet while a robot that was never seen may still be starting.
func (r *Robot) tellLost() {
	if r.started || r.opts.Now().Sub(r.lostAt) >= r.opts.FirstWait {
		r.faults.begin(hal.FaultBusLost, "", r.lostWhy)
	}
}

// find brings the bus back. It closes the old line first, because closing a serial port may take its time.
func (r *Robot) find(old *dxl.Line) {
	defer r.searching.Done()
	if old != nil {
		_ = old.Close() // it is broken anyway
	}
	for pause := searchFirst; ; pause = min(2*pause, searchMost) {
		a, err := attach(&r.opts, r.stop)
		if err == nil {
			r.search <- a
			return
		}
		t := time.NewTimer(pause)
		select {
		case <-r.stop:
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// back reports whether the bus is there, and takes it over when it has just come back.
func (r *Robot) back() bool {
	if r.online {
		return true
	}
	select {
	case a := <-r.search:
		r.past.Reconnects++
		r.takeOver(a)
		return true
	default:
		r.tellLost()
		return false
	}
}

// takeOver continues with a bus and what start-up found on it.
func (r *Robot) takeOver(a *attached) {
	now := r.opts.Now()
	r.online, r.bus, r.line, r.search, r.report = true, a.bus, a.line, nil, a.report
	r.asked = false
	r.cycles, r.fastAgain, r.silent, r.heardAt, r.lastCycle = 0, 0, 0, now, time.Time{}
	r.fast = a.report.Fast
	r.listen, r.torque, r.found = a.report.Present(), 0, a.report.Present()
	r.faults.end(hal.FaultBusLost, "")
	for j := range r.joints {
		s, jt := &a.report.Servos[j], &r.joints[j]
		*jt = joint{health: jt.health, rebootPause: jt.rebootPause, rebootedAt: jt.rebootedAt}
		r.goal[j] = s.Goal
		if s.Torque {
			r.torque = r.torque.With(hal.Joint(j))
		}
	}
	if !r.started {
		r.want, r.unseen = r.torque, hal.AllJoints&^a.report.Present()
	} else if now.Sub(r.lostAt) > r.opts.Retorque {
		r.want &= r.torque // nobody expects it to rise by itself any more
	}
	r.started = true
	for j := range hal.Joint(hal.NumJoints) {
		r.takeOverJoint(j, &a.report.Servos[j])
	}
}

func (r *Robot) takeOverJoint(j hal.Joint, s *Found) {
	name := j.String()
	if told := s.told(); told != "" {
		r.faults.begin(hal.FaultConfig, name, told)
	} else {
		r.faults.end(hal.FaultConfig, name)
	}
	if !s.Present {
		r.miss(j, "does not answer")
		return
	}
	jt := &r.joints[j]
	r.supply(j, s.Voltage, s.Temperature)
	r.latched(j, s.HardwareError)
	jt.written, jt.catching = s.Goal, true
	if r.want.Has(j) != r.torque.Has(j) {
		jt.stage = r.settle(j) // all before was done by start-up
	}
}

// miss takes a joint out of the cycle; the slow steps wait for it.
func (r *Robot) miss(j hal.Joint, why string) {
	jt := &r.joints[j]
	jt.stage, jt.tries, jt.misses = stageMissing, 0, 0
	r.listen &^= 1 << j
	r.torque &^= 1 << j
	r.current[j] = 0
	if r.faults.has(hal.FaultServoMissing, j.String()) || r.opts.Now().Before(jt.excusedTill) {
		return
	}
	r.faults.begin(hal.FaultServoMissing, j.String(), fmt.Sprintf("servo %d %s", j.ServoID(), why))
}
