package daemon

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/gateway/http"
	"github.com/reachyd/reachyd/daemon/gateway/mqtt"
	"github.com/reachyd/reachyd/daemon/gateway/payload"
	"github.com/reachyd/reachyd/daemon/gateway/sdk"
	"github.com/reachyd/reachyd/daemon/gateway/webrtc"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/hal/moves"
)

// openCommands makes the one door for commands, whatever gateway they come through.
func (d *Daemon) openCommands(context.Context) error {
	d.commands = &command.Dispatcher{
		Body: d.body, Tools: d.caller, Arbiter: d.registry.Arbiter(), Conversation: greeting{d.coordinator, d}, Planner: d.planner, Traces: d.archive,
		Sessions: &persist.Sessions{Turns: d.coordinator, Facts: d.facts, Archive: d.archive, Memories: d.memories},
		Doctor:   &doctor{model: d.model, web: d.web, engine: d.Config.Web.SearXNG, store: d.store},
		Settings: d.settings, Replies: persist.NewReplies(d.store),
		Photos:   perception.Photos{Dir: d.Config.PhotosDir()},
		Faces:    perception.Faces{Memory: d.faces},
		Past:     &persist.Past{Archive: d.archive, Store: d.store.Events(), Last: d.events.Last},
		Recorded: func() ([]string, error) { return d.moves().List(moves.OwnDataset) }, NewTrace: d.caller.NewTrace,
	}
	if d.sense != nil {
		d.commands.Senses = perception.Others{Sense: d.sense}
	}
	if d.coder != nil {
		d.commands.Author = author{d.coder}
	}
	d.commands.Trainer, d.commands.Shown = d.trainer, d.shown
	if d.userTools != nil {
		d.commands.UserTools = d.userTools
	}
	d.commands.Feedback = d.book
	d.openHost()
	if d.viewer != nil {
		d.commands.Viewer = d.viewer
	}
	return nil
}

// openHTTP starts the web server. The robot is worth more than its web page: another program on that port does not keep
// it from starting.
func (d *Daemon) openHTTP(ctx context.Context) error {
	if d.Config.HTTP.Listen == "" {
		d.page = "off"
		return nil
	}
	g := &http.Gateway{
		Listen: d.Config.HTTP.Listen, Commander: d.commands, State: d.robot.State, Telemetry: d.robot.Telemetry,
		StateJSON: func() []byte { return payload.State(d.robot.State()) }, Version: Version,
		NewTrace: d.caller.NewTrace, Publish: d.events.Publish, Origins: d.Config.HTTP.Origins, Hosts: d.hostNames(), API: d.openAPI(),
	}
	if d.sense != nil {
		g.Frame = d.sense.Frame
	}
	tokens, err := access.Open(persist.NewTokens(d.store), nil)
	if err != nil {
		return err
	}
	g.Tokens = tokens
	if d.Config.HTTP.Outside() {
		if g.TLS, err = d.certificate(); err != nil {
			return err
		}
	}
	if d.Config.SDK.Enabled {
		official := d.openSDK(ctx)
		g.Official = official.Register
		g.Parts = d.openWebRTC(ctx, official)
	}
	g.Parts, g.HasPage = append(g.Parts, d.webParts(g.API)...), true
	g.Metrics = d.meter
	if err := g.Open(ctx); err != nil {
		d.Log.Warn().Err(err).Msg("no HTTP")
		d.page = "none: " + d.Config.HTTP.Listen + " is taken"
		return nil
	}
	d.parts.push("http", g.Close)
	d.announce(g.Addr())
	d.page = "http://" + g.Addr()
	return nil
}

// freshVoice is how long it is told where a voice came from.
const freshVoice = 3 * time.Second

// openSDK makes the robot one that scripts and apps for the official daemon can use.
func (d *Daemon) openSDK(ctx context.Context) *sdk.Gateway {
	g := &sdk.Gateway{
		Body: d.sounding, Arbiter: d.registry.Arbiter(), State: d.robot.State, Telemetry: d.robot.Telemetry, Version: Version,
		Simulated: d.Config.Simulated(), Log: d.Log.With().Str("part", "sdk").Logger(),
	}
	if id := d.Config.Robot.ID; id != config.DefaultID {
		g.Name = id
	}
	if d.sense != nil {
		g.Senses, g.Media = d.sense, d.sense
		g.CameraSocket = d.cameraSocket()
		g.Voice = func() (yaw float64, speaking, known bool) {
			v := d.senses.Voice()
			return v.Yaw, v.Speaking, time.Since(v.At) < freshVoice
		}
	}
	g.Moves = d.moves()
	g.Open(ctx)
	d.parts.push("sdk", g.Close)
	return g
}

// openWebRTC lets clients of the official daemon come by WebRTC, too.
func (d *Daemon) openWebRTC(ctx context.Context, official *sdk.Gateway) []http.Part {
	if d.Config.SDK.WebRTC == "none" {
		return nil
	}
	g := &webrtc.Gateway{
		Commands: official, Name: official.Name, Listen: d.Config.SDK.Signalling(d.Config.HTTP), Allows: reachableAt(d.Config.HTTP.Listen),
		Log: d.Log.With().Str("part", "webrtc").Logger(),
	}
	if d.sense != nil {
		g.Media = d.sense
	}
	if err := g.Open(ctx); err != nil { // browsers come by the web server
		d.Log.Warn().Err(err).Msg("the Python SDK's stream is not served")
	}
	d.parts.push("webrtc", func() error { g.Close(); return nil }) // when there is no web server that closes it
	return []http.Part{g}
}

// reachableAt says by which addresses of this host a web server is reached that listens so.
func reachableAt(listen string) func(net.IP) bool {
	host, _, _ := net.SplitHostPort(listen) // what is no address has been refused
	ip := net.ParseIP(host)
	switch {
	case host == "" || ip != nil && ip.IsUnspecified():
		return func(net.IP) bool { return true }
	case ip == nil || ip.IsLoopback(): // a name may mean anything: nobody else
		return net.IP.IsLoopback
	}
	return func(at net.IP) bool { return at.Equal(ip) || at.IsLoopback() }
}

// sharedSockets is the directory of a service for sockets that others look for in /tmp, where the system's tmpfiles.d makes links to
// them: a service has a /tmp of its own.
const sharedSockets = "/run/reachymini"

// cameraSocket is where scripts find the camera; empty for nowhere.
func (d *Daemon) cameraSocket() string {
	path := d.Config.SDK.Camera(d.Config.HTTP)
	switch {
	case path != config.OfficialCameraSocket || os.Getenv("RUNTIME_DIRECTORY") == "":
		return path
	case unix.Access(sharedSockets, unix.W_OK) == nil:
		return filepath.Join(sharedSockets, "camera")
	}
	return "" // one that nobody sees would be worse: the SDK would look for a stream over the network
}

// openMQTT starts the gateway, and the broker inside reachyd when no other is configured.
func (d *Daemon) openMQTT(ctx context.Context) (err error) {
	c := d.Config
	g := &mqtt.Gateway{
		ID: c.Robot.ID, Name: c.Robot.Name, Prefix: c.MQTT.Prefix, DiscoveryPrefix: c.MQTT.DiscoveryPrefix, Version: Version,
		Commander: d.commands, Robot: d.robot, Events: d.events, Log: d.Log,
	}
	g.ConfigURL = reachable(c.HTTP.Listen)
	g.HasCamera = d.viewer != nil
	if d.sense != nil {
		g.Volume = c.Sense.Volume
		if g.Volume == 0 { // silent by the settings: to end that is to be heard
			g.Volume = audible
		}
	}
	if c.MQTT.Broker != "" {
		d.brokerURL = c.MQTT.Broker
		g.Endpoint, err = mqtt.External(c.MQTT)
	} else {
		err = d.openBroker(ctx, g)
	}
	if err != nil {
		return err
	}
	d.gateway.Store(g)
	d.parts.run("mqtt", g.Run)
	if d.broker != nil {
		d.parts.run("mqtt door", func(ctx context.Context) error {
			err := g.Ready(ctx)
			if err == nil { // from now on commands are heard
				d.broker.Admit()
			}
			return nil
		})
	}
	if d.viewer != nil {
		d.viewer.Publish = g.Camera
		d.parts.run("camera on MQTT", d.viewer.Run)
	}
	return nil
}

// openBroker starts the broker inside reachyd for the gateway and for everybody else.
func (d *Daemon) openBroker(ctx context.Context, g *mqtt.Gateway) (err error) {
	c := d.Config.MQTT
	b := &mqtt.Broker{Listen: c.Listen, Users: c.Users, Log: d.Log, Gateway: mqtt.ClientID(g.ID), Command: g.IsCommand, Retained: g.Retained, Store: d.store}
	if c.TLS != (config.TLS{}) {
		if b.TLS, err = mqtt.ServerTLS(c.TLS); err != nil {
			return err
		}
	}
	b.OnClient = g.StateChanged
	if err := b.Open(ctx); err != nil {
		return err
	}
	d.parts.push("broker", b.Close)
	g.Endpoint, g.Watched = b.Endpoint(), b.Watched
	d.broker, d.brokerURL = b, b.URL()
	return nil
}

// audible is the volume after muting of a robot that is silent by its settings.
const audible = 50

// reachable is the address of the web server for others in the home; empty when it serves this host only.
func reachable(listen string) string {
	at, err := netip.ParseAddrPort(listen)
	if err != nil || at.Addr().IsLoopback() {
		return ""
	}
	if !at.Addr().IsUnspecified() {
		return "https://" + at.String()
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range own {
		prefix, err := netip.ParsePrefix(a.String())
		if addr := prefix.Addr(); err == nil && addr.Is4() && addr.IsGlobalUnicast() {
			return "https://" + netip.AddrPortFrom(addr, at.Port()).String()
		}
	}
	return ""
}
