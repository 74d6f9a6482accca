// Package apps installs and runs apps that were written for the official daemon of the Reachy Mini.
package apps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	cmd := &cobra.Command{
		Use: "app", Short: "Install and run apps that were written for the official daemon",
		Long: `app installs apps of the official format, Python packages with an entry point in the group reachy_mini_apps, each into a virtual
environment of its own below the user's data directory (REACHYD_APPS names another place), and runs one at a time: as a child that is
watched, may use so much memory and no more, and leaves no process behind. An emergency stop ends it.

The app uses reachyd on port 8000 of this machine. The SDK is fetched once and shared.`,
		Example: "  reachyctl app install ./my_app\n  reachyctl app run my_app\n  reachyctl app start my_app\n  reachyctl app log my_app\n  reachyctl app stop",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.installCommand(), c.listCommand(), c.runCommand(), c.startCommand(), c.stopCommand(), c.logCommand(), c.removeCommand(), c.serveCommand(),
		c.mediaCommand())
	return []*cobra.Command{cmd}
}

func (a commands) store() *store {
	dir := a.Env["REACHYD_APPS"]
	if dir == "" {
		dir = filepath.Join(cmp.Or(a.Env["XDG_DATA_HOME"], filepath.Join(a.Env["HOME"], ".local", "share")), "reachyd-apps")
	}
	return &store{dir: dir, python: a.Env["REACHYD_SDK_PYTHON"], out: a.Stderr}
}

// names completes names of apps.
func (a commands) names(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	list, _ := a.store().list() // without a list there is nothing to complete
	names := make([]cobra.Completion, 0, len(list))
	for _, app := range list {
		names = append(names, cobra.CompletionWithDesc(app.Name, app.About))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a commands) installCommand() *cobra.Command {
	noIndex := false
	cmd := &cobra.Command{
		Use: "install SOURCE", Short: "Install an app: a directory, an archive, a wheel, git+URL, or a name of the Python registry",
		Args: cli.SomeArgs(1, "a source"),
		Long: `install makes a virtual environment for the app and lets pip install it there, with what it needs. The first time it fetches the official
SDK, too, which all apps share (REACHYD_SDK_PYTHON names the Python of an environment that has it already). An app can do what you
can: install only what you trust.`,
		Example: "  reachyctl app install ./my_app\n  reachyctl app install git+https://huggingface.co/spaces/somebody/some_app",
		RunE: func(cmd *cobra.Command, args []string) error {
			s := a.store()
			if r := s.running(); r != nil {
				return fmt.Errorf("app %s runs; `reachyctl app stop` ends it", r.Name)
			}
			app, err := s.install(cmd.Context(), args[0], noIndex)
			if err != nil {
				return err
			}
			return a.Said(map[string]any{"app": app}, "%s %s is installed; `reachyctl app run %s` runs it", app.Name, app.Version, app.Name)
		},
	}
	cmd.Flags().BoolVar(&noIndex, "no-index", false, "ask no registry: all that the app needs is here")
	return cmd
}

func (a commands) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the installed apps and which one runs", Args: cli.NoArgs,
		Long:    `list names the apps that are installed, with their versions, and since when one runs.`,
		Example: "  reachyctl app list\n  reachyctl --json app list | jq .running",
		RunE: func(*cobra.Command, []string) error {
			s := a.store()
			list, err := s.list()
			if err != nil {
				return err
			}
			running := s.running()
			if a.JSON {
				a.PrintJSON(map[string]any{"apps": list, "running": running})
				return nil
			}
			t := a.Table()
			for _, app := range list {
				state := ""
				if running != nil && running.Name == app.Name {
					state = "runs since " + running.Since.Local().Format(time.DateTime)
				}
				t.Row(app.Name, app.Version, cli.Printable(app.About), state)
			}
			if len(list) == 0 {
				a.Printf("no app is installed; `reachyctl app install` does it\n")
			}
			return t.Flush()
		},
	}
}

// limited gives a command the flags of run and start, and what it does with the limits that they set.
func limited(cmd *cobra.Command, do func(ctx context.Context, l limits, args []string) error) *cobra.Command {
	memory := cmd.Flags().Int("memory", 1024, "most memory that all its processes may use together, `MB`")
	processes := cmd.Flags().Int("processes", 64, "most processes at the same time")
	processor := cmd.Flags().Int("processor", 0, "most that all its processes may take of the processors together, `%` of one; 0: all but one")
	grace := cmd.Flags().Duration("grace", 10*time.Second, "how long it may take to end when it is asked to")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		const mostMemory, mostGrace = 1 << 20, 5 * time.Minute
		const leastProcessor, mostProcessor, oneProcessor = 5, 100_000, 80 // %; oneProcessor where there is only one
		switch {
		case *memory < 16 || *memory > mostMemory:
			return cli.Usage("memory is %d MB; allowed is 16 to %d", *memory, mostMemory)
		case *processes < 1 || *processes > 4096:
			return cli.Usage("processes is %d; allowed is 1 to 4096", *processes)
		case *processor != 0 && (*processor < leastProcessor || *processor > mostProcessor):
			return cli.Usage("processor is %d %%; allowed is %d to %d, or 0", *processor, leastProcessor, mostProcessor)
		case *grace < 0 || *grace > mostGrace:
			return cli.Usage("grace is %s; allowed is 0 to %s", *grace, mostGrace)
		}
		if *processor == 0 {
			*processor = max(oneProcessor, 100*(runtime.NumCPU()-1))
		}
		return do(cmd.Context(), limits{int64(*memory) << 20, *processes, *processor, *grace}, args)
	}
	return cmd
}

// app returns an installed app; one that is a path or a package that is not installed is installed first.
func (a commands) app(ctx context.Context, s *store, name string) (*App, error) {
	app, err := s.get(name)
	if err == nil {
		return app, nil
	}
	if _, there := os.Stat(filepath.Join(name, "pyproject.toml")); there != nil {
		return nil, err
	}
	return s.install(ctx, name, false)
}

// defaultRobot is where apps look for the robot.
const defaultRobot = "http://127.0.0.1:8000"

func (a commands) runCommand() *cobra.Command {
	return limited(&cobra.Command{
		Use: "run NAME|DIR [-- ARGUMENTS]", Short: "Run an app until it ends or Ctrl-C is pressed; a directory is installed first",
		Long: `run runs an app in this terminal: what it prints is shown and kept in its log. The app is ended when it exceeds a limit, when the
emergency stop is latched, or with Ctrl-C, upon which it has the time of --grace to end by itself. Then no process of it is left.`,
		Args: cli.SomeArgs(-1, "the name of an app"), ValidArgsFunction: a.names,
		Example: "  reachyctl app run my_app --memory 512",
	}, func(ctx context.Context, l limits, args []string) error {
		s := a.store()
		app, err := a.app(ctx, s, args[0])
		if err != nil {
			return err
		}
		v := &supervisor{store: s, limits: l, robot: cmp.Or(a.HTTP, a.Env["REACHYCTL_HTTP"], defaultRobot), out: a.Stdout}
		return v.run(ctx, app, args[1:])
	})
}

// startPatience is how long an app may take until it has begun.
const startPatience = 10 * time.Second

func (a commands) startCommand() *cobra.Command {
	return limited(&cobra.Command{
		Use: "start NAME [-- ARGUMENTS]", Short: "Run an app in the background",
		Args: cli.SomeArgs(-1, "the name of an app"), ValidArgsFunction: a.names,
		Long:    `start begins an app and returns; it goes on when this terminal is closed. Its limits are those of run.`,
		Example: "  reachyctl app start my_app\n  reachyctl app log my_app\n  reachyctl app start my_app -- --gradio",
	}, func(ctx context.Context, l limits, args []string) error {
		s := a.store()
		app, err := s.get(args[0])
		if err != nil {
			return err
		}
		if r := s.running(); r != nil {
			return fmt.Errorf("%w: %s; `reachyctl app stop` ends it", errBusy, r.Name)
		}
		r, err := a.background(ctx, s, app, l, args[1:])
		if err != nil {
			return err
		}
		return a.Said(map[string]any{"running": r}, "%s runs; `reachyctl app log %s` shows what it says", app.Name, app.Name)
	})
}

// background begins a supervisor that outlives this program, and waits until its app has begun.
func (a commands) background(ctx context.Context, s *store, app *App, l limits, own []string) (*Running, error) {
	args := []string{
		"app", "run", app.Name, fmt.Sprint("--memory=", l.Memory>>20), fmt.Sprint("--processes=", l.Processes),
		fmt.Sprint("--processor=", l.Processor), fmt.Sprint("--grace=", l.Grace),
	}
	if a.HTTP != "" {
		args = append(args, "--http", a.HTTP)
	}
	if len(own) > 0 {
		args = append(append(args, "--"), own...)
	}
	said, err := os.CreateTemp("", "reachyctl-app-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(said.Name())                    //nolint:errcheck // a small file for the system to clear
	defer said.Close()                              //nolint:errcheck // only what the supervisor says
	cmd := exec.Command(a.Host.Executable, args...) //nolint:noctx // it outlives this program
	for k, v := range a.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stderr = said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", app.Name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for {
		if r := s.running(); r != nil && r.PID == cmd.Process.Pid {
			return r, nil
		}
		select {
		case err := <-ended:
			text, _ := os.ReadFile(said.Name()) // else there is nothing to add
			if err == nil {
				return nil, fmt.Errorf("%s ended at once; `reachyctl app log %s` shows what it said", app.Name, app.Name)
			}
			return nil, errors.New(tail(string(text), 1))
		case <-ctx.Done():
			return nil, fmt.Errorf("start %s: it has not begun after %s", app.Name, startPatience)
		case <-time.After(watchPeriod / 10):
		}
	}
}

func (a commands) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "End the app that runs", Args: cli.NoArgs,
		Long:    `stop asks the app to end, as Ctrl-C does, and ends it by force after its --grace.`,
		Example: "  reachyctl app stop",
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.store().stop(cmd.Context(), a.Wait(cli.MoveTime))
			if err != nil {
				return err
			}
			return a.Said(map[string]any{"stopped": r.Name}, "%s has ended", r.Name)
		},
	}
}

func (a commands) logCommand() *cobra.Command {
	lines := 100
	cmd := &cobra.Command{
		Use: "log NAME", Short: "Print what an app said last", Args: cli.SomeArgs(1, "the name of an app"), ValidArgsFunction: a.names,
		Long:    `log prints the end of what the app said since it was started last. The log before that is beside it, in log.1.`,
		Example: "  reachyctl app log my_app -n 20",
		RunE: func(_ *cobra.Command, args []string) error {
			app, err := a.store().get(args[0])
			if err != nil {
				return err
			}
			text, err := cli.ReadFile(app.logFile(), maxLog)
			if errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("%s has never run", app.Name)
			}
			if err != nil {
				return err
			}
			if a.JSON {
				a.PrintJSON(map[string]any{"app": app.Name, "log": tail(text, lines)})
				return nil
			}
			a.Printf("%s\n", tail(text, lines))
			return nil
		},
	}
	cmd.Flags().IntVarP(&lines, "lines", "n", lines, "how many lines at most")
	return cmd
}

func (a commands) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove an app and its environment", Args: cli.SomeArgs(1, "the name of an app"), ValidArgsFunction: a.names,
		Long:    `remove deletes the app, its virtual environment and its log. The SDK that apps share stays.`,
		Example: "  reachyctl app remove my_app",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.remove(args[0]); err != nil {
				return err
			}
			return a.Said(map[string]any{"removed": args[0]}, "%s is removed", args[0])
		},
	}
}

func (a commands) mediaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "media", Short: "Give the camera, microphone and loudspeaker to scripts without GStreamer", Args: cli.NoArgs,
		Long: `media writes the Python package reachyd-media and prints its directory. With that in PYTHONPATH a script of the official SDK needs neither
GStreamer nor PyGObject, and its camera, microphone and loudspeaker are those of the robot:

  PYTHONPATH=$(reachyctl app media) python my_script.py

Apps have it in any case.`,
		Example: "  reachyctl app media",
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.store().media()
			if err != nil {
				return err
			}
			return a.Said(map[string]any{"directory": dir}, "%s", dir)
		},
	}
}
