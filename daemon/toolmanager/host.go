package toolmanager

import (
	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// answers makes what answers the host calls of one call of a tool on the robot.
func (t *Manager) answers() guest.HostFunc {
	r := hostrobot.Robot{Tools: t.o.Tools, Names: t.reserved, Body: t.o.Body, Now: t.o.State}
	c := host.Config{Robot: r, Camera: t.o.Camera}
	if t.web != nil {
		c.HTTP = t.web
	}
	return host.New(c).Call
}
