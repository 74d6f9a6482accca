package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync/atomic"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/toolmanager"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// plans is the planner that knows the self-made tools of the moment.
type plans struct {
	now atomic.Pointer[planner.Planner]
}

func newPlans() *plans {
	p := &plans{}
	p.know(nil)
	return p
}

// know makes sentences such as "run count apples" call these tools from now on.
func (p *plans) know(names []string) {
	p.now.Store(planner.New(planner.WithPoses(catalog.PoseNames()...), planner.WithTools(names...)))
}

// Plan says what a sentence asks for.
func (p *plans) Plan(text string) planner.Plan { return p.now.Load().Plan(text) }

// openToolbox adds the tools that people wrote to the robot's own. A robot whose self-made tools cannot be read works
// without them; nil says so to whoever asks for one.
func (d *Daemon) openToolbox(parts *stack, registry *tool.Registry, p *plans, b toolmanager.Body, state func() hal.State, sense sensing, events *event.Bus, mind func() *coordinator.Coordinator) *toolmanager.Manager {
	failed := func(err error) { d.Log.Warn().Err(err).Msg("self-made tools") }
	var camera toolmanager.Camera
	if sense.client != nil {
		camera = eye{sense.client}
	}
	box, err := toolmanager.Open(toolmanager.Options{
		Dir: filepath.Join(d.Config.DataDir, "tools"), RunDir: d.Config.RunDir, Tools: registry,
		Call: func(ctx context.Context, name string, args json.RawMessage) tool.Result {
			return mind().Call(ctx, name, args)
		},
		Act: func(ctx context.Context, fn func(context.Context) tool.Result) tool.Result {
			return mind().Act(ctx, fn)
		},
		Body: b, State: state, Camera: camera, AllowedHosts: d.Config.Tools.AllowedHosts,
		Review: d.Config.ReviewsTools(), FirstSlow: !d.Config.Simulated(),
		Publish: events.Publish, Changed: p.know, Failed: failed,
	})
	if err != nil {
		failed(err)
		return nil
	}
	parts.push("self-made tools", box.Close)
	d.endTools(parts, box, events)
	return box
}

// endTools ends what self-made tools do when the robot is stopped, by whatever way.
func (d *Daemon) endTools(parts *stack, box *toolmanager.Manager, events *event.Bus) {
	const enough = 16 // a stop that is lost among so many others is no loss
	sub := events.Subscribe("self-made tools", enough, api.TypeEStop)
	parts.run("stop of self-made tools", func(ctx context.Context) error {
		defer sub.Close()
		for {
			select {
			case <-ctx.Done():
				return nil
			case e, ok := <-sub.Events():
				if !ok {
					return nil
				}
				if stop, ok := e.Data.(api.EStop); ok && stop.Active {
					box.Stopped()
				}
			}
		}
	})
}

var _ coordinator.Planner = (*plans)(nil)
