package daemon

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/demonstration"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/daemon/training"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/learner/demo"
)

const learnName = "learn"

// newLearnWorker returns what trains. It is the first to go when memory runs out, and goes on with its run when it is back.
func (d *Daemon) newLearnWorker() *worker.Worker {
	c := d.Config
	return &worker.Worker{
		Name: learnName, Program: "reachy-learn", Dir: c.Programs.Dir, Socket: c.Socket(learnName), Log: d.Log, Expendable: true,
		Args: []string{
			"-socket", c.Socket(learnName), "-dir", filepath.Join(c.DataDir, "learning"), "-linger", learnLinger.String(),
			"-log-level", c.Log.Level,
		},
		HealthTimeout: learnPatience, // it only has the processor time that is left over
	}
}

// openTraining lets the robot practise. Nothing runs until somebody asks for it, or a run was under way.
func (d *Daemon) openTraining(context.Context) error {
	d.trainer = &training.Service{
		Worker: d.newLearnWorker, Socket: d.Config.Socket(learnName), Dir: filepath.Join(d.Config.DataDir, "learning"),
		Events: d.events, Log: d.Log, Task: d.Config.Training.Task, Human: d.Config.Training.Human, Safety: d.Config.Training.Safety,
	}
	d.parts.run("training", d.trainer.Run)
	d.shown = &demonstration.Recorder{
		Body: d.body, State: d.robot.State, Kept: store.NewBucket[demo.Demo](d.store, "demonstrations", store.Keep{}),
		Moves: filepath.Join(d.Config.DataDir, "moves"), Events: d.events,
	}
	d.parts.push("demonstrations", d.shown.Close)
	const enough = 64 // what is lost among so many is no loss
	d.follow("training", enough, d.trainer.Hear, slices.Concat(training.Busy, []api.Type{api.TypeFeedback})...)
	return nil
}
