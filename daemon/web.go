package daemon

import (
	"crypto/tls"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/gateway/http"
	"github.com/reachyd/reachyd/daemon/gateway/mcp"
	"github.com/reachyd/reachyd/daemon/gateway/openai"
	"github.com/reachyd/reachyd/daemon/gateway/payload"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
	"github.com/reachyd/reachyd/daemon/gateway/web"
	"github.com/reachyd/reachyd/daemon/mdns"
	"github.com/reachyd/reachyd/hal"
)

// openAPI makes the programming interface of HTTP.
func (d *Daemon) openAPI() *rest.API {
	self := &ownUse{}
	self.now() // it is told how long reachyd has run: since now, not since somebody asked first
	a := &rest.API{
		Commander: d.commands, Events: d.events, Changed: d.robot.Changed, Follow: d.robot.Follow, Version: Version, Beside: openai.Paths(),
		State:     func() []byte { return payload.State(d.robot.State()) },
		Telemetry: func() []byte { return payload.Telemetry(d.robot.Telemetry(), self.now()) },
		Health: func() api.Health {
			s := d.robot.State()
			h := api.Health{Status: "ok", Mode: string(s.Mode), EStop: s.EStop, Version: Version}
			if s.Mode == hal.ModeOffline || len(s.Faults) > 0 {
				h.Status = "faulty"
			}
			return h
		},
		Senses: d.commands.Senses, Tools: d.caller.List,
	}
	if d.sense != nil {
		a.Hearing, a.Frame = d.sense, d.sense.Frame
	}
	return a
}

// webParts are what is served beside the robot's own interface.
func (d *Daemon) webParts(a *rest.API) []http.Part {
	chat := &openai.Gateway{Commander: a, Senses: a.Senses, Events: d.events, Started: time.Now()}
	if d.model != nil {
		chat.Model = d.model
	}
	return []http.Part{web.Page{}, chat, &mcp.Gateway{Commander: a, Tools: d.caller.List, Version: Version}}
}

// ownUse is what reachyd uses, measured at most once a second however many ask.
type ownUse struct {
	mu    sync.Mutex
	meter payload.Meter
	last  payload.Process
	at    time.Time
}

func (u *ownUse) now() payload.Process {
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); now.Sub(u.at) > time.Second {
		u.last, u.at = u.meter.Sample(now), now
	}
	return u.last
}

// hostNames are the names under which a browser may know this host.
func (d *Daemon) hostNames() []string {
	names := append([]string{"reachy-mini.local"}, d.Config.HTTP.Hosts...)
	if name, err := os.Hostname(); err == nil {
		names = append(names, name, name+".local")
	}
	for i, n := range names {
		names[i] = strings.ToLower(n)
	}
	return names
}

// certificate is what the web server shows to those who come from elsewhere.
func (d *Daemon) certificate() (*tls.Config, error) {
	var own tls.Certificate
	var err error
	if files := d.Config.HTTP.TLS; files.Cert != "" {
		own, err = tls.LoadX509KeyPair(files.Cert, files.Key)
	} else {
		name, _ := os.Hostname() // without one localhost and the addresses have to do
		own, err = access.Certificate(filepath.Join(d.Config.DataDir, "tls"), name, time.Now())
	}
	if err != nil {
		return nil, err
	}
	d.Log.Info().Str("sha256", access.Fingerprint(own)).Msg("the certificate of the web server")
	return &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

// announce tells the local network of the web server, when others than this host can come to it.
func (d *Daemon) announce(addr string) {
	c := d.Config
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !c.HTTP.Outside() || !c.HTTP.Announce {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		d.Log.Warn().Err(err).Msg("this host has no name: the local network is not told of the robot")
		return
	}
	host, _, _ = strings.Cut(host, ".")
	services := []mdns.Service{{Type: "_http._tcp", Port: at.Port(), Text: []string{"path=/", "tls=1"}}}
	if c.SDK.Enabled { // as the official daemon tells of itself
		capabilities := []string{"motion"}
		if d.sense != nil {
			capabilities = append(capabilities, "camera", "mic", "speaker")
		}
		services = append(services, mdns.Service{Type: "_reachy-mini._tcp", Port: at.Port(), Text: []string{
			"version=" + Version, "robot_name=" + c.Robot.Name, "ws_path=/ws/sdk", "address=" + host + ".local", "model=reachy-mini",
			"manufacturer=Pollen Robotics", "caps=" + strings.Join(capabilities, ","), "api=rest+ws", "unit_id=" + c.Robot.ID, "daemon=reachyd", "tls=1",
		}})
	}
	r := &mdns.Responder{Name: c.Robot.Name, Host: host, Services: services, Log: d.Log}
	d.parts.run("mdns", r.Run)
}
