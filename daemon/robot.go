package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/sdnotify"
	"github.com/reachyd/reachyd/daemon/statecache"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/moves"
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
	d.sounding = &perception.Sounding{Client: d.body, Log: d.Log}
	d.sounding.Open(context.Background())
	d.parts.push("sounds of moves", d.sounding.Close)
	d.systemd = sdnotify.New(d.Log, time.Now)
	d.robot = &statecache.Cache{Body: d.body, Events: d.events, OnTelemetry: func(hal.Telemetry) { d.systemd.Alive() }}
	d.handling = d.newGuard()
	d.robot.Motion = d.handling.Newest
	d.connection = d.newConnection()
	d.robot.Link = d.connection.Newest
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
	if !d.Config.WakesUp() {
		return
	}
	w := waker{state: d.robot.State, once: d.wakeOnce, pause: func(ctx context.Context, pause time.Duration) {
		t := time.NewTimer(pause)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}}
	if err := w.wake(ctx); err != nil {
		d.Log.Warn().Err(err).Msg("the robot did not wake up")
	}
}

// waker wakes a robot up.
type waker struct {
	state func() hal.State
	once  func(context.Context) error
	pause func(context.Context, time.Duration)
}

// wakeTries is how often the robot is woken up: on a busy host a servo may be too late for the first.
const wakeTries = 5

// wake returns the last error when all tries failed. What somebody has woken in part, or stopped, stays as it is.
func (w *waker) wake(ctx context.Context) (err error) {
	for try := range wakeTries {
		if try > 0 {
			w.pause(ctx, time.Duration(try)*time.Second)
		}
		s := w.state()
		if ctx.Err() != nil || s.EStop || s.Mode == hal.ModeEnabled || s.Mode == hal.ModePartial && try == 0 {
			return nil //nolint:nilerr // somebody else has decided
		}
		if err = w.once(ctx); err == nil || ctx.Err() != nil {
			return nil //nolint:nilerr // being told to end is no error
		}
	}
	return err
}

func (d *Daemon) wakeOnce(ctx context.Context) error {
	a, err := d.body.Do(ctx, hal.Request{Verb: hal.VerbWake})
	if err == nil && a.Outcome == hal.Rejected {
		err = errors.New(a.Reason)
	}
	if err != nil {
		return err
	}
	end, err := d.body.Wait(ctx, a.Move)
	if err == nil && end.End == hal.EndFailed {
		err = errors.New(end.Reason)
	}
	return err
}

// moves are the recorded moves: the robot's own, those in its directory of data, and what Hugging Face's programs have fetched.
func (d *Daemon) moves() *moves.Library {
	return &moves.Library{Dir: filepath.Join(d.Config.DataDir, "moves"), Cache: moves.DefaultCache()}
}

// move finds a recorded move by its name.
func (d *Daemon) move(name string) (*hal.Recording, string, error) {
	m, err := d.moves().Get(moves.OwnDataset, name)
	if err != nil {
		return nil, "", err
	}
	return m.Recording, m.Name, nil
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
