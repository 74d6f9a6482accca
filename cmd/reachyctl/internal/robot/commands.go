// Package robot asks the robot: what is said to it, what happened, how it is, and the emergency stop.
package robot

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	return []*cobra.Command{
		c.sayCommand(), c.planCommand(), c.traceCommand(), c.sessionCommand(), c.photoCommand(), c.faceCommand(), c.stateCommand(),
		c.telemetryCommand(), c.eventsCommand(), c.gotoCommand(), c.stopCommand(), c.resetCommand(), tokenCommand(app), c.configCommand(),
	}
}

// Say says something to the robot in a session and prints what it answers.
func Say(ctx context.Context, app *cli.App, chat api.ChatArgs) error {
	return commands{app}.say(ctx, chat)
}
