// Package tools calls the robot's tools, and gives it those that people write.
package tools

import (
	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	return []*cobra.Command{c.wakeCommand(), c.sleepCommand(), c.toolCommand()}
}
