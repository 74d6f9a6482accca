// Package rundir finds what the reachyd of this machine keeps in its run directory.
package rundir

import (
	"os"
	"path"
	"strconv"
	"syscall"
)

// List lists where the reachyd of this machine may have its run directory: ours, then that of the service.
func List(env map[string]string) []string {
	var dirs []string
	if d := env["REACHYD_RUN_DIR"]; d != "" { // reachyd's own variable for its setting run_dir
		dirs = append(dirs, d)
	}
	if d := env["XDG_RUNTIME_DIR"]; d != "" {
		dirs = append(dirs, path.Join(d, "reachyd"))
	}
	dirs = append(dirs, "/run/reachyd")
	tmp := env["TMPDIR"]
	if tmp == "" {
		tmp = "/tmp"
	}
	// Everybody may create directories there: only one of our own is believed.
	if d := path.Join(tmp, "reachyd-"+strconv.Itoa(os.Getuid())); ours(d) {
		dirs = append(dirs, d)
	}
	return dirs
}

func ours(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// Sockets lists those of a name in the directories.
func Sockets(dirs []string, name string) []string {
	var found []string
	for _, dir := range dirs {
		socket := path.Join(dir, name)
		if info, err := os.Stat(socket); err == nil && info.Mode().Type() == os.ModeSocket {
			found = append(found, socket)
		}
	}
	return found
}

// What reachyd and its workers keep in the run directory.
const (
	BrokerFile  = "broker"     // the URL of reachyd's broker
	HTTPFile    = "http"       // the URL of reachyd's web server
	PathsFile   = "paths"      // where data, models and cache are, as JSON
	BodySocket  = "body.sock"  // the body itself
	SenseSocket = "sense.sock" // the worker of the senses
	SimSocket   = "sim.sock"   // the simulated robot
)
