package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1 // refused or failed
	exitUsage       = 2
	exitUnreachable = 3
)

// app is one run of reachyctl: the world around it and the global flags.
type app struct {
	env            map[string]string
	stdin          io.Reader
	stdout, stderr io.Writer
	style          style

	broker       string
	web          string
	robot        string
	prefix       string
	user         string
	passwordFile string
	ca           string
	timeout      time.Duration
	json         bool

	dirs   []string // where the reachyd of this machine may have its run directory
	doctor doctorHost
	begun  bool // a command runs: from here on an error is no usage error
}

// run is reachyctl without the operating system around it. It returns the exit code.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: environment(env), stdin: stdin, stdout: stdout, stderr: stderr}
	a.style = styleFor(stdout, a.env)
	a.dirs = runDirs(a.env)
	a.doctor = thisHost(a.env)
	return a.run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	code := exitFailed
	var unreachable *unreachableError
	var usage *usageError
	switch {
	case !a.begun, errors.As(err, &usage):
		code = exitUsage
	case errors.As(err, &unreachable):
		code = exitUnreachable
	case errors.Is(err, errSaid):
		return code
	}
	if a.json && a.begun {
		a.printJSON(jsonError(err))
	} else {
		fmt.Fprintf(a.stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
	}
	return code
}

// usageError is a mistake on the command line that shows only when the command runs.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// errSaid ends a command with code 1 when everything has been printed already.
var errSaid = errors.New("failed")

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "reachyctl",
		Short: "Talk to a Reachy Mini that reachyd runs",
		Long: `reachyctl talks to a Reachy Mini that reachyd runs, over MQTT.

Without --broker it asks the reachyd of this machine where its broker is, else it tries mqtt://127.0.0.1:1883.
With --json every command prints one JSON object a line.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the robot cannot be reached.`,
		Example: `  reachyctl say "look left, then nod"
  reachyctl state --watch
  reachyctl stop
  reachyctl --broker mqtt://reachy.local:1883 --json events | jq .type`,
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { a.begun = true },
		Args:             noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.broker, "broker", "", "`URL` of the broker: mqtt://, mqtts://, ws:// or wss:// (environment: REACHYCTL_BROKER)")
	flags.StringVar(&a.web, "http", "", "`URL` of reachyd's web server, for what is too large for MQTT (environment: REACHYCTL_HTTP)")
	flags.StringVar(&a.robot, "robot", "mini", "`id` of the robot")
	flags.StringVar(&a.prefix, "prefix", "reachy", "what the robot's topics begin with, as in its mqtt.prefix")
	flags.StringVar(&a.user, "user", "", "`name` to log in with at the broker")
	flags.StringVar(&a.passwordFile, "password-file", "", "`file` whose first line is the password")
	flags.StringVar(&a.ca, "ca", "", "`file` with the certificates that may have signed the broker's, PEM")
	flags.DurationVar(&a.timeout, "timeout", 0, "how long to wait for an answer (default: 10s, or 5m for what moves the robot)")
	flags.BoolVar(&a.json, "json", false, "print one JSON object a line")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		a.sayCommand(), a.planCommand(), a.traceCommand(), a.sessionCommand(), a.stateCommand(), a.telemetryCommand(), a.eventsCommand(),
		a.stopCommand(), a.resetCommand(), a.wakeCommand(), a.sleepCommand(),
		a.listenCommand(), a.seeCommand(), a.muteCommand(), a.modelsCommand(),
		a.toolCommand(), a.simCommand(), a.doctorCommand(), a.versionCommand(),
	)
	return root
}

// wait is how long to wait for an answer: as the user said, else the command's own time.
func (a *app) wait(usual time.Duration) time.Duration {
	if a.timeout > 0 {
		return a.timeout
	}
	return usual
}

// How long commands wait unless told otherwise.
const (
	quick = 10 * time.Second // what only asks
	long  = 5 * time.Minute  // what moves the robot, perhaps several times
)

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is not a command of %s; see %s --help", strings.Join(args, " "), cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

// someArgs asks for at least one argument, which what describes, and at most so many when most is not negative.
func someArgs(most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || most >= 0 && len(args) > most {
			return fmt.Errorf("%s needs %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

func environment(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		m[k] = v
	}
	return m
}
