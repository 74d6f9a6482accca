package daemon

import (
	"context"
	"math"

	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/perception/client"
)

// Why there are no senses at all.
const (
	notInstalled = "reachy-sense is not installed beside reachyd (make build builds it where its libraries are)"
	switchedOff  = "the senses are switched off (sense.run: never)"
)

// openSense finds out whether there can be senses.
func (d *Daemon) openSense(context.Context) error {
	if d.Config.Sense.Run == "never" {
		d.noSense = switchedOff
		return nil
	}
	if _, err := worker.Find("reachy-sense", d.Config.Programs.Dir); err != nil {
		d.Log.Info().Msg("the robot neither hears nor sees nor speaks: " + notInstalled)
		d.noSense = notInstalled
		return nil //nolint:nilerr // a robot without senses is a robot
	}
	d.sense = client.New(d.Config.Socket(senseName))
	d.sounding.Player = d.sense
	d.parts.push("sense client", func() error { d.sense.Close(); return nil })
	d.viewer = &perception.Viewer{Frame: d.sense.Frame}
	return nil
}

// volume says how loud the voice is; nil for a robot without one.
func (d *Daemon) volume() func(context.Context) (int, error) {
	if d.sense == nil {
		return nil
	}
	return func(ctx context.Context) (int, error) {
		now, err := d.sense.State(ctx)
		return now.Speech.Volume, err
	}
}

// runSense starts the worker of the senses and answers what it hears.
func (d *Daemon) runSense(context.Context) error {
	if d.sense == nil {
		return nil
	}
	d.parts.run("sense", d.newSenseWorker().Run)
	d.calls = make(chan struct{}, 1)
	d.senses = &perception.Service{
		Worker: d.meter.Senses(d.voice()), Conversation: perception.Dialogue{Turns: d.coordinator, Planner: d.planner}, Events: d.events, Log: d.Log,
		Changed: d.builtin.Changed, Heading: func() float64 { return d.robot.State().Head.Yaw * 180 / math.Pi },
		Called: func() {
			select {
			case d.calls <- struct{}{}:
			default: // it turns already
			}
		},
	}
	d.parts.run("perception service", d.senses.Run)
	return nil
}
