// Package payload writes the robot's state and telemetry as the contract shows them: JSON in degrees, metres and seconds.
package payload

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/hal"
)

const deg = 180 / math.Pi

// number is a JSON number, or null for what JSON cannot express.
type number float64

// MarshalJSON writes the shortest digits that give the number back.
func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'f', -1, 64), nil
	}
	return []byte("null"), nil
}

// rounded cuts a measurement to digits after the point, so that no message is filled with noise.
func rounded(v float64, digits int) number {
	scale := math.Pow10(digits)
	if r := math.Round(v*scale) / scale; r != 0 { // and no -0
		return number(r)
	}
	return 0
}

func degrees(rad float64) number   { return rounded(rad*deg, 3) }
func metres(m float64) number      { return rounded(m, 5) }
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

type head struct {
	X     number `json:"x"`
	Y     number `json:"y"`
	Z     number `json:"z"`
	Roll  number `json:"roll"`
	Pitch number `json:"pitch"`
	Yaw   number `json:"yaw"`
}

type antennas struct {
	Left  number `json:"left"`
	Right number `json:"right"`
}

type fault struct {
	Name   hal.FaultName `json:"name"`
	Joint  string        `json:"joint,omitempty"`
	Detail string        `json:"detail"`
	Since  string        `json:"since"`
}

type state struct {
	TS          string                `json:"ts"`
	Mode        hal.Mode              `json:"mode"`
	Torque      []string              `json:"torque"` // joints under torque
	Moving      bool                  `json:"moving"`
	Move        string                `json:"move"`
	MoveName    string                `json:"move_name"`
	Queued      int                   `json:"queued"`
	Head        head                  `json:"head"`
	BodyYaw     number                `json:"body_yaw"`
	Antennas    antennas              `json:"antennas"`
	Joints      [hal.NumJoints]number `json:"joints"` // rad, bus order
	EStop       bool                  `json:"estop"`
	EStopReason string                `json:"estop_reason,omitempty"`
	Faults      []fault               `json:"faults"`
}

// State returns the payload of the topic state: degrees for head, body and antennas, radians for the nine joints.
func State(s hal.State) []byte {
	out := state{
		TS: timestamp(s.TS), Mode: s.Mode, Torque: s.Torque.Names(),
		Moving: s.Moving, Move: s.Move, MoveName: s.MoveName, Queued: s.Queued,
		Head: head{
			metres(s.Head.X), metres(s.Head.Y), metres(s.Head.Z),
			degrees(s.Head.Roll), degrees(s.Head.Pitch), degrees(s.Head.Yaw),
		},
		BodyYaw:  degrees(s.BodyYaw),
		Antennas: antennas{degrees(s.Antennas.Left), degrees(s.Antennas.Right)},
		EStop:    s.EStop, EStopReason: s.EStopReason, Faults: make([]fault, len(s.Faults)),
	}
	if out.Torque == nil {
		out.Torque = []string{}
	}
	for i, q := range s.Joints {
		out.Joints[i] = rounded(q, 5)
	}
	for i, f := range s.Faults {
		out.Faults[i] = fault{f.Name, f.Joint, f.Detail, timestamp(f.Since)}
	}
	return encode(out)
}

type servo struct {
	Joint         string `json:"joint"`
	Voltage       number `json:"v"`
	Temperature   number `json:"c"`
	Current       number `json:"ma"`
	HardwareError byte   `json:"hw_error"`
	Present       bool   `json:"present"`
}

type process struct {
	RSSBytes   int64  `json:"rss_bytes"`
	CPUPercent number `json:"cpu_percent"`
	UptimeS    number `json:"uptime_s"`
}

type telemetry struct {
	TS             string          `json:"ts"`
	LoopHz         number          `json:"loop_hz"`
	JitterP50      number          `json:"jitter_p50_us"`
	JitterP99      number          `json:"jitter_p99_us"`
	JitterMax      number          `json:"jitter_max_us"`
	Ticks          uint64          `json:"ticks"`
	Missed         uint64          `json:"missed_ticks"`
	Realtime       string          `json:"realtime"`
	Bus            hal.BusCounters `json:"bus"`
	Voltage        *number         `json:"voltage"`         // lowest of the present servos, V; null without any
	TemperatureMax *number         `json:"temperature_max"` // of the present servos, °C; null without any
	Servos         []servo         `json:"servos"`
	process                        // of reachy-body
	Daemon         process         `json:"daemon"` // of reachyd
}

// Telemetry returns the payload of the topic telemetry; self is what reachyd itself uses.
func Telemetry(t hal.Telemetry, self Process) []byte {
	out := telemetry{
		TS: timestamp(t.TS), LoopHz: rounded(t.LoopHz, 2),
		JitterP50: rounded(t.JitterP50, 1), JitterP99: rounded(t.JitterP99, 1), JitterMax: rounded(t.JitterMax, 1),
		Ticks: t.Ticks, Missed: t.Missed, Realtime: t.Realtime, Bus: t.Bus, Servos: make([]servo, len(t.Servos)),
		process: process{t.RSSBytes, rounded(t.CPUPercent, 1), rounded(t.UptimeS, 0)},
		Daemon:  process{self.RSSBytes, rounded(self.CPUPercent, 1), rounded(self.UptimeS, 0)},
	}
	for i, s := range t.Servos {
		v, c := rounded(s.Voltage, 2), rounded(s.Temperature, 1)
		out.Servos[i] = servo{s.Joint, v, c, rounded(s.Current, 0), s.HardwareError, s.Present}
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

// encode cannot fail: there is nothing in the two structs that JSON does not know, and number takes care of itself.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("wire: " + err.Error())
	}
	return data
}
