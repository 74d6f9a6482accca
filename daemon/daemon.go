// Package daemon builds reachyd from its parts, in the order in which they depend on each other, and ends it in the reverse order.
package daemon

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/connection"
	"github.com/reachyd/reachyd/daemon/demonstration"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/mqtt"
	"github.com/reachyd/reachyd/daemon/handling"
	"github.com/reachyd/reachyd/daemon/idle"
	"github.com/reachyd/reachyd/daemon/logbook"
	"github.com/reachyd/reachyd/daemon/metrics"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/daemon/sdnotify"
	"github.com/reachyd/reachyd/daemon/statecache"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/daemon/toolmanager"
	"github.com/reachyd/reachyd/daemon/training"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/learner/feedback"
	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/meaning"
)

// Version is set by the linker.
var Version = "development"

const (
	// endPatience is how long turns and events may take at the end.
	endPatience = 5 * time.Second
)

// Daemon is reachyd. Fill in the exported fields, then Run it once. The others are its parts, in the order in which they
// are opened; a part uses only those above it.
type Daemon struct {
	Config *config.Config
	Log    zerolog.Logger
	Lines  *logbook.Book // the latest lines of Log; nil: they are not kept
	Out    io.Writer     // where a person reads that it is ready, and how to talk to it

	parts stack // those that are open, and how they are closed

	// What must not be lost, and the stream of everything that happens.
	store  *store.Store
	events *event.Bus
	// settings are those in force, and those after a restart; Config stays as it was at the start.
	settings *config.Runtime
	meter    *metrics.Meter // what Prometheus is told of it

	// The robot: its body's process, and what is known of it.
	systemd    *sdnotify.Notifier
	bodyWorker *worker.Worker
	body       *body.Client
	sounding   *perception.Sounding // the body, whose moves are heard
	robot      *statecache.Cache
	handling   *handling.Guard   // of the motion sensor
	connection *connection.Watch // of the host

	// What people think of its doing, and what it has learned of that.
	tastes *preference.Learner
	book   *feedback.Book
	manner *manner // how it speaks
	routes *preference.Routes
	// learnsRoutes is whether routes is asked.
	learnsRoutes atomic.Bool
	// meaning says what sentences mean, nil when it is not on this machine.
	meaning *meaning.Lazy

	// The senses; nil when there are none, and why.
	sense   *client.Client
	senses  *perception.Service
	noSense string

	// What the robot can do, and who calls it.
	model    *llm.Client // nil: none is configured
	web      *websearch.Web
	registry *tool.Registry
	builtin  *perception.Registrar // of the robot's own tools
	ownTools map[string]bool       // their names
	caller   *coordinator.Caller

	// What understands people, and tools that they wrote.
	planner     *livePlanner
	userTools   *toolmanager.Manager // nil: they cannot be read
	coder       *coder.Coder         // nil: no tool can be written
	memories    *persist.Memories
	facts       *memory.Memories
	faces       *faces.Memory
	runtime     *runtime.Runtime
	archive     *persist.Archive
	coordinator *coordinator.Coordinator

	// The ways in and out.
	idleness  chan idle.Level    // a new level of what it does by itself
	calls     chan struct{}      // somebody has called it
	viewer    *perception.Viewer // nil: there is no camera
	commands  *command.Dispatcher
	trainer   *training.Service
	shown     *demonstration.Recorder
	broker    *mqtt.Broker                 // nil: another one is configured
	gateway   atomic.Pointer[mqtt.Gateway] // nil until it is open
	page      string                       // the address of the web server, or why there is none
	brokerURL string
}

// Run runs the robot until ctx ends; then it parks the robot and ends all workers. The error is nil when all went well.
func (d *Daemon) Run(ctx context.Context) (err error) {
	collectSparingly()
	defer func() { err = errors.Join(err, d.parts.close()) }()
	for _, open := range []func(context.Context) error{
		d.openRunDir,
		d.openStore,
		d.openEvents,
		d.openSettings,
		d.openBody,
		d.watchDisk,
		d.openSense,
		d.openModel,
		d.openWeb,
		d.openMeaning,
		d.openLearning,
		d.openVoice,
		d.openTools,
		d.openTraining,
		d.openUserTools,
		d.openCoder,
		d.openRuntime,
		d.openCoordinator,
		d.runSchedules,
		d.runSense,
		d.watchHandling,
		d.watchConnection,
		d.openCommands,
		d.openHTTP,
		d.openMQTT,
		d.runIdle,
	} {
		if err := open(ctx); err != nil {
			return err
		}
	}

	// Ready when the robot answers, not before.
	if err := d.awaitRobot(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	d.wake(ctx)
	d.systemd.Ready()
	d.greet()
	d.parts.run("memory", d.returnMemory)
	<-ctx.Done()
	d.systemd.Stopping()
	d.Log.Info().Msg("parking the robot and ending")
	return nil
}

// follow calls fn with every event of the types until the daemon ends. When more than buffer wait, the oldest are lost.
func (d *Daemon) follow(name string, buffer int, fn func(api.Event), types ...api.Type) {
	sub := d.events.Subscribe(name, buffer, types...)
	d.parts.run(name, func(ctx context.Context) error {
		defer sub.Close()
		for {
			select {
			case <-ctx.Done():
				return nil
			case e, ok := <-sub.Events():
				if !ok {
					return nil
				}
				fn(e)
			}
		}
	})
}

// failed returns what logs the errors of a part that nobody waits for.
func (d *Daemon) failed(part string) func(error) {
	return func(err error) { d.Log.Warn().Err(err).Msg(part) }
}

// withPatience ends a part that may take endPatience for it.
func withPatience(end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	return end(ctx)
}

var _ coordinator.Publisher = (*event.Bus)(nil)
