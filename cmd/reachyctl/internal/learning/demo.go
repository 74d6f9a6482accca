package learning

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// shown is a demonstration, as the robot tells of it.
type shown struct {
	Name, Task, How, Move string
	At                    time.Time
	Frames                int
	Seconds               float64
}

func (a commands) demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the robot something by hand or by commands, and make a move of it",
		Long: `demo records what you show the robot. By hand: its motors let go, you guide head, body and antennas (hold the head: it is limp),
and reachyctl demo stop lets them hold again. A demonstration can be replayed, and be given a name: it is then a move like the
others, smoothed and within the limits of speed, and "play the move curious look" does it.`,
		Example: "  reachyctl demo record \"curious look\"\n  reachyctl demo stop\n  reachyctl demo name \"curious look\"\n" +
			"  reachyctl say play the move curious look",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	one := func(use, short, long string) *cobra.Command {
		action := strings.Fields(use)[0]
		return &cobra.Command{
			Use: use, Short: short, Long: long, Args: cobra.ExactArgs(1), Example: "  reachyctl demo " + action + " \"curious look\"",
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.shown(cmd, map[string]any{"action": action, "name": args[0]}, done[action], args[0])
			},
		}
	}
	c.AddCommand(a.demoRecordCommand(), &cobra.Command{
		Use: "stop", Short: "End the demonstration and keep it; the motors hold again", Args: cli.NoArgs, Example: "  reachyctl demo stop",
		Long: "stop ends what demo record has begun. What was shown is kept under its name, or a number.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.shown(cmd, map[string]any{"action": "stop"}, "Kept.\n")
		},
	}, a.demoListCommand(), one("replay NAME", "Do what was shown, within the limits of speed",
		"replay goes to where the demonstration begins, and then through it."), a.demoNameCommand(), a.demoExportCommand(),
		a.demoImportCommand(), one("delete NAME", "Delete a demonstration; a move that was made of it stays",
			"delete forgets what was shown. It cannot be undone; reachyctl demo export keeps a copy."))
	return c
}

// done is what is printed when an action is done.
var done = map[string]string{"replay": "The robot does %q.\n", "delete": "%q is deleted.\n"}

// shown asks the robot, and says in words that it is done.
func (a commands) shown(cmd *cobra.Command, args map[string]any, format string, words ...any) error {
	_, err := connect.Ask(cmd.Context(), a.App, "demonstration", args, a.Wait(cli.AskTime))
	if err == nil && !a.JSON {
		a.Printf(format, words...)
	}
	return err
}

func (a commands) demoRecordCommand() *cobra.Command {
	var how, task string
	c := &cobra.Command{
		Use:   "record [NAME]",
		Short: "Begin a demonstration; by hand the motors let go at once",
		Long: `record begins a demonstration. By hand (the default) all motors let go at once: hold the head. With --how commands the motors
stay as they are, and what the robot is told to do is recorded. A demonstration is two minutes long at most.`,
		Example: "  reachyctl demo record \"curious look\" --task \"look curious\"\n  reachyctl demo record --how commands",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			args := given(map[string]any{"action": "record", "how": how, "task": task})
			if len(names) == 1 {
				args["name"] = names[0]
			}
			return a.shown(cmd, args, "Recording. reachyctl demo stop ends it.\n")
		},
	}
	c.Flags().StringVar(&how, "how", "hand", "hand or commands")
	c.Flags().StringVar(&task, "task", "", "what is shown, in words")
	return c
}

func (a commands) demoListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List what was shown", Args: cli.NoArgs, Example: "  reachyctl demo list",
		Long: "list prints every demonstration that is kept.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := map[string]any{"action": "list"}
			list, err := connect.Read[struct{ Demonstrations []shown }](cmd.Context(), a.App, "demonstration", args, a.Wait(cli.AskTime), "a list of demonstrations")
			if err != nil || a.JSON {
				return err
			}
			if len(list.Demonstrations) == 0 {
				a.Printf("Nothing has been shown yet.\n")
				return nil
			}
			t := a.Table()
			t.Row("name", "how", "when", "seconds", "move", "task")
			for _, d := range list.Demonstrations {
				t.Row(d.Name, d.How, d.At.Local().Format(time.DateTime), fmt.Sprintf("%.1f", d.Seconds), d.Move, d.Task)
			}
			return t.Flush()
		},
	}
}

func (a commands) demoNameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "name NAME [MOVE]",
		Short:   "Make a move of a demonstration, by its name or another",
		Long:    "name makes a smoothed move of a demonstration, within the robot's limits. From then on it is played like every other move.",
		Example: "  reachyctl demo name \"curious look\"\n  reachyctl demo name \"demonstration 3\" \"big bow\"",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, names []string) error {
			return a.shown(cmd, map[string]any{"action": "name", "name": names[0], "as": names[len(names)-1]},
				"%q is a move from now on.\n", names[len(names)-1])
		},
	}
}

func (a commands) demoExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export NAME FILE",
		Short: "Write a demonstration as a zip file in LeRobot's layout",
		Long: `export writes a demonstration as a zip file in the layout of a LeRobot dataset, version 2.1 (meta/info.json, meta/tasks.jsonl,
meta/episodes.jsonl, data/chunk-000/…), with tables in CSV instead of Parquet.`,
		Example: "  reachyctl demo export \"curious look\" look.zip",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := connect.Ask(cmd.Context(), a.App, "demonstration", map[string]any{"action": "export", "name": args[0]}, a.Wait(cli.AskTime))
			if err != nil {
				return err
			}
			var file struct{ Data []byte }
			if err := json.Unmarshal(r.Result, &file); err != nil {
				return cli.Malformed("a demonstration", r.Raw, err)
			}
			if err := os.WriteFile(args[1], file.Data, 0o600); err != nil {
				return err
			}
			if !a.JSON {
				a.Printf("%s: %d bytes\n", args[1], len(file.Data))
			}
			return nil
		},
	}
}

func (a commands) demoImportCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use: "import FILE", Short: "Take in what export wrote", Args: cobra.ExactArgs(1), Example: "  reachyctl demo import look.zip --name \"my look\"",
		Long: "import reads a zip file in LeRobot's layout, as export writes it, and keeps it as a demonstration.",
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			return a.shown(cmd, given(map[string]any{"action": "import", "name": name, "data": base64.StdEncoding.EncodeToString(data)}), "Kept.\n")
		},
	}
	c.Flags().StringVar(&name, "name", "", "another `name` than in the file")
	return c
}
