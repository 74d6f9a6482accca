package tools

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) psCommand() *cobra.Command {
	return &cobra.Command{
		Use: "ps", Short: "List the self-made tools that run now", Args: cli.NoArgs, Example: "  reachyctl tool ps",
		Long: "ps prints the calls of self-made tools that run, the longest first: number, tool, version and for how long.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := connect.Read[struct{ Running []api.RunningTool }](cmd.Context(), a.App, string(api.VerbToolsPs), nil, a.Wait(cli.AskTime), "a list of calls")
			if err != nil || a.JSON {
				return err
			}
			if len(list.Running) == 0 {
				a.Printf("no self-made tool runs\n")
				return nil
			}
			t := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
			for _, c := range list.Running {
				how := ""
				if c.Unattended {
					how = "by a schedule"
				}
				fmt.Fprintf(t, "%d\t%s\tversion %d\t%.1f s\t%s\n", c.Run, cli.Printable(c.Name), c.Version, c.Seconds, how) //nolint:errcheck // nobody reads
			}
			return t.Flush()
		},
	}
}

func (a commands) killCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "kill NUMBER|NAME", Short: "End a self-made tool that runs", Args: cli.SomeArgs(1, "the number of a call, or the name of a tool"),
		Long:    "kill ends the call of that number, as ps has it, or all calls of the tool of that name. Whoever called it is told.",
		Example: "  reachyctl tool kill 3\n  reachyctl tool kill shake_it",
		RunE: func(cmd *cobra.Command, args []string) error {
			request := map[string]any{"name": args[0]}
			if n, err := strconv.Atoi(args[0]); err == nil {
				request = map[string]any{"run": n}
			}
			done, err := connect.Read[struct{ Ended []int }](cmd.Context(), a.App, string(api.VerbToolsKill), request, a.Wait(cli.AskTime), "what was ended")
			if err != nil || a.JSON {
				return err
			}
			for _, n := range done.Ended {
				a.Printf("ended %d\n", n)
			}
			return nil
		},
	}
	cmd.ValidArgsFunction = a.completeTools
	return cmd
}
