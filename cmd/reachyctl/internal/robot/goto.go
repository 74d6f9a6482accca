package robot

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// axis is one number of a goal, as a flag and where it stands in the command.
type axis struct {
	flag, part, field, about string
	allowed                  catalog.Range
}

var axes = []axis{
	{"x", "head", "x", "forward of neutral", catalog.HeadX},
	{"y", "head", "y", "left of neutral", catalog.HeadY},
	{"z", "head", "z", "above neutral", catalog.HeadZ},
	{"roll", "head", "roll", "tilt, + to the robot's right", catalog.HeadRoll},
	{"pitch", "head", "pitch", "nod, + looks down", catalog.HeadPitch},
	{"yaw", "head", "yaw", "turn of the head, + looks left", catalog.HeadYaw},
	{"body", "", "body_yaw", "where the body turns to, + is left", catalog.BodyYaw},
	{"left", "antennas", "left", "left antenna: 0 is up, + is outward and back", catalog.Antenna},
	{"right", "antennas", "right", "right antenna: 0 is up, - is outward and back", catalog.Antenna},
}

func (a commands) gotoCommand() *cobra.Command {
	var duration float64
	var law string
	var queue bool
	values := make([]float64, len(axes))
	cmd := &cobra.Command{
		Use:   "goto",
		Short: "Move head, body and antennas to a pose",
		Long: `goto moves the robot to a pose and says whether it was accepted. Lengths are metres, angles degrees, times seconds. Of the head, what
is left out is 0; body and antennas stay where they are unless they are named. Both antennas are named together.`,
		Example: "  reachyctl goto --z 0.01 --roll 15 --pitch -10\n  reachyctl goto --x 0.01 --yaw 30 --body 20 --duration 2\n" +
			"  reachyctl goto --left 30 --right -30 --queue",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args, err := goal(cmd.Flags(), values)
			if err != nil {
				return err
			}
			args["duration"], args["law"], args["queue"] = duration, law, queue
			answer, err := connect.Read[hal.Answer](cmd.Context(), a.App, "goto", args, a.Wait(cli.AskTime), "an answer")
			if err != nil || a.JSON {
				return err
			}
			text := fmt.Sprintf("%s: move %s, %.2f s", answer.Outcome, answer.Move, answer.Duration)
			if answer.Reason != "" {
				text += ": " + answer.Reason
			}
			a.Printf("%s\n", cli.Printable(text))
			return nil
		},
	}
	f := cmd.Flags()
	for i, x := range axes {
		f.Float64Var(&values[i], x.flag, 0, fmt.Sprintf("%s, `%s` (%g…%g)", x.about, x.allowed.Unit, x.allowed.Min, x.allowed.Max))
	}
	f.Float64Var(&duration, "duration", 1, fmt.Sprintf("how long the move takes, `%s` (%g…%g)", catalog.GotoTime.Unit, catalog.GotoTime.Min, catalog.GotoTime.Max))
	f.StringVar(&law, "law", string(hal.EasingMinJerk), "how progress depends on time: min_jerk, linear, ease_in_out or cartoon")
	f.BoolVar(&queue, "queue", false, "append to the moves under way instead of replacing them")
	return cmd
}

// goal is the pose that the flags name.
func goal(f *pflag.FlagSet, values []float64) (map[string]any, error) {
	args := map[string]any{}
	for i, x := range axes {
		switch part, ok := args[x.part].(map[string]any); {
		case !f.Changed(x.flag):
		case x.part == "":
			args[x.field] = values[i]
		case ok:
			part[x.field] = values[i]
		default:
			args[x.part] = map[string]any{x.field: values[i]}
		}
	}
	if len(args) == 0 {
		return nil, cli.Usage("name at least one axis, such as --yaw 20; see reachyctl goto --help")
	}
	if slices.ContainsFunc([]string{"left", "right"}, f.Changed) && (!f.Changed("left") || !f.Changed("right")) {
		return nil, cli.Usage("name both antennas: --left and --right")
	}
	return args, nil
}
