package robot

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) sessionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "Conversations that the robot keeps: list, show, export, forget",
		Long: `session shows the conversations that the robot keeps: what was said, what it was asked to remember, and the summary
of what is too long for its language model. They survive a restart; store.retention_days in the settings says how long
they are kept. Say something in a session of its own with reachyctl say --session ID.`,
		Example: "  reachyctl session list\n  reachyctl session show kitchen\n  reachyctl session export kitchen > kitchen.json\n  reachyctl session forget kitchen",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.sessionListCommand(), a.sessionShowCommand(), a.sessionExportCommand(), a.sessionForgetCommand())
	return c
}

func (a commands) sessionListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the conversations, the latest first",
		Long: `list prints a line for every conversation that is kept: its id, when something was said last, how many sentences were
said, how many facts the robot was asked to remember, and the last sentence.`,
		Example: "  reachyctl session list\n  reachyctl --json session list | jq -r '.result.sessions[].id'",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := connect.Ask(cmd.Context(), a.App, "sessions/list", nil, a.Wait(cli.AskTime))
			if err != nil || a.JSON {
				return err
			}
			var list struct {
				Sessions []struct {
					ID, Text         string
					Last             time.Time
					Exchanges, Facts int
				}
			}
			if err := json.Unmarshal(r.Result, &list); err != nil {
				return cli.Malformed("a list of sessions", r.Raw, err)
			}
			if len(list.Sessions) == 0 {
				a.Printf("Nobody has said anything yet.\n")
				return nil
			}
			t := a.Table()
			t.Row("session", "last", "said", "facts", "last sentence")
			for _, s := range list.Sessions {
				t.Row(s.ID, s.Last.Local().Format(time.DateTime), strconv.Itoa(s.Exchanges), strconv.Itoa(s.Facts), s.Text)
			}
			return t.Flush()
		},
	}
}

func (a commands) sessionShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [ID]",
		Short: "Show what was said in a conversation, and what the robot remembers",
		Long: `show prints what the robot was asked to remember in a conversation, the summary of what is too long for its language
model, and what was said, oldest first. Without an id it shows the latest conversation.`,
		Example: "  reachyctl session show\n  reachyctl session show kitchen",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			message := map[string]any{}
			if len(args) == 1 {
				message["session"] = args[0]
			}
			r, err := connect.Ask(cmd.Context(), a.App, "sessions/show", message, a.Wait(cli.AskTime))
			if err != nil || a.JSON {
				return err
			}
			var s struct {
				ID, Summary string
				Facts       []struct{ Text string }
				History     []struct {
					TS          time.Time
					Text, Reply string
				}
			}
			if err := json.Unmarshal(r.Result, &s); err != nil {
				return cli.Malformed("a session", r.Raw, err)
			}
			a.Printf("%s\n", a.Style.Paint(cli.Bold, "session "+cli.Printable(s.ID)))
			for i, f := range s.Facts {
				if i == 0 {
					a.Printf("It was asked to remember:\n")
				}
				a.Printf("  - %s\n", cli.Printable(f.Text))
			}
			if s.Summary != "" {
				a.Printf("What was said before, in short: %s\n", cli.Printable(s.Summary))
			}
			for _, e := range s.History {
				a.Printf("%s > %s\n", e.TS.Local().Format(time.DateTime), cli.Printable(e.Text))
				a.Printf("%*s < %s\n", len(time.DateTime), "", cli.Printable(e.Reply))
			}
			return nil
		},
	}
}

func (a commands) sessionExportCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "export ID",
		Short: "Write a conversation as JSON",
		Long: `export writes all that is kept of a conversation as JSON: history, facts, summary. The file is readable by its owner
only.`,
		Example: "  reachyctl session export kitchen > kitchen.json\n  reachyctl session export kitchen --output kitchen.json",
		Args:    cli.SomeArgs(1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := connect.Ask(cmd.Context(), a.App, "sessions/show", map[string]any{"session": args[0]}, a.Wait(cli.AskTime))
			if err != nil || a.JSON {
				return err
			}
			var text bytes.Buffer
			if err := json.Indent(&text, r.Result, "", "  "); err != nil {
				return cli.Malformed("a session", r.Raw, err)
			}
			text.WriteByte('\n')
			if file == "" {
				_, err = a.Stdout.Write(text.Bytes())
				return err
			}
			return os.WriteFile(file, text.Bytes(), 0o600)
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "`file` to write; standard output when left out")
	return c
}

func (a commands) sessionForgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget ID",
		Short: "Remove a conversation, what is remembered of it, and its traces",
		Long: `forget removes a conversation: what was said, what the robot was asked to remember in it, its summary and its traces.
The stream of events, which also carries what was said, is kept as long as store.retention_days says.`,
		Example: "  reachyctl session forget kitchen",
		Args:    cli.SomeArgs(1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			session := map[string]any{"session": args[0]}
			gone, err := connect.Read[struct{ Exchanges, Facts int }](cmd.Context(), a.App, "sessions/forget", session, a.Wait(cli.AskTime), "what was forgotten")
			if err != nil || a.JSON {
				return err
			}
			a.Printf("Forgotten: session %s, said %d, remembered %d.\n", cli.Printable(args[0]), gone.Exchanges, gone.Facts)
			return nil
		},
	}
}
