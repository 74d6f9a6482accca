// Package servos is what a technician does with the servos, by reachy-body, which alone knows the bus.
package servos

import (
	"errors"
	"os/exec"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	return []*cobra.Command{c.servoCommand()}
}

func (a commands) servoCommand() *cobra.Command {
	var port string
	var baud int
	cmd := &cobra.Command{
		Use: "servo", Short: "Find, identify, configure and test the servos (while reachyd does not run)",
		Long: `servo talks to the servos directly, for whoever builds or repairs a robot. End reachyd before (sudo systemctl stop reachyd): two programs
on one bus corrupt each other's packets. firmware-notes says how a servo is replaced, step by step.`,
		Example: "  reachyctl servo scan\n  reachyctl servo --baud 57600 id 1 14\n  reachyctl servo flash-check\n  reachyctl servo config\n  reachyctl servo test",
		Args:    cli.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&port, "port", "auto", "servo bus: auto, /dev/…, unix:`PATH` or pty:PATH")
	cmd.PersistentFlags().IntVar(&baud, "baud", 1_000_000, "speed of the line; a servo as the factory sends it listens at 57600")
	for _, action := range []struct {
		use, name, short, long string
		arguments              int
	}{
		{
			"scan", "scan", "List all servos that answer",
			"scan asks every identifier, and prints model, firmware, voltage, temperature and position. It writes nothing.", 0,
		},
		{
			"id OLD NEW", "id", "Give a servo another identifier",
			"id writes the identifier, and the robot's speed to a servo that listens at another (--baud). Plug in only the servo that is meant\n" +
				"when its identifier is not its own yet. Identifiers: 10 body_rotation, 11…16 stewart_1…6, 17 right_antenna, 18 left_antenna.", 2,
		},
		{
			"config", "config", "Write the robot's configuration to servos that differ",
			"config does what reachyd does at every start: it mends limits, offsets, modes and" +
				" gains of servos without torque, and tells what it did.", 0,
		},
		{
			"flash-check", "flash-check", "Compare models, firmware and configuration with the robot's",
			"flash-check reads and compares, and writes nothing. Exit code 1 when " +
				"a servo is missing or differs.", 0,
		},
		{
			"test", "test", "Move each joint a little and judge it",
			"test moves one joint after the other by 3° to either side, and judges what it measures: friction, play, current and heat. The robot must\n" +
				"be asleep, and nobody's fingers near it.", 0,
		},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: action.use, Short: action.short, Long: action.long, Example: "  reachyctl servo " + action.use,
			Args: func(cmd *cobra.Command, args []string) error { return cobra.ExactArgs(action.arguments)(cmd, args) },
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.run(cmd, append([]string{"servo", "-port", port, "-baud", strconv.Itoa(baud), "-json=" + strconv.FormatBool(a.JSON), action.name}, args...))
			},
		})
	}
	return cmd
}

// run has reachy-body do it.
func (a commands) run(cmd *cobra.Command, args []string) error {
	if bodies := a.Sockets(cli.BodySocket); len(bodies) > 0 && !cmd.Flags().Changed("port") {
		return cli.Usage("reachyd or its body runs here (%s): end it first, as with sudo systemctl stop reachyd", bodies[0])
	}
	program, err := a.Host.Find("reachy-body")
	if err != nil {
		return err
	}
	body := exec.CommandContext(cmd.Context(), program, args...)
	body.Stdout, body.Stderr = a.Stdout, a.Stderr
	var exit *exec.ExitError
	if err := body.Run(); errors.As(err, &exit) {
		return cli.ErrSaid
	} else if err != nil {
		return err
	}
	return nil
}
