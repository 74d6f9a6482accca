package servo

import (
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

const (
	// fastRest is for how many cycles the classical read is used after a fast one failed.
	fastRest = 100
	// longestStep is the time that one cycle may catch up, however long the loop paused.
	longestStep = 10 * time.Millisecond
	// leastSlow is what must be left of the cycle for a slow step to begin.
	leastSlow = 300 * time.Microsecond
	// slowEvery is how many cycles lie between two slow steps when nothing is wrong: each waits for its answer.
	slowEvery = 2
)

// Cycle takes what all joints have measured into fb, writes the goals of the joints whose torque is on, does a slow step
// when it is time for one, and asks for what the next cycle takes. Only values of joints in fb.Fresh are touched; they were
// measured at the end of the cycle before, or in this one when that asked nothing. So nothing waits for the line, half of
// the loop's cost otherwise.
//
// It returns a *GoalError when a goal is not allowed: then no goal is written, but everything else is done. ErrSilent
// says that nobody answered, ErrOffline that the bus is lost; fb.Fresh is empty then.
func (r *Robot) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	fb.Fresh = 0
	r.past.Cycles++
	if !r.back() {
		return ErrOffline
	}
	r.cycles++
	now := time.Now()
	deadline := now.Add(r.opts.CycleTime)
	refused, err := r.exchange(goal, fb, deadline)
	if now = time.Now(); err == nil && r.slowIsDue() && deadline.Sub(now) > leastSlow {
		err = r.slow(earlier(deadline, now.Add(r.opts.SlowTime)))
	}
	if err == nil {
		err = r.ask(deadline)
	}
	if unsent := r.bus.Flush(deadline); err == nil || errors.Is(unsent, dxl.ErrLine) {
		err = unsent
	}
	switch {
	case err == nil && refused != nil:
		return refused
	case err == nil:
		return nil
	case errors.Is(err, dxl.ErrTimeout):
		return r.quiet()
	}
	fb.Fresh = 0
	r.lose(err)
	return ErrOffline
}

// exchange takes what was asked for before and has the goals written with what is sent next; goals go first where the answer must be waited for.
func (r *Robot) exchange(goal *hal.Joints, fb *hal.Feedback, deadline time.Time) (refused *GoalError, err error) {
	if !r.asked {
		refused = r.writeGoals(goal)
		return refused, r.measure(fb, deadline)
	}
	err = r.measure(fb, deadline) // silence keeps no goal from being written
	return r.writeGoals(goal), err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// driven is the set of joints that follow the goals of the loop.
func (r *Robot) driven() (m hal.JointMask) {
	for j := range hal.Joint(hal.NumJoints) {
		if r.torque.Has(j) && r.want.Has(j) && r.listen.Has(j) && r.joints[j].stage == stageNormal {
			m = m.With(j)
		}
	}
	return m
}

// writeGoals hands the goals to the bus.
func (r *Robot) writeGoals(goal *hal.Joints) *GoalError {
	driven := r.driven()
	for j := range hal.Joint(hal.NumJoints) {
		if driven.Has(j) && !allowed(j, goal[j]) {
			return &GoalError{j, goal[j]}
		}
	}
	now := r.opts.Now()
	step := r.opts.CatchUp * min(now.Sub(r.lastCycle), longestStep).Seconds()
	r.lastCycle = now
	if driven == 0 {
		return nil
	}
	r.goals.Clear()
	for j := range hal.Joint(hal.NumJoints) {
		if !driven.Has(j) {
			continue
		}
		jt := &r.joints[j]
		to := goal[j]
		if jt.catching {
			to = max(jt.written-step, min(jt.written+step, to))
			jt.catching = to != goal[j]
		}
		jt.written = to
		putI32(r.goals.Add(j.ServoID()), r.opts.Config[j].toTicks(to))
	}
	r.bus.Hold(r.goals)
	return nil
}

// measure takes what all joints that answer have measured.
func (r *Robot) measure(fb *hal.Feedback, deadline time.Time) error {
	if err := r.readBlock(deadline); err != nil && !errors.Is(err, dxl.ErrTimeout) {
		return err
	}
	last := -1
	for i := range r.block.Len() {
		if r.block.Got(i) {
			last = i
		}
	}
	if last < 0 {
		return dxl.ErrTimeout
	}
	r.silent, r.heardAt = 0, r.opts.Now()
	for i := range r.block.Len() {
		j := hal.Joint(r.block.ID(i) - hal.FirstServoID)
		jt := &r.joints[j]
		switch {
		case r.block.Got(i):
			jt.misses = 0
			jt.alert = r.block.Status(i).Alert() != (jt.health.HardwareError != 0)
			fb.Position[j], fb.Velocity[j], fb.Current[j] = measured(r.block.Data(i))
			r.current[j] = fb.Current[j]
			fb.Fresh = fb.Fresh.With(j)
		case i <= last+1:
			// Behind the last answer only the first joint is suspect: it may keep the others from answering.
			if jt.misses++; jt.misses >= r.opts.Misses {
				r.miss(j, fmt.Sprintf("was silent for %d cycles", jt.misses))
			}
		}
	}
	return nil
}

// readBlock takes the answer to ask, or asks now.
func (r *Robot) readBlock(deadline time.Time) error {
	if r.asked || r.fastReads() {
		now := time.Now()
		half := now.Add(deadline.Sub(now) / 2)
		if !r.asked {
			r.choose()
			if err := r.bus.Ask(r.block, half); err != nil {
				return err
			}
		}
		r.asked = false
		if err := r.bus.Collect(r.block, half); !errors.Is(err, dxl.ErrTimeout) {
			return err
		}
		r.fastAgain = r.cycles + fastRest
	}
	r.choose()
	return r.bus.SyncRead(r.block, deadline)
}

// ask sends the question whose answer the next cycle takes.
func (r *Robot) ask(deadline time.Time) error {
	if !r.fastReads() {
		return nil
	}
	r.choose()
	err := r.bus.Ask(r.block, deadline)
	r.asked = err == nil
	return err
}

func (r *Robot) fastReads() bool { return r.fast && r.cycles >= r.fastAgain }

// choose puts the joints that answer into the block.
func (r *Robot) choose() {
	if r.blockOf == r.listen {
		return
	}
	r.blockOf = r.listen
	r.block.Clear()
	for j := range hal.Joint(hal.NumJoints) {
		if r.listen.Has(j) {
			r.block.Add(j.ServoID())
		}
	}
}

// quiet counts a cycle in which nobody answered.
func (r *Robot) quiet() error {
	const least = 5 // a pause of the loop itself is no silence of the bus
	quiet := r.opts.Now().Sub(r.heardAt)
	if r.silent++; r.silent >= least && quiet > r.opts.Silence {
		r.lose(fmt.Errorf("nobody has answered for %v", quiet.Round(time.Millisecond)))
		return ErrOffline
	}
	return ErrSilent
}
