// Package learning tells the robot what one thinks of its doing, and shows what it has learned by that.
package learning

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/learner/reward"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	return []*cobra.Command{c.rewardCommand(), c.feedbackCommand(), c.learnedCommand(), c.trainCommand(), c.demoCommand()}
}

func (a commands) rewardCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "reward TEXT...|-",
		Short: "Print the reward that words of praise or blame are worth (needs no robot)",
		Long: `reward prints what a sentence is worth as feedback: from -1 (stop, anger) to 1 (perfect), 0 for what is about something
else; how unsure that is (the probability of another class: blame, neutral, praise), which words decided, and what was meant,
such as too_fast. With - it reads a sentence a line and answers with one JSON object a line.

No robot is needed: this is the model that is in the program, without what one robot's people have corrected.`,
		Example: "  reachyctl reward good, but a bit slow\n  reachyctl reward - < sentences.txt\n  reachyctl reward eval labelled.jsonl",
		Args:    cli.SomeArgs(-1, "a sentence, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "-" {
				return a.rewardLines()
			}
			s := reward.Default().Score(strings.Join(args, " "))
			if a.JSON {
				a.PrintJSON(s)
				return nil
			}
			a.Printf("%+.2f %s, unsure %.2f\n", s.Reward, reward.ClassOf(s.Reward), s.Uncertainty)
			if len(s.Reason) > 0 {
				a.Printf("because of: %s\n", cli.Printable(strings.Join(s.Reason, ", ")))
			}
			if len(s.Meant) > 0 {
				a.Printf("meant: %s\n", strings.Join(s.Meant, ", "))
			}
			return nil
		},
	}
	c.AddCommand(a.rewardEvalCommand(), a.correctCommand("correct", "reward"))
	return c
}

// rewardLines answers each line of the input at once.
func (a commands) rewardLines() error {
	const longest = 1 << 20
	model := reward.Default()
	lines := bufio.NewScanner(a.Stdin)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		a.PrintJSON(model.Score(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read sentences: %w", err)
	}
	return nil
}

func (a commands) rewardEvalCommand() *cobra.Command {
	wrong := false
	c := &cobra.Command{
		Use:   "eval FILE",
		Short: "Measure the reward model on labelled sentences",
		Long: `eval compares what the model says with what people said, in a file of JSON lines {"text": …, "reward": −1…1, "meant": […]}:
agreement in three classes, mean error, a confusion table, and the agreement of each tenth, the surest first: when the
uncertainty means something, it falls.`,
		Example: "  reachyctl reward eval labelled.jsonl\n  reachyctl reward eval --wrong labelled.jsonl",
		Args:    cli.SomeArgs(1, "a file of labelled sentences"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("labelled sentences: %w", err)
			}
			defer f.Close() //nolint:errcheck // it was only read
			examples, err := reward.ReadExamples(f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			r := reward.Evaluate(examples, reward.Default().Score)
			if !wrong {
				r.Wrong = nil
			}
			if a.JSON {
				a.PrintJSON(r)
				return nil
			}
			a.Printf("%s", r)
			for _, text := range r.Wrong {
				a.Printf("  %s\n", cli.Printable(text))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&wrong, "wrong", false, "print the sentences that are taken for another class, too")
	return c
}
