package servo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// Report is what start-up found and did.
type Report struct {
	Port    string               `json:"port"`
	Warning string               `json:"warning,omitempty"` // about the port
	Fast    bool                 `json:"fast"`              // fast sync read works
	Servos  [hal.NumJoints]Found `json:"servos"`
}

// Found is what start-up found at one servo. All but Joint is empty when it is not Present.
type Found struct {
	Joint         string            `json:"joint"`
	Present       bool              `json:"present"`
	Model         uint16            `json:"model"`
	Firmware      byte              `json:"firmware"`
	Voltage       float64           `json:"v"`
	Temperature   float64           `json:"c"`
	HardwareError dxl.HardwareError `json:"hw_error"`
	Rebooted      bool              `json:"rebooted"` // to clear an error
	Torque        bool              `json:"torque"`   // as found
	Goal          float64           `json:"goal"`     // rad, as found; the present position when torque is off
	Position      float64           `json:"position"` // rad
	Mended        []string          `json:"mended,omitempty"`
	Weak          []string          `json:"weak,omitempty"`  // limits that are lower than the maker's; they stay
	Wrong         []string          `json:"wrong,omitempty"` // what differs from the configuration and could not be mended
}

// told is what a person must know of the servo's configuration, "" when nothing.
func (f *Found) told() string { return strings.Join(slices.Concat(f.Wrong, f.Weak), "; ") }

// Present is the set of joints that answered.
func (r *Report) Present() (m hal.JointMask) {
	for j := range r.Servos {
		if r.Servos[j].Present {
			m = m.With(hal.Joint(j))
		}
	}
	return m
}

// String is a table for people.
func (r *Report) String() string {
	var b strings.Builder
	read := "classical"
	if r.Fast {
		read = "fast"
	}
	fmt.Fprintf(&b, "port %s, %s sync read\n", r.Port, read)
	if r.Warning != "" {
		fmt.Fprintf(&b, "warning: %s\n", r.Warning)
	}
	for j := range r.Servos {
		s := &r.Servos[j]
		if !s.Present {
			fmt.Fprintf(&b, "%2d %-13s does not answer\n", hal.Joint(j).ServoID(), s.Joint)
			continue
		}
		torque := "off"
		if s.Torque {
			torque = "on"
		}
		fmt.Fprintf(&b, "%2d %-13s model %d firmware %d  %.1f V %.0f °C  torque %-3s at %+.3f rad, goal %+.3f",
			hal.Joint(j).ServoID(), s.Joint, s.Model, s.Firmware, s.Voltage, s.Temperature, torque, s.Position, s.Goal)
		if s.HardwareError != 0 {
			fmt.Fprintf(&b, ", error %#02x", byte(s.HardwareError))
		}
		if s.Rebooted {
			b.WriteString(", rebooted")
		}
		for _, m := range s.Mended {
			b.WriteString(", mended " + m)
		}
		for _, w := range s.Weak {
			b.WriteString(", WEAK " + w)
		}
		for _, w := range s.Wrong {
			b.WriteString(", WRONG " + w)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
