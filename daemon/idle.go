package daemon

import (
	"context"
	"time"

	"github.com/reachyd/reachyd/daemon/idle"
	"github.com/reachyd/reachyd/perception/scene"
)

// runIdle lets the robot live by itself when nobody asks for anything, at the level of the settings.
func (d *Daemon) runIdle(context.Context) error {
	l := d.newLife()
	d.follow("idle", idleBuffer, l.Hear, idle.Types...)
	d.parts.run("idle", l.Run)
	return nil
}

func (d *Daemon) newLife() *idle.Life {
	l := &idle.Life{
		Body: d.body, State: d.robot.State, Level: idle.Level(d.Config.Idle), Levels: d.idleness, Name: d.Config.Robot.Name, Log: d.Log,
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
		l.Calls = d.calls
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
