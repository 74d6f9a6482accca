package sdk

import (
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// Motor modes of the official daemon.
const (
	modeEnabled  = "enabled"
	modeDisabled = "disabled"
	modeGravity  = "gravity_compensation"
)

// daemonStatus is the official daemon's status. The SDK drops a status that lacks a key, and ignores one that it does not know.
type daemonStatus struct {
	Type       string         `json:"type"`
	Name       string         `json:"robot_name"`
	State      string         `json:"state"`
	Wireless   bool           `json:"wireless_version"`
	Desktop    bool           `json:"desktop_app_daemon"`
	Simulation bool           `json:"simulation_enabled"`
	Mockup     bool           `json:"mockup_sim_enabled"`
	NoMedia    bool           `json:"no_media"`
	Released   bool           `json:"media_released"`
	Camera     string         `json:"camera_specs_name"`
	Backend    *backendStatus `json:"backend_status"`
	Error      *string        `json:"error"`
	Address    *string        `json:"wlan_ip"`
	Version    *string        `json:"version"`
	Hardware   *string        `json:"hardware_id"`
	Face       faceTarget     `json:"face_target"`
	Ours       *ours          `json:"reachyd"`
}

type backendStatus struct {
	Ready     bool      `json:"ready"`
	Mode      string    `json:"motor_control_mode"`
	LastAlive *float64  `json:"last_alive"` // Unix time, s
	Loop      loopStats `json:"control_loop_stats"`
	Error     *string   `json:"error"`
}

type loopStats struct {
	Rate   float64 `json:"mean_control_loop_frequency"` // Hz
	Worst  float64 `json:"max_control_loop_interval"`   // s
	Missed uint64  `json:"nb_error"`
	Bus    string  `json:"motor_controller"`
}

// ours is what the status says beyond the official daemon's.
type ours struct {
	Version string `json:"version"`
	// Client is how this client is called, and Owner whose targets the robot follows.
	Client string `json:"client,omitempty"`
	Owner  string `json:"motion_owner,omitempty"`
	// Refused is why the newest of this client's messages had no effect; empty when it had.
	Refused string      `json:"refused,omitempty"`
	EStop   string      `json:"emergency_stop,omitempty"`
	Faults  []hal.Fault `json:"faults,omitempty"`
}

// motorMode says in the official daemon's words what the motors do.
func motorMode(s *hal.State) string {
	if s.Torque == 0 {
		return modeDisabled
	}
	return modeEnabled
}

// status says how all is; whoever must not wait for the face passes 0.
func (g *Gateway) status(wait time.Duration) daemonStatus {
	s, t := g.State(), g.Telemetry()
	out := daemonStatus{
		Type: "daemon_status", Name: g.Name, State: "running", Simulation: g.Simulated, NoMedia: !g.hasMedia, Face: g.face(wait), Hardware: g.hardwareID(),
	}
	if g.hasMedia {
		out.Camera = eyeName
	}
	online := s.Mode != hal.ModeOffline && s.Mode != ""
	b := &backendStatus{Ready: online, Mode: motorMode(&s)}
	b.Loop = loopStats{Rate: t.LoopHz, Missed: t.Missed, Bus: "reachy-body"}
	if t.LoopHz > 0 {
		b.Loop.Worst = 1/t.LoopHz + t.JitterMax/1e6
	}
	if !s.TS.IsZero() {
		alive := float64(s.TS.UnixNano()) / float64(time.Second)
		b.LastAlive = &alive
	}
	if !online {
		why := faultText(s.Faults)
		out.State, out.Error, b.Error = "error", &why, &why
	}
	out.Backend = b
	out.Ours = &ours{Version: g.Version, Faults: s.Faults}
	if s.EStop {
		out.Ours.EStop = "latched: " + s.EStopReason
	}
	g.mu.Lock()
	out.Ours.Owner, out.Released = g.owner, g.released
	g.mu.Unlock()
	return out
}

func faultText(faults []hal.Fault) string {
	list := make([]string, 0, len(faults))
	for _, f := range faults {
		list = append(list, f.Detail)
	}
	if len(list) == 0 {
		return "the servos do not answer"
	}
	return strings.Join(list, "; ")
}
