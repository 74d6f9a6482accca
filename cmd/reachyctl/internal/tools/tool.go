package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) wakeCommand() *cobra.Command {
	return a.toolShortcut("wake", "Wake the robot up: motors on, head up", "wake_up")
}

func (a commands) sleepCommand() *cobra.Command {
	return a.toolShortcut("sleep", "Send the robot to sleep: head down, motors off", "go_to_sleep")
}

func (a commands) toolShortcut(use, short, name string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: short + ". It waits until that is done; the same as `reachyctl tool call " + name + "`.",
		Example: "  reachyctl " + use, Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.callTool(cmd, name, json.RawMessage("{}")) },
	}
}

func (a commands) toolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "List, show and call the robot's tools, and give it new ones",
		Long: `Everything that the robot can do is a tool. Angles are degrees, lengths metres, times seconds.

A tool can be written in Python: new, check, test, add. It runs in a sandbox and may do only what it was granted.`,
		Example: "  reachyctl tool list\n  reachyctl tool call move_head yaw=30 duration=2\n  reachyctl tool new shake_it\n  reachyctl tool add shake_it.py " +
			"--cases shake_it.cases.json",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var version int
	show := &cobra.Command{
		Use: "show NAME", Short: "Show a tool and its arguments", Long: "show prints what a tool does and which arguments it takes; of a self-made tool also its " +
			"versions and, with --version, the\nsource of one of them.",
		Example: "  reachyctl tool show move_head\n  reachyctl tool show shake_it --version 1", Args: cli.SomeArgs(1, "the name of one tool"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.showTool(cmd, args[0], version) },
	}
	show.Flags().IntVar(&version, "version", 0, "`number` of the version of a self-made tool")
	show.ValidArgsFunction = a.completeTools
	call := a.callCommand()
	cmd.AddCommand(a.selfMadeCommands()...)
	cmd.AddCommand(
		show,
		&cobra.Command{
			Use: "list", Short: "List the tools", Long: "list prints the name of each tool and what it does.", Example: "  reachyctl tool list", Args: cli.NoArgs,
			RunE: a.listTools,
		},
		call, a.psCommand(), a.killCommand(),
	)
	return cmd
}

func (a commands) callCommand() *cobra.Command {
	var paths []string
	cmd := &cobra.Command{
		Use: "call NAME [k=v ...|JSON]", Short: "Call a tool and wait until it is done",
		Long: `call runs a tool and prints what it answers. Arguments are written name=value, or all together as one JSON object.
A value that reads as JSON (a number, true, false, null, a quoted text, a list or an object) is that; anything else is
text. Write name='"5"' for a text that looks like a number.`,
		Example: "  reachyctl tool call move_head yaw=30 duration=2\n  reachyctl tool call speak '{\"text\":\"hello\"}'",
		Args:    cli.SomeArgs(-1, "the name of a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := toolArguments(args[1:])
			if err != nil {
				return cli.Usage("%w", err)
			}
			files, err := connect.ReadAttachments(paths)
			if err != nil {
				return err
			}
			return a.callTool(cmd, args[0], arguments, files...)
		},
		ValidArgsFunction: a.completeTools,
	}
	cmd.Flags().StringArrayVar(&paths, "file", nil, "a `file` that a self-made tool gets; may be given several times")
	return cmd
}

func (a commands) listTools(cmd *cobra.Command, _ []string) error {
	r, err := connect.Ask(cmd.Context(), a.App, "tools/list", nil, a.Wait(cli.AskTime))
	if err != nil {
		return err
	}
	var list struct {
		Tools []tool.Spec `json:"tools"`
	}
	if err := json.Unmarshal(r.Result, &list); err != nil {
		return cli.Malformed("a list of tools", r.Raw, err)
	}
	if a.JSON {
		return nil
	}
	t := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range list.Tools {
		text := cli.Printable(s.Description)
		if s.Unavailable != "" {
			text += a.Style.Paint(cli.Yellow, " (not now: "+cli.Printable(s.Unavailable)+")")
		}
		fmt.Fprintf(t, "%s\t%s\n", cli.Printable(s.Name), text) //nolint:errcheck // a reader that is gone needs no answer
	}
	return t.Flush()
}

func (a commands) showTool(cmd *cobra.Command, name string, version int) error {
	request := map[string]any{"name": name}
	if version != 0 {
		request["version"] = version
	}
	r, err := connect.Ask(cmd.Context(), a.App, "tools/show", request, a.Wait(cli.AskTime))
	if err != nil {
		return err
	}
	// The schema is read as it is on the wire, so that a newer reachyd may say more than we know.
	var spec struct {
		Name        string
		Description string
		Unavailable string
		Parameters  struct {
			Properties map[string]map[string]any
			Required   []string
		}
		Number, Active, Latest int // of a self-made tool
		Source                 string
		Grants                 []string
		Score                  struct{ Total float64 }
		Review, Reason         string
		Language, Licence      string
		Notes                  []toolNote
		Usage                  struct {
			Calls, Successes    uint64
			Mean, P50, P99, Max time.Duration
		}
	}
	if err := json.Unmarshal(r.Result, &spec); err != nil {
		return cli.Malformed("a description of a tool", r.Raw, err)
	}
	if a.JSON {
		return nil
	}
	a.Printf("%s\n%s\n", a.Style.Paint(cli.Bold, cli.Printable(spec.Name)), cli.Printable(spec.Description))
	if spec.Unavailable != "" {
		a.Printf("%s\n", a.Style.Paint(cli.Yellow, "not now: "+cli.Printable(spec.Unavailable)))
	}
	t := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	for _, name := range cli.SortedKeys(spec.Parameters.Properties) {
		about := parameterText(name, spec.Parameters.Properties[name], spec.Parameters.Required)
		_, _ = fmt.Fprintf(t, "  %s\t%s\n", cli.Printable(name), cli.Printable(about)) // Flush tells
	}
	if err := t.Flush(); err != nil || spec.Number == 0 {
		return err
	}
	a.Printf("self-made: v%d of %d", spec.Number, spec.Latest)
	switch spec.Active {
	case 0:
		a.Printf(", none is active")
	case spec.Number:
		a.Printf(", active")
	default:
		a.Printf(", v%d is active", spec.Active)
	}
	switch spec.Review {
	case "pending":
		a.Printf(", %s", a.Style.Paint(cli.Yellow, "waits for review"))
	case "rejected":
		a.Printf(", %s: %s", a.Style.Paint(cli.Red, "rejected"), cli.Printable(spec.Reason))
	}
	if spec.Language != "" && spec.Language != "python" {
		a.Printf(", %s", cli.Printable(spec.Language))
	}
	a.Printf(", score %.2f, called %d times, %d of them well", spec.Score.Total, spec.Usage.Calls, spec.Usage.Successes)
	if u := spec.Usage; u.Calls > 0 && u.Max > 0 {
		a.Printf(" in %v on average, %v at most", rounded(u.Mean), rounded(u.Max))
	}
	if len(spec.Grants) > 0 {
		a.Printf("; may call %s", cli.Printable(strings.Join(spec.Grants, ", ")))
	}
	if spec.Licence != "" {
		a.Printf("; licence %s", cli.Printable(spec.Licence))
	}
	a.Printf("\n")
	a.printNotes(spec.Notes)
	if version != 0 {
		for line := range strings.Lines(spec.Source) {
			a.Printf("%s\n", cli.Printable(strings.TrimRight(line, "\n")))
		}
	}
	return nil
}

// rounded is a duration with three digits or so.
func rounded(d time.Duration) time.Duration {
	switch {
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(100 * time.Nanosecond)
}

// parameterText describes one parameter: type, range or choice, default, and what it is for.
func parameterText(name string, p map[string]any, required []string) string {
	kind, _ := p["type"].(string)
	if low, high := p["minimum"], p["maximum"]; low != nil && high != nil {
		kind += " " + cli.ValueText(low) + "…" + cli.ValueText(high)
	}
	if choice, ok := p["enum"].([]any); ok {
		words := make([]string, len(choice))
		for i, c := range choice {
			words[i] = cli.ValueText(c)
		}
		kind = strings.Join(words, " | ")
	}
	parts := []string{kind}
	if text, ok := p["description"].(string); ok && text != "" {
		parts = append(parts, strings.TrimSuffix(text, "."))
	}
	switch def, ok := p["default"]; {
	case ok:
		parts = append(parts, "default "+cli.ValueText(def))
	default:
		for _, r := range required {
			if r == name {
				parts = append(parts, "required")
			}
		}
	}
	return strings.Join(parts, ", ")
}

func (a commands) callTool(cmd *cobra.Command, name string, args json.RawMessage, files ...api.File) error {
	r, err := connect.Send(cmd.Context(), a.App, "tool", map[string]any{"name": name, "args": args}, files, false, a.Wait(cli.MoveTime))
	if err == nil {
		r, err = connect.Outcome(a.App, r)
	}
	if err != nil {
		return err
	}
	var result tool.Result
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return cli.Malformed("a result", r.Raw, err)
	}
	if a.JSON {
		return nil
	}
	if result.Message != "" {
		a.Printf("%s\n", cli.Printable(result.Message))
	}
	if result.Data != nil {
		data, err := json.MarshalIndent(result.Data, "", "  ")
		if err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
		a.Printf("%s\n", data)
	}
	return nil
}

// toolArguments makes one JSON object of "k=v" words, or takes the one that was given.
func toolArguments(words []string) (json.RawMessage, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(words[0]), &object); err != nil {
			return nil, fmt.Errorf("the arguments are no JSON object: %w", err)
		}
		return json.RawMessage(words[0]), nil
	}
	object := make(map[string]json.RawMessage, len(words))
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("argument %q is not name=value; or give all arguments as one JSON object", w)
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("argument %q is given twice", name)
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			text, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("argument %q: %w", name, err)
			}
			raw = text
		}
		object[name] = raw
	}
	return json.Marshal(object)
}

// toolNote is a remark on a version of a self-made tool.
type toolNote struct{ Kind, Text, By string }

func (a commands) printNotes(all []toolNote) {
	for _, n := range all {
		a.Printf("note on %s: %s\n", cli.Printable(n.Kind), cli.Printable(n.Text))
	}
}
