package main

import (
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/program"
)

// options are the settings of the program.
type options struct {
	port, socket string
	rate         float64
	maxSpeed     float64
	lease        time.Duration
	ownerTimeout time.Duration
	linger       time.Duration
	parkOnExit   bool
	watchdog     time.Duration
	powerWait    time.Duration
	powerKey     string
	powerOff     string
	priority     int
	logLevel     zerolog.Level
	bench        time.Duration
	json         bool
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	f := program.Flags("reachy-body", stderr)
	f.StringVar(&o.port, "port", "auto", "servo bus: auto, /dev/…, unix:PATH or pty:PATH")
	f.StringVar(&o.socket, "socket", program.DefaultSocket("reachy-body"), "unix socket to serve on")
	f.Float64Var(&o.rate, "rate", 100, "ticks of the control loop a second, 20…200")
	f.Float64Var(&o.maxSpeed, "max-speed", 1, "scale of the joints' speed limits, 0.05…1")
	f.DurationVar(&o.lease, "lease", 2*time.Second, "silence after which a stream of targets loses the robot")
	f.DurationVar(&o.ownerTimeout, "owner-timeout", 10*time.Second, "park when no owner has watched for so long; 0 is never (to run it by hand)")
	f.DurationVar(&o.linger, "linger", time.Minute, "exit when no owner has come for so long after that; 0 is never")
	f.BoolVar(&o.parkOnExit, "park-on-exit", true, "lay the robot down and switch its torque off before exiting on SIGTERM")
	f.DurationVar(&o.watchdog, "bus-watchdog", 0, "servos stop by themselves when the host is silent for so long, at most 2.54s; 0 is never")
	f.DurationVar(&o.powerWait, "power-wait", 30*time.Second, "how long start-up waits for the servos' supply")
	f.StringVar(&o.powerKey, "power-key", "off", "what the host's power key does: off, sleep (lie down), power_off (then write -power-off)")
	f.StringVar(&o.powerOff, "power-off", "", "file that is written to have the host powered off")
	f.IntVar(&o.priority, "priority", 50, "real-time priority 1…98 when permitted; 0 is none")
	program.LogLevel(f, &o.logLevel)
	f.DurationVar(&o.bench, "bench", 0, "move the robot for so long, print how the loop kept its time, and exit")
	f.BoolVar(&o.json, "json", false, "print the result of -bench as JSON")
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	return o, o.check()
}

func (o *options) check() error {
	switch {
	case !(o.rate >= 20 && o.rate <= 200):
		return fmt.Errorf("-rate is %g; allowed is 20…200", o.rate)
	case !(o.maxSpeed >= 0.05 && o.maxSpeed <= 1):
		return fmt.Errorf("-max-speed is %g; allowed is 0.05…1", o.maxSpeed)
	case o.priority < 0 || o.priority > 98:
		return fmt.Errorf("-priority is %d; allowed is 0…98", o.priority)
	case o.powerKey != keyOff && o.powerKey != keySleep && o.powerKey != keyPowerOff:
		return fmt.Errorf("-power-key is %q; allowed are %s, %s, %s", o.powerKey, keyOff, keySleep, keyPowerOff)
	case o.powerKey == keyPowerOff && o.powerOff == "":
		return fmt.Errorf("-power-key is %s, and -power-off names no file", keyPowerOff)
	case o.lease < 100*time.Millisecond || o.lease > time.Minute:
		return fmt.Errorf("-lease is %v; allowed is 100ms…1m", o.lease)
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"owner-timeout", o.ownerTimeout},
		{"linger", o.linger},
		{"bus-watchdog", o.watchdog},
		{"power-wait", o.powerWait},
		{"bench", o.bench},
	} {
		if d.value < 0 {
			return fmt.Errorf("-%s is %v; it must not be negative", d.name, d.value)
		}
	}
	return nil
}
