package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// greet tells a person that the robot is ready and how to talk to it.
func (d *Daemon) greet() {
	where := "on " + d.Config.Body.Port
	if d.Config.Simulated() {
		where = "simulated"
	}
	if err := os.WriteFile(filepath.Join(d.Config.RunDir, "broker"), []byte(d.brokerURL+"\n"), 0o600); err != nil {
		d.Log.Warn().Err(err).Msg("reachyctl will need --broker")
	}
	if strings.HasPrefix(d.page, "http://") {
		if err := os.WriteFile(filepath.Join(d.Config.RunDir, "http"), []byte(d.page+"\n"), 0o600); err != nil {
			d.Log.Warn().Err(err).Msg("reachyctl will need --http for large files")
		}
	}
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

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shortest is the path as it can be typed here.
func shortest(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}
