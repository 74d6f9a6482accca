package daemon

import (
	"context"
	"path/filepath"
	"sync/atomic"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/daemon/toolmanager"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// livePlanner is the planner that knows the tools of the moment that people wrote.
type livePlanner struct {
	now atomic.Pointer[planner.Planner]
}

func newPlanner() *livePlanner {
	p := &livePlanner{}
	p.know(nil)
	return p
}

// know makes sentences such as "run count apples" call these tools from now on.
func (p *livePlanner) know(names []string) {
	p.now.Store(planner.New(planner.WithPoses(catalog.PoseNames()...), planner.WithTools(names...)))
}

// Names is equal as long as no name is learned.
func (p *livePlanner) Names() any { return p.now.Load() }

// Plan says what a sentence asks for.
func (p *livePlanner) Plan(text string) planner.Plan { return p.now.Load().Plan(text) }

// PlanFor implements coordinator.Planner.
func (p *livePlanner) PlanFor(u *language.Utterance) planner.Plan { return p.now.Load().PlanFor(u) }

// openUserTools adds the tools that people wrote to the robot's own, and makes the planner that knows both. A robot whose
// user tools cannot be read works without them, and says so to whoever asks for one.
func (d *Daemon) openUserTools(context.Context) error {
	d.planner = newPlanner()
	failed, dir := d.failed("user tools"), filepath.Join(d.Config.DataDir, "tools")
	if n, err := guest.RemoveLeftovers(d.Config.RunDir); n > 0 || err != nil {
		d.Log.Info().Int("removed", n).Err(err).Msg("folders of sandboxes that an earlier reachyd left")
	}
	kept, err := persist.OpenTools(d.store, dir)
	if err != nil {
		failed(err)
		return nil
	}
	o := toolmanager.Options{
		Store: kept, Dir: dir, RunDir: d.Config.RunDir, Tools: d.registry,
		Call: d.caller.Call, Act: d.caller.Act,
		Body: toolmanager.SpeedLimited{Body: d.body}, State: d.robot.State, AllowedHosts: d.Config.Tools.AllowedHosts,
		Review: d.Config.ReviewsTools(), FirstSlow: !d.Config.Simulated(),
		Publish: d.events.Publish, Changed: d.planner.know, Failed: failed,
	}
	if d.sense != nil {
		o.Camera = perception.Camera{Frames: d.sense}
	}
	box, err := toolmanager.Open(o)
	if err != nil {
		failed(err)
		return nil
	}
	d.userTools = box
	d.parts.push("user tools", box.Close)
	const enough = 16 // a stop that is lost among so many others is no loss
	d.follow("stop of user tools", enough, func(e api.Event) {
		if stop, ok := e.Data.(api.EStop); ok && stop.Active {
			box.Stopped() // the robot was stopped, in whatever way
		}
	}, api.TypeEStop)
	return nil
}

var _ coordinator.Planner = (*livePlanner)(nil)
