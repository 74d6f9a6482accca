package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// takeOver and goBack are the commands that take over what the official daemon has left, and undo it.
const (
	takeOver = "take-over"
	goBack   = "go-back"
)

// What becomes of a step.
const (
	stepPlanned  = "planned"
	stepDone     = "done"
	stepFailed   = "failed"
	stepDeclined = "declined" // by its owner
	stepYours    = "yours"    // the owner's to do, or to leave
)

// step is one thing that is taken over, or given back.
type step struct {
	Name   string   `json:"step"`
	State  string   `json:"state"`
	Detail string   `json:"detail"`
	Left   []string `json:"left,omitempty"` // what was not taken, each with its reason
	Do     string   `json:"do,omitempty"`   // what is left to the owner
	Undo   string   `json:"undo,omitempty"` // what undoes it

	act func(ctx context.Context, s *step) error // nil where nothing can be done here
}

// yours is what only the owner can do.
func yours(name, detail, do string) step {
	return step{Name: name, State: stepYours, Detail: detail, Do: do}
}

// forRoot is what this user may not do.
func forRoot(command, name, detail string) step {
	return step{Name: name, State: stepFailed, Detail: detail + ": this user may not", Do: "sudo reachyctl doctor " + command + " " + name}
}

// part is a kind of what can be taken over: how it is taken, and how given back.
type part struct {
	name, about string
	take, back  func(a commands) []step
}

// parts are taken over in this order: the official daemon last, when all else is as it is to be.
var parts = []part{
	{"name", "the robot's name, into reachyd.yaml", commands.takeName, commands.backName},
	{"moves", "the moves that users have fetched, into reachyd's data directory", commands.takeMoves, commands.backMoves},
	{"app", "the app that began by itself", commands.takeApp, commands.backApp},
	{"daemon", "the robot itself: the official daemon is stopped, reachyd started", commands.takeDaemon, commands.backDaemon},
}

func partNames() string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	return strings.Join(names, ", ")
}

// completeParts completes names of parts that are not there yet.
func completeParts(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, p := range parts {
		if !slices.Contains(args, p.name) {
			all = append(all, cobra.CompletionWithDesc(p.name, p.about))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

func (a commands) takeOverCommand() *cobra.Command {
	return a.stepsCommand(cobra.Command{
		Use: takeOver + " [name|moves|app|daemon ...]", Short: "Take over what the official daemon has left on this machine",
		Long: `take-over does what doctor's remarks tell, all of it or the named parts, each after a question:

  name    what the official daemon called the robot becomes robot.id (and robot.name) of reachyd.yaml, where neither is set; the rest
          of the file stays as it is, and what it was is kept beside it, in reachyd.yaml.before-take-over
  moves   the moves that users have fetched come into the data directory of reachyd, which may not look into homes; files that are
          there already stay
  app     the app that began by itself is installed by reachyctl app install, where its source is on this machine
  daemon  the official daemon is stopped and does not begin with the machine any more; the service reachyd is started

What cannot be read or is not allowed is told, and the rest is done. Nothing of the official daemon's is deleted: reachyctl doctor go-back.

Exit codes: 0 done or nothing to do, 1 something was not done, 2 nobody can be asked and --yes is missing.`,
		Example: "  reachyctl doctor take-over --dry-run\n  reachyctl doctor take-over\n  reachyctl doctor take-over --yes name moves",
	}, func(p part) []step { return p.take(a) }, "nothing of the official daemon is left to take over")
}

func (a commands) goBackCommand() *cobra.Command {
	return a.stepsCommand(cobra.Command{
		Use: goBack + " [name|moves|app|daemon ...]", Short: "Undo take-over: the official daemon has the robot again",
		Long: `go-back undoes what take-over has done, all of it or the named parts, each after a question: reachyd.yaml is what it was, where nobody has
changed it since; moves that users have as well are taken from the data directory; the service reachyd is stopped and begins no more with the machine,
and the official daemon does.

Exit codes: 0 done or nothing to do, 1 something was not done, 2 nobody can be asked and --yes is missing.`,
		Example: "  reachyctl doctor go-back --dry-run\n  reachyctl doctor go-back --yes daemon",
	}, func(p part) []step { return p.back(a) }, "nothing that was taken over is found")
}

// stepsCommand completes a command that plans steps, asks for each, and does them.
func (a commands) stepsCommand(c cobra.Command, plan func(part) []step, none string) *cobra.Command {
	cmd := &c
	var dryRun, yes bool
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done, change nothing")
	cmd.Flags().BoolVar(&yes, "yes", false, "it is meant: ask nothing")
	cmd.ValidArgsFunction = completeParts
	cmd.Args = func(_ *cobra.Command, args []string) error {
		for _, arg := range args {
			if !slices.ContainsFunc(parts, func(p part) bool { return p.name == arg }) {
				return cli.Usage("%q: allowed are %s", arg, partNames())
			}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.Host.Locate(a.Env, a.Dirs)
		if !dryRun && !yes && (!a.Terminal || a.JSON) {
			return cli.Usage("nobody can be asked here: say --yes if it is meant, or --dry-run to see what it is")
		}
		var steps []step
		for _, p := range parts {
			if len(args) == 0 || slices.Contains(args, p.name) {
				steps = append(steps, plan(p)...)
			}
		}
		if len(steps) == 0 {
			return a.Said(map[string]any{"steps": 0}, "%s", none)
		}
		failed := false
		for i := range steps {
			if err := a.do(cmd.Context(), &steps[i], dryRun, yes); err != nil {
				return err
			}
			failed = failed || steps[i].State == stepFailed
		}
		if failed {
			return cli.ErrSaid
		}
		return nil
	}
	return cmd
}

// do does one step, if it is meant, and tells what became of it.
func (a commands) do(ctx context.Context, s *step, dryRun, yes bool) error {
	if s.act != nil {
		s.State = stepPlanned
	}
	if s.act != nil && !dryRun {
		meant := yes
		if !yes {
			a.printStep(s)
			var err error
			if meant, err = a.Confirm(ctx, "Do it?"); err != nil {
				return err
			}
		}
		s.State = stepDeclined
		if meant {
			s.State = stepDone
			if err := s.act(ctx, s); err != nil {
				s.State, s.Detail, s.Undo = stepFailed, s.Detail+": "+err.Error(), ""
			}
		}
	}
	a.printStep(s)
	return ctx.Err()
}

func (a commands) printStep(s *step) {
	if a.JSON {
		a.PrintJSON(s)
		return
	}
	colour := map[string]string{stepDone: cli.Green, stepFailed: cli.Red, stepYours: cli.Yellow, stepPlanned: cli.Bold, stepDeclined: cli.Faint}[s.State]
	a.Printf("%s  %-6s  %s\n", a.Style.Paint(colour, fmt.Sprintf("%-8s", s.State)), s.Name, cli.Printable(s.Detail))
	const indent = "                  "
	for _, l := range s.Left {
		a.Printf("%s- %s\n", indent, cli.Printable(l))
	}
	if s.Do != "" {
		a.Printf("%s→ %s\n", indent, cli.Printable(s.Do))
	}
	if s.Undo != "" && s.State == stepDone {
		a.Printf("%sundone by: %s\n", indent, cli.Printable(s.Undo))
	}
}

// undo is the command that undoes a part.
func (a commands) undo(name string) string {
	return a.sudo() + "reachyctl doctor " + goBack + " " + name
}

// takes is the command that takes a part over, as doctor names it.
func (a commands) takes(name string) string {
	return a.sudo() + "reachyctl doctor " + takeOver + " " + name
}

// sudo is what goes before a command that changes the service.
func (a commands) sudo() string {
	if a.Host.Limits().Root || a.own() {
		return ""
	}
	return "sudo "
}

// own says that the robot's data are this user's, and not those of a service.
func (a commands) own() bool { return within(a.Env["HOME"], a.Host.DataDir) }

// within says that a path is below a directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// mayWrite says whether this user may write into what is there.
func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }

// absent says that an error is that of a file that is not there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
