package coordinator

import (
	"context"

	"github.com/reachyd/reachyd/agents/tool"
)

// Act runs fn as Call runs a tool that acts on the robot: fn interrupts what acts and begins when that has ended, and
// its ctx ends when something newer takes over or somebody says stop. It is for what acts and is no tool.
func (c *Coordinator) Act(ctx context.Context, fn func(ctx context.Context) tool.Result) tool.Result {
	leave, err := c.enter(false)
	if err != nil {
		return tool.Errorf(tool.CodeLimit, "%v", err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, c.o.TurnTime)
	defer cancel()
	if tool.Trace(ctx) == "" {
		ctx = tool.WithTrace(ctx, c.ids.next(c.o.Now()))
	}
	job := c.work.announce(ctx)
	defer job.end()
	if !job.begin() {
		return tool.Interrupted(job.ctx)
	}
	return fn(job.ctx)
}
