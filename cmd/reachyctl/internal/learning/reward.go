// Package learning tells the robot what one thinks of its doing, and shows what it has learned by that.
package learning

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/meaning"
	"github.com/reachyd/reachyd/perception/models"
)

// commands are those of this package, of one run of reachyctl.
type commands struct{ *cli.App }

// Commands returns the commands of this package.
func Commands(app *cli.App) []*cobra.Command {
	c := commands{app}
	return []*cobra.Command{c.rewardCommand(), c.feedbackCommand(), c.learnedCommand(), c.trainCommand(), c.demoCommand()}
}

// judge is the reward model of this machine, by the words alone when wanted.
func (a commands) judge(lexical bool) (*reward.Judge, error) {
	if !lexical {
		a.Host.Locate(a.Env, a.Dirs)
		if path, err := (&models.Store{Dirs: a.Host.ModelDirs}).Find(models.MiniLM); err == nil { // it is optional
			j := reward.NewJudge(meaning.NewLazy(path, time.Minute))
			return j, j.Check()
		}
	}
	return reward.NewJudge(nil), nil
}

func (a commands) rewardCommand() *cobra.Command {
	lexical := false
	c := &cobra.Command{
		Use:   "reward TEXT...|-",
		Short: "Print the reward that words of praise or blame are worth (needs no robot)",
		Long: `reward prints what a sentence is worth as feedback: from -1 (stop, anger) to 1 (perfect), 0 for what is about something
else; how unsure that is (the probability of another class: blame, neutral, praise), which words decided, and what was meant,
such as too_fast. With - it reads a sentence a line and answers with one JSON object a line.

No robot is needed: this is the model that is in the program, without what one robot's people have corrected. Where
'reachyctl models pull minilm' was done it is asked together with a second one, which goes by what sentences mean.`,
		Example: "  reachyctl reward good, but a bit slow\n  reachyctl reward - < sentences.txt\n  reachyctl reward eval labelled.jsonl",
		Args:    cli.SomeArgs(-1, "a sentence, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			judge, err := a.judge(lexical)
			if err != nil {
				return err
			}
			defer judge.Close() //nolint:errcheck // it was only read
			if len(args) == 1 && args[0] == "-" {
				return a.rewardLines(judge)
			}
			s := judge.Score(strings.Join(args, " "))
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
	c.PersistentFlags().BoolVar(&lexical, "lexical", false, "judge by the words alone, also where minilm is")
	c.AddCommand(a.rewardEvalCommand(&lexical), a.rewardFitCommand(), a.correctCommand("correct", "reward"))
	return c
}

// rewardLines answers each line of the input at once.
func (a commands) rewardLines(judge *reward.Judge) error {
	const longest = 1 << 20
	lines := bufio.NewScanner(a.Stdin)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		a.PrintJSON(judge.Score(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read sentences: %w", err)
	}
	return nil
}

func (a commands) rewardEvalCommand(lexical *bool) *cobra.Command {
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
			judge, err := a.judge(*lexical)
			if err != nil {
				return err
			}
			defer judge.Close() //nolint:errcheck // it was only read
			r := reward.Evaluate(examples, judge.Score)
			if !wrong {
				r.Wrong = nil
			}
			if a.JSON {
				a.PrintJSON(r)
				return nil
			}
			if judge.Layered() {
				a.Printf("with %s; --lexical for the words alone\n", models.MiniLM)
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

func (a commands) rewardFitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "fit",
		Short: "Check the second layer of the reward model (needs minilm)",
		Long: `fit says whether words are judged by what sentences mean, too, and what is wrong when they are not. There is nothing to fit any
more: what earlier versions computed from their sentences for some minutes is in the program.`,
		Example: "  reachyctl reward fit",
		Args:    cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.Host.Locate(a.Env, a.Dirs)
			path, err := (&models.Store{Dirs: a.Host.ModelDirs}).Find(models.MiniLM)
			if err != nil {
				return err
			}
			j := reward.NewJudge(meaning.NewLazy(path, time.Minute))
			defer j.Close() //nolint:errcheck // it was only read
			if err := j.Check(); err != nil {
				return err
			}
			return a.Said(map[string]any{"model": path}, "words are judged by their meaning, too: %s", path)
		},
	}
}
