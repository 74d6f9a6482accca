package virtual

import (
	"fmt"
	"math"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// NominalVoltage is what the servos measure on a healthy supply.
const NominalVoltage = 7.0

// MaxDelay is the longest delay fault, in milliseconds.
const MaxDelay = 500

// Faults are the faults that are switched on. The zero value is a healthy robot. Joints are named as in hal.
type Faults struct {
	// Chances per packet, 0…1, in both directions for Drop and Corrupt, of the servos' answers for the others.
	Drop      float64 `json:"drop,omitempty"`      // the packet is lost
	Corrupt   float64 `json:"corrupt,omitempty"`   // one bit of it flips
	Duplicate float64 `json:"duplicate,omitempty"` // it arrives twice
	Foreign   float64 `json:"foreign,omitempty"`   // a well-formed packet of something else comes before it
	// DelayMS is how much later the answers come, milliseconds, 0…500.
	DelayMS float64 `json:"delay_ms,omitempty"`

	Mute     []string `json:"mute,omitempty"`     // these neither hear nor speak; they hold what they hold
	Overload []string `json:"overload,omitempty"` // these latch an overload
	Overheat []string `json:"overheat,omitempty"` // these measure 85 °C and latch it
	// Voltage of the supply, V, 0…15; absent is healthy. Below 3.5 V the servos are off and start anew when it is back.
	Voltage *float64 `json:"voltage,omitempty"`
	// Unplug takes the line away: connections close and new ones fail. The servos keep their power.
	Unplug bool `json:"unplug,omitempty"`
}

// Validate names the first field that is wrong.
func (f *Faults) Validate() error {
	chances := [...]struct {
		name string
		v    float64
	}{{"drop", f.Drop}, {"corrupt", f.Corrupt}, {"duplicate", f.Duplicate}, {"foreign", f.Foreign}}
	for _, c := range chances {
		if !(c.v >= 0 && c.v <= 1) {
			return fmt.Errorf("fault %s = %v: allowed is a chance of 0…1", c.name, c.v)
		}
	}
	if !(f.DelayMS >= 0 && f.DelayMS <= MaxDelay) {
		return fmt.Errorf("fault delay_ms = %v: allowed is 0…%d", f.DelayMS, MaxDelay)
	}
	if f.Voltage != nil && !(*f.Voltage >= 0 && *f.Voltage <= 15) {
		return fmt.Errorf("fault voltage = %v: allowed is 0…15", *f.Voltage)
	}
	for _, joints := range [...]struct {
		name string
		v    []string
	}{{"mute", f.Mute}, {"overload", f.Overload}, {"overheat", f.Overheat}} {
		if _, err := mask(joints.v); err != nil {
			return fmt.Errorf("fault %s: %w", joints.name, err)
		}
	}
	return nil
}

func mask(names []string) (m hal.JointMask, err error) {
	for _, n := range names {
		j, err := hal.ParseJoint(n)
		if err != nil {
			return 0, err
		}
		m = m.With(j)
	}
	return m, nil
}

// active is Faults made ready for use.
type active struct {
	Faults
	mute, overload, overheat hal.JointMask
	volts                    float64
}

func activate(f Faults) (active, error) {
	if err := f.Validate(); err != nil {
		return active{}, err
	}
	a := active{Faults: f, volts: NominalVoltage}
	if f.Voltage != nil {
		a.volts = *f.Voltage
	}
	a.mute, _ = mask(f.Mute)
	a.overload, _ = mask(f.Overload)
	a.overheat, _ = mask(f.Overheat)
	return a, nil
}

// suffer applies heat, load and voltage to one servo.
func (s *servo) suffer(a *active, bootTime float64) {
	switch {
	case a.volts < brownOut:
		s.dead = true
		s.put(dxl.AddrTorque, 0)
		return
	case s.dead:
		s.dead = false
		s.restart(bootTime)
	}
	s.put(dxl.AddrPresentVoltage, int64(math.Round(a.volts*10)))
	temp := int64(roomTemp)
	if a.overheat.Has(s.joint) {
		temp = overheated
	}
	s.put(dxl.AddrPresentTemp, temp)
	if s.boot > 0 {
		return
	}
	if v := s.get(dxl.AddrPresentVoltage); v > s.get(dxl.AddrVoltageMax) || v < s.get(dxl.AddrVoltageMin) {
		s.latch(dxl.HardwareVoltage)
	}
	if temp > s.get(dxl.AddrTemperatureMax) {
		s.latch(dxl.HardwareOverheat)
	}
	if a.overload.Has(s.joint) {
		s.latch(dxl.HardwareOverload)
	}
}
