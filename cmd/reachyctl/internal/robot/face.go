package robot

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) faceCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "face",
		Short: "Faces that the robot knows by name: list, forget",
		Long: `face shows whose faces the robot was told to remember (reachyctl say "this is Anna", with Anna in view) and forgets them. It keeps no
pictures of them, only numbers by which one face is told from another, on its own machine.`,
		Example: "  reachyctl face list\n  reachyctl face forget Anna\n  reachyctl face forget --all",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.faceListCommand(), a.faceForgetCommand())
	return c
}

func (a commands) faceListCommand() *cobra.Command { //nolint:dupl // another list, and its own words
	return &cobra.Command{
		Use:     "list",
		Short:   "List whose faces are known",
		Long:    "list prints a line for every person whose face is known: the name, when it was learned last, and from how many pictures.",
		Example: "  reachyctl face list\n  reachyctl --json face list | jq -r '.result.faces[].name'",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := connect.Read[api.FaceList](cmd.Context(), a.App, string(api.VerbFacesList), nil, a.Wait(cli.AskTime), "a list of faces")
			if err != nil || a.JSON {
				return err
			}
			if len(list.Faces) == 0 {
				a.Printf("No faces are known.\n")
				return nil
			}
			t := a.Table()
			t.Row("name", "learned", "samples")
			for _, f := range list.Faces {
				t.Row(f.Name, time.Time(f.Learned).Local().Format(time.DateTime), strconv.Itoa(f.Samples))
			}
			return t.Flush()
		},
	}
}

func (a commands) faceForgetCommand() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:     "forget NAME | --all",
		Short:   "Forget a person's face, or all",
		Long:    "forget removes all that is kept of a person's face, or with --all of everybody's. It cannot be undone.",
		Example: "  reachyctl face forget Anna\n  reachyctl face forget --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			verb, sent := api.VerbFacesForget, map[string]any{}
			switch {
			case all && len(args) == 0:
				verb = api.VerbFacesClear
			case all || len(args) == 0:
				return cli.Usage("say whose face: a name, or --all")
			default:
				sent["name"] = strings.Join(args, " ")
			}
			gone, err := connect.Read[api.ForgottenFaces](cmd.Context(), a.App, string(verb), sent, a.Wait(cli.AskTime), "whose faces are forgotten")
			if err != nil || a.JSON {
				return err
			}
			if len(gone.Forgotten) == 0 {
				a.Printf("No faces are known.\n")
				return nil
			}
			a.Printf("Forgotten: %s.\n", cli.Printable(strings.Join(gone.Forgotten, ", ")))
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "everybody's")
	return c
}
