// Package daemon builds reachyd from its parts, in the order in which they depend on each other, and ends it in the reverse order.
package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/http"
	"github.com/reachyd/reachyd/daemon/gateway/payload"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/sdnotify"
	"github.com/reachyd/reachyd/daemon/statecache"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/daemon/toolmanager"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

// Version is set by the linker.
var Version = "development"

const (
	// readyPatience is how long the workers may take before reachyd gives up.
	readyPatience = 60 * time.Second
	// busPatience is how long the servos are waited for before reachyd says that it is ready without them.
	busPatience = 10 * time.Second
	// endPatience is how long turns and events may take at the end.
	endPatience = 5 * time.Second
	// pruneEvery is how often old events are deleted.
	pruneEvery = time.Hour
	// eventBuffer is how many events may wait for the store.
	eventBuffer = 1024
)

// Daemon is reachyd. Fill in the fields, then Run it.
type Daemon struct {
	Config *config.Config
	Log    zerolog.Logger
	Out    io.Writer // where a person reads that it is ready, and how to talk to it
}

// Run runs the robot until ctx ends; then it parks the robot and ends all workers. The error is nil when all went well.
func (d *Daemon) Run(ctx context.Context) (err error) {
	collectSparingly()
	var parts stack
	defer func() { err = errors.Join(err, parts.close()) }()
	cfg := d.Config
	if err := cfg.MakeDirs(); err != nil {
		return err
	}

	// What must not be lost, and the stream of everything that happens.
	st, events, err := d.openStore(&parts)
	if err != nil {
		return err
	}

	// The robot: a simulated one if asked for, and the body that drives it.
	if cfg.Simulated() {
		parts.run("sim", d.simWorker().Run)
	}
	bodyWorker := d.bodyWorker()
	parts.run("body", bodyWorker.Run)
	client := body.New(cfg.Socket(bodyName))
	parts.push("body client", func() error { client.Close(); return nil })
	service := sdnotify.New(d.Log, time.Now)
	robot := &statecache.Cache{Body: client, Events: events, OnTelemetry: func(hal.Telemetry) { service.Alive() }}
	parts.run("mirror", robot.Run)

	// The mind: tools, planner, and the coordinator that brings them together.
	registry := tool.NewRegistry(time.Now)
	registry.Observe(coordinator.Events(events))
	model, err := d.openModel(&parts)
	if err != nil {
		return err
	}
	web, err := d.openWeb(&parts)
	if err != nil {
		return err
	}
	sense := d.openSensing(&parts)
	own := &toolset{registry: registry, base: tools.Options{Body: toolmanager.Careful{Body: client}, MovesDir: filepath.Join(cfg.DataDir, "moves")}}
	if web.Configured() {
		own.base.Searcher = web
	}
	if err := own.register(without(sense.why)); err != nil {
		return err
	}
	ownNames := names(registry)
	plans := newPlans()
	var mind *coordinator.Coordinator
	box := d.openToolbox(&parts, registry, plans, toolmanager.Careful{Body: client}, robot.State, sense, events, func() *coordinator.Coordinator { return mind })
	remembered := newMemories(st)
	facts := memory.New(remembered, nil)
	writer := d.openCoder(making{
		box: box, registry: registry, plans: plans, model: model, store: st, events: events, robot: robot,
		mind: func() *coordinator.Coordinator { return mind },
	})
	thoughts, err := d.openMind(&parts, thinking{registry: registry, own: ownNames, model: model, web: web, coder: writer, memory: facts}, events)
	if err != nil {
		return err
	}
	kept := newArchive(st, d.keep())
	mind = coordinator.New(coordinator.Options{
		Planner: plans, Runtime: thoughts, Tools: registry, Publisher: events, Store: kept,
		Failed: func(err error) { d.Log.Warn().Err(err).Msg("could not be stored") },
	})
	parts.push("coordinator", func() error { return withPatience(mind.Close) })
	d.runCoder(&parts, writer, events)
	d.startSensing(&parts, sense, own, mind, model, plans, events)

	// The ways in and out.
	commands := &command.Dispatcher{
		Body: client, Tools: mind, Replies: newReplies(st),
		Chat:     chat(mind),
		Plan:     func(text string) any { return plans.Plan(text) },
		Trace:    kept.trace,
		Doctor:   d.doctor(model, web),
		Sessions: &sessions{mind, facts, kept, remembered},
		Config:   func() (string, error) { return cfg.Annotated(), nil },
	}
	if box != nil {
		commands.Toolbox = box
	}
	var viewer *perception.Viewer
	if sense.client != nil {
		viewer = &perception.Viewer{Frame: sense.client.Frame}
		commands.View = func(seconds float64, rate int) { viewer.Watch(time.Duration(seconds*float64(time.Second)), rate) }
	}
	page := d.openHTTP(ctx, &parts, commands, robot, sense)
	url, err := d.openMQTT(ctx, &parts, commands, robot, events, viewer)
	if err != nil {
		return err
	}

	// Ready when the robot answers, not before.
	if err := d.awaitRobot(ctx, robot, bodyWorker); err != nil || ctx.Err() != nil {
		return err
	}
	if cfg.WakesUp() {
		d.wake(ctx, client, robot)
	}
	service.Ready()
	d.greet(url, page)
	parts.run("memory", d.returnMemory)
	<-ctx.Done()
	service.Stopping()
	d.Log.Info().Msg("parking the robot and ending")
	return nil
}

// keep is the retention rule of events, traces and sessions.
func (d *Daemon) keep() store.Keep {
	return store.Keep{Age: time.Duration(d.Config.Store.RetentionDays) * 24 * time.Hour, Count: d.Config.Store.MaxEvents}
}

func (d *Daemon) openStore(parts *stack) (*store.Store, *event.Bus, error) {
	warn := func(format string, args ...any) { d.Log.Warn().Msgf("store: "+format, args...) }
	st, err := store.Open(filepath.Join(d.Config.DataDir, "store"), store.Options{Events: d.keep(), Logf: warn})
	if err != nil {
		return nil, nil, err
	}
	events := event.NewBus(st.FirstEventID()-1, nil)
	parts.push("store", func() error { return st.Close(events.Last()) })
	failed := func(err error) { warn("%v", err) }
	parts.run("retention", func(ctx context.Context) error {
		ticker := time.NewTicker(pruneEvery)
		defer ticker.Stop()
		st.Run(ctx, ticker.C, failed)
		return nil
	})
	sub := events.Subscribe("store", eventBuffer)
	recorded := make(chan struct{})
	go func() { st.Events().Record(sub.Events(), failed); close(recorded) }()
	spoken := events.Subscribe("log", eventBuffer, api.TypeFault, api.TypeEStop, api.TypeMoveDone)
	logged := make(chan struct{})
	go func() { d.logEvents(spoken.Events()); close(logged) }()
	parts.push("events", func() error {
		err := withPatience(events.Close)
		<-recorded
		<-logged
		return err
	})
	return st, events, nil
}

// logEvents writes what a person looks for in a log: faults, stops, and moves that did not end as they should.
func (d *Daemon) logEvents(in <-chan api.Event) {
	for e := range in {
		line := d.Log.Warn()
		switch data := e.Data.(type) {
		case api.MoveDone:
			if data.End == hal.EndDone {
				continue
			}
			line = d.Log.Info()
		case api.Fault:
			if !data.Active {
				line = d.Log.Info()
			}
		case api.EStop:
			if !data.Active {
				line = d.Log.Info()
			}
		}
		line.Fields(api.Fields(e.Data)).Msg(string(e.Type))
	}
}

// openHTTP returns the address of the web server, or why there is none. The robot is worth more than its web page: another
// program on that port does not keep it from starting.
func (d *Daemon) openHTTP(ctx context.Context, parts *stack, commands *command.Dispatcher, robot *statecache.Cache, sense sensing) (page string) {
	if d.Config.HTTP.Listen == "" {
		return "off"
	}
	g := &http.Gateway{
		Listen: d.Config.HTTP.Listen, Commander: commands, State: robot.State, Telemetry: robot.Telemetry,
		StateJSON: func() []byte { return payload.State(robot.State()) }, Version: Version,
	}
	if sense.client != nil {
		g.Frame = sense.client.Frame
	}
	if err := g.Open(ctx); err != nil {
		d.Log.Warn().Err(err).Msg("no HTTP")
		return "none: " + d.Config.HTTP.Listen + " is taken"
	}
	parts.push("http", g.Close)
	return "http://" + g.Addr()
}

// awaitRobot waits for the body, without which nothing works, and then a while for the servos, which may come later.
func (d *Daemon) awaitRobot(ctx context.Context, robot *statecache.Cache, w *worker.Worker) error {
	patient, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	if err := robot.Ready(patient); err != nil && ctx.Err() == nil {
		state := w.State()
		return fmt.Errorf("the body did not answer within %v: it is %s %s", readyPatience, state.Status, state.Reason)
	}
	short, cancelShort := context.WithTimeout(ctx, busPatience)
	defer cancelShort()
	if err := robot.Online(short); err != nil && ctx.Err() == nil {
		d.Log.Warn().Msg("the servos do not answer yet: check the power and the cable, see reachyctl doctor; they are taken over when they come")
	}
	return nil
}

// wake wakes the robot up, unless it is awake or was stopped, and waits until it has.
func (d *Daemon) wake(ctx context.Context, client *body.Client, robot *statecache.Cache) {
	if s := robot.State(); s.Mode != hal.ModeDisabled || s.EStop {
		return
	}
	a, err := client.Do(ctx, hal.Request{Verb: hal.VerbWake})
	if err == nil && a.Outcome == hal.Rejected {
		err = errors.New(a.Reason)
	}
	if err == nil {
		_, err = client.Wait(ctx, a.Move)
	}
	if err != nil && ctx.Err() == nil {
		d.Log.Warn().Err(err).Msg("the robot did not wake up")
	}
}

// chat lets a turn answer a command: an error when something was refused, impossible or failed, with the trace in any case.
func chat(mind *coordinator.Coordinator) func(context.Context, string, string) (any, error) {
	return func(ctx context.Context, session, text string) (any, error) {
		reply, err := mind.Turn(ctx, session, text)
		switch {
		case errors.Is(err, coordinator.ErrText), errors.Is(err, coordinator.ErrSession):
			return nil, &command.Error{Code: command.CodeInvalid, Message: err.Error()}
		case err != nil:
			return nil, &command.Error{Code: hal.CodeBusy, Message: err.Error()}
		case reply.Trace.OK(), reply.Trace.Outcome == coordinator.OutcomeNone:
			return reply.Trace, nil
		}
		return reply.Trace, &command.Error{Code: string(reply.Trace.Outcome), Message: reply.Text}
	}
}

func withPatience(end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	return end(ctx)
}

// greet tells a person that the robot is ready and how to talk to it.
func (d *Daemon) greet(url, page string) {
	where := "on " + d.Config.Body.Port
	if d.Config.Simulated() {
		where = "simulated"
	}
	if err := os.WriteFile(filepath.Join(d.Config.RunDir, "broker"), []byte(url+"\n"), 0o600); err != nil {
		d.Log.Warn().Err(err).Msg("reachyctl will need --broker")
	}
	if strings.HasPrefix(page, "http://") {
		if err := os.WriteFile(filepath.Join(d.Config.RunDir, "http"), []byte(page+"\n"), 0o600); err != nil {
			d.Log.Warn().Err(err).Msg("reachyctl will need --http for large files")
		}
	}
	ctl := "reachyctl"
	if exe, err := os.Executable(); err == nil {
		if p := filepath.Join(filepath.Dir(exe), ctl); fileExists(p) {
			ctl = shortest(p)
		}
	}
	id := d.Config.Robot.ID
	_, _ = fmt.Fprintf(d.Out, `
reachyd is ready: robot %q, %s

  MQTT   %s, topics %s/%s/…
  HTTP   %s
  try    %s say "wake up"
         %s say "look left, then nod and wiggle your antennas"
         %s state --watch
         %s stop
  help   %s --help

Ctrl-C parks the robot and ends everything.
`, id, where, url, d.Config.MQTT.Prefix, id, page, ctl, ctl, ctl, ctl, ctl)
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shortest is the path as it can be typed here.
func shortest(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}

// archive keeps the coordinator's traces and sessions in the store.
type archive struct {
	traces   *store.Bucket[*coordinator.Trace]
	sessions *store.Bucket[coordinator.Session]
}

func newArchive(s *store.Store, keep store.Keep) archive {
	return archive{
		traces:   store.NewBucket[*coordinator.Trace](s, "traces", keep),
		sessions: store.NewBucket[coordinator.Session](s, "sessions", keep),
	}
}

func (m archive) SaveTrace(t *coordinator.Trace) error { return m.traces.Put(t.ID, t) }

// trace returns a kept trace by its id; the latest when that is empty.
func (m archive) trace(id string) (any, error) {
	if id != "" {
		t, err := m.traces.Get(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil, &command.Error{Code: command.CodeInvalid, Message: fmt.Sprintf("trace: there is none with the id %.64q; it never was, or is too old to be kept", id)}
		}
		return t, err
	}
	latest, err := m.traces.Newest("", 1)
	if err != nil || len(latest) == 0 {
		return nil, errors.Join(err, &command.Error{Code: command.CodeInvalid, Message: "trace: there is none yet; say something to the robot"})
	}
	return latest[0], nil
}

func (m archive) SaveSession(s coordinator.Session) error { return m.sessions.Put(s.ID, s) }

// DeleteSession implements coordinator.Store.
func (m archive) DeleteSession(id string) error {
	var errs []error
	for after := ""; ; {
		part, err := m.traces.List(after, tracesAtOnce)
		errs = append(errs, err)
		for _, t := range part {
			if t.Session == id {
				errs = append(errs, m.traces.Delete(t.ID))
			}
		}
		if err != nil || len(part) < tracesAtOnce {
			break
		}
		after = part[len(part)-1].ID
	}
	return errors.Join(append(errs, m.sessions.Delete(id))...)
}

// tracesAtOnce is how many traces are held in memory while they are looked through.
const tracesAtOnce = 100

func (m archive) LoadSession(id string) (coordinator.Session, bool, error) {
	s, err := m.sessions.Get(id)
	if errors.Is(err, store.ErrNotFound) {
		return s, false, nil
	}
	return s, err == nil, err
}

// replies keeps the replies to commands in the store, so that an id acts once also over a restart.
type replies struct {
	bucket *store.Bucket[rememberedReply]
}

type rememberedReply struct {
	Until time.Time       `json:"until"`
	Reply json.RawMessage `json:"reply"`
}

// keptReplies is how many replies survive a restart.
const keptReplies = 1024

func newReplies(s *store.Store) replies {
	return replies{store.NewBucket[rememberedReply](s, "replies", store.Keep{Age: time.Hour, Count: keptReplies})}
}

func (r replies) Get(id string) ([]byte, bool, error) {
	v, err := r.bucket.Get(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && time.Now().After(v.Until) {
		return nil, false, nil
	}
	return v.Reply, err == nil, err
}

func (r replies) Put(id string, reply []byte, ttl time.Duration) error {
	return r.bucket.Put(id, rememberedReply{time.Now().Add(ttl), reply})
}

var (
	_ coordinator.Store     = archive{}
	_ coordinator.Publisher = (*event.Bus)(nil)
	_ command.Replies       = replies{}
)
