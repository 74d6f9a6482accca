package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/beat"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/metrics"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/hal"
)

const (
	// pruneEvery is how often old events are deleted, and pruneFirst when it is done first: a robot may never be on for pruneEvery.
	pruneEvery = time.Hour
	pruneFirst = 2 * time.Minute
	// diskEvery is how often it is looked whether something can be kept.
	diskEvery = 2 * time.Second
	// eventBuffer is how many events may wait for the store.
	eventBuffer = 1024
)

// keep is the retention rule of events, traces and sessions.
func (d *Daemon) keep() store.Keep {
	return store.Keep{Age: time.Duration(d.Config.Store.RetentionDays) * 24 * time.Hour, Count: d.Config.Store.MaxEvents}
}

// openStore opens the store in the data directory and prunes it now and then.
func (d *Daemon) openStore(context.Context) error {
	warn := func(format string, args ...any) { d.Log.Warn().Msgf("store: "+format, args...) }
	s, err := store.Open(filepath.Join(d.Config.DataDir, "store"), store.Options{Events: d.keep(), Logf: warn, Shadow: d.Config.RunDir})
	if err != nil {
		return err
	}
	d.store = s
	d.events = event.NewBus(s.FirstEventID()-1, nil)
	d.parts.push("store", func() error { return s.Close(d.events.Last()) })
	d.parts.run("retention", func(ctx context.Context) error {
		prune(ctx, s, d.failed("store"))
		return nil
	})
	return nil
}

// prune prunes a store soon, and then every pruneEvery, until ctx ends.
func prune(ctx context.Context, s *store.Store, failed func(error)) {
	first := time.NewTimer(pruneFirst)
	defer first.Stop()
	select {
	case <-ctx.Done():
		return
	case <-first.C:
	}
	if err := s.Prune(ctx); err != nil && ctx.Err() == nil {
		failed(err)
	}
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	s.Run(ctx, ticker.C, failed)
}

// watchDisk lists a full disk among the robot's faults, and lets the store be written again when there is room.
func (d *Daemon) watchDisk(context.Context) error {
	look := func() {
		err := d.store.Check()
		if err != nil {
			d.robot.Report(hal.FaultDiskFull, "nothing can be kept, and what is to be kept is refused: "+err.Error())
			return
		}
		d.robot.Report(hal.FaultDiskFull, "")
	}
	look()
	d.parts.run("disk", func(ctx context.Context) error {
		next := time.NewTimer(beat.Until(diskEvery))
		defer next.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-next.C:
				look()
				next.Reset(beat.Until(diskEvery))
			}
		}
	})
	return nil
}

// openEvents records every event, and logs what a person looks for in a log. Both end with the last event.
func (d *Daemon) openEvents(context.Context) error {
	sub := d.events.Subscribe("store", eventBuffer)
	recorded := make(chan struct{})
	failed := d.failed("store")
	go func() {
		d.store.Events().Record(sub.Events(), func(err error) {
			if !errors.Is(err, store.ErrDiskFull) { // that is told once, by watchDisk
				failed(err)
			}
		})
		close(recorded)
	}()
	const enough = 256 // what is lost among so many is not counted
	d.meter = metrics.New()
	d.follow("metrics", enough, d.meter.Hear, metrics.Events...)
	spoken := d.events.Subscribe("log", eventBuffer, api.TypeFault, api.TypeEStop, api.TypeMoveDone)
	logged := make(chan struct{})
	go func() { d.logEvents(spoken.Events()); close(logged) }()
	d.parts.push("events", func() error {
		err := withPatience(d.events.Close)
		<-recorded
		<-logged
		return err
	})
	return nil
}

// logEvents writes what a person looks for in a log: faults, stops, and moves that did not end as they should.
func (d *Daemon) logEvents(in <-chan api.Event) {
	for e := range in {
		line := d.Log.Warn()
		switch data := e.Data.(type) {
		case api.MoveDone:
			if data.End == hal.EndDone {
				continue
			}
			line = d.Log.Info()
		case api.Fault:
			if !data.Active {
				line = d.Log.Info()
			}
		case api.EStop:
			if !data.Active {
				line = d.Log.Info()
			}
		}
		line.Fields(api.Fields(e.Data)).Msg(string(e.Type))
	}
}
