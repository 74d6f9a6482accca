package daemon

import (
	"context"
	"time"

	"github.com/reachyd/reachyd/daemon/connection"
	"github.com/reachyd/reachyd/daemon/gateway/payload"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/network"
)

// newConnection makes what follows how this host is connected.
func (d *Daemon) newConnection() *connection.Watch {
	return &connection.Watch{
		Read: network.Host().Read, Tell: func(l hal.Link) { d.events.Publish("", payload.Network(l)) }, Keep: persist.NewTexts(d.store), Log: d.Log,
	}
}

// watchConnection follows it, and says an address that is new where the settings say so and the robot can.
func (d *Daemon) watchConnection(context.Context) error {
	if d.sense != nil && d.Config.TellsAddress() {
		d.connection.Say = func(ctx context.Context, text string) error {
			_, err := d.sense.Speak(ctx, text)
			return err
		}
	}
	d.parts.run("connection", func(ctx context.Context) error {
		tick := time.NewTicker(connection.Every)
		defer tick.Stop()
		return d.connection.Run(ctx, tick.C)
	})
	return nil
}
