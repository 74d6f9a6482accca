package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// run is reachyctl without the operating system around it. It returns the exit code.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: environment(env), stdin: stdin, stdout: stdout, stderr: stderr}
	a.style = styleFor(stdout, a.env)
	a.dirs = runDirs(a.env)
	a.doctor = thisHost(a.env)
	return execute(ctx, a, args)
}

func execute(ctx context.Context, a *app, args []string) int { return a.run(ctx, rootCommand(a), args) }

func rootCommand(a *app) *cobra.Command {
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
