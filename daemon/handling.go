package daemon

import (
	"context"

	"github.com/reachyd/reachyd/daemon/handling"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/imu"
)

// newGuard makes what follows the motion sensor.
func (d *Daemon) newGuard() *handling.Guard {
	g := &handling.Guard{Open: d.openIMU, Body: d.body, Publish: d.events.Publish, Log: d.Log}
	g.State = func() hal.State { return d.robot.State() }
	g.Report = func(name hal.FaultName, detail string) { d.robot.Report(name, detail) }
	return g
}

// openIMU opens the motion sensor of the settings. A simulated robot has none of its own, and the host's is not its.
func (d *Daemon) openIMU() (handling.Sensor, error) {
	dir, anyName := d.Config.Body.IMU, true
	switch {
	case dir == "off" || dir == "auto" && d.Config.Simulated():
		return nil, imu.ErrNone
	case dir == "auto":
		dir, anyName = imu.Dir, false
	}
	device, err := imu.Open(dir, anyName)
	if err != nil {
		return nil, err
	}
	return device, nil
}

// watchHandling lets the robot let go when it is lifted or falls, and say so where it can.
func (d *Daemon) watchHandling(context.Context) error {
	if d.sense != nil {
		d.handling.Say = func(ctx context.Context, text string) error {
			_, err := d.sense.Speak(ctx, text)
			return err
		}
	}
	d.parts.run("handling", d.handling.Run)
	return nil
}
