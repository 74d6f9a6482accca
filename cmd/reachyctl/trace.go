package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/trace"
)

func (a *app) traceCommand() *cobra.Command {
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
			r, err := a.ask(cmd.Context(), "trace", message, a.wait(quick))
			if err != nil || a.json {
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
				return malformed("a trace", r.raw, err)
			}
			a.printf("%s  %s, session %s, %.1f ms, %s\n", a.style.paint(bold, turn.ID), turn.TS.Local().Format(time.DateTime),
				printable(turn.Session), turn.DurationMS, printable(turn.Outcome))
			a.printf("> %s\n", printable(turn.Text))
			for i, s := range turn.Spans {
				turn.Spans[i].Name, turn.Spans[i].Detail, turn.Spans[i].Error = printable(s.Name), printable(s.Detail), printable(s.Error)
			}
			if err := trace.Draw(a.stdout, turn.Spans, a.width()); err != nil {
				return err
			}
			if turn.SpansDropped > 0 {
				a.printf("  and %d more that were not kept\n", turn.SpansDropped)
			}
			a.printf("< %s\n", printable(turn.Reply))
			return nil
		},
	}
}
