package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/internal/crash"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/perception/models"
)

// amount is how much lies in a folder.
type amount struct {
	Path   string `json:"path"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Oldest string `json:"oldest,omitempty"` // day of the last change of the oldest file
	Hidden bool   `json:"hidden,omitempty"` // this user may not look, so there is no figure
}

func measure(path string) (amount, error) {
	m := amount{Path: path}
	var oldest time.Time
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, fs.ErrPermission):
			m.Hidden = true
			return fs.SkipDir
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

// keeping is one kind of what is kept.
type keeping struct{ folder, what, long string }

// kept is what the robot keeps, where in the data directory, and for how long.
var kept = []keeping{
	{
		"store", "conversations, memories, events, self-made tools, schedules; faces it was told to remember (as numbers, no pictures)",
		"events: store.retention_days and store.max_events; the rest until it is forgotten",
	},
	{"photos", "photos that it was asked for", "until they are deleted"},
	{"tools", "modules of self-made tools", "until they are deleted"},
	{"moves", "recorded moves", "until they are deleted"},
	{"learning", "what it has learned", "until it is deleted"},
	{crash.Folder, "reports of crashes; what was said or seen is in none but by accident", "the newest ten of each program"},
	{modelsDir, "models that were fetched; nothing personal", "until they are deleted"},
}

func (a commands) privacyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "privacy", Short: "Say what the robot keeps of people, where and for how long; delete it", Args: cli.NoArgs,
		Long: `privacy lists what the robot keeps on this machine. Sound and pictures are not kept, but for photos that somebody asked for; nothing
is sent anywhere unless a language model, a search engine or a broker elsewhere is configured. One conversation is forgotten by
"reachyctl session forget", one memory or face by telling the robot to forget it.`,
		Example: "  reachyctl privacy\n  reachyctl privacy delete --yes",
		RunE: func(*cobra.Command, []string) error {
			a.Host.Locate(a.Env, a.Dirs)
			return a.tellAll(a.Host.DataDir)
		},
	}
	yes := false
	remove := &cobra.Command{
		Use: "delete", Short: "Delete all that the robot keeps, but models", Args: cli.NoArgs, Example: "  reachyctl privacy delete --yes",
		Long: "delete removes conversations, memories, remembered faces, events, self-made tools, photos and what was learned. " +
			"It cannot be undone; reachyd must not run.",
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
			for _, end := range []string{freshEnd, asideEnd} { // what a restore has set aside
				if err := os.RemoveAll(dir + end); err != nil {
					return fmt.Errorf("delete what is kept: %w", err)
				}
			}
			return a.Said(map[string]any{"deleted": n, "dir": dir}, "all that was kept in %s is deleted, but models", dir)
		},
	}
	remove.Flags().BoolVar(&yes, "yes", false, "it is meant")
	cmd.AddCommand(remove)
	return cmd
}

// tellAll prints what is in the data directory, and what a restore has set aside.
func (a commands) tellAll(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("look at what is kept: %s is for root and members of the group reachyd (sudo usermod -aG reachyd NAME)", dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look at what is kept: %w", err)
	}
	rows, known := slices.Clone(kept), map[string]bool{}
	for _, k := range kept {
		known[k.folder] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			rows = append(rows, keeping{e.Name(), "settings and state of reachyd", "until it is deleted"})
		}
	}
	base := filepath.Join("..", filepath.Base(dir))
	for _, end := range []string{freshEnd, asideEnd} {
		rows = append(rows, keeping{base + end, "what was there before a restore, or is left of one", "until it is deleted"})
	}
	n := 0
	for _, r := range rows {
		told, err := a.tell(r)
		if err != nil {
			return err
		}
		n += told
	}
	if n == 0 {
		return a.Said(map[string]any{"dir": dir, "files": 0}, "nothing is kept in %s", dir)
	}
	return nil
}

// tell prints how much of one kind there is, and returns 1; nothing, and 0, for nothing.
func (a commands) tell(k keeping) (int, error) {
	m, err := measure(filepath.Join(a.Host.DataDir, k.folder))
	if err != nil {
		return 0, fmt.Errorf("look at what is kept: %w", err)
	}
	switch {
	case m.Files == 0 && !m.Hidden:
		return 0, nil
	case a.JSON:
		a.PrintJSON(struct {
			What string `json:"what"`
			Kept string `json:"kept"`
			amount
		}{k.what, k.long, m})
	case m.Hidden:
		a.Printf("%s\n  only root and the user of the service may look into %s\n  kept %s\n", k.what, m.Path, k.long)
	default:
		a.Printf("%s\n  %s in %d files, the oldest of %s: %s\n  kept %s\n", k.what, models.Bytes(m.Bytes), m.Files, m.Oldest, m.Path, k.long)
	}
	return 1, nil
}
