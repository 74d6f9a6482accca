// Package keep is what an owner does with what the robot keeps: save it, bring it back, see what there is, and delete it.
package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// commands are those of this package, of one run of reachyctl.
type commands struct {
	*cli.App
	version string
}

// Commands returns the commands of this package, in a program of that version.
func Commands(app *cli.App, version string) []*cobra.Command {
	c := commands{app, version}
	return []*cobra.Command{c.backupCommand(), c.restoreCommand(), c.privacyCommand(), c.crashesCommand()}
}

// modelsDir is the folder of the data directory that holds nothing personal and can be fetched again.
const modelsDir = "models"

// resting returns the data directory of the reachyd of this machine, and an error while that runs: its files change under our hands.
func (a commands) resting() (string, error) {
	a.Host.Locate(a.Env, a.Dirs)
	for _, dir := range a.Dirs {
		f, err := os.Open(filepath.Join(dir, "lock"))
		if errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("%s may not be opened by this user: do it as root, while reachyd does not run", filepath.Join(dir, "lock"))
		}
		if err != nil {
			continue
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
		f.Close() //nolint:errcheck // only asked
		if errors.Is(err, unix.EWOULDBLOCK) {
			return "", fmt.Errorf("reachyd runs (%s): end it first, as with sudo systemctl stop reachyd, and start it again afterwards", dir)
		}
	}
	return a.Host.DataDir, nil
}
