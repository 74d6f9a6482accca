package robot

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) traceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trace [ID]",
		Short: "Draw what happened in a turn, with times",
		Long: `trace draws a turn of conversation as a tree: when each thing began, how long it took, and what it was: the plan,
hand-offs between agents, calls of language models and tools. Without an id it draws the latest turn. Replies and
events carry the id of their turn. Secrets and pictures are not kept in traces.`,
		Example: "  reachyctl trace\n  reachyctl trace 0194d0c2b2a10000c0ffee01\n  reachyctl --json trace | jq .result.spans",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			message := map[string]any{}
			if len(args) == 1 {
				message["trace"] = args[0]
			}
			r, err := connect.Ask(cmd.Context(), a.App, "trace", message, a.Wait(cli.AskTime))
			if err != nil || a.JSON {
				return err
			}
			var turn struct {
				ID, Session, Text, Reply, Outcome string
				TS                                time.Time
				DurationMS                        float64 `json:"duration_ms"`
				Spans                             []trace.Span
				SpansDropped                      int `json:"spans_dropped"`
			}
			if err := json.Unmarshal(r.Result, &turn); err != nil {
				return cli.Malformed("a trace", r.Raw, err)
			}
			a.Printf("%s  %s, session %s, %.1f ms, %s\n", a.Style.Paint(cli.Bold, turn.ID), turn.TS.Local().Format(time.DateTime),
				cli.Printable(turn.Session), turn.DurationMS, cli.Printable(turn.Outcome))
			a.Printf("> %s\n", cli.Printable(turn.Text))
			for i, s := range turn.Spans {
				turn.Spans[i].Name, turn.Spans[i].Detail, turn.Spans[i].Error = cli.Printable(s.Name), cli.Printable(s.Detail), cli.Printable(s.Error)
			}
			if err := trace.Draw(a.Stdout, turn.Spans, a.Width()); err != nil {
				return err
			}
			if turn.SpansDropped > 0 {
				a.Printf("  and %d more that were not kept\n", turn.SpansDropped)
			}
			a.Printf("< %s\n", cli.Printable(turn.Reply))
			return nil
		},
	}
}
