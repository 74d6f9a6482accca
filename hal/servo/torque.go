package servo

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// readTime is how long one read of SetTorque may wait before it is repeated.
const readTime = 5 * time.Millisecond

// pins is the work space of SetTorque.
type pins struct {
	place, goals, back, gains, torque, flags *dxl.Batch
}

func newPins() pins {
	nine := make([]byte, hal.NumJoints)
	return pins{
		place:  dxl.NewBatch(dxl.AddrPresentCurrent, blockSize, nine...),
		goals:  dxl.NewBatch(dxl.AddrGoalPosition, 4, nine...),
		back:   dxl.NewBatch(dxl.AddrGoalPosition, 4, nine...),
		gains:  dxl.NewBatch(dxl.AddrPositionD, gainsSize, nine...),
		torque: dxl.NewBatch(dxl.AddrTorque, 1, nine...),
		flags:  dxl.NewBatch(dxl.AddrTorque, 2, nine...),
	}
}

// SetTorque switches the torque of some joints and confirms it; the others stay as they are. It takes at most Options.TorqueTime.
//
// Before torque is switched on the goals are pinned: the present positions are read, written as goals and read back. Afterwards
// the joint approaches the goal of the loop with Options.CatchUp. A joint that is missing or has latched an error is
// refused; the error names every joint that did not get what was asked for.
//
// Torque off is remembered: a joint that is missing, or the whole bus when it is lost, is switched off when it comes back.
func (r *Robot) SetTorque(joints hal.JointMask, on bool) error {
	if joints&^hal.AllJoints != 0 {
		return fmt.Errorf("joints %#x: allowed is a mask of the %d joints, %#x", uint16(joints), hal.NumJoints, uint16(hal.AllJoints))
	}
	if !on {
		r.want &^= joints
		r.unseen &^= joints
	}
	if !r.back() {
		return ErrOffline
	}
	var failed failures
	deadline := time.Now().Add(r.opts.TorqueTime)
	var err error
	if on {
		err = r.torqueOn(joints, deadline, &failed)
	} else {
		err = r.torqueOff(joints&r.listen, deadline, &failed)
	}
	if err != nil && !errors.Is(err, dxl.ErrTimeout) {
		r.lose(err)
		return ErrOffline
	}
	return failed.err(on)
}

// failures says which joints did not get what was asked for.
type failures struct{ list []string }

func (f *failures) add(j hal.Joint, why string) { f.list = append(f.list, j.String()+" "+why) }

func (f *failures) addAll(m hal.JointMask, why string) {
	for _, name := range m.Names() {
		f.list = append(f.list, name+" "+why)
	}
}

func (f *failures) err(on bool) error {
	if len(f.list) == 0 {
		return nil
	}
	what := "off"
	if on {
		what = "on"
	}
	return fmt.Errorf("torque %s: %s", what, strings.Join(f.list, ", "))
}

func (r *Robot) torqueOff(joints hal.JointMask, deadline time.Time, failed *failures) error {
	pending := joints
	for pending != 0 {
		if err := r.switchTo(&pending, false, deadline); err != nil {
			failed.addAll(pending, "does not confirm")
			return err
		}
	}
	return nil
}

// torqueOn pins and switches until all joints have confirmed or the time is over.
func (r *Robot) torqueOn(joints hal.JointMask, deadline time.Time, failed *failures) error {
	var pending hal.JointMask
	driven := r.driven()
	for j := range hal.Joint(hal.NumJoints) {
		switch {
		case !joints.Has(j) || driven.Has(j):
		case !r.listen.Has(j):
			failed.add(j, "does not answer")
		case r.shut(j):
			failed.add(j, fmt.Sprintf("has shut itself down (error %#02x)", r.joints[j].health.HardwareError))
		default:
			pending = pending.With(j)
		}
	}
	if pending == 0 {
		return nil
	}
	r.pins.gains.Clear()
	for j := range hal.Joint(hal.NumJoints) {
		if pending.Has(j) {
			r.opts.Config[j].putGains(r.pins.gains.Add(j.ServoID()))
		}
	}
	err := r.bus.SyncWrite(r.pins.gains, deadline)
	for err == nil && pending != 0 {
		var pinned hal.JointMask
		if pinned, err = r.pin(pending, deadline); err != nil {
			break
		}
		left := pinned
		err = r.switchTo(&left, true, deadline)
		for j := range hal.Joint(hal.NumJoints) {
			if pinned.Has(j) && !left.Has(j) {
				r.joints[j].catching = true
				r.arrived(j)
			}
		}
		r.want |= pinned &^ left
		pending &^= pinned &^ left
	}
	if pending != 0 {
		failed.addAll(pending, "does not confirm")
	}
	return err
}

// pin makes the present positions the goals and returns the joints for which that was read back.
func (r *Robot) pin(joints hal.JointMask, deadline time.Time) (hal.JointMask, error) {
	p := &r.pins
	p.place.Clear()
	for j := range hal.Joint(hal.NumJoints) {
		if joints.Has(j) {
			p.place.Add(j.ServoID())
		}
	}
	if err := r.readPart(p.place, deadline); err != nil {
		return 0, err
	}
	p.goals.Clear()
	p.back.Clear()
	for i := range p.place.Len() {
		if !p.place.Got(i) {
			continue
		}
		id := p.place.ID(i)
		j := hal.Joint(id - hal.FirstServoID)
		r.joints[j].written, _, _ = measured(p.place.Data(i))
		putI32(p.goals.Add(id), r.opts.Config[j].toTicks(r.joints[j].written))
		p.back.Add(id)
	}
	if p.goals.Len() == 0 {
		return 0, nil
	}
	if err := r.bus.SyncWrite(p.goals, deadline); err != nil {
		return 0, err
	}
	if err := r.readPart(p.back, deadline); err != nil {
		return 0, err
	}
	var pinned hal.JointMask
	for i := range p.back.Len() {
		if p.back.Got(i) && bytes.Equal(p.back.Data(i), p.goals.Data(i)) {
			pinned = pinned.With(hal.Joint(p.back.ID(i) - hal.FirstServoID))
		}
	}
	return pinned, nil
}

// switchTo writes the torque of the joints once and removes from them those that confirm it.
func (r *Robot) switchTo(joints *hal.JointMask, on bool, deadline time.Time) error {
	p := &r.pins
	p.torque.Clear()
	p.flags.Clear()
	for j := range hal.Joint(hal.NumJoints) {
		if joints.Has(j) {
			b := p.torque.Add(j.ServoID())
			if on {
				b[0] = 1
			}
			p.flags.Add(j.ServoID())
		}
	}
	if p.torque.Len() == 0 {
		return nil
	}
	if err := r.bus.SyncWrite(p.torque, deadline); err != nil {
		return err
	}
	if err := r.readPart(p.flags, deadline); err != nil {
		return err
	}
	for i := range p.flags.Len() {
		if !p.flags.Got(i) {
			continue
		}
		j := hal.Joint(p.flags.ID(i) - hal.FirstServoID)
		is := p.flags.Data(i)[0] != 0
		r.setTorqueFlag(j, is)
		if is == on {
			*joints &^= 1 << j
		}
	}
	return nil
}

// readPart reads what answers within a part of the time. It fails with ErrTimeout only when the whole time is over.
func (r *Robot) readPart(b *dxl.Batch, deadline time.Time) error {
	now := time.Now()
	err := r.bus.SyncRead(b, earlier(deadline, now.Add(max(readTime, deadline.Sub(now)/4))))
	if errors.Is(err, dxl.ErrTimeout) && time.Now().Before(deadline) {
		return nil
	}
	return err
}

// Reboot restarts one servo, which switches its torque off and clears its latched errors. It takes at most
// Options.SlowTime; the joint comes back by itself within a second, with its gains, and with torque when it had it.
func (r *Robot) Reboot(j hal.Joint) error {
	if j < 0 || j >= hal.NumJoints {
		return fmt.Errorf("reboot joint %d: allowed is 0…%d", int(j), hal.NumJoints-1)
	}
	if !r.back() {
		return ErrOffline
	}
	err := r.reboot(j, time.Now().Add(r.opts.SlowTime))
	if errors.Is(err, dxl.ErrLine) {
		r.lose(err)
		return ErrOffline
	}
	if err != nil {
		return fmt.Errorf("reboot %s: %w", j, err)
	}
	return nil
}
