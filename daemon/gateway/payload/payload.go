// Package payload writes the robot's state and telemetry as package api has them: JSON in degrees, metres and seconds.
package payload

import (
	"encoding/json"
	"math"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
)

const deg = 180 / math.Pi

func degrees(rad float64) api.Number { return api.Rounded(rad*deg, 3) }
func metres(m float64) api.Number    { return api.Rounded(m, 5) }

// State returns the payload of the topic state: degrees for head, body and antennas, radians for the nine joints.
func State(s hal.State) []byte {
	out := api.State{
		TS: api.Time(s.TS), Mode: string(s.Mode), Torque: s.Torque.Names(),
		Moving: s.Moving, Move: s.Move, MoveName: s.MoveName, Queued: s.Queued,
		Head: api.Head{
			X: metres(s.Head.X), Y: metres(s.Head.Y), Z: metres(s.Head.Z),
			Roll: degrees(s.Head.Roll), Pitch: degrees(s.Head.Pitch), Yaw: degrees(s.Head.Yaw),
		},
		BodyYaw:  degrees(s.BodyYaw),
		Antennas: api.Antennas{Left: degrees(s.Antennas.Left), Right: degrees(s.Antennas.Right)},
		EStop:    s.EStop, EStopReason: s.EStopReason, EStopBy: s.EStopBy, Faults: make([]api.StateFault, len(s.Faults)),
	}
	if out.Torque == nil {
		out.Torque = []string{}
	}
	for i, q := range s.Joints {
		out.Joints[i] = api.Rounded(q, 5)
	}
	for i, f := range s.Faults {
		out.Faults[i] = api.StateFault{Name: string(f.Name), Joint: f.Joint, Detail: f.Detail, Since: api.Time(f.Since)}
	}
	return encode(out)
}

func process(p Process) api.Process {
	return api.Process{RSSBytes: p.RSSBytes, CPUPercent: api.Rounded(p.CPUPercent, 1), UptimeS: api.Rounded(p.UptimeS, 0), Started: api.Time(p.Started)}
}

// Telemetry returns the payload of the topic telemetry; self is what reachyd itself uses.
func Telemetry(t hal.Telemetry, self Process) []byte {
	out := api.Telemetry{
		TS: api.Time(t.TS), LoopHz: api.Rounded(t.LoopHz, 2),
		JitterP50: api.Rounded(t.JitterP50, 1), JitterP99: api.Rounded(t.JitterP99, 1), JitterMax: api.Rounded(t.JitterMax, 1),
		Ticks: t.Ticks, Missed: t.Missed, Realtime: t.Realtime, Bus: api.BusCounters(t.Bus), Servos: make([]api.Servo, len(t.Servos)),
		Process: process(Process{RSSBytes: t.RSSBytes, CPUPercent: t.CPUPercent, UptimeS: t.UptimeS}), Daemon: process(self),
	}
	if m := t.Motion; m != nil {
		out.Motion = &api.Motion{Tilt: degrees(m.Tilt), Posture: m.Posture}
		for i := range m.Accel {
			out.Motion.Acceleration[i], out.Motion.Turn[i] = api.Rounded(m.Accel[i], 3), degrees(m.Turn[i])
		}
	}
	if t.Link != nil {
		out.Network = new(Network(*t.Link))
	}
	for i, s := range t.Servos {
		v, c := api.Rounded(s.Voltage, 2), api.Rounded(s.Temperature, 1)
		out.Servos[i] = api.Servo{
			Joint: s.Joint, Voltage: v, Temperature: c, Current: api.Rounded(s.Current, 0), HardwareError: s.HardwareError, Present: s.Present,
		}
		if !s.Present {
			continue
		}
		if out.Voltage == nil || v < *out.Voltage {
			out.Voltage = &v
		}
		if out.TemperatureMax == nil || c > *out.TemperatureMax {
			out.TemperatureMax = &c
		}
	}
	return encode(out)
}

// Network is a connection as others see it.
func Network(l hal.Link) api.Network {
	n := api.Network{Address: l.Address, Connected: l.Address != "", Interface: l.Interface, Wireless: l.Wireless, Name: l.Name}
	if l.Signal != 0 {
		n.Signal = new(api.Rounded(l.Signal, 0))
	}
	return n
}

// encode cannot fail: there is nothing in the two structs that JSON does not know, and Number takes care of itself.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("payload: " + err.Error())
	}
	return data
}
