package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/tool"
)

func (a *app) wakeCommand() *cobra.Command {
	return a.toolShortcut("wake", "Wake the robot up: motors on, head up", "wake_up")
}

func (a *app) sleepCommand() *cobra.Command {
	return a.toolShortcut("sleep", "Send the robot to sleep: head down, motors off", "go_to_sleep")
}

func (a *app) toolShortcut(use, short, name string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: short + ". It waits until that is done; the same as `reachyctl tool call " + name + "`.",
		Example: "  reachyctl " + use, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.callTool(cmd, name, json.RawMessage("{}")) },
	}
}

func (a *app) toolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "List, show and call the robot's tools, and give it new ones",
		Long: `Everything that the robot can do is a tool. Angles are degrees, lengths metres, times seconds.

A tool can be written in Python: new, check, test, add. It runs in a sandbox and may do only what it was granted.`,
		Example: "  reachyctl tool list\n  reachyctl tool call move_head yaw=30 duration=2\n  reachyctl tool new shake_it\n  reachyctl tool add shake_it.py --cases shake_it.cases.json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var version int
	show := &cobra.Command{
		Use: "show NAME", Short: "Show a tool and its arguments", Long: "show prints what a tool does and which arguments it takes; of a self-made tool also its versions and, with --version, the\nsource of one of them.",
		Example: "  reachyctl tool show move_head\n  reachyctl tool show shake_it --version 1", Args: someArgs(1, "the name of one tool"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.showTool(cmd, args[0], version) },
	}
	show.Flags().IntVar(&version, "version", 0, "`number` of the version of a self-made tool")
	show.ValidArgsFunction = a.completeTools
	call := a.callCommand()
	cmd.AddCommand(a.selfMadeCommands()...)
	cmd.AddCommand(
		show,
		&cobra.Command{
			Use: "list", Short: "List the tools", Long: "list prints the name of each tool and what it does.", Example: "  reachyctl tool list", Args: noArgs, RunE: a.listTools,
		},
		call,
	)
	return cmd
}

func (a *app) callCommand() *cobra.Command {
	var paths []string
	cmd := &cobra.Command{
		Use: "call NAME [k=v ...|JSON]", Short: "Call a tool and wait until it is done",
		Long: `call runs a tool and prints what it answers. Arguments are written name=value, or all together as one JSON object.
A value that reads as JSON (a number, true, false, null, a quoted text, a list or an object) is that; anything else is
text. Write name='"5"' for a text that looks like a number.`,
		Example: "  reachyctl tool call move_head yaw=30 duration=2\n  reachyctl tool call speak '{\"text\":\"hello\"}'",
		Args:    someArgs(-1, "the name of a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := toolArguments(args[1:])
			if err != nil {
				return &usageError{err}
			}
			files, err := readGiven(paths)
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

func (a *app) listTools(cmd *cobra.Command, _ []string) error {
	r, err := a.ask(cmd.Context(), "tools/list", nil, a.wait(quick))
	if err != nil {
		return err
	}
	var list struct {
		Tools []tool.Spec `json:"tools"`
	}
	if err := json.Unmarshal(r.Result, &list); err != nil {
		return &malformedError{"a list of tools", r.raw, err}
	}
	if a.json {
		return nil
	}
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, s := range list.Tools {
		text := printable(s.Description)
		if s.Unavailable != "" {
			text += a.style.paint(yellow, " (not now: "+printable(s.Unavailable)+")")
		}
		fmt.Fprintf(t, "%s\t%s\n", printable(s.Name), text) //nolint:errcheck // a reader that is gone needs no answer
	}
	return t.Flush()
}

func (a *app) showTool(cmd *cobra.Command, name string, version int) error {
	request := map[string]any{"name": name}
	if version != 0 {
		request["version"] = version
	}
	r, err := a.ask(cmd.Context(), "tools/show", request, a.wait(quick))
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
		return &malformedError{"a description of a tool", r.raw, err}
	}
	if a.json {
		return nil
	}
	a.printf("%s\n%s\n", a.style.paint(bold, printable(spec.Name)), printable(spec.Description))
	if spec.Unavailable != "" {
		a.printf("%s\n", a.style.paint(yellow, "not now: "+printable(spec.Unavailable)))
	}
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, name := range sortedKeys(spec.Parameters.Properties) {
		fmt.Fprintf(t, "  %s\t%s\n", printable(name), printable(parameterText(name, spec.Parameters.Properties[name], spec.Parameters.Required))) //nolint:errcheck // as above
	}
	if err := t.Flush(); err != nil || spec.Number == 0 {
		return err
	}
	a.printf("self-made: v%d of %d", spec.Number, spec.Latest)
	switch spec.Active {
	case 0:
		a.printf(", none is active")
	case spec.Number:
		a.printf(", active")
	default:
		a.printf(", v%d is active", spec.Active)
	}
	switch spec.Review {
	case "pending":
		a.printf(", %s", a.style.paint(yellow, "waits for review"))
	case "rejected":
		a.printf(", %s: %s", a.style.paint(red, "rejected"), printable(spec.Reason))
	}
	if spec.Language != "" && spec.Language != "python" {
		a.printf(", %s", printable(spec.Language))
	}
	a.printf(", score %.2f, called %d times, %d of them well", spec.Score.Total, spec.Usage.Calls, spec.Usage.Successes)
	if u := spec.Usage; u.Calls > 0 && u.Max > 0 {
		a.printf(" in %v on average, %v at most", rounded(u.Mean), rounded(u.Max))
	}
	if len(spec.Grants) > 0 {
		a.printf("; may call %s", printable(strings.Join(spec.Grants, ", ")))
	}
	if spec.Licence != "" {
		a.printf("; licence %s", printable(spec.Licence))
	}
	a.printf("\n")
	a.printNotes(spec.Notes)
	if version != 0 {
		for line := range strings.Lines(spec.Source) {
			a.printf("%s\n", printable(strings.TrimRight(line, "\n")))
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
		kind += " " + valueText(low) + "…" + valueText(high)
	}
	if choice, ok := p["enum"].([]any); ok {
		words := make([]string, len(choice))
		for i, c := range choice {
			words[i] = valueText(c)
		}
		kind = strings.Join(words, " | ")
	}
	parts := []string{kind}
	if text, ok := p["description"].(string); ok && text != "" {
		parts = append(parts, strings.TrimSuffix(text, "."))
	}
	switch def, ok := p["default"]; {
	case ok:
		parts = append(parts, "default "+valueText(def))
	default:
		for _, r := range required {
			if r == name {
				parts = append(parts, "required")
			}
		}
	}
	return strings.Join(parts, ", ")
}

func (a *app) callTool(cmd *cobra.Command, name string, args json.RawMessage, files ...given) error {
	r, err := a.exchange(cmd.Context(), "tool", map[string]any{"name": name, "args": args}, files, false, a.wait(long))
	if err == nil {
		r, err = a.outcome(r)
	}
	if err != nil {
		return err
	}
	var result tool.Result
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return &malformedError{"a result", r.raw, err}
	}
	if a.json {
		return nil
	}
	if result.Message != "" {
		a.printf("%s\n", printable(result.Message))
	}
	if result.Data != nil {
		data, err := json.MarshalIndent(result.Data, "", "  ")
		if err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
		a.printf("%s\n", data)
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

func (a *app) printNotes(all []toolNote) {
	for _, n := range all {
		a.printf("note on %s: %s\n", printable(n.Kind), printable(n.Text))
	}
}
