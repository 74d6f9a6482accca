package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/toolsandbox/template"
)

func (a commands) newTool(_ *cobra.Command, args []string, _ *options) error {
	source, cases, err := template.New(args[0])
	if err != nil {
		return cli.Usage("%w", err)
	}
	files := [][2]string{{args[0] + ".py", source}, {args[0] + ".cases.json", cases}}
	for _, f := range files {
		if _, err := os.Lstat(f[0]); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already; nothing was written", f[0])
		}
	}
	for _, f := range files {
		if err := os.WriteFile(f[0], []byte(f[1]), 0o644); err != nil {
			return err
		}
	}
	if a.JSON {
		a.PrintJSON(map[string]any{"ok": true, "result": map[string]any{"name": args[0], "source": files[0][0], "cases": files[1][0]}})
		return nil
	}
	a.Printf("wrote %s and %s; next: reachyctl tool add %s\n", files[0][0], files[1][0], files[0][0])
	return nil
}

// registered is what the robot says of a tool that it took.
type registered struct {
	Name     string
	Version  int
	Active   bool
	Grants   []string
	Score    struct{ Total float64 }
	Findings []sourceNote
	Report   *struct{ Passed, Total int }
	State    string
	Similar  []struct {
		Name       string
		Version    int
		Similarity float64
	}
}

func (a commands) printRegistered(r registered) {
	state := "active"
	switch {
	case r.State == "pending":
		state = a.Style.Paint(cli.Yellow, "waits for review")
	case !r.Active:
		state = "not active"
	}
	a.Printf("%s v%d, %s, score %.2f", cli.Printable(r.Name), r.Version, state, r.Score.Total)
	if r.Report != nil {
		a.Printf(", %d of %d tests passed", r.Report.Passed, r.Report.Total)
	}
	if len(r.Grants) > 0 {
		a.Printf("; may call %s", cli.Printable(strings.Join(r.Grants, ", ")))
	}
	a.Printf("\n")
	for _, m := range r.Similar {
		a.Printf("  much like %s v%d (%.0f %%): perhaps one tool with a parameter will do\n", cli.Printable(m.Name), m.Version, 100*m.Similarity)
	}
	if r.State == "pending" {
		a.Printf("  next: reachyctl tool review %s\n", cli.Printable(r.Name))
	}
}

func (a commands) addTool(cmd *cobra.Command, args []string, o *options) error {
	request, err := o.request(cmd, args[0])
	if err != nil {
		return err
	}
	if user := a.Env["USER"]; user != "" {
		request["author"] = user
	}
	if o.licence != "" {
		request["licence"] = o.licence
	}
	var r registered
	files, err := o.module(args[0])
	if err != nil {
		return err
	}
	if err := a.inquireAbout(cmd, args[0], "tools/add", request, &r, files...); err != nil {
		return err
	}
	if !a.JSON {
		a.printFindings(args[0], r.Findings)
		a.printRegistered(r)
	}
	return nil
}

func (a commands) switchTool(action string) func(*cobra.Command, []string, *options) error {
	return func(cmd *cobra.Command, args []string, _ *options) error {
		request := map[string]any{"name": args[0]}
		if len(args) > 1 {
			n, err := cli.VersionNumber(args[1])
			if err != nil {
				return err
			}
			request["version"] = n
		}
		var r struct {
			Name           string
			Active, Latest int
		}
		if err := a.inquire(cmd, "tools/"+action, request, &r); err != nil {
			return err
		}
		switch {
		case a.JSON:
		case r.Active == 0:
			a.Printf("%s is not active\n", cli.Printable(r.Name))
		default:
			a.Printf("%s v%d is active; the newest is v%d\n", cli.Printable(r.Name), r.Active, r.Latest)
		}
		return nil
	}
}
