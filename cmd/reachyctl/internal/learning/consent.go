package learning

import (
	"bufio"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// trainOnRobot begins a run that moves the robot itself, once a person has agreed. With --json the question is for the caller.
func (a commands) trainOnRobot(cmd *cobra.Command, args map[string]any) error {
	s, err := connect.Read[training](cmd.Context(), a.App, "train", args, a.Wait(trainTime), "a question")
	if err != nil || a.JSON {
		return err
	}
	a.Printf("%s ", cli.Printable(s.Message))
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil && line == "" {
		a.Printf("\nNobody answers here: say yes to the robot, or: reachyctl train consent %s yes\n", s.Consent)
		return nil
	}
	answer := "no"
	if said := strings.ToLower(strings.TrimSpace(line)); said == "yes" || said == "y" {
		answer = "yes"
	}
	return a.trained(cmd, map[string]any{"action": "consent", "consent": s.Consent, "answer": answer})
}

func (a commands) trainConsentCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "consent QUESTION yes|no",
		Short: "Answer whether the robot itself may move to practise",
		Long: `consent answers the question that train start --on-robot asks, by its id, within a minute. A yes is for that run and for an hour at
most; a stop ends it.`,
		Example:   "  reachyctl train consent 7KQ2MZPA yes",
		Args:      cobra.ExactArgs(2),
		ValidArgs: []string{"yes", "no"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.trained(cmd, map[string]any{"action": "consent", "consent": args[0], "answer": args[1]})
		},
	}
}
