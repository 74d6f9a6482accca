package cli

import "github.com/reachyd/reachyd/cmd/reachyctl/internal/rundir"

// RunDirs lists where the reachyd of this machine may have its run directory: ours, then that of the service.
func RunDirs(env map[string]string) []string { return rundir.List(env) }

// Sockets lists those of a name in the run directories of this machine.
func (a *App) Sockets(name string) []string { return rundir.Sockets(a.Dirs, name) }

// What reachyd and its workers keep in the run directory.
const (
	BrokerFile  = rundir.BrokerFile
	HTTPFile    = rundir.HTTPFile
	BodySocket  = rundir.BodySocket
	SenseSocket = rundir.SenseSocket
	SimSocket   = rundir.SimSocket
)
