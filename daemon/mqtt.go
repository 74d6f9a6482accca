package daemon

import (
	"context"

	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/mqtt"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/statecache"
)

// openMQTT starts the gateway, and the broker inside reachyd when no other is configured. It returns the broker's URL.
func (d *Daemon) openMQTT(ctx context.Context, parts *stack, commands *command.Dispatcher, robot *statecache.Cache, events *event.Bus, viewer *perception.Viewer) (url string, err error) {
	c := d.Config
	g := &mqtt.Gateway{
		ID: c.Robot.ID, Name: c.Robot.Name, Prefix: c.MQTT.Prefix, DiscoveryPrefix: c.MQTT.DiscoveryPrefix, Version: Version,
		Commander: commands, Robot: robot, Events: events, Log: d.Log,
	}
	if c.HTTP.Listen != "" {
		g.ConfigURL = "http://" + c.HTTP.Listen
	}
	if c.MQTT.Broker != "" {
		url = c.MQTT.Broker
		g.Endpoint, err = mqtt.External(c.MQTT)
	} else {
		url, err = d.openBroker(ctx, parts, g)
	}
	if err != nil {
		return "", err
	}
	parts.run("mqtt", g.Run)
	if viewer != nil {
		viewer.Publish = g.Camera
		parts.run("camera on MQTT", viewer.Run)
	}
	return url, nil
}

func (d *Daemon) openBroker(ctx context.Context, parts *stack, g *mqtt.Gateway) (url string, err error) {
	c := d.Config.MQTT
	b := &mqtt.Broker{Listen: c.Listen, Users: c.Users, Log: d.Log, Gateway: mqtt.ClientID(g.ID), Retained: g.Retained}
	if c.TLS != (config.TLS{}) {
		if b.TLS, err = mqtt.ServerTLS(c.TLS); err != nil {
			return "", err
		}
	}
	if err := b.Open(ctx); err != nil {
		return "", err
	}
	parts.push("broker", b.Close)
	g.Endpoint = b.Endpoint()
	return b.URL(), nil
}
