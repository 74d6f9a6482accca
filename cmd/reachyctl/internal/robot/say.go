package robot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) sayCommand() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "say TEXT...",
		Short: "Say something to the robot, print what it answers",
		Long: `say is a turn of conversation: the robot does what it is told and answers in words. It waits until the robot has
done it. With --json it prints the reply with the whole trace: what was understood, each tool call and its result.

Exit codes: 0 it was done, 1 it was not (impossible, not allowed, not understood, failed or interrupted).`,
		Example: "  reachyctl say look left, then nod and wiggle your antennas\n  reachyctl say --json \"turn around\" | jq .result",
		Args:    cli.SomeArgs(-1, "something to say"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.say(cmd.Context(), api.ChatArgs{Text: strings.Join(args, " "), Session: session})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "`name` of the conversation this belongs to")
	return cmd
}

// say runs a turn of conversation and prints the reply; errSaid says that the robot did not do what it was told.
func (a commands) say(ctx context.Context, chat api.ChatArgs) error {
	message := map[string]any{"text": chat.Text}
	if chat.Session != "" {
		message["session"] = chat.Session
	}
	if chat.Unsure {
		message["unsure"] = true
	}
	r, err := connect.Ask(ctx, a.App, "chat", message, a.Wait(cli.MoveTime))
	if err != nil {
		return err
	}
	var turn struct {
		Reply   *string `json:"reply"`
		Outcome string  `json:"outcome"`
	}
	if err := json.Unmarshal(r.Result, &turn); err != nil {
		return cli.Malformed("a reply", r.Raw, err)
	}
	if turn.Reply == nil {
		return cli.Malformed("a reply", r.Raw, errors.New("it has no result.reply"))
	}
	if !a.JSON {
		a.Printf("%s\n", cli.Printable(*turn.Reply))
	}
	switch turn.Outcome {
	case "", string(coordinator.OutcomePlan), string(coordinator.OutcomeAnswered):
		return nil
	}
	return cli.ErrSaid // the robot has said in words why it did not do it
}

func (a commands) planCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "plan TEXT...|-",
		Short: "Print what the built-in planner would do (needs no robot)",
		Long: `plan prints the tool calls that the built-in planner makes of a sentence. Nothing moves and no robot is needed.
With - it reads a sentence a line and answers with one JSON object a line. Objects that only the running robot sees
and tools that only it has are not known here.

With --dialogue it holds conversations with a robot that is not there, as the daemon would: a sentence a line, an empty line begins
a new one in the neutral pose. For each turn it prints the steps that were run, the reply, and the pose before and after, with
--json as one JSON object a line.

Exit codes for TEXT: 0 there is a plan, 1 there is none (impossible, not allowed, or not a command).`,
		Example: "  reachyctl plan look left and nod three times\n  reachyctl plan - < sentences.txt\n  reachyctl plan --dialogue talks.txt --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if file != "" {
				return cli.NoArgs(cmd, args)
			}
			return cli.SomeArgs(-1, "a sentence, or - for standard input")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if file != "" {
				return a.rehearse(cmd.Context(), file)
			}
			p := planner.New()
			if len(args) == 1 && args[0] == "-" {
				return a.planLines(p)
			}
			plan := p.Plan(strings.Join(args, " "))
			if a.JSON {
				a.PrintJSON(plan)
			} else {
				a.printPlan(plan)
			}
			if plan.Outcome != planner.OutcomePlan {
				return cli.ErrSaid
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "dialogue", "", "`file` of conversations to hold with a robot that is not there; - is standard input")
	return cmd
}

// planLines answers each line of the input at once, so that a program can hold a dialogue with it.
func (a commands) planLines(p *planner.Planner) error {
	lines := newLines(a.Stdin)
	for lines.Scan() {
		a.PrintJSON(p.Plan(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read sentences: %w", err)
	}
	return nil
}

func (a commands) printPlan(p planner.Plan) {
	if p.Message != "" {
		a.Printf("%s\n", p.Message)
	}
	if p.Outcome != planner.OutcomePlan {
		a.Printf("%s\n", a.Style.Paint(cli.Faint, "("+string(p.Outcome)+")"))
	}
	printSteps(a.Stdout, p.Steps, "")
}

func printSteps(w io.Writer, steps []planner.Step, indent string) {
	for i, s := range steps {
		inner, _ := s.Args["steps"].([]planner.Step)
		fmt.Fprintf(w, "%s%d. %s%s\n", indent, i+1, s.Tool, arguments(s.Args)) //nolint:errcheck // a reader that is gone needs no answer
		printSteps(w, inner, indent+"   ")
	}
}

// arguments writes "name=value" in alphabetical order, without the steps inside a step.
func arguments(args map[string]any) string {
	var b strings.Builder
	for _, k := range cli.SortedKeys(args) {
		if _, nested := args[k].([]planner.Step); nested {
			continue
		}
		b.WriteString(" " + k + "=" + cli.ValueText(args[k]))
	}
	return b.String()
}
