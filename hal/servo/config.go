package servo

import (
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// Config is how a servo must be configured. Positions are in ticks of 1/4096 turn; 2048 is 0 rad.
type Config struct {
	Model       uint16 // only reported when it differs
	ReturnDelay byte   // 2 µs
	Mode        byte
	Homing      int32 // ticks
	Min, Max    uint32
	Shutdown    dxl.HardwareError // errors that switch the torque off
	P, I, D     uint16
}

// ReachyMini is the configuration of the robot's servos.
func ReachyMini() [hal.NumJoints]Config {
	const shutdown = dxl.HardwareOverheat | dxl.HardwareElectrical | dxl.HardwareOverload
	arm := func(homing int32, lo, hi uint32) Config {
		return Config{Model: dxl.ModelXL330M288, Mode: dxl.ModePosition, Homing: homing, Min: lo, Max: hi, Shutdown: shutdown, P: 300}
	}
	free := func(model uint16) Config {
		return Config{Model: model, Mode: dxl.ModePosition, Max: ticksPerTurn - 1, Shutdown: shutdown, P: 200}
	}
	return [hal.NumJoints]Config{
		hal.BodyYaw:      free(dxl.ModelXC330M288),
		hal.Stewart1:     arm(+1024, 1502, 2958),
		hal.Stewart2:     arm(-1024, 1138, 2844),
		hal.Stewart3:     arm(+1024, 1502, 2958),
		hal.Stewart4:     arm(-1024, 1138, 2594),
		hal.Stewart5:     arm(+1024, 1252, 2958),
		hal.Stewart6:     arm(-1024, 1138, 2594),
		hal.RightAntenna: free(dxl.ModelXL330M077),
		hal.LeftAntenna:  free(dxl.ModelXL330M077),
	}
}

// Options say how to open and run the robot. The zero value of a field means its default; only Port is needed.
type Options struct {
	Port   string                 // as in dynamixel.Open
	Config *[hal.NumJoints]Config // nil is ReachyMini

	// CycleTime is what one Cycle may take; 8 ms. SlowTime is what its slow step may take of that; 2 ms.
	CycleTime, SlowTime time.Duration
	// TorqueTime is what SetTorque may take; 60 ms. On a healthy line it takes 7 ms for on and 2 ms for off; the rest is for a
	// simulation on a busy host. While it lasts the joints hold their goals.
	TorqueTime time.Duration
	// AnswerTime is how long start-up waits for one answer, four times; 20 ms.
	AnswerTime time.Duration
	// Silence is how long nobody may answer before the bus counts as lost; 500 ms. The times of AnswerTime, TorqueTime and Silence
	// are longer by default on a socket ("unix:"), behind which a simulation waits for its turn on a busy host: one that has ended
	// breaks the connection, which is noticed at once.
	Silence time.Duration
	// FirstWait is for how long a patient Open's robot may not be found before that is a fault; none, but 2 s on a socket, whose
	// simulation starts at the same time.
	FirstWait time.Duration
	// Misses is how many cycles in a row one servo may stay silent while others answer; 5.
	Misses int

	// Start-up waits PowerWait (30 s) for a supply of MinVoltage (4.5 V) at every servo. Below it, and above
	// MaxVoltage (7.8 V), there is a voltage fault.
	MinVoltage, MaxVoltage float64
	PowerWait              time.Duration
	// WarmAt is the temperature in °C from which there is an overheat fault; 65. The servos switch off at 70.
	WarmAt float64

	// CatchUp is how fast, in rad/s, a joint that comes back approaches its goal; 1.
	CatchUp float64
	// Retorque is how long the bus may have been lost for torque to be switched on again where a servo lost it; 10 s.
	Retorque time.Duration
	// RebootAfter is the pause before a servo that has shut itself down is rebooted; 2 s, doubling to a minute when it
	// shuts down again. Negative is never.
	RebootAfter time.Duration
	// Watchdog makes the servos stop where they are, torque on, when they hear nothing for so long: at most 2.54 s, in
	// steps of 20 ms. 0 switches it off.
	Watchdog time.Duration

	// MendUnderTorque switches the torque of a wrongly configured servo off to mend it. Otherwise a servo that is found
	// with torque on keeps it, and its configuration, and there is a config fault.
	MendUnderTorque bool
	// Inspect makes start-up look and write nothing: what differs is told as wrong.
	Inspect bool
	// Patient makes Open succeed without a robot: the bus counts as lost and is looked for.
	Patient bool

	// Now is the clock of faults and pauses; nil is time.Now.
	Now func() time.Time
}

// maxWatchdog is the largest value of the bus watchdog.
const maxWatchdog = 127 * watchdogUnit

const watchdogUnit = 20 * time.Millisecond

// complete fills the defaults in and checks the rest.
func (o Options) complete() (Options, error) {
	if o.Config == nil {
		c := ReachyMini()
		o.Config = &c
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Misses == 0 {
		o.Misses = 5
	}
	answer, torque, silence, first := 20*time.Millisecond, 60*time.Millisecond, 500*time.Millisecond, time.Duration(0)
	if strings.HasPrefix(o.Port, "unix:") {
		answer, torque, silence, first = 250*time.Millisecond, time.Second, 10*time.Second, 2*time.Second
	}
	for _, d := range []struct {
		name string
		v    *time.Duration
		def  time.Duration
	}{
		{"CycleTime", &o.CycleTime, 8 * time.Millisecond},
		{"SlowTime", &o.SlowTime, 2 * time.Millisecond},
		{"TorqueTime", &o.TorqueTime, torque},
		{"AnswerTime", &o.AnswerTime, answer},
		{"Silence", &o.Silence, silence},
		{"FirstWait", &o.FirstWait, first},
		{"PowerWait", &o.PowerWait, 30 * time.Second},
		{"Retorque", &o.Retorque, 10 * time.Second},
	} {
		if *d.v < 0 {
			return o, fmt.Errorf("servo option %s = %v: must not be negative", d.name, *d.v)
		}
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	for _, f := range []struct {
		name string
		v    *float64
		def  float64
	}{
		{"MinVoltage", &o.MinVoltage, 4.5},
		{"MaxVoltage", &o.MaxVoltage, 7.8},
		{"WarmAt", &o.WarmAt, 65},
		{"CatchUp", &o.CatchUp, 1},
	} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if !(*f.v > 0 && *f.v < 1000) {
			return o, fmt.Errorf("servo option %s = %v: must be a positive number below 1000", f.name, *f.v)
		}
	}
	if o.RebootAfter == 0 {
		o.RebootAfter = 2 * time.Second
	}
	if o.Watchdog < 0 || o.Watchdog > maxWatchdog {
		return o, fmt.Errorf("servo option Watchdog = %v: allowed is 0…%v", o.Watchdog, maxWatchdog)
	}
	if o.Misses < 1 {
		return o, fmt.Errorf("servo option Misses = %d: must be at least 1", o.Misses)
	}
	return o, nil
}

// watchdog is the value for the servo, rounded up so that the option is never undercut.
func (o *Options) watchdog() byte { return byte((o.Watchdog + watchdogUnit - 1) / watchdogUnit) }
