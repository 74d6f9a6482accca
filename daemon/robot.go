package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/daemon/sdnotify"
	"github.com/reachyd/reachyd/daemon/statecache"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

const (
	// readyPatience is how long the workers may take before reachyd gives up.
	readyPatience = 60 * time.Second
	// busPatience is how long the servos are waited for before reachyd says that it is ready without them.
	busPatience = 10 * time.Second
)

// openBody starts the body that drives the robot, and a simulated robot if asked for, and follows its state.
func (d *Daemon) openBody(context.Context) error {
	if d.Config.Simulated() {
		d.parts.run("sim", d.newSimWorker().Run)
	}
	d.bodyWorker = d.newBodyWorker()
	d.parts.run("body", d.bodyWorker.Run)
	d.body = body.New(d.Config.Socket(bodyName))
	d.parts.push("body client", func() error { d.body.Close(); return nil })
	d.systemd = sdnotify.New(d.Log, time.Now)
	d.robot = &statecache.Cache{Body: d.body, Events: d.events, OnTelemetry: func(hal.Telemetry) { d.systemd.Alive() }}
	d.parts.run("state cache", d.robot.Run)
	return nil
}

// awaitRobot waits for the body, without which nothing works, and then a while for the servos, which may come later.
func (d *Daemon) awaitRobot(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	if err := d.robot.Ready(patient); err != nil && ctx.Err() == nil {
		state := d.bodyWorker.State()
		return fmt.Errorf("the body did not answer within %v: it is %s %s", readyPatience, state.Status, state.Reason)
	}
	short, cancelShort := context.WithTimeout(ctx, busPatience)
	defer cancelShort()
	if err := d.robot.Online(short); err != nil && ctx.Err() == nil {
		d.Log.Warn().Msg("the servos do not answer yet: check the power and the cable, see reachyctl doctor; they are taken over when they come")
	}
	return nil
}

// wake wakes the robot up if the settings say so, unless it is awake or was stopped, and waits until it has.
func (d *Daemon) wake(ctx context.Context) {
	if s := d.robot.State(); !d.Config.WakesUp() || s.Mode != hal.ModeDisabled || s.EStop {
		return
	}
	a, err := d.body.Do(ctx, hal.Request{Verb: hal.VerbWake})
	if err == nil && a.Outcome == hal.Rejected {
		err = errors.New(a.Reason)
	}
	if err == nil {
		_, err = d.body.Wait(ctx, a.Move)
	}
	if err != nil && ctx.Err() == nil {
		d.Log.Warn().Err(err).Msg("the robot did not wake up")
	}
}

// world is the robot as the dialogue sees it.
type world struct{ robot *statecache.Cache }

// Now implements dialogue.World.
func (w world) Now() (dialogue.Now, bool) {
	s := w.robot.State()
	return dialogue.FromState(&s), s.Mode != hal.ModeOffline && s.Mode != ""
}

// latched says that the emergency stop is.
func (d *Daemon) latched() bool { return d.robot.State().EStop }

// busy says that something moves the robot.
func (d *Daemon) busy() bool { return d.robot.State().Moving }
