// Package learning tells the robot what one thinks of its doing, and shows what it has learned by that.
package learning

import (
	"bufio"
	"context"
	"errors"
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
	path := ""
	if !lexical {
		a.Host.Locate(a.Env, a.Dirs)
		if found, err := (&models.Store{Dirs: a.Host.ModelDirs}).Find(models.MiniLM); err == nil {
			path = found // it is optional
		}
	}
	j, err := reward.OpenJudge(path, meaning.NewLazy(path, time.Minute))
	if errors.Is(err, reward.ErrNotFitted) {
		fmt.Fprintf(a.Stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	return j, j.Check()
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
		Short: "Fit the second layer of the reward model to its sentences (needs minilm)",
		Long: `fit computes what the sentences in the program mean and keeps beside the file of minilm what follows for the reward of words.
'reachyctl models pull minilm' does it too; it is needed again when a new version of reachyctl has other sentences. It takes a
minute or two.`,
		Example: "  reachyctl reward fit",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.Host.Locate(a.Env, a.Dirs)
			path, err := (&models.Store{Dirs: a.Host.ModelDirs}).Find(models.MiniLM)
			if err != nil {
				return err
			}
			layer, err := FitReward(cmd.Context(), a.App, path)
			if err != nil {
				return err
			}
			return a.Said(map[string]any{"model": path, "layer": layer}, "words are judged by their meaning, too: %s", layer)
		},
	}
}

// FitReward fits the second layer of the reward model for the model of sentences in a file, and returns where it is kept.
func FitReward(ctx context.Context, app *cli.App, model string) (string, error) {
	last := time.Time{}
	path, err := reward.Prepare(ctx, model, func(done, total int) {
		if app.Style.Tty && !app.JSON && (time.Since(last) > 100*time.Millisecond || done == total) {
			last = time.Now()
			app.Printf("\r%d of %d sentences", done, total)
		}
	})
	if app.Style.Tty && !app.JSON && !last.IsZero() {
		app.Printf("\n")
	}
	if err != nil {
		return "", fmt.Errorf("fit the reward model: %w", err)
	}
	return path, nil
}
