package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/apps"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/doctor"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/keep"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/learning"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/release"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/robot"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/senses"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/servos"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/sim"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/tools"
)

// run is reachyctl without the operating system around it. It returns the exit code.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &cli.App{Env: cli.Environment(env), Stdin: stdin, Stdout: stdout, Stderr: stderr}
	a.Style = cli.StyleFor(stdout, a.Env)
	if f, ok := stdin.(*os.File); ok {
		a.Terminal = term.IsTerminal(int(f.Fd()))
	}
	a.Dirs = cli.RunDirs(a.Env)
	a.Host = host.This(a.Env)
	return execute(ctx, a, args)
}

func execute(ctx context.Context, a *cli.App, args []string) int {
	return a.Run(ctx, rootCommand(a), args)
}

func rootCommand(a *cli.App) *cobra.Command {
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
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			a.Begun = true
			if !cmd.Flags().Changed("robot") && a.Broker == "" && a.Env["REACHYCTL_BROKER"] == "" { // the robot of this machine is meant
				a.Robot = cmp.Or(a.Host.RobotID(a.Env, a.Dirs), a.Robot)
			}
		},
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.Broker, "broker", "", "`URL` of the broker: mqtt://, mqtts://, ws:// or wss:// (environment: REACHYCTL_BROKER)")
	flags.StringVar(&a.HTTP, "http", "", "`URL` of reachyd's web server, for what is too large for MQTT (environment: REACHYCTL_HTTP)")
	flags.StringVar(&a.Robot, "robot", "mini", "`id` of the robot; that of this machine is known")
	flags.StringVar(&a.Prefix, "prefix", "reachy", "what the robot's topics begin with, as in its mqtt.prefix")
	flags.StringVar(&a.User, "user", "", "`name` to log in with at the broker")
	flags.StringVar(&a.PasswordFile, "password-file", "", "`file` whose first line is the password")
	flags.StringVar(&a.CA, "ca", "", "`file` with the certificates that may have signed the broker's, PEM")
	flags.DurationVar(&a.Timeout, "timeout", 0, "how long to wait for an answer (default: 10s, or 5m for what moves the robot)")
	flags.BoolVar(&a.JSON, "json", false, "print one JSON object a line")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(versionCommand(a), release.Command(a, version()))
	root.AddCommand(keep.Commands(a, version())...)
	for _, commands := range []func(*cli.App) []*cobra.Command{
		robot.Commands, tools.Commands, senses.Commands, sim.Commands, servos.Commands, doctor.Commands,
		learning.Commands, apps.Commands,
	} {
		root.AddCommand(commands(a)...)
	}
	return root
}
