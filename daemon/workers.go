package daemon

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/worker"
)

// Names of the workers' sockets in the run directory; reachyctl looks for them there.
const (
	bodyName  = "body"
	simName   = "sim"
	senseName = "sense"
	busName   = "bus"
)

const (
	// parkGrace is how long the body may take to lay the robot down before it is killed.
	parkGrace = 15 * time.Second
	// bodyPatience is how long the body may take for one answer, of which it may miss three.
	bodyPatience = 500 * time.Millisecond
	// hangGrace is how long a worker that does not answer may take to end before it is killed.
	hangGrace = 250 * time.Millisecond
	// bodyLinger, senseLinger and simOrphaned end workers that nobody came back for: nothing stays behind a reachyd that was killed.
	bodyLinger  = time.Minute
	senseLinger = 15 * time.Second
	simOrphaned = time.Minute
	learnLinger = 30 * time.Second
	// learnPatience is how long the trainer may take for one answer: it only has the processor time that nobody else wants.
	learnPatience = 10 * time.Second
)

// newSimWorker returns the simulated robot on the other end of the bus.
func (d *Daemon) newSimWorker() *worker.Worker {
	c := d.Config
	return &worker.Worker{
		Name: simName, Program: "reachy-sim", Dir: c.Programs.Dir, Socket: c.Socket(simName), Log: d.Log,
		Args: []string{
			"--bus", d.busSpec(), "--http", c.Socket(simName), "--model", c.Sim.Model, "--scene", c.Sim.Scene,
			"--quiet-exit-when-orphaned", (bodyLinger + simOrphaned + c.Body.ParkAfter).String(),
		},
		OnNews: func(kind, message string) { d.events.Publish("", api.Simulation{Kind: kind, Detail: message}) },
	}
}

// newBodyWorker returns what owns the servos.
func (d *Daemon) newBodyWorker() *worker.Worker {
	c := d.Config
	port := c.Body.Port
	if c.Simulated() {
		port = d.busSpec()
	}
	if port == "" {
		port = "auto"
	}
	return &worker.Worker{
		Name: bodyName, Program: programs[bodyName], Dir: c.Programs.Dir, Socket: c.Socket(bodyName), Log: d.Log,
		Args: []string{
			"--port", port, "--socket", c.Socket(bodyName),
			"--rate", strconv.Itoa(c.Body.Rate),
			"--max-speed", strconv.FormatFloat(c.Body.MaxSpeed, 'g', -1, 64),
			"--lease", c.Body.OwnerTimeout.String(),
			"--owner-timeout", c.Body.ParkAfter.String(),
			"--linger", bodyLinger.String(),
			"--bus-watchdog", c.Body.ServoWatchdog.String(),
			"--power-key", c.PressedKey(), "--power-off", filepath.Join(c.RunDir, "power-off"),
			"--log-level", c.Log.Level,
		},
		Unit: d.unit(bodyName), Grace: parkGrace,
		// One that hangs is replaced within three seconds: it will not park the robot anyway, and until then the servos' own
		// watchdog holds them.
		HealthTimeout: bodyPatience, HangGrace: hangGrace,
	}
}

// newSenseWorker returns what hears, speaks and sees.
func (d *Daemon) newSenseWorker() *worker.Worker {
	c := d.Config
	args := []string{
		"--socket", c.Socket(senseName), "--body-socket", c.Socket(bodyName),
		"--models", c.ModelsDir(), "--speech", c.Sense.Speech, "--untuned=" + strconv.FormatBool(!c.Sense.Tuned), "--photos", c.PhotosDir(),
		"--microphone", c.Sense.Microphone, "--speaker", c.Sense.Speaker, "--camera", c.Sense.Camera,
		"--language", c.Sense.Language, "--wake-phrase", c.Sense.WakePhrase, "--faces=" + strconv.FormatBool(c.Sense.Faces),
		"--voice", c.Sense.Voice, "--volume", strconv.Itoa(c.Sense.Volume),
		"--linger", senseLinger.String(), "--log-level", c.Log.Level,
	}
	if c.Simulated() {
		args = append(args, "--sim-socket", c.Socket(simName))
	}
	return &worker.Worker{
		Name: senseName, Program: programs[senseName], Dir: c.Programs.Dir, Socket: c.Socket(senseName), Log: d.Log, Args: args, Expendable: true,
		Unit: d.unit(senseName),
		// Back within two seconds, also when it hangs in a library: it has nothing to tidy up that could not be lost.
		// At work on a busy machine, a recording in its ears, it may be silent for ten seconds.
		HealthTimeout: 350 * time.Millisecond, Misses: 3, BusyMisses: 30, Grace: 200 * time.Millisecond,
	}
}

// programs are those of the workers that may be units of their own, where one needs devices and no network, the other way round than reachyd.
var programs = map[string]string{bodyName: "reachy-body", senseName: "reachy-sense"}

// unit names the unit of a worker; "" where reachyd starts it itself.
func (d *Daemon) unit(name string) string {
	if !d.Config.Programs.Units {
		return ""
	}
	return "reachyd-" + name + ".service"
}

// ExecWorker becomes the program of a worker, as the reachyd that owns the run directory wants it; it waits for that reachyd. This is
// what a worker's unit runs.
func ExecWorker(ctx context.Context, c *config.Config, name string) error {
	program, known := programs[name]
	if !known {
		return fmt.Errorf("worker %q: allowed are %s", name, strings.Join(slices.Sorted(maps.Keys(programs)), " and "))
	}
	w := worker.Worker{Program: program, Dir: c.Programs.Dir, Socket: c.Socket(name)}
	return w.Exec(ctx)
}

// busSpec is the servo bus of the simulated robot.
func (d *Daemon) busSpec() string { return "unix:" + d.Config.Socket(busName) }
