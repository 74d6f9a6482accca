package tools

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) exportTools(cmd *cobra.Command, args []string, o *options) error {
	request := map[string]any{}
	if len(args) > 0 {
		request["names"] = args
	}
	if _, known := connect.WebServer(a.App); known {
		request["large"] = true
	}
	var r struct{ File string }
	if err := a.inquire(cmd, "tools/export", request, &r); err != nil {
		return err
	}
	if o.out != "" {
		if err := os.WriteFile(o.out, []byte(r.File), 0o644); err != nil {
			return err
		}
		if !a.JSON {
			a.Printf("wrote %s, %d bytes\n", o.out, len(r.File))
		}
		return nil
	}
	if !a.JSON {
		a.Printf("%s", r.File)
	}
	return nil
}

func (a commands) importTools(cmd *cobra.Command, args []string, o *options) error {
	file, err := cli.ReadFile(args[0], maxBundle)
	if err != nil {
		return err
	}
	request, beside := map[string]any{"file": file}, []api.File(nil)
	if len(file) > connect.MaxMessage/2 { // it grows when it is written as JSON
		delete(request, "file")
		beside = []api.File{{Name: "tools", Data: []byte(file)}}
	}
	for _, path := range args[1:] {
		module, err := cli.ReadFile(path, MaxModule)
		if err != nil {
			return err
		}
		beside = append(beside, api.File{Name: filepath.Base(path), Data: []byte(module)})
	}
	o.common(cmd, request)
	var r struct{ Tools []registered }
	if err := a.inquireAbout(cmd, args[0], "tools/import", request, &r, beside...); err != nil {
		return err
	}
	if a.JSON {
		return nil
	}
	for _, one := range r.Tools {
		a.printRegistered(one)
	}
	if len(r.Tools) == 0 {
		a.Printf("all of them were there already\n")
	}
	return nil
}

func (a commands) diffTool(cmd *cobra.Command, args []string, _ *options) error {
	if len(args) != 3 {
		return cli.Usage("the name of a tool and two versions must be given, such as shake_it 1 2")
	}
	from, err := cli.VersionNumber(args[1])
	if err != nil {
		return err
	}
	to, err := cli.VersionNumber(args[2])
	if err != nil {
		return err
	}
	var d struct {
		Source  string
		Changed []string
	}
	if err := a.inquire(cmd, "tools/diff", map[string]any{"name": args[0], "from": from, "to": to}, &d); err != nil || a.JSON {
		return err
	}
	for line := range strings.Lines(d.Source) {
		color := ""
		switch line[0] {
		case '+':
			color = cli.Green
		case '-':
			color = cli.Red
		}
		text := cli.Printable(strings.TrimRight(line, "\n"))
		if color != "" {
			text = a.Style.Paint(color, text)
		}
		a.Printf("%s\n", text)
	}
	switch {
	case len(d.Changed) > 0:
		a.Printf("changed beside the source: %s\n", cli.Printable(strings.Join(d.Changed, ", ")))
	case d.Source == "":
		a.Printf("they are the same\n")
	}
	return nil
}

func (a commands) reviewTool(cmd *cobra.Command, args []string, o *options) error {
	request := map[string]any{"action": "list"}
	if len(args) > 0 {
		request["name"] = args[0]
	}
	if o.approve && o.reject != "" {
		return cli.Usage("--approve and --reject do not go together")
	}
	if cmd.Flags().Changed("note") {
		return a.annotate(cmd, args, o)
	}
	if o.approve || cmd.Flags().Changed("reject") {
		if len(args) == 0 {
			return cli.Usage("which tool is to be approved or rejected?")
		}
		return a.decide(cmd, o, request)
	}
	var r struct {
		Pending []struct {
			Name, Description, Author, Model, Prompt, Source string
			Version                                          int
			Grants                                           []string
			Score                                            float64
			Untested                                         bool
			Licence                                          string
			Notes                                            []toolNote
			Findings                                         []sourceNote
		}
	}
	if err := a.inquire(cmd, "tools/review", request, &r); err != nil || a.JSON {
		return err
	}
	t := a.Table()
	for _, w := range r.Pending {
		about := w.Description
		if w.Untested {
			about = "never tested: there was no sandbox"
		}
		t.Row(w.Name, "v"+strconv.Itoa(w.Version), cmp.Or(w.Author, w.Model, "-"), about)
	}
	if len(r.Pending) == 0 {
		about := "nothing"
		if len(args) > 0 {
			about = "no version of " + cli.Printable(args[0])
		}
		a.Printf("%s waits for review\n", about)
	}
	if err := t.Flush(); err != nil || len(args) == 0 {
		return err
	}
	for _, w := range r.Pending {
		a.Printf("\n%s v%d, ", a.Style.Paint(cli.Bold, cli.Printable(w.Name)), w.Version)
		if w.Untested {
			a.Printf("never tested; what it may call is found out when it is approved\n")
		} else {
			a.Printf("score %.2f; may call %s\n", w.Score, cli.Printable(cmp.Or(strings.Join(w.Grants, ", "), "nothing")))
		}
		if w.Prompt != "" {
			a.Printf("asked for: %s\n", cli.Printable(w.Prompt))
		}
		if w.Licence != "" {
			a.Printf("licence: %s\n", cli.Printable(w.Licence))
		}
		a.printNotes(w.Notes)
		a.printFindings(w.Name, w.Findings)
		for line := range strings.Lines(w.Source) {
			a.Printf("%s\n", cli.Printable(strings.TrimRight(line, "\n")))
		}
	}
	return nil
}

// decide approves or rejects a version.
func (a commands) decide(cmd *cobra.Command, o *options, request map[string]any) error {
	request["action"] = "approve"
	if !o.approve {
		if o.reject == "" {
			return cli.Usage("--reject needs a reason: the author of the tool reads it")
		}
		request["action"], request["reason"] = "reject", o.reject
	}
	if o.version > 0 {
		request["version"] = o.version
	}
	if user := a.Env["USER"]; user != "" {
		request["author"] = user
	}
	var r struct {
		Name, Review    string
		Version, Active int
	}
	if err := a.inquire(cmd, "tools/review", request, &r); err != nil || a.JSON {
		return err
	}
	a.Printf("%s v%d was %s", cli.Printable(r.Name), r.Version, cli.Printable(r.Review))
	if r.Active > 0 {
		a.Printf("; v%d is active", r.Active)
	}
	a.Printf("\n")
	return nil
}

// annotate adds a remark to a version of a tool.
func (a commands) annotate(cmd *cobra.Command, args []string, o *options) error {
	if len(args) == 0 || o.note == "" || o.approve || o.reject != "" {
		return cli.Usage("--note needs the name of a tool and a text, and goes with neither --approve nor --reject")
	}
	request := map[string]any{"action": "note", "name": args[0], "reason": o.note, "kind": o.kind}
	if o.version > 0 {
		request["version"] = o.version
	}
	if user := a.Env["USER"]; user != "" {
		request["author"] = user
	}
	var r struct{ Name string }
	if err := a.inquire(cmd, "tools/review", request, &r); err != nil || a.JSON {
		return err
	}
	a.Printf("%s has a note on %s; tool show tells it\n", cli.Printable(r.Name), cli.Printable(o.kind))
	return nil
}

func (a commands) describeFiles(cmd *cobra.Command, args []string, _ *options) error {
	files, err := connect.ReadAttachments(args)
	if err != nil {
		return err
	}
	var r struct{ Files []json.RawMessage }
	if err := a.inquireAbout(cmd, "", "tools/files", map[string]any{}, &r, files...); err != nil || a.JSON {
		return err
	}
	for _, f := range r.Files {
		if err := a.describeFile(f); err != nil {
			return err
		}
	}
	return nil
}

// describeFile prints what is known of one file.
func (a commands) describeFile(raw json.RawMessage) error {
	type column struct{ Name, Type, Example string }
	var f struct {
		Name, Type, Encoding, Shape string
		Size, Rows, Pages, Count    int
		Width, Height               int
		Columns                     []column
		Keys                        []string
		Sheets                      []struct {
			Name    string
			Rows    int
			Columns []column
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return cli.Malformed("a description of a file", raw, err)
	}
	a.Printf("%s: %s, %d bytes", a.Style.Paint(cli.Bold, cli.Printable(f.Name)), cli.Printable(f.Type), f.Size)
	for _, n := range []struct {
		n    int
		what string
	}{{f.Rows, "rows"}, {f.Pages, "pages"}, {f.Width, "× " + strconv.Itoa(f.Height) + " pixels"}, {len(f.Sheets), "sheets"}} {
		if n.n > 0 {
			a.Printf(", %d %s", n.n, n.what)
		}
	}
	if f.Shape != "" {
		a.Printf(", %s of %d", cli.Printable(f.Shape), f.Count)
	}
	if len(f.Keys) > 0 {
		a.Printf(": %s", cli.Printable(strings.Join(f.Keys, ", ")))
	}
	a.Printf("\n")
	columns := func(all []column) error {
		t := a.Table()
		for _, c := range all {
			t.Row("  "+c.Name, c.Type, c.Example)
		}
		return t.Flush()
	}
	if err := columns(f.Columns); err != nil {
		return err
	}
	for _, s := range f.Sheets {
		a.Printf("sheet %s: %d rows\n", cli.Printable(s.Name), s.Rows)
		if err := columns(s.Columns); err != nil {
			return err
		}
	}
	return nil
}
