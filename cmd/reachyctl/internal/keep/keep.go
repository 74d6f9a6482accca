// Package keep is what an owner does with what the robot keeps: save it, bring it back, see what there is, and delete it.
package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/perception/models"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	return []*cobra.Command{c.backupCommand(), c.restoreCommand(), c.privacyCommand()}
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

// amount is how much lies in a folder.
type amount struct {
	Path   string `json:"path"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Oldest string `json:"oldest,omitempty"` // day of the last change of the oldest file
}

func measure(path string) (amount, error) {
	m := amount{Path: path}
	var oldest time.Time
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it has just gone
		}
		m.Files++
		m.Bytes += info.Size()
		if oldest.IsZero() || info.ModTime().Before(oldest) {
			oldest = info.ModTime()
		}
		return nil
	})
	if !oldest.IsZero() {
		m.Oldest = oldest.Format(time.DateOnly)
	}
	return m, err
}

// kept is what the robot keeps, where in the data directory, and for how long.
var kept = []struct{ folder, what, long string }{
	{"store", "conversations, memories, events, self-made tools, schedules", "events: store.retention_days and store.max_events; the rest until it is forgotten"},
	{"photos", "photos that it was asked for", "until they are deleted"},
	{"tools", "modules of self-made tools", "until they are deleted"},
	{"moves", "recorded moves", "until they are deleted"},
	{"learning", "what it has learned", "until it is deleted"},
	{modelsDir, "models that were fetched; nothing personal", "until they are deleted"},
}

func (a commands) privacyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "privacy", Short: "Say what the robot keeps of people, where and for how long; delete it", Args: cli.NoArgs,
		Long: `privacy lists what the robot keeps on this machine. Sound and pictures are not kept, but for photos that somebody asked for; nothing
is sent anywhere unless a language model, a search engine or a broker elsewhere is configured. One conversation is forgotten by
"reachyctl session forget", one memory by telling the robot to forget it.`,
		Example: "  reachyctl privacy\n  reachyctl privacy delete --yes",
		RunE: func(*cobra.Command, []string) error {
			a.Host.Locate(a.Env, a.Dirs)
			known := map[string]bool{}
			for _, k := range kept {
				known[k.folder] = true
				if err := a.tell(k.folder, k.what, k.long); err != nil {
					return err
				}
			}
			entries, err := os.ReadDir(a.Host.DataDir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("look at what is kept: %w", err)
			}
			for _, e := range entries {
				if known[e.Name()] {
					continue
				}
				if err := a.tell(e.Name(), "settings and state of reachyd", "until it is deleted"); err != nil {
					return err
				}
			}
			return nil
		},
	}
	yes := false
	remove := &cobra.Command{
		Use: "delete", Short: "Delete all that the robot keeps, but models", Args: cli.NoArgs, Example: "  reachyctl privacy delete --yes",
		Long: "delete removes conversations, memories, events, self-made tools, photos and what was learned. It cannot be undone; reachyd must not run.",
		RunE: func(*cobra.Command, []string) error {
			if !yes {
				return cli.Usage("this cannot be undone: say --yes if it is meant (reachyctl backup keeps a copy)")
			}
			dir, err := a.resting()
			if err != nil {
				return err
			}
			entries, err := os.ReadDir(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("delete what is kept: %w", err)
			}
			n := 0
			for _, e := range entries {
				if e.Name() == modelsDir {
					continue
				}
				if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
					return fmt.Errorf("delete what is kept: %w", err)
				}
				n++
			}
			return a.Said(map[string]any{"deleted": n, "dir": dir}, "all that was kept in %s is deleted, but models", dir)
		},
	}
	remove.Flags().BoolVar(&yes, "yes", false, "it is meant")
	cmd.AddCommand(remove)
	return cmd
}

// tell prints how much of one kind there is; nothing for nothing.
func (a commands) tell(folder, what, long string) error {
	m, err := measure(filepath.Join(a.Host.DataDir, folder))
	if err != nil {
		return fmt.Errorf("look at what is kept: %w", err)
	}
	if m.Files == 0 {
		return nil
	}
	if a.JSON {
		a.PrintJSON(map[string]any{"what": what, "kept": long, "path": m.Path, "files": m.Files, "bytes": m.Bytes, "oldest": m.Oldest})
		return nil
	}
	a.Printf("%s\n  %s in %d files, the oldest of %s: %s\n  kept %s\n", what, models.Bytes(m.Bytes), m.Files, m.Oldest, m.Path, long)
	return nil
}
