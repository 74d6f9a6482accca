package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/demonstration"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/daemon/training"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/learner/demo"
	"github.com/reachyd/reachyd/learner/feedback"
)

const (
	learnName = "learn"
	floorName = "practice" // where learning moves the robot itself
)

// newLearnWorker returns what trains. It is the first to go when memory runs out, and goes on with its run when it is back.
func (d *Daemon) newLearnWorker() *worker.Worker {
	c := d.Config
	return &worker.Worker{
		Name: learnName, Program: "reachy-learn", Dir: c.Programs.Dir, Socket: c.Socket(learnName), Log: d.Log, Expendable: true,
		Args: []string{
			"-socket", c.Socket(learnName), "-dir", filepath.Join(c.DataDir, "learning"), "-linger", learnLinger.String(),
			"-log-level", c.Log.Level, "-robot", c.Socket(floorName),
		},
		HealthTimeout: learnPatience, // it only has the processor time that is left over
	}
}

// openTraining lets the robot practise. Nothing runs until somebody asks for it, or a run was under way.
func (d *Daemon) openTraining(context.Context) error {
	d.trainer = &training.Service{
		Worker: d.newLearnWorker, Socket: d.Config.Socket(learnName), Dir: filepath.Join(d.Config.DataDir, "learning"),
		Floor:  &training.Floor{Body: d.body, Arbiter: d.registry.Arbiter(), Socket: d.Config.Socket(floorName)},
		Events: d.events, Log: d.Log, Task: d.Config.Training.Task, Human: d.Config.Training.Human, Safety: d.Config.Training.Safety,
	}
	d.parts.run("practice on the robot", d.trainer.Floor.Run)
	d.parts.run("training", d.trainer.Run)
	d.shown = &demonstration.Recorder{
		Body: d.body, State: d.robot.State, Kept: store.NewBucket[demo.Demo](d.store, "demonstrations", store.Keep{}),
		Moves: filepath.Join(d.Config.DataDir, "moves"), Events: d.events,
	}
	d.parts.push("demonstrations", d.shown.Close)
	d.trainer.Shown = d.shown.Heads
	const enough = 64 // what is lost among so many is no loss
	d.follow("training", enough, d.trainer.Hear, slices.Concat(training.Busy, []api.Type{api.TypeFeedback, api.TypeEStop})...)
	d.follow("questions about practice", 1, d.askAloud, api.TypeTraining)
	return nil
}

// askAloud says the question whether the robot may move to practise, where there is a voice.
func (d *Daemon) askAloud(e api.Event) {
	t, ok := e.Data.(api.Training)
	if !ok || t.State != "asking" {
		return
	}
	if args, err := json.Marshal(map[string]string{"text": t.Message}); err == nil {
		d.caller.Call(context.Background(), "speak", args) // who has asked reads it, too
	}
}

// consenting takes answers to the question whether the robot may move to practise, names of what was shown, and what people think of the
// robot's doing.
type consenting struct {
	*feedback.Book
	trainer *training.Service
	shown   *demonstration.Recorder
}

// Answered implements runtime.Feedback.
func (c consenting) Answered(session, text string) (reply string, ok bool) {
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if reply, ok = c.trainer.Agreed(ctx, text); ok {
		return reply, ok
	}
	if reply, ok = c.shown.Said(ctx, text); ok {
		return reply, ok
	}
	return c.Book.Answered(session, text)
}
