package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/reachyd/reachyd/toolsandbox/guest/interpreters"
)

// greet tells a person that the robot is ready and how to talk to it.
func (d *Daemon) greet() {
	where := "on " + d.Config.Body.Port
	if d.Config.Simulated() {
		where = "simulated"
	}
	d.leave("broker", d.brokerURL)
	if strings.HasPrefix(d.page, "http://") {
		d.leave("http", d.page)
	}
	d.leave("paths", string(d.paths()))
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
`, id, where, d.brokerURL, d.Config.MQTT.Prefix, id, d.page, ctl, ctl, ctl, ctl, ctl)
}

// paths says where the files are that reachyctl shares with this reachyd, and which robot this is.
func (d *Daemon) paths() []byte {
	data, err := json.Marshal(map[string]string{
		"data": d.Config.DataDir, "models": d.Config.ModelsDir(), "cache": interpreters.Cache(), "robot": d.Config.Robot.ID,
	})
	if err != nil {
		return nil // texts have an encoding
	}
	return data
}

// leave writes a line into the run directory for reachyctl: for the group, too, where the directory lets it in.
func (d *Daemon) leave(name, line string) {
	mode := os.FileMode(0o600)
	if info, err := os.Stat(d.Config.RunDir); err == nil && info.Mode().Perm()&0o010 != 0 {
		mode = 0o640
	}
	path := filepath.Join(d.Config.RunDir, name)
	err := os.WriteFile(path, []byte(line+"\n"), mode)
	if err == nil {
		err = os.Chmod(path, mode) // past umask, and for a file that was there
	}
	if err != nil {
		d.Log.Warn().Err(err).Msg("reachyctl will not find " + name + " by itself")
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shortest is the path as it can be typed here.
func shortest(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && wd != "/" && len(rel) < len(path) { // from the root it says nothing shorter
			return rel
		}
	}
	return path
}
