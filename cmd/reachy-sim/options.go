package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal/mujoco"
)

// The models of the robot.
const (
	modelAuto   = "auto"
	modelMuJoCo = "mujoco"
	modelSimple = "simple"
)

// options are the settings of the program.
type options struct {
	bus, pty, http string
	model          string
	scene          mujoco.Scene
	realtime       float64
	step           bool
	wireTime       bool
	orphaned       time.Duration
}

const helpText = `reachy-sim is a simulated Reachy Mini. It takes the place of the robot on the servo bus; whatever drives the robot drives it.

  reachy-sim --bus unix:/tmp/bus.sock --http /tmp/sim.sock      for reachyd and reachy-body
  reachy-sim --pty /tmp/ttyReachy                               for any Dynamixel client, as a serial port

Flags:
`

const helpEnd = `
HTTP on the unix socket given with --http (curl --unix-socket PATH http://sim/state):
  GET    /healthz                              {"pid":…}
  GET    /state                                true head pose, joints, objects, contacts, time, flips
  GET    /frame.jpg  /frame.png  /frame.rgba   ?camera=eye_camera|studio_close&width=640&height=480
  GET    /stream.mjpg                          the same with &fps=15, until the client leaves
  POST   /step     {"n":100}                   simulate n ticks of 10 ms (with --step only)
  POST   /reset                                everything back to its beginning, torque off
  POST   /objects  {"name":"apple","position":[0.5,0,0.05],"quaternion":[1,0,0,0]}
  POST   /arrange  {"seed":7}                  the things on the table at random places
  GET    /faults                               what is switched on
  PUT    /faults   {"drop":0.01,"corrupt":0.01,"duplicate":0.01,"foreign":0.01,"delay_ms":5,"mute":["stewart_1"],
                    "overload":["left_antenna"],"overheat":["body_rotation"],"voltage":4.0,"unplug":true}
  DELETE /faults                               healthy again; what servos have latched stays until they are rebooted
`

func parseOptions(args []string, stdout io.Writer) (*options, error) {
	o := &options{}
	var scene string
	f := program.Flags("reachy-sim", io.Discard) // errors are said by run, once
	f.StringVar(&o.bus, "bus", "", "offer the servo bus as a unix socket at `unix:PATH`, for one client at a time")
	f.StringVar(&o.pty, "pty", "", "offer the servo bus as a pseudo-terminal with a symbolic link at `PATH`")
	f.StringVar(&o.http, "http", "", "serve HTTP on a unix socket at `PATH`")
	f.StringVar(&o.model, "model", modelAuto, "what moves the joints: mujoco, simple, or auto: mujoco if this program contains it")
	f.StringVar(&scene, "scene", string(mujoco.Table), "what stands around the robot (mujoco): table or empty")
	f.Float64Var(&o.realtime, "realtime", 1, "simulated seconds a second, 0.01…100")
	f.BoolVar(&o.step, "step", false, "simulate nothing but what POST /step asks for")
	f.BoolVar(&o.wireTime, "wire-time", false, "answer only when the bytes would be over a wire of 1 Mbit/s")
	f.DurationVar(&o.orphaned, "quiet-exit-when-orphaned", 0, "exit when no bus client has been connected for so `long`; 0 is never")
	err := program.Parse(f, args)
	if err == flag.ErrHelp { //nolint:errorlint // returned as it is
		f.SetOutput(stdout)
		fmt.Fprint(stdout, helpText) //nolint:errcheck // nowhere else to say it
		f.PrintDefaults()
		fmt.Fprint(stdout, helpEnd) //nolint:errcheck // nowhere else to say it
	}
	if err != nil {
		return nil, err
	}
	if o.scene, err = mujoco.ParseScene(scene); err != nil {
		return nil, fmt.Errorf("--scene: %w", err)
	}
	return o, o.check()
}

func (o *options) check() error {
	if o.bus != "" {
		path, ok := strings.CutPrefix(o.bus, "unix:")
		if !ok || path == "" {
			return fmt.Errorf("--bus is %q; allowed is unix:PATH", o.bus)
		}
		o.bus = path
	}
	switch {
	case o.bus == "" && o.pty == "":
		return fmt.Errorf("there is no bus: give --bus unix:PATH or --pty PATH (see --help)")
	case !(o.realtime >= 0.01 && o.realtime <= 100) || math.IsNaN(o.realtime):
		return fmt.Errorf("--realtime is %g; allowed is 0.01…100", o.realtime)
	case o.step && o.http == "":
		return fmt.Errorf("--step needs --http PATH, where the steps are asked for")
	case o.orphaned < 0:
		return fmt.Errorf("--quiet-exit-when-orphaned is %v; it must not be negative", o.orphaned)
	}
	switch o.model {
	case modelMuJoCo, modelSimple:
	case modelAuto:
		o.model = modelSimple
		if mujoco.Built {
			o.model = modelMuJoCo
		}
	default:
		return fmt.Errorf("--model is %q; allowed are mujoco, simple and auto", o.model)
	}
	return nil
}
