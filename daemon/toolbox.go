package daemon

import (
	"path/filepath"
	"sync/atomic"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/toolbox"
	"github.com/reachyd/reachyd/hal"
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
	p.now.Store(planner.New(planner.WithPoses(tools.PoseNames()...), planner.WithTools(names...)))
}

// Plan says what a sentence asks for.
func (p *plans) Plan(text string) planner.Plan { return p.now.Load().Plan(text) }

// openToolbox adds the tools that people wrote to the robot's own. A robot whose self-made tools cannot be read works
// without them; nil says so to whoever asks for one.
func (d *Daemon) openToolbox(parts *stack, registry *tool.Registry, p *plans, b toolbox.Body, state func() hal.State, to publisher) command.Toolbox {
	failed := func(err error) { d.Log.Warn().Err(err).Msg("self-made tools") }
	box, err := toolbox.Open(toolbox.Options{
		Dir: filepath.Join(d.Config.DataDir, "tools"), RunDir: d.Config.RunDir, Tools: registry,
		Body: b, State: state, Publish: to.Publish, Changed: p.know, Failed: failed,
	})
	if err != nil {
		failed(err)
		return nil
	}
	parts.push("self-made tools", box.Close)
	return box
}

var _ coordinator.Planner = (*plans)(nil)
