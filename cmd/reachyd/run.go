package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/reachyd/reachyd/cmd/internal/crash"
	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/daemon"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/logbook"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a mistake on the command line or in the configuration.
type usageError struct{ error }

// run is reachyd without the operating system around it. It returns the exit code.
func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	cmd := rootCommand(env, stdout, stderr)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "reachyd: %v\n", err) //nolint:errcheck // nowhere left to say so
		return exitUsage
	default:
		fmt.Fprintf(stderr, "reachyd: %v\n", err) //nolint:errcheck // nowhere left to say so
		return exitFailed
	}
}

func rootCommand(env []string, stdout, stderr io.Writer) *cobra.Command {
	var src config.Source
	src.Env = env
	var sim bool
	opts := map[string]*string{}

	load := func() (*config.Config, error) {
		src.Options = map[string]string{}
		for key, value := range opts {
			if *value != "" {
				src.Options[key] = *value
			}
		}
		if sim {
			src.Options["sim.enabled"] = "true"
		}
		cfg, err := config.Load(src)
		if err != nil {
			return nil, usageError{err}
		}
		return cfg, nil
	}
	start := func(cmd *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		d := daemon.Daemon{Config: cfg, Out: stdout, Lines: &logbook.Book{}}
		d.Log = logger(cfg.Log, stderr, d.Lines)
		if err := crash.Keep(crashesFor(cfg), "reachyd", daemon.Version); err != nil {
			d.Log.Warn().Err(err).Msg("a crash would leave no report")
		}
		return d.Run(cmd.Context())
	}

	root := &cobra.Command{
		Use:   "reachyd",
		Short: "Run a Reachy Mini: understand, move, speak MQTT",
		Long: `reachyd runs a Reachy Mini on the robot's own host.

Without a configuration, "reachyd --sim" gives a simulated robot, an MQTT broker on 127.0.0.1:1883 (or the next free
port) and the built-in planner. "reachyd --port auto" drives the robot on the USB cable. Talk to it with reachyctl.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.`,
		Example:       "  reachyd --sim\n  reachyd --port auto\n  reachyd run --config reachyd.yaml\n  reachyd config > reachyd.yaml",
		Args:          noArgs,
		RunE:          start,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&src.File, "config", "", "configuration `file` (default: the usual places, see `reachyd config`)")
	flags.BoolVar(&sim, "sim", false, "drive a simulated robot")
	for _, o := range []struct{ flag, key, help string }{
		{"port", "body.port", "where the servos are: auto, a serial `device`, or unix:/path"},
		{"data-dir", "data_dir", "`directory` for what must not be lost"},
		{"log-level", "log.level", "`level` of the log: debug, info, warn, error"},
	} {
		opts[o.key] = flags.String(o.flag, "", o.help)
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see reachyd --help", err)}
	})

	root.AddCommand(
		&cobra.Command{
			Use: "run", Short: "Run the robot (the same as reachyd without a command)", Args: noArgs, RunE: start,
		},
		&cobra.Command{
			Use: "check", Short: "Read and check the configuration, start nothing", Args: noArgs,
			RunE: func(*cobra.Command, []string) error {
				if _, err := load(); err != nil {
					return err
				}
				_, err := fmt.Fprintln(stdout, "the configuration is good")
				return err
			},
		},
		&cobra.Command{
			Use: "config", Short: "Print the configuration in effect, with comments", Args: noArgs,
			RunE: func(*cobra.Command, []string) error {
				cfg, err := load()
				if err != nil {
					return err
				}
				_, err = io.WriteString(stdout, cfg.Annotated())
				return err
			},
		},
		workerCommand(load),
		&cobra.Command{
			Use: "version", Short: "Print the version", Args: noArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := fmt.Fprintln(stdout, "reachyd", daemon.Version)
				return err
			},
		},
	)
	return root
}

// crashesFor is where crashes are reported; it lets the workers know, too.
func crashesFor(cfg *config.Config) (dir string) {
	dir = filepath.Join(cfg.DataDir, crash.Folder)
	_ = os.Setenv(crash.DirEnv, dir) // a constant is a good name
	return dir
}

// workerCommand is what the units of body and senses run.
func workerCommand(load func() (*config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use: "worker NAME", Short: "Become the body or sense of the reachyd that runs, as the units of the service do", Args: oneArg, Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			crashesFor(cfg)
			return daemon.ExecWorker(cmd.Context(), cfg, args[0])
		},
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%q is not a command of %s; see %s --help", strings.Join(args, " "), cmd.CommandPath(), cmd.CommandPath())}
	}
	return nil
}

func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s takes one argument, not %d", cmd.CommandPath(), len(args))}
	}
	return nil
}

// logger writes JSON lines, or for a terminal lines that people read; the book gets all of them.
func logger(cfg config.Log, w io.Writer, book *logbook.Book) zerolog.Logger {
	f, isFile := w.(*os.File)
	tty := isFile && term.IsTerminal(int(f.Fd()))
	to := program.Log(w)
	if cfg.Format == "console" || cfg.Format == "auto" && tty {
		to = zerolog.ConsoleWriter{Out: w, TimeFormat: "15:04:05.000", NoColor: !tty || os.Getenv("NO_COLOR") != ""}
	}
	level, err := zerolog.ParseLevel(cfg.Level)
	if err != nil { // config has checked it
		level = zerolog.InfoLevel
	}
	return zerolog.New(zerolog.MultiLevelWriter(to, book)).Level(level).With().Timestamp().Logger()
}
