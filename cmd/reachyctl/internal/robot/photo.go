package robot

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
	"github.com/reachyd/reachyd/perception/models"
)

func (a commands) photoCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "photo",
		Short: "Photos that the robot keeps: list, get, delete",
		Long: `photo shows the photos that the robot was asked to take (reachyctl say "take a photo"), writes them to files and removes
them. The robot keeps the latest 500, on its own machine.`,
		Example: "  reachyctl photo list\n  reachyctl photo get photo-20260301-110000.000 --output me.jpg\n  reachyctl photo delete photo-20260301-110000.000",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.photoListCommand(), a.photoGetCommand(), a.photoDeleteCommand())
	return c
}

func (a commands) photoListCommand() *cobra.Command { //nolint:dupl // another list, and its own words
	return &cobra.Command{
		Use:     "list",
		Short:   "List the photos, the newest first",
		Long:    "list prints a line for every photo that is kept: its name, when it was taken, and its size.",
		Example: "  reachyctl photo list\n  reachyctl --json photo list | jq -r '.result.photos[0].name'",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := connect.Read[api.PhotoList](cmd.Context(), a.App, string(api.VerbPhotosList), nil, a.Wait(cli.AskTime), "a list of photos")
			if err != nil || a.JSON {
				return err
			}
			if len(list.Photos) == 0 {
				a.Printf("There are no photos.\n")
				return nil
			}
			t := a.Table()
			t.Row("photo", "taken", "size")
			for _, p := range list.Photos {
				t.Row(p.Name, time.Time(p.Taken).Local().Format(time.DateTime), models.Bytes(p.Bytes))
			}
			return t.Flush()
		},
	}
}

func (a commands) photoGetCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Write a photo to a file",
		Long: `get writes a photo as JPEG, to NAME.jpg in this directory unless --output names another file ("-" for standard output). It
overwrites nothing, and the file is readable by its owner only.`,
		Example: "  reachyctl photo get photo-20260301-110000.000\n  reachyctl photo get photo-20260301-110000.000 --output - | feh -",
		Args:    cli.SomeArgs(1, "the name of a photo"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := connect.Ask(cmd.Context(), a.App, string(api.VerbPhotosShow), map[string]any{"name": args[0]}, a.Wait(cli.AskTime))
			if err != nil || a.JSON {
				return err
			}
			var p api.ShownPhoto
			if err := json.Unmarshal(r.Result, &p); err != nil || len(p.Image) == 0 {
				return cli.Malformed("a photo", r.Raw, err)
			}
			switch file {
			case "-":
				_, err = a.Stdout.Write(p.Image)
				return err
			case "":
				file = args[0] + ".jpg" // the robot has a photo of that name, which therefore has no slash
			}
			return a.writeNew(file, p.Image)
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "`file` to write; NAME.jpg when left out")
	return c
}

// writeNew writes a file that must not be there yet, and says so.
func (a commands) writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the photo: %w", err)
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write the photo: %w", err)
	}
	a.Printf("Written: %s (%s).\n", path, models.Bytes(int64(len(data))))
	return nil
}

func (a commands) photoDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "Remove a photo from the robot",
		Long:    "delete removes a photo from the robot. It cannot be undone.",
		Example: "  reachyctl photo delete photo-20260301-110000.000",
		Args:    cli.SomeArgs(1, "the name of a photo"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := connect.Ask(cmd.Context(), a.App, string(api.VerbPhotosDelete), map[string]any{"name": args[0]}, a.Wait(cli.AskTime))
			if err == nil && !a.JSON {
				a.Printf("Deleted: %s.\n", cli.Printable(args[0]))
			}
			return err
		},
	}
}
