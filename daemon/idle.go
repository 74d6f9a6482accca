package daemon

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/idle"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/scene"
)

// runIdle lets the robot live by itself when nobody asks for anything, at the level of the settings.
func (d *Daemon) runIdle(context.Context) error {
	var now atomic.Pointer[idle.Life]
	now.Store(d.newLife(idle.Level(d.Config.Idle)))
	d.follow("idle", idleBuffer, func(e api.Event) { now.Load().Hear(e) }, idle.Types...)
	d.parts.run("idle", func(ctx context.Context) error {
		for {
			l := now.Load()
			level, err := d.live(ctx, l)
			if err != nil || ctx.Err() != nil {
				return err
			}
			if level == idle.Off && l.Level != idle.Off {
				d.settle(ctx)
			}
			now.Store(d.newLife(level))
		}
	})
	return nil
}

// live lets the robot live at one level, until another is wanted.
func (d *Daemon) live(ctx context.Context, l *idle.Life) (next idle.Level, err error) {
	living, end := context.WithCancel(ctx)
	defer end()
	ended := make(chan error, 1)
	go func() { ended <- l.Run(living) }()
	select {
	case next = <-d.idleness:
		end()
		if err = <-ended; errors.Is(err, context.Canceled) {
			err = nil
		}
		return next, err
	case <-ctx.Done():
		return "", <-ended
	}
}

// settle ends what the robot did by itself: it breathes no more, and looks where it was told to.
func (d *Daemon) settle(ctx context.Context) {
	for _, req := range []hal.Request{
		{Verb: hal.VerbIdle, On: new(false)},
		{Verb: hal.VerbOffset, Source: hal.IdleSource, Head: hal.Head{}.Goal(), Antennas: hal.Antennas{}.Goal(), Duration: 1},
	} {
		if _, err := d.body.Do(ctx, req); err != nil {
			d.failed("idle")(err)
		}
	}
}

func (d *Daemon) newLife(level idle.Level) *idle.Life {
	l := &idle.Life{
		Body: d.body, State: d.robot.State, Level: level, Name: d.Config.Robot.Name, Log: d.Log,
	}
	l.Liveliness = d.liveliness
	if d.senses != nil {
		l.Following = func() bool { s, there := d.senses.State(); return there && s.Sight.Tracking }
		l.Noise = func() float64 {
			s, there := d.senses.State()
			if h := s.Hearing; there && h.Off == "" && !h.Muted && !s.Speech.Speaking {
				return h.Level - h.Noise
			}
			return 0
		}
		l.Voice = func() (float64, time.Time) { v := d.senses.Voice(); return v.Toward, v.At }
	}
	if d.sense != nil && d.Config.IdleLook {
		l.Look = func(ctx context.Context) ([]scene.Detection, error) {
			v, err := d.sense.Detect(ctx, "")
			return v.Detections, err
		}
	}
	return l
}

// idleBuffer is how many events may wait for what the robot does by itself; more are as good as fewer.
const idleBuffer = 64
