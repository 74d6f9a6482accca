package learning

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// piece is feedback as the robot tells it.
type piece struct {
	ID, Text, Verdict string
	At                time.Time
	Rating            int
	Reward            float64
	Uncertainty       float64
	Meant             []string
	Credits           []struct {
		Episode, Tool string
		Share         float64
	}
}

// said is what the person gave.
func (p *piece) said() string {
	switch {
	case p.Text != "":
		return p.Text
	case p.Verdict != "":
		return p.Verdict
	}
	return strconv.Itoa(p.Rating) + " of 5"
}

// of is what it was credited to.
func (p *piece) of() string {
	parts := make([]string, len(p.Credits))
	for i, c := range p.Credits {
		parts[i] = fmt.Sprintf("%s %.0f %%", c.Tool, 100*c.Share)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (a commands) feedbackCommand() *cobra.Command {
	var episode, session, verdict string
	rating := 0
	c := &cobra.Command{
		Use:   "feedback [TEXT...]",
		Short: "Tell the robot what one thinks of what it did",
		Long: `feedback tells the robot what one thinks of what it has just done, in words, as a verdict (great, good, bad, stop) or in
stars. The robot credits it to its last actions, or to those that the words name ("the second one was better"), keeps it, and
learns from it; reachyctl learned shows what. A stop also stops the robot.`,
		Example: "  reachyctl feedback good, but a bit slow\n  reachyctl feedback --verdict great --episode 20261122-153012-4\n  reachyctl feedback list",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			message := map[string]any{}
			for key, v := range map[string]string{"text": strings.Join(args, " "), "episode": episode, "session": session, "verdict": verdict} {
				if v != "" {
					message[key] = v
				}
			}
			if rating != 0 {
				message["rating"] = rating
			}
			return a.one(cmd.Context(), "feedback", message, "Taken as %s: %+.2f, for %s.\n")
		},
	}
	c.Flags().StringVar(&episode, "episode", "", "`id` of the turn (its trace) that it is about; what was done last when left out")
	c.Flags().StringVar(&session, "session", "", "`id` of the conversation, which is who says it")
	c.Flags().StringVar(&verdict, "verdict", "", "great, good, bad or stop")
	c.Flags().IntVar(&rating, "rating", 0, "`stars`, 1 to 5")
	c.AddCommand(a.feedbackListCommand(), a.correctCommand("correct", "feedback"), a.feedbackDeleteCommand())
	return c
}

// one asks for something whose answer is a piece, and prints that.
func (a commands) one(ctx context.Context, verb string, message map[string]any, format string) error {
	p, err := connect.Read[piece](ctx, a.App, verb, message, a.Wait(cli.AskTime), "feedback")
	if err != nil || a.JSON {
		return err
	}
	a.Printf(format, cli.Printable(p.ID), p.Reward, cli.Printable(p.of()))
	return nil
}

func (a commands) feedbackListCommand() *cobra.Command {
	limit := 0
	c := &cobra.Command{
		Use:     "list",
		Short:   "List feedback, the newest first, with what it was credited to",
		Long:    "list prints a line for each piece of feedback: its id, when it was given, what it is worth, what was said, and what it is about.",
		Example: "  reachyctl feedback list\n  reachyctl --json feedback list --limit 200",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			message := map[string]any{}
			if limit != 0 {
				message["limit"] = limit
			}
			list, err := connect.Read[struct{ Feedback []piece }](cmd.Context(), a.App, "feedback/list", message, a.Wait(cli.AskTime), "a list of feedback")
			if err != nil || a.JSON {
				return err
			}
			if len(list.Feedback) == 0 {
				a.Printf("Nobody has said what they think of it yet.\n")
				return nil
			}
			t := a.Table()
			t.Row("id", "when", "reward", "said", "meant", "about")
			for i := range list.Feedback {
				p := &list.Feedback[i]
				t.Row(p.ID, p.At.Local().Format(time.DateTime), fmt.Sprintf("%+.2f", p.Reward), p.said(), strings.Join(p.Meant, " "), p.of())
			}
			return t.Flush()
		},
	}
	c.Flags().IntVar(&limit, "limit", 0, "`how many`, at most 200 (default 20)")
	return c
}

// correctCommand says what feedback is worth; group is the command that it is one of.
func (a commands) correctCommand(name, group string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " ID|last REWARD",
		Short: "Say what feedback was worth",
		Long: `correct says what a piece of feedback is worth, from -1 (blame) to 1 (praise). The robot learns anew from all feedback, and
from now on takes the same words of the same person for that. last is the latest piece.`,
		Example: "  reachyctl " + group + " correct last 0.8\n  reachyctl " + group + " correct f00000012 -- -0.5",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%s needs the id of a piece of feedback (or last) and a reward from -1 to 1; see %s --help", cmd.CommandPath(), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			worth, err := strconv.ParseFloat(args[1], 64)
			if err != nil {
				return cli.Usage("reward: %q is no number; allowed is -1…1 (after -- when it is negative)", args[1])
			}
			message := map[string]any{"reward": worth}
			if args[0] != "last" {
				message["feedback"] = args[0]
			}
			return a.one(cmd.Context(), "feedback/correct", message, "Corrected %s: it is worth %+.2f, for %s.\n")
		},
	}
}

func (a commands) feedbackDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "delete ID",
		Short:   "Remove feedback, and what was learned from it",
		Long:    "delete removes a piece of feedback. The robot learns anew from what is left.",
		Example: "  reachyctl feedback delete f00000012",
		Args:    cli.SomeArgs(1, "the id of a piece of feedback"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.one(cmd.Context(), "feedback/delete", map[string]any{"feedback": args[0]}, "Removed %s: it was worth %+.2f, for %s.\n")
		},
	}
}

func (a commands) learnedCommand() *cobra.Command {
	session := ""
	c := &cobra.Command{
		Use:   "learned",
		Short: "Print what the robot has learned of how one likes it to behave",
		Long: `learned prints in words how the robot behaves because of what its people said, and from which feedback it has that. The
settings learning.… fix what is not to be learned.`,
		Example: "  reachyctl learned\n  reachyctl learned --session kitchen\n  reachyctl learned forget speed",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			message := map[string]any{}
			if session != "" {
				message["session"] = session
			}
			r, err := connect.Ask(cmd.Context(), a.App, "learned", message, a.Wait(cli.AskTime))
			if err != nil || a.JSON {
				return err
			}
			var all struct {
				Learned []struct {
					Parameter, Words string
					Learned          bool
					Pieces           int
					From             []string
				}
			}
			if err := json.Unmarshal(r.Result, &all); err != nil {
				return cli.Malformed("what was learned", r.Raw, err)
			}
			for _, l := range all.Learned {
				a.Printf("%s: %s.\n", a.Style.Paint(cli.Bold, cli.Printable(l.Parameter)), cli.Printable(l.Words))
				if l.Pieces > 0 {
					a.Printf("  from %d pieces of feedback, the latest: %s\n", l.Pieces, cli.Printable(strings.Join(l.From, " ")))
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&session, "session", "", "`id` of the conversation, which is who it is about")
	c.AddCommand(&cobra.Command{
		Use:     "forget PARAMETER|all",
		Short:   "Let the robot forget what it has learned",
		Long:    "forget lets the robot behave as it always did, in one way or in all. The feedback is kept, and no longer counts for that.",
		Example: "  reachyctl learned forget speed\n  reachyctl learned forget all",
		Args:    cli.SomeArgs(1, "what to forget: speed, size, greeting, idle, asking or all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			message := map[string]any{}
			if args[0] != "all" {
				message["parameter"] = args[0]
			}
			gone, err := connect.Read[struct{ Pieces int }](cmd.Context(), a.App, "learned/forget", message, a.Wait(cli.AskTime), "what was forgotten")
			if err != nil || a.JSON {
				return err
			}
			a.Printf("Forgotten: %d pieces of feedback no longer count.\n", gone.Pieces)
			return nil
		},
	})
	return c
}
