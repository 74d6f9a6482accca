package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/internal/crash"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func (a commands) crashesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "crashes", Short: "List the crashes of reachyd and its workers that are kept on this machine", Args: cli.NoArgs,
		Long: `crashes lists what broke off, when and why. The reports stay on this machine, the newest ten of each program, until you delete them
(reachyctl privacy delete); send one to the project if you like. A program that was killed, also for memory, leaves none: journalctl says so.`,
		Example: "  reachyctl crashes\n  reachyctl crashes show",
		RunE: func(*cobra.Command, []string) error {
			dir, reports, err := a.crashes()
			if err != nil {
				return err
			}
			if len(reports) == 0 {
				return a.Said(map[string]any{"dir": dir, "crashes": 0}, "no crash is known in %s", dir)
			}
			for _, r := range reports {
				if a.JSON {
					a.PrintJSON(r)
					continue
				}
				a.Printf("%s  %s  %s\n  %s\n", r.Time.Format(time.DateTime), r.Program, r.Name, cli.Printable(r.First))
			}
			return nil
		},
	}
	show := &cobra.Command{
		Use: "show [NAME]", Short: "Print a report, the newest unless a name is given", Args: cobra.MaximumNArgs(1),
		Long:    "show prints what the Go runtime wrote when the program broke off, below the version and the time at which that was started.",
		Example: "  reachyctl crashes show\n  reachyctl crashes show reachyd-20261123T101500Z-812.txt",
		RunE: func(_ *cobra.Command, args []string) error {
			dir, reports, err := a.crashes()
			if err != nil {
				return err
			}
			if len(reports) == 0 {
				return fmt.Errorf("no crash is known in %s", dir)
			}
			name := reports[len(reports)-1].Name
			if len(args) > 0 {
				name = args[0]
			}
			if !slices.ContainsFunc(reports, func(r crash.Report) bool { return r.Name == name }) {
				return cli.Usage("crash %q: allowed are the names of reachyctl crashes", name)
			}
			text, err := crash.Read(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			if a.JSON {
				a.PrintJSON(map[string]any{"name": name, "text": text})
				return nil
			}
			for line := range strings.Lines(text) {
				a.Printf("%s\n", cli.Printable(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")))
			}
			return nil
		},
	}
	cmd.AddCommand(show)
	return cmd
}

// crashes returns the reports of this machine's reachyd, and where they are.
func (a commands) crashes() (dir string, reports []crash.Report, err error) {
	a.Host.Locate(a.Env, a.Dirs)
	dir = filepath.Join(a.Host.DataDir, crash.Folder)
	reports, err = crash.List(dir)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("only root and the user of the service may look into %s", dir)
	}
	return dir, reports, err
}
