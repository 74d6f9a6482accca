package robot

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Settings of a robot that runs: list, get, set, unset",
		Long: `config shows the settings of a robot that runs, and changes those that may be changed so: all that are named or none.
What is changed is kept over a restart, in settings.yaml in the robot's data directory; the owner's reachyd.yaml stays as it
is. Addresses, paths, secrets and what guards the robot are changed in that file only.`,
		Example: "  reachyctl config list sense\n  reachyctl config get idle\n  reachyctl config set idle=lively sense.volume=60\n  reachyctl config unset idle",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.configListCommand(), a.configGetCommand(), a.configSetCommand(), a.configUnsetCommand())
	return c
}

// settings asks for those of a key or a group; with --json they have been printed.
func (a commands) settings(ctx context.Context, key string) ([]api.Setting, error) {
	args := map[string]any{}
	if key != "" {
		args["key"] = key
	}
	r, err := connect.Ask(ctx, a.App, string(api.VerbConfigList), args, a.Wait(cli.AskTime))
	if err != nil {
		return nil, err
	}
	var list api.SettingList
	if err := json.Unmarshal(r.Result, &list); err != nil {
		return nil, cli.Malformed("a list of settings", r.Raw, err)
	}
	return list.Settings, nil
}

// valueText is a value as config set takes it.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return cli.Printable(s)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return cli.Printable(string(data))
}

var changes = map[api.When]string{api.WhenNow: "now", api.WhenRestart: "after a restart", api.WhenFile: "in the file only"}

func (a commands) configListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [GROUP]",
		Short: "List the settings, their values, and when a change takes effect",
		Long: `list prints a line for every setting, or for those of a group such as sense: its value, when a change of it takes effect,
and where the value comes from. A value behind an arrow is that after a restart.`,
		Example: "  reachyctl config list\n  reachyctl config list learning\n  reachyctl --json config list | jq -r '.result.settings[].key'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := a.settings(cmd.Context(), strings.Join(args, ""))
			if err != nil || a.JSON {
				return err
			}
			t := a.Table()
			t.Row("setting", "value", "can be changed", "from")
			for _, s := range list {
				value := valueText(s.Value)
				if s.Next != nil {
					value += " → " + valueText(s.Next)
				}
				can := changes[s.When]
				if s.Fixed {
					can = "not here"
				}
				t.Row(s.Key, value, can, s.Origin)
			}
			return t.Flush()
		},
	}
}

func (a commands) configGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "get KEY",
		Short:   "Print what a setting is, means and may be",
		Long:    "get prints the value of a setting, and below it what it means, what is allowed, and when a change takes effect.",
		Example: "  reachyctl config get sense.volume\n  reachyctl --json config get idle | jq '.result.settings[0].value'",
		Args:    cli.SomeArgs(1, "the key of a setting, such as sense.volume"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := a.settings(cmd.Context(), args[0])
			if err != nil || a.JSON {
				return err
			}
			for _, s := range list {
				if len(list) > 1 {
					a.Printf("%s: ", s.Key)
				}
				a.Printf("%s\n", valueText(s.Value))
				if s.Next != nil {
					a.Printf("  after a restart: %s\n", valueText(s.Next))
				}
				for line := range strings.Lines(s.About) {
					a.Printf("  %s\n", strings.TrimSpace(line))
				}
				allowed := s.Type
				if s.Allowed != "" {
					allowed += ": " + s.Allowed
				}
				a.Printf("  Allowed: %s. Default: %s. From: %s. Can be changed: %s.\n", allowed, valueText(s.Default), s.Origin, changes[s.When])
			}
			return nil
		},
	}
}

func (a commands) configSetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY=VALUE ...",
		Short: "Change settings, all of them or none",
		Long: `set changes settings. A value is written as in reachyd.yaml; a list is written with commas, or as JSON. When one of the
values is not allowed nothing is changed. It says which of them take effect only after a restart of reachyd.`,
		Example: "  reachyctl config set idle=off\n  reachyctl config set sense.volume=60 'sense.wake_phrase=hey robot'\n" +
			"  reachyctl config set llm.talk=qwen3:4b,llama3.2:3b",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			values := map[string]any{}
			for _, arg := range args {
				key, text, ok := strings.Cut(arg, "=")
				if !ok {
					return cli.Usage("%q is no KEY=VALUE, such as sense.volume=60", arg)
				}
				values[key] = text
			}
			asking := *a.App
			asking.JSON = false // one answer is printed, that of the change
			list, err := commands{&asking}.settings(cmd.Context(), "")
			if err != nil {
				return err
			}
			for _, s := range list {
				if text, ok := values[s.Key].(string); ok {
					values[s.Key] = typed(s.Type, text)
				}
			}
			return a.change(cmd.Context(), values)
		},
	}
}

// typed is a value of the command line as the type of its setting wants it.
func typed(kind, text string) any {
	isText := kind == "a text" || strings.HasPrefix(kind, "a duration")
	if !isText && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if kind != "a list" {
		return text
	}
	list := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

func (a commands) configUnsetCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "unset KEY ...",
		Short:   "Take changes of settings back",
		Long:    "unset takes back what set has changed: what reachyd.yaml or the default says is in force again.",
		Example: "  reachyctl config unset idle sense.volume",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			values := map[string]any{}
			for _, key := range args {
				values[key] = nil
			}
			return a.change(cmd.Context(), values)
		},
	}
}

// change asks for a change and prints what became of it.
func (a commands) change(ctx context.Context, values map[string]any) error {
	args := map[string]any{"values": values}
	done, err := connect.Read[api.ConfigChange](ctx, a.App, string(api.VerbConfigSet), args, a.Wait(cli.AskTime), "a change of settings")
	if err != nil || a.JSON {
		return err
	}
	if len(done.Changes) == 0 {
		a.Printf("Nothing is different: so it was already.\n")
	}
	for _, c := range done.Changes {
		a.Printf("%s: %s (was %s), in force %s\n", c.Key, valueText(c.Value), valueText(c.Was), changes[c.When])
	}
	if done.Restart {
		a.Printf("Restart reachyd for that: sudo systemctl restart reachyd, or end it and start it again.\n")
	}
	return nil
}
