package daemon

import (
	"os"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/modelfetch"
	"github.com/reachyd/reachyd/perception/models"
)

// openHost makes the commands for what reachyd itself has and does: models, its log, and MQTT.
func (d *Daemon) openHost() {
	f := &modelfetch.Fetcher{Store: d.modelStore(), Dir: d.Config.ModelsDir(), Publish: d.events.Publish, Elsewhere: func(name string) string {
		if name == models.MiniLM { // it takes two minutes of processor time to be fitted
			return "reachyctl models pull minilm fetches it, and fits it to the robot's sentences"
		}
		return ""
	}}
	d.parts.push("models", f.Close)
	d.commands.Models = f
	if d.Lines != nil {
		d.commands.Logs = d.Lines
	}
	d.commands.MQTT = d.mqttState
}

// modelStore is where models are looked for.
func (d *Daemon) modelStore() *models.Store {
	return &models.Store{Dirs: append([]string{d.Config.ModelsDir()}, models.Dirs(d.Config.DataDir, os.Getenv)...)}
}

// mqttState is how the robot stands with its broker.
func (d *Daemon) mqttState() (api.MQTTState, error) {
	g := d.gateway.Load()
	if g == nil {
		return api.MQTTState{}, &command.Error{Code: api.CodeUnavailable, Message: "MQTT is not open yet"}
	}
	c := g.Connection()
	s := api.MQTTState{
		Broker: d.brokerURL, Embedded: d.broker != nil, Topics: g.Prefix + "/" + g.ID + "/", Connected: c.Connected, Since: api.Time(c.Since), Reason: c.Reason,
		Attempts: c.Attempts, Dropped: c.Dropped,
	}
	if d.broker != nil {
		s.Clients = d.broker.Clients()
	} else {
		s.Broker = c.Broker // without its password
	}
	return s, nil
}
