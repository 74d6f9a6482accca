package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/idle"
	"github.com/reachyd/reachyd/learner/preference"
)

// openSettings makes what changes settings while the robot runs.
func (d *Daemon) openSettings(context.Context) error {
	d.idleness = make(chan idle.Level, 1)
	d.settings = config.NewRuntime(d.Config)
	appliers := d.appliers()
	d.settings.Apply = func(key string, c *config.Config) error {
		if apply, ok := appliers[key]; ok {
			return apply(c)
		}
		group, _, _ := strings.Cut(key, ".")
		return appliers[group](c)
	}
	d.settings.Publish = func(change api.ConfigChange) {
		d.Log.Info().Interface("changes", change.Changes).Msg("settings were changed")
		d.events.Publish("", change)
	}
	return nil
}

// applyTime is how long a part may take to take a new setting.
const applyTime = 5 * time.Second

// appliers give the parts that run what changes at once, by key or by group of keys.
func (d *Daemon) appliers() map[string]func(*config.Config) error {
	return map[string]func(*config.Config) error{
		"learning": func(c *config.Config) error {
			fixed, err := preference.Fixed(c.Learning.Fixed())
			if err == nil {
				d.tastes.Fix(fixed)
				d.learnsRoutes.Store(c.Learning.Routes)
			}
			return err
		},
		"training": func(c *config.Config) error {
			d.trainer.Weigh(c.Training.Task, c.Training.Human, c.Training.Safety)
			return nil
		},
		"sense.volume": func(c *config.Config) error {
			if d.sense == nil {
				return nil
			}
			d.manner.usual.Store(int32(c.Sense.Volume)) //nolint:gosec // 0…100
			ctx, cancel := context.WithTimeout(context.Background(), applyTime)
			defer cancel()
			return d.sense.SetVolume(ctx, c.Sense.Volume)
		},
		"idle": func(c *config.Config) error {
			select { // one that was not taken yet is outdated
			case <-d.idleness:
			default:
			}
			d.idleness <- idle.Level(c.Idle)
			return nil
		},
	}
}
